package core

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Who changes keys and sends fences, as bit 1 of a fence's token has it.
const (
	ownerCommand = iota
	ownerKeyOps
	owners
)

// keyAsked is a command on a key, and who gave it.
type keyAsked struct {
	Command link.KeyCommand
	Owner   hdl.Bits `w:"1"`
}

// keys joins the key cache and those who change keys: software, and queue pairs. Each answer goes
// to who asked; the key cache works on one command at a time.
func (c *core) keys() {
	m := c.m
	if c.keyops == nil {
		c.noKeyOps()
		return
	}
	asked, from := stream.RoundRobin(m, "u_key_commands", c.command.Key, c.keyops.Key)
	both := stream.Fork(m, "u_key_asked", stream.Map(asked, func(k link.KeyCommand) keyAsked { return keyAsked{Command: k, Owner: from} }), 2)
	hdl.Connect(c.keycache.Command, stream.Map(both[0], func(a keyAsked) link.KeyCommand {
		m.Unused(a.Owner)
		return a.Command
	}))
	who := stream.FIFO(m, "u_key_owner", stream.Map(both[1], func(a keyAsked) hdl.Bits {
		m.Unused(hdl.Pack(a.Command))
		return a.Owner
	}), 2)
	done := stream.Join(m, "u_key_answer", c.keycache.Done, who)
	answers := stream.Demux(m, "u_key_done", done, done.Data.B, owners)
	answer := func(d stream.Pair[link.KeyDone, hdl.Bits]) link.KeyDone {
		m.Unused(d.B)
		return d.A
	}
	hdl.Connect(c.command.KeyDone, stream.Map(answers[ownerCommand], answer))
	hdl.Connect(c.keyops.KeyDone, stream.Map(answers[ownerKeyOps], answer))

	flush := c.command.Flush.Or(c.keyops.Flush)
	c.translateTx.Flush.Set(flush)
	c.translateRx.Flush.Set(flush)
	hdl.Connect(c.keyops.Op, c.requester.KeyOp)
}

// noKeyOps joins software alone with the key cache.
func (c *core) noKeyOps() {
	hdl.Connect(c.keycache.Command, c.command.Key)
	hdl.Connect(c.command.KeyDone, c.keycache.Done)
	c.translateTx.Flush.Set(c.command.Flush)
	c.translateRx.Flush.Set(c.command.Flush)
	link.Ignore(c.m, c.requester.KeyOp)
}

// fences joins those who send fences and the pipelines that they go through. Responder resources
// and what sends again stand in front of the sending one, resources behind the receiving one, too; what queue pairs want of keys stands
// behind the sending one.
func (c *core) fences() {
	m := c.m
	hdl.Connect(c.resend.Fence, c.resources.FenceOut)
	hdl.Connect(c.requester.Fence, c.resend.Passed)
	hdl.Connect(c.resources.RxFenceIn, c.ackqueue.Fence)
	if c.keyops == nil {
		hdl.Connect(c.resources.FenceIn, c.command.TxFence)
		hdl.Connect(c.command.TxPassed, c.transmit.Fence)
		hdl.Connect(c.psncheck.Fence, c.command.RxFence)
		hdl.Connect(c.command.RxPassed, c.resources.RxFenceOut)
		return
	}
	tx, who := stream.RoundRobin(m, "u_tx_fences", c.command.TxFence, c.keyops.TxFence)
	rx, whose := stream.RoundRobin(m, "u_rx_fences", c.command.RxFence, c.keyops.RxFence)
	m.Unused(who, whose)
	hdl.Connect(c.resources.FenceIn, tx)
	passed := stream.Demux(m, "u_tx_passed", c.transmit.Fence, c.transmit.Fence.Data.Token.Bit(1), owners)
	hdl.Connect(c.keyops.Through, passed[ownerCommand])
	hdl.Connect(c.command.TxPassed, c.keyops.Passed)
	hdl.Connect(c.keyops.TxPassed, passed[ownerKeyOps])

	hdl.Connect(c.psncheck.Fence, rx)
	out := c.resources.RxFenceOut
	received := stream.Demux(m, "u_rx_passed", out, out.Data.Token.Bit(1), owners)
	hdl.Connect(c.command.RxPassed, received[ownerCommand])
	hdl.Connect(c.keyops.RxPassed, received[ownerKeyOps])
}
