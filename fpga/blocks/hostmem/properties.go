package hostmem

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists an instance of few bytes.
func Proofs() []hdl.Proof {
	return []hdl.Proof{hdl.BoundedProofOf(define(Params{Bytes: 32, Remote: true}), 12, hdl.ABC).Breaks(
		hdl.StuckAt1("put_valid").As("words are written that did not come"),
		hdl.StuckAt0("read_away_ids").As("reads on the board overtake those with the PC"),
		hdl.StuckAt0("write_away_ids").As("writes on the board overtake those with the PC"),
		hdl.StuckAt0("put_index", 0).As("every other word cannot be written"),
	)}
}

// properties states the rules of both buses, that what the host wrote is what it reads while nobody else
// writes, and that no ID has bursts on the board and with the PC at once.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "host_asks", io.Host.Access)
	stream.AssertSource(m, "host_gets", io.Host.Reply)
	b.master(&io.AXI)
	offered(m, "r", io.AXI.RValid, io.AXI.RReady, hdl.Cat(io.AXI.RID, io.AXI.RData, io.AXI.RResp, io.AXI.RLast), m.Assert)
	offered(m, "b", io.AXI.BValid, io.AXI.BReady, hdl.Cat(io.AXI.BID, io.AXI.BResp), m.Assert)
	b.kept()
	for i := range io.Remote {
		b.pc(&io.Remote[i])
	}
}

// offered states the rule of AXI's channels: what is offered is offered until it is taken.
func offered(m *hdl.Module, name string, valid, ready, data hdl.Bits, state func(string, hdl.Bits)) {
	waits := m.PastReset(name+"_waited", valid.And(ready.Not()), 0)
	before := m.Past(name+"_before", data)
	state(name+"_stays", waits.Not().Or(valid.And(data.Eq(before))))
}

// master is what the memory takes for granted of the core.
func (b *block) master(axi *link.AXI) {
	m := b.m
	offered(m, "ar", axi.ARValid, axi.ARReady, hdl.Cat(axi.ARID, axi.ARAddr, axi.ARLen), m.Assume)
	offered(m, "aw", axi.AWValid, axi.AWReady, hdl.Cat(axi.AWID, axi.AWAddr, axi.AWLen), m.Assume)
	offered(m, "w", axi.WValid, axi.WReady, hdl.Cat(axi.WData, axi.WStrb, axi.WLast), m.Assume)
	whole := func(valid, addr, length, size, burst hdl.Bits) hdl.Bits {
		page := min(pageBytes, b.p.Bytes)
		words := addr.Slice(hdl.Log2(page)-1, 3).ZExt(10).Add(length.ZExt(10))
		return valid.Not().Or(hdl.AndAll(words.LtK(uint64(page/wordBytes)), addr.Trunc(3).None(), size.Is(sizeWord), burst.Is(burstINCR)))
	}
	m.Assume("ar_is_whole", whole(axi.ARValid, axi.ARAddr, axi.ARLen, axi.ARSize, axi.ARBurst))
	m.Assume("aw_is_whole", whole(axi.AWValid, axi.AWAddr, axi.AWLen, axi.AWSize, axi.AWBurst))
}

// kept follows one byte of the board, which the solver chooses: the host reads what it has written
// last, if no burst has written since.
func (b *block) kept() {
	m, io := b.m, b.io
	at := m.AnyConst("one_word", b.indexBits())
	access := io.Host.Access
	var known, value, asked hdl.Bits
	m.Ghost(func() {
		known, value = m.Reg("one_known", 1, 0), m.RegN("one_value", 8)
		asked = m.Reg("one_asked", 1, 0) // the reply to come is of that word
		mine := hdl.AndAll(access.Data.Memory, b.isHere(access.Data.Addr), access.Data.Addr.Trunc(3).None(), b.index(access.Data.Addr).Eq(at))
		m.If(access.Fire(), func() {
			asked.Set(mine.And(access.Data.Write.Not()))
			m.If(hdl.AndAll(mine, access.Data.Write, access.Data.Strobe.Bit(0)), func() {
				known.SetK(1)
				value.Set(access.Data.Data.Byte(0))
			})
		})
		m.If(io.AXI.AWValid, func() { known.SetK(0) })
		written := m.Reg("one_burst", 1, 0) // some burst has begun: the byte may be anything from then on
		written.Set(written.Or(io.AXI.AWValid))
		m.If(written, func() { known.SetK(0) })
	})
	m.Assert("host_reads_what_it_wrote", hdl.OrAll(io.Host.Reply.Valid.And(asked).And(known).Not(), io.Host.Reply.Data.Data.Byte(0).Eq(value)))
	m.Assert("host_reads_without_fault", io.Host.Reply.Valid.And(asked).Not().Or(io.Host.Reply.Data.Fault.Not()))
	m.Cover("host_reads_back", hdl.AndAll(io.Host.Reply.Valid, asked, known))
}

// pc states the rules of the bus to the PC, and that answers of one ID, which the solver chooses, keep
// their order.
func (b *block) pc(axi *link.AXI) {
	m, core := b.m, &b.io.AXI
	offered(m, "remote_ar", axi.ARValid, axi.ARReady, hdl.Cat(axi.ARID, axi.ARAddr, axi.ARLen), m.Assert)
	offered(m, "remote_aw", axi.AWValid, axi.AWReady, hdl.Cat(axi.AWID, axi.AWAddr, axi.AWLen), m.Assert)
	offered(m, "remote_w", axi.WValid, axi.WReady, hdl.Cat(axi.WData, axi.WStrb, axi.WLast), m.Assert)
	offered(m, "remote_r", axi.RValid, axi.RReady, hdl.Cat(axi.RID, axi.RData, axi.RResp, axi.RLast), m.Assume)
	offered(m, "remote_b", axi.BValid, axi.BReady, hdl.Cat(axi.BID, axi.BResp), m.Assume)
	id := m.AnyConst("one_id", link.AXIIDBits)
	r, w := b.readsHere, b.writesHere
	b.inOrder("read", id, moved(axi.ARValid, axi.ARReady, axi.ARID), moved(axi.RValid, axi.RReady.And(axi.RLast), axi.RID), r)
	b.inOrder("write", id, moved(axi.AWValid, axi.AWReady, axi.AWID), moved(axi.BValid, axi.BReady, axi.BID), w)
	m.Cover("read_back", core.RValid.And(core.RReady))
}

// move is a pulse, and the ID that goes with it.
type move struct{ happens, id hdl.Bits }

func moved(valid, ready, id hdl.Bits) move { return move{valid.And(ready), id} }

func (x move) of(id hdl.Bits) hdl.Bits { return x.happens.And(x.id.Eq(id)) }

// crossing says when bursts for the board, or nowhere, begin, and when their answers are on the way to the core,
// whom they reach in the order of those of the PC.
type crossing struct{ begins, ends move }

// inOrder states that bursts of an ID are with the PC or on the board, never both.
func (b *block) inOrder(name string, id hdl.Bits, goes, back move, here crossing) {
	m := b.m
	var all, away, onBoard hdl.Bits
	m.Ghost(func() {
		all, away = m.Reg(name+"_all_away", awayBits, 0), m.Reg(name+"_one_away", awayBits, 0)
		onBoard = m.Reg(name+"_one_here", 2, 0)
		up := func(x, more, fewer hdl.Bits) { x.Set(x.Add(more.ZExt(x.Width())).Sub(fewer.ZExt(x.Width()))) }
		up(all, goes.happens, back.happens)
		up(away, goes.of(id), back.of(id))
		up(onBoard, here.begins.of(id), here.ends.of(id))
	})
	m.Assume(name+"_pc_answers_the_one", back.of(id).Not().Or(away.Any()))
	m.Assume(name+"_pc_answers_others", hdl.OrAll(back.happens.Not(), back.of(id), all.Gt(away)))
	m.Assert(name+"_here_or_away", away.None().Or(onBoard.None()))
	m.Cover(name+"_goes_away", goes.of(id))
}
