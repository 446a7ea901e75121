package access

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	return []hdl.Proof{hdl.ProofOf(Def(Params{Clients: 2, CoreBits: 13}), 14, 0).Breaks(
		hdl.StuckAt0("core_sent").As("the data of a write is sent twice"),
		hdl.Invert("held_addr", 19).As("registers of the board at the address of the core's"),
		hdl.StuckAt0("whose").As("replies go to the first client"),
		hdl.StuckAt1("m_axil_board_awvalid").As("a write to the board for each access"),
	)}
}

// properties states the contracts of the ports, and that each client gets a reply for each access.
func properties(m *hdl.Module, p Params, io *IO, held port.Access) {
	for i, c := range io.Clients {
		name := fmt.Sprintf("client_%d", i)
		stream.AssumeSource(m, name, c.Access)
		stream.AssertSource(m, name+"_reply", c.Reply)
		owes := owed(m, name, c)
		m.Assert(name+"_one_reply", c.Reply.Valid.Not().Or(owes))
		m.Assert(name+"_one_access", owes.Not().Or(c.Access.Ready.Not()))
		m.Cover(name+"_answered", c.Reply.Fire())
	}
	stream.AssertSource(m, "memory", io.Memory.Access)
	stream.AssumeSource(m, "memory_reply", io.Memory.Reply)
	m.Assume("memory_answers_once", io.Memory.Reply.Valid.Not().Or(owed(m, "memory", io.Memory)))
	isCore, isBoard := registersAt(held, p)
	mine := func(bus *link.AXILite, is hdl.Bits) hdl.Bits {
		return hdl.OrAll(bus.AWValid, bus.WValid, bus.ARValid).Not().Or(is.And(held.Memory.Not()))
	}
	m.Assert("core_has_its_addresses", mine(&io.Core, isCore))
	m.Assert("board_has_its_addresses", mine(&io.Board, isBoard))
	m.Assert("memory_has_the_rest", io.Memory.Access.Valid.Not().Or(held.Memory))
	lite(m, "core", &io.Core)
	lite(m, "board", &io.Board)
}

// owed returns one bit: an access has been taken whose reply has not.
func owed(m *hdl.Module, name string, c port.Client) (owes hdl.Bits) {
	m.Ghost(func() {
		owes = m.Reg(name+"_owes", 1, 0)
		m.If(c.Reply.Fire(), func() { owes.SetK(0) })
		m.If(c.Access.Fire(), func() { owes.SetK(1) })
	})
	return owes
}

// lite states the rules of AXI4-Lite: what is offered stays, an address comes with one piece of
// data, and no more than one access is under way.
func lite(m *hdl.Module, name string, bus *link.AXILite) {
	stays(m, name+"_aw", bus.AWValid, bus.AWReady, bus.AWAddr)
	stays(m, name+"_w", bus.WValid, bus.WReady, bus.WData)
	stays(m, name+"_ar", bus.ARValid, bus.ARReady, bus.ARAddr)
	var aw, w, ar hdl.Bits // taken, and not answered
	m.Ghost(func() {
		aw, w, ar = m.Reg(name+"_aw_taken", 1, 0), m.Reg(name+"_w_taken", 1, 0), m.Reg(name+"_ar_taken", 1, 0)
		m.If(bus.AWValid.And(bus.AWReady), func() { aw.SetK(1) })
		m.If(bus.WValid.And(bus.WReady), func() { w.SetK(1) })
		m.If(bus.ARValid.And(bus.ARReady), func() { ar.SetK(1) })
		m.If(bus.BValid.And(bus.BReady), func() {
			aw.SetK(0)
			w.SetK(0)
		})
		m.If(bus.RValid.And(bus.RReady), func() { ar.SetK(0) })
	})
	m.Assume(name+"_b_when_written", bus.BValid.Not().Or(aw.And(w)))
	m.Assume(name+"_r_when_read", bus.RValid.Not().Or(ar))
	m.Assert(name+"_one_aw", bus.AWValid.Not().Or(aw.Not()))
	m.Assert(name+"_one_w", bus.WValid.Not().Or(w.Not()))
	m.Assert(name+"_one_ar", bus.ARValid.Not().Or(ar.Not()))
	m.Assert(name+"_answers_are_taken", hdl.AndAll(bus.BValid.Not().Or(bus.BReady), bus.RValid.Not().Or(bus.RReady)))
	m.Assert(name+"_data_with_address", bus.WValid.Not().Or(aw.Or(bus.AWValid)))
}

// stays states the rule of AXI's channels: what is offered is offered until it is taken.
func stays(m *hdl.Module, name string, valid, ready, data hdl.Bits) {
	waits := m.PastReset(name+"_waited", valid.And(ready.Not()), 0)
	before := m.Past(name+"_before", data)
	m.Assert(name+"_stays", waits.Not().Or(valid.And(data.Eq(before))))
}
