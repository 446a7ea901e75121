package scatter

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// result is a packet with payload whose bursts have all been answered.
type result struct {
	Err hdl.Bits `w:"1"` // some with an error
}

// settle puts together the answers to the bursts of each packet.
func (b *block) settle() hdl.Stream[result] {
	m := b.m
	dones := hdl.Instance(m, "u_dones", stream.FIFODef(link.WriteDone{}, outstanding))
	hdl.Connect(dones.In, b.io.Write.Done)
	m.Unused(dones.Level, dones.HighWater)
	m.Assert("answers_have_room", b.io.Write.Done.Valid.Not().Or(dones.In.Ready))
	done, next := dones.Out, stream.FIFO(m, "u_tickets", b.tickets, outstanding)

	bad := m.Reg("packet_bad", 1, 0) // an answer to a burst of the packet was an error
	out := hdl.NewStream(m, "settled", result{})
	burst := next.Data.Burst
	answered := burst.Not().Or(done.Valid)
	out.Valid.Set(hdl.AndAll(next.Valid, next.Data.Last, answered))
	fails := bad.Or(burst.And(done.Data.Err))
	out.Data.Err.Set(fails)
	next.Ready.Set(answered.And(next.Data.Last.Not().Or(out.Ready)))
	done.Ready.Set(next.Fire().And(burst))
	m.If(next.Fire(), func() { bad.Set(fails.And(next.Data.Last.Not())) })
	return stream.FIFO(m, "u_results", out, 4)
}

// report passes each commit on, behind the result of its payload.
func (b *block) report(results hdl.Stream[result]) {
	io := b.io
	commits := stream.BlockFIFO(b.m, "u_commits", io.Commit, outstanding)
	c := commits.Data
	waits := c.Payload.And(c.Kind.IsNot(link.CommitFence))
	io.Placed.Valid.Set(commits.Valid.And(waits.Not().Or(results.Valid)))
	hdl.Set(io.Placed.Data, link.Placed{Commit: c, BusErr: hdl.AndAll(waits, c.Placed, results.Data.Err)})
	b.m.Event("in_memory", io.Placed.Fire().And(waits),
		hdl.Field("qp", c.QP), hdl.Field("psn", c.RequestPSN), hdl.Field("placed", c.Placed), hdl.Field("error", io.Placed.Data.BusErr))
	commits.Ready.Set(io.Placed.Fire())
	results.Ready.Set(io.Placed.Fire().And(waits))
}
