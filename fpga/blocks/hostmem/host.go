package hostmem

import (
	"gornic/fpga/blocks/port"
	"gornic/hdl"
)

// hostStep is where an access of the host is.
type hostStep int

const (
	hostIdle     hostStep = iota
	hostWrites            // its word goes to the RAM
	hostReads             // it waits for its turn at the RAM
	hostComes             // its word is on the way
	hostAnswered          // the reply waits for its taker
)

func (s hostStep) String() string {
	return [...]string{"IDLE", "WRITES", "READS", "COMES", "ANSWERED"}[s]
}

// host is the second side: one access at a time.
type host struct {
	step  *hdl.FSM[hostStep]
	held  port.Access
	reply port.Reply

	writes hdl.Bits // the word is written in this cycle
	reads  hdl.Bits // the word is to be read
}

func (b *block) newHost() *host {
	m, io := b.m, &b.io.Host
	h := &host{
		step: hdl.NewFSM(m, "host_step", hostIdle, hostWrites, hostReads, hostComes, hostAnswered),
		held: hdl.NewReg(m, "held", port.Access{}), reply: hdl.NewReg(m, "answer", port.Reply{}),
	}
	low := hdl.Log2(wordBytes)
	m.Unused(h.held.Memory, h.held.Write, h.held.Addr.Trunc(low), h.held.Addr.ShrK(low+b.indexBits()).Trunc(64-low-b.indexBits()))
	io.Access.Ready.Set(h.step.Is(hostIdle))
	io.Reply.Valid.Set(h.step.Is(hostAnswered))
	hdl.Set(io.Reply.Data, h.reply)
	h.writes, h.reads = h.step.Is(hostWrites), h.step.Is(hostReads)

	asked := io.Access.Data
	good := hdl.AndAll(asked.Memory, b.isHere(asked.Addr), asked.Addr.Trunc(low).None())
	answer := func(data, fault hdl.Bits) {
		hdl.Set(h.reply, port.Reply{Data: data, Fault: fault})
		h.step.Goto(hostAnswered)
	}
	h.step.Switch(
		hdl.On(hostIdle, func() {
			m.If(io.Access.Valid, func() {
				hdl.Set(h.held, asked)
				m.If(good.Not(), func() { answer(hdl.K(64, 0), hdl.K(1, 1)) }).
					ElseIf(asked.Write, func() { h.step.Goto(hostWrites) }).
					Else(func() { h.step.Goto(hostReads) })
			})
		}),
		hdl.On(hostWrites, func() { answer(hdl.K(64, 0), hdl.K(1, 0)) }),
		hdl.On(hostReads, func() {}),
		hdl.On(hostComes, func() {}),
		hdl.On(hostAnswered, func() { m.If(io.Reply.Ready, func() { h.step.Goto(hostIdle) }) }),
	)
	m.Event("host", io.Access.Fire(), hdl.Field("write", asked.Write), hdl.Field("addr", asked.Addr), hdl.Field("data", asked.Data))
	return h
}

// issued tells that the word is on the way in the next cycle, came that it is there.
func (h *host) issued(m *hdl.Module, issued, came, data hdl.Bits) {
	m.If(issued, func() { h.step.Goto(hostComes) })
	m.If(came, func() {
		hdl.Set(h.reply, port.Reply{Data: data, Fault: hdl.K(1, 0)})
		h.step.Goto(hostAnswered)
	})
}
