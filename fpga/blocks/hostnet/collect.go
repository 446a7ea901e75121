package hostnet

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// pageBits is the width of a word's index in its 4 KiB, which no burst leaves.
const pageBits = 9

// collect puts the requests of both channels of addresses, and of the interrupt, into the window.
func (b *block) collect() {
	m := b.m
	first := m.Wire("write_at", b.p.storeBits())
	in, from := stream.RoundRobin(m, "u_turn", b.writes(first), b.reads(), b.interrupt())
	m.Unused(from)
	open := b.windowHeld().Is(uint64(b.p.Window)).Or(b.ending).Not()
	in.Ready.Set(open)
	r := in.Data
	push := in.Valid.And(open)
	b.win.Push.Set(push)
	b.sends.Write(b.win.Tail, push, hdl.Pack(outgoing{r.Kind, r.Addr, r.Words, r.First, r.Last, first}))
	b.dues.Write(b.win.Tail, push, hdl.Pack(due{r.Kind, r.Words, r.ID, r.End}))
	m.Event("request", push, hdl.Field("kind", r.Kind), hdl.Field("words", r.Words))
}

// writes collects the words of write bursts, as many as make a datagram, and then asks for them to be written. At is
// where they begin in the store.
func (b *block) writes(at hdl.Bits) hdl.Stream[request] {
	m, axi := b.m, &b.io.AXI
	active, ready := m.Reg("write_active", 1, 0), m.Reg("write_ready", 1, 0)
	addr, id, end := m.RegN("write_addr", 61), m.RegN("write_id", 4), m.RegN("write_end", 1)
	first, last := m.RegN("write_first", 8), m.RegN("write_last", 8) // strobes
	count := m.Reg("write_count", 8, 0)
	begin, tail := m.Reg("store_begin", b.p.storeBits(), 0), m.Reg("store_tail", b.p.storeBits(), 0)
	at.Set(begin)

	axi.AWReady.Set(active.Not())
	m.If(axi.AWValid.And(active.Not()), func() {
		active.SetK(1)
		addr.Set(axi.AWAddr.Slice(63, 3))
		id.Set(axi.AWID)
	})
	m.Unused(axi.AWAddr.Slice(2, 0), axi.AWLen, axi.AWSize, axi.AWBurst, axi.AWLock, axi.AWCache, axi.AWProt)

	room := b.used.IsNot(uint64(b.p.Store))
	takes := hdl.AndAll(active, ready.Not(), room)
	fire := axi.WValid.And(takes)
	axi.WReady.Set(takes)
	b.store.Write(tail, fire, axi.WData)
	inside := count.Any()
	ends := hdl.OrAll(axi.WLast, count.Is(format.HostnetWords-1), inside.And(axi.WStrb.All().Not()))
	m.If(fire, func() {
		tail.Set(tail.AddK(1))
		count.Set(count.AddK(1))
		m.If(inside, func() { last.Set(axi.WStrb) }).Else(func() {
			first.Set(axi.WStrb)
			last.SetK(0)
		})
		end.Set(axi.WLast)
		ready.Set(ends)
	})
	b.used.Set(b.used.Add(fire.ZExt(b.used.Width())).Sub(b.freed))

	out := hdl.NewStream(m, "write_request", request{})
	out.Valid.Set(ready)
	hdl.Set(out.Data, request{Kind: hdl.K(2, kindWrite), Addr: addr, Words: count, First: first, Last: last, ID: id, End: end})
	m.If(out.Fire(), func() {
		ready.SetK(0)
		count.SetK(0)
		begin.Set(tail)
		addr.Set(hdl.Cat(addr.Slice(60, pageBits), addr.Trunc(pageBits).Add(count.ZExt(pageBits))))
		m.If(end, func() { active.SetK(0) })
	})
	return out
}

// reads cuts read bursts into requests of as many words as an answer has room for.
func (b *block) reads() hdl.Stream[request] {
	m, axi := b.m, &b.io.AXI
	active := m.Reg("read_active", 1, 0)
	addr, left, id := m.RegN("read_addr", 61), m.RegN("read_left", 9), m.RegN("read_id", 4)
	axi.ARReady.Set(active.Not())
	m.Unused(axi.ARAddr.Slice(2, 0), axi.ARSize, axi.ARBurst, axi.ARLock, axi.ARCache, axi.ARProt)

	out := hdl.NewStream(m, "read_request", request{})
	end := left.LeK(format.HostnetWords)
	words := hdl.Mux(end, left.Trunc(8), hdl.K(8, format.HostnetWords))
	out.Valid.Set(active)
	none := hdl.K(8, 0)
	hdl.Set(out.Data, request{Kind: hdl.K(2, kindRead), Addr: addr, Words: words, First: none, Last: none, ID: id, End: end})
	m.If(axi.ARValid.And(active.Not()), func() {
		active.SetK(1)
		addr.Set(axi.ARAddr.Slice(63, 3))
		left.Set(axi.ARLen.ZExt(9).AddK(1))
		id.Set(axi.ARID)
	})
	m.If(out.Fire(), func() {
		active.Set(end.Not())
		left.Set(left.SubK(format.HostnetWords))
		addr.Set(hdl.Cat(addr.Slice(60, pageBits), addr.Trunc(pageBits).AddK(format.HostnetWords)))
	})
	return out
}

// interrupt asks for the PC's attention when the level rises, or stands already when a session begins.
func (b *block) interrupt() hdl.Stream[request] {
	m := b.m
	told, asks := m.Reg("interrupt_told", 1, 0), m.Reg("interrupt_asks", 1, 0)
	out := hdl.NewStream(m, "interrupt_request", request{})
	m.If(out.Fire(), func() { asks.SetK(0) })
	m.If(b.open.And(b.io.IRQ), func() {
		told.SetK(1)
		m.If(told.Not(), func() { asks.SetK(1) })
	}).Else(func() { told.SetK(0) })
	out.Valid.Set(asks)
	none := hdl.K(8, 0)
	hdl.Set(out.Data, request{
		Kind: hdl.K(2, kindInterrupt), Addr: hdl.K(61, 0), Words: none, First: none, Last: none, ID: hdl.K(4, 0), End: hdl.K(1, 1),
	})
	return out
}
