package access

import (
	"gornic/blocks/link"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
)

// liteMaster is an access on an AXI4-Lite port.
type liteMaster struct {
	done  hdl.Bits // it is answered in this cycle
	reply port.Reply
}

// newLite makes the access at a port while active is one, which it is until done.
func newLite(m *hdl.Module, name string, bus *link.AXILite, a port.Access, active hdl.Bits) liteMaster {
	addressed := m.Reg(name+"_addressed", 1, 0) // the address has been taken
	sent := m.Reg(name+"_sent", 1, 0)           // and the data
	writes, reads := active.And(a.Write), active.And(a.Write.Not())
	bits := bus.AWAddr.Width()
	bus.AWAddr.Set(a.Addr.Trunc(bits))
	bus.AWProt.SetK(0)
	bus.AWValid.Set(writes.And(addressed.Not()))
	bus.WData.Set(a.Data.Trunc(32))
	bus.WStrb.SetK(0xF)
	bus.WValid.Set(writes.And(sent.Not()))
	bus.BReady.Set(writes)
	bus.ARAddr.Set(a.Addr.Trunc(bits))
	bus.ARProt.SetK(0)
	bus.ARValid.Set(reads.And(addressed.Not()))
	bus.RReady.Set(reads)

	done := hdl.Mux(a.Write, bus.BValid, bus.RValid).And(active)
	m.If(hdl.OrAll(bus.AWValid.And(bus.AWReady), bus.ARValid.And(bus.ARReady)), func() { addressed.SetK(1) })
	m.If(bus.WValid.And(bus.WReady), func() { sent.SetK(1) })
	m.If(done, func() {
		addressed.SetK(0)
		sent.SetK(0)
	})
	fault := hdl.Mux(a.Write, bus.BResp, bus.RResp).Any()
	data := hdl.Mux(a.Write.Or(fault), hdl.K(32, 0), bus.RData)
	return liteMaster{done: done, reply: port.Reply{Data: data.ZExt(64), Fault: fault}}
}
