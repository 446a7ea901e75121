package rtl_test

import (
	"gornic/blocks/core"
	"gornic/blocks/link"
	"gornic/blocks/registers"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// echo is a device with the ports of a core that does what needs no core: registers; each
// frame that is received goes back out, the host's frames go in a circle, and the first beat of
// each frame is written to the base of the key table, with an interrupt on vector 0.
func echo(width int) hdl.Def[core.IO] {
	s := link.Sizes{DataWidth: width, QPBits: 3, CQBits: 2, EQBits: 1, ReplayBits: 4}
	axis := core.AXIS{TData: hdl.W(width), TKeep: hdl.W(width / 8)}
	return hdl.Def[core.IO]{
		Name: "echo",
		IO: core.IO{
			Registers: s.AXILite(), Memory: s.AXI(), Rx: axis, Tx: axis, RawRx: axis, RawTx: axis, Interrupt: hdl.StreamOf(link.Interrupt{}),
		},
		Body: func(m *hdl.Module, io *core.IO) {
			regs := hdl.Instance(m, "u_registers", registers.Def(registers.Params{Sizes: s, MTU: 4096}))
			hdl.Connect(regs.Bus, io.Registers)
			circle(m, "u_raw", io.RawRx, io.RawTx)
			circle(m, "u_frames", io.Tx, io.Rx)
			store(m, io, regs)
		},
	}
}

// circle sends frames back through a FIFO.
func circle(m *hdl.Module, name string, out, in core.AXIS) {
	f := stream.FrameFIFO(m, name, stream.Frame{
		Valid: in.TValid, Ready: in.TReady, Data: stream.Beat{Data: in.TData, Keep: in.TKeep, Last: in.TLast, Err: in.TUser},
	}, 512)
	out.TData.Set(f.Data.Data)
	out.TKeep.Set(f.Data.Keep)
	out.TLast.Set(f.Data.Last)
	out.TUser.Set(f.Data.Err)
	out.TValid.Set(f.Valid)
	f.Ready.Set(out.TReady)
}

// store writes the first beat of each frame to memory.
func store(m *hdl.Module, io *core.IO, regs *registers.IO) {
	axi := &io.Memory
	inside := m.Reg("in_frame", 1, 0)
	data := m.RegN("data", io.Rx.TData.Width())
	address, beat := m.Reg("address_waits", 1, 0), m.Reg("beat_waits", 1, 0)
	taken := io.Rx.TValid.And(io.Rx.TReady)
	m.If(axi.AWReady, func() { address.SetK(0) })
	m.If(axi.WReady, func() { beat.SetK(0) })
	m.If(taken, func() { inside.Set(io.Rx.TLast.Not()) })
	m.If(hdl.AndAll(taken, inside.Not(), address.Not(), beat.Not()), func() {
		data.Set(io.Rx.TData)
		address.SetK(1)
		beat.SetK(1)
	})
	axi.AWAddr.Set(regs.Settings.KeyBase)
	axi.AWValid.Set(address)
	axi.WData.Set(data)
	axi.WStrb.Set(hdl.Ones(axi.WStrb.Width()))
	axi.WLast.SetK(1)
	axi.WValid.Set(beat)
	axi.BReady.SetK(1)
	axi.AWSize.SetK(uint64(size(io.Rx.TData.Width())))
	axi.AWBurst.SetK(1)
	for _, x := range []hdl.Bits{
		axi.AWID, axi.AWLen, axi.AWLock, axi.AWCache, axi.AWProt,
		axi.ARID, axi.ARAddr, axi.ARLen, axi.ARSize, axi.ARBurst, axi.ARLock, axi.ARCache, axi.ARProt, axi.ARValid, axi.RReady,
		regs.Counts, regs.Done.Valid, regs.Done.Data.Status, regs.Done.Data.Replies, regs.Done.Data.Out,
	} {
		x.Set(x.K(0))
	}
	m.Unused(axi.BID, axi.BResp, axi.RID, axi.RData, axi.RResp, axi.RLast, axi.RValid, axi.ARReady)
	hdl.UnusedBut(m, regs.Settings, regs.Settings.KeyBase)
	m.Unused(regs.Go.Valid, regs.Go.Data.Code, regs.Go.Data.In)
	m.Unused(regs.Done.Ready, regs.Bell.Valid, regs.Bell.Data.Page, regs.Bell.Data.Offset, regs.Bell.Data.Index, regs.Bell.Data.Number, io.Interrupt.Ready)
	regs.Bell.Ready.SetK(1)
	regs.Go.Ready.SetK(1)
	regs.Raise.Set(axi.BValid.ZExt(regs.Raise.Width()))
	io.IRQ.Set(regs.Pending.Any())
	io.Interrupt.Valid.Set(axi.BValid)
	io.Interrupt.Data.Vector.SetK(0)
}

func size(width int) int {
	n := 0
	for 8<<n < width {
		n++
	}
	return n
}
