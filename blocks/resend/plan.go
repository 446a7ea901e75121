package resend

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// compare holds the WQE against its entry, and has the entry looked at again: what comes of that look is true
// of the WQE as it was read.
func (b *block) compare() {
	m, c := b.m, b.wqe()
	task := wqe.TaskOf(c, b.p.Sizes)
	b.second.SetK(1)
	b.entryHere.SetK(0)
	b.entryOwed.SetK(1)
	b.bad.Set(hdl.OrAll(b.bad, b.tooMany(c), task.Local,
		task.Read.Ne(b.is(link.EntryRead)), task.Atomic.Ne(b.is(link.EntryAtomic))))
	b.number.SetK(0)
	b.found.SetK(0)
	b.first.SetK(0)
	b.offset.Set(b.entry.Offset)
	b.total.Set(hdl.Mux(b.inline(), c.InlineLen.ZExt(32), hdl.K(32, 0)))
	m.If(b.is(link.EntryRead).And(b.passed.Le(b.span)).Not(), func() { b.passed.SetK(0) })
	b.st.Goto(stPlan)
	m.If(hdl.AndAll(b.is(link.EntryRequest), b.inline().Not(), c.NumSGE.Any()), func() { b.st.Goto(stSum) })
}

// inline returns one bit: the payload is in the WQE.
func (b *block) inline() hdl.Bits {
	return b.is(link.EntryRequest).And(wqe.Flag(b.wqe(), format.WRFlagInline))
}

// tooMany returns one bit: the WQE has more SGEs or inline data than its slot holds.
func (b *block) tooMany(c wqe.Control) hdl.Bits {
	most := func(n func(logStride int) int) hdl.Bits {
		return hdl.Mux(b.turn.ring.LogStride, hdl.K(8, uint64(n(1))), hdl.K(8, uint64(n(0))))
	}
	return hdl.Mux(b.inline(), c.InlineLen.Gt(most(format.InlineMax)), c.NumSGE.Gt(most(format.SendSGEs)))
}

// here is the granule that an SGE of number is in, if it is one.
func (b *block) here() format.SGE[hdl.Bits] {
	return hdl.UnpackLow(format.SGE[hdl.Bits]{}, b.granule(b.number.AddK(format.ControlGranules)))
}

// sum adds up an SGE, and takes note of the one where the payload begins.
func (b *block) sum() {
	m, sge := b.m, b.here()
	b.total.Set(b.total.Add(sge.Length))
	b.number.Set(b.number.AddK(1))
	m.If(b.found.Not(), func() {
		m.If(b.offset.Lt(sge.Length), func() {
			b.found.SetK(1)
			b.first.Set(b.number)
			hdl.Set(b.sge, sge)
			b.at.Set(b.offset)
			b.left.Set(sge.Length.Sub(b.offset))
		}).Else(func() {
			b.offset.Set(b.offset.Sub(sge.Length))
		})
	})
	m.If(b.number.AddK(1).ZExt(8).Ge(b.wqe().NumSGE).Or(b.number.Is(uint64(format.SendSGEs(format.LogStrideMax)-1))), func() { b.st.Goto(stPlan) })
}

// plan makes the headers, and the place of payload in the WQE.
func (b *block) plan() {
	m, e, c := b.m, b.entry, b.wqe()
	task := wqe.TaskOf(c, b.p.Sizes)
	request := b.is(link.EntryRequest)
	moved := b.passedBytes()
	hdl.Set(b.header, header{
		Opcode: task.Opcode(e.First, e.Last), SE: task.Solicits(c, e.Last),
		AckReq: hdl.OrAll(request.Not(), e.Last, b.endsHalf()),
		PSN:    e.PSN.Add(b.passed), VA: c.RemoteAddr.Add(moved.ZExt(64)), RKey: c.RKey,
		DMALen: hdl.Mux(request, b.total, e.Offset.Sub(moved)), Imm: task.Imm(c),
	})
	m.Unused(c.Flags, c.WRID, c.Reserved)
	b.need.Set(e.Length)
	b.number.Set(b.first)
	m.If(request.And(e.Offset.AddC(e.Length.ZExt(32)).Gt(b.total.ZExt(33))), func() { b.bad.SetK(1) })
	if b.p.Sizes.Has(link.Atomics) {
		m.If(b.is(link.EntryAtomic), func() { hdl.Set(b.sge, b.here()) }) // its operands
	}
	m.If(b.inline(), func() {
		b.sge.Addr.Set(b.slot.Or(hdl.K(64, controlBits/8)))
		b.sge.LKey.SetK(0)
		b.at.Set(e.Offset)
		b.left.Set(e.Length.ZExt(32))
	})
	b.st.Goto(stCheck)
}

// passedBytes is the bytes of a READ that need not be asked for again: whole path MTUs.
func (b *block) passedBytes() hdl.Bits {
	var bytes []hdl.Bits
	for code := range 8 {
		bytes = append(bytes, b.passed.ZExt(32).ShlK(wqe.MTUShift(code)).Trunc(32))
	}
	return hdl.Select(b.context.PathMTU, bytes...)
}

// endsHalf returns one bit: the entry is the last one of either half of its ring.
func (b *block) endsHalf() hdl.Bits {
	if b.p.Sizes.ReplayBits == 1 {
		return hdl.K(1, 1)
	}
	return b.index.Trunc(b.p.Sizes.ReplayBits - 1).All()
}

// check waits for the second look. If the entry is there still, and the order in force, the packet goes.
func (b *block) check() {
	m, st := b.m, b.st
	m.If(b.entryHere, func() {
		m.If(b.overtaken(), func() {
			st.Goto(stEnd)
		}).ElseIf(b.same.Not(), func() {
			b.kept.Valid.SetK(0)
			st.Goto(stEnd)
		}).ElseIf(b.bad, func() {
			b.kept.Valid.SetK(0)
			st.Goto(stFault)
		}).Else(func() {
			st.Goto(stJob)
		})
	})
}
