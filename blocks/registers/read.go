package registers

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// known is a word that can be read.
type known struct {
	offset uint64
	value  hdl.Bits // 32 bits
}

// read answers a read in steps: the address is held, the word is chosen among
// registers, mailbox and, when its turn comes, the counter; the answer is held.
func (b *block) read() {
	m, bus := b.m, &b.io.Bus
	m.Unused(bus.ARProt, bus.ARAddr.Slice(1, 0))
	held, answers := m.Reg("read_held", 1, 0), m.Reg("read_answers", 1, 0)
	at := m.RegN("read_at", 10)
	outside := m.RegN("read_outside", 1) // a doorbell page: nothing to be read
	word, resp := m.RegN("read_word", 32), m.RegN("read_resp", 2)

	moves := answers.Not().Or(bus.RReady)
	bus.ARReady.Set(held.Not())
	m.If(moves, func() { answers.SetK(0) })
	c := b.counters
	b.mailbox.reads.Set(at.Trunc(b.mailbox.reads.Width()))
	turn := hdl.Mux(isCounter(at), c.Known.And(c.Number.Eq(at.Trunc(numberBits()))), b.mailbox.loads.Not())
	m.If(hdl.AndAll(held, moves, turn), func() {
		held.SetK(0)
		answers.SetK(1)
		value, there := b.word(at)
		good := there.And(outside.Not())
		word.Set(hdl.Mux(good, value, value.K(0)))
		resp.Set(hdl.Mux(good, hdl.K(2, respOKAY), hdl.K(2, respSLVERR)))
	})
	m.If(bus.ARValid.And(held.Not()), func() {
		held.SetK(1)
		at.Set(bus.ARAddr.Slice(11, 2))
		outside.Set(bus.ARAddr.Slice(bus.ARAddr.Width()-1, 12).Any())
	})
	bus.RValid.Set(answers)
	bus.RData.Set(word)
	bus.RResp.Set(resp)
}

// word is what is at an offset in words, and whether anything is.
func (b *block) word(at hdl.Bits) (value, there hdl.Bits) {
	value, there = hdl.K(32, 0), hdl.K(1, 0)
	for _, k := range b.words() {
		is := at.Is(k.offset / 4)
		value = value.Or(is.Rep(32).And(k.value))
		there = there.Or(is)
	}
	mail, counter := b.inMailbox(at), isCounter(at)
	value = hdl.Mux(mail, b.mailbox.value, hdl.Mux(counter, b.counters.Total, value))
	return value, hdl.OrAll(there, mail, counter)
}

// isCounter returns one bit: a counter is at an offset in words.
func isCounter(at hdl.Bits) hdl.Bits {
	n := numberBits()
	return at.ShrK(n).Trunc(at.Width() - n).Is(format.RegCounters / 4 >> n).And(at.Trunc(n).LtK(uint64(format.CounterCount)))
}

// words are the registers that can be read.
func (b *block) words() []known {
	s, set := b.p.Sizes, b.io.Settings
	wide := func(x hdl.Bits) hdl.Bits { return x.ZExt(32) }
	caps0 := uint64(s.QPBits | s.CQBits<<8 | s.EQBits<<16 | hdl.Log2(s.DataWidth/8)<<24 | mtuCode(b.p.MTU)<<28)
	caps1 := uint64(1<<s.QPBits&0xFFFF | 1<<s.ReplayBits<<16)
	caps2 := uint64(1<<s.ReadBits<<8 | b.p.Tick<<16)
	if !b.p.NoCongestion {
		caps2 |= format.CapsCongestion
	}
	if !s.Has(link.Atomics) {
		caps2 |= format.CapsNoAtomics
	}
	if !s.Has(link.KeyRequests) {
		caps2 |= format.CapsNoKeyOps
	}
	all := []known{
		{format.RegCaps2, hdl.K(32, caps2)},
		{format.RegID, hdl.K(32, format.DeviceID)},
		{format.RegVersion, hdl.K(32, Version)},
		{format.RegCaps0, hdl.K(32, caps0)},
		{format.RegCaps1, hdl.K(32, caps1&0xFFFFFFFF)},
		{format.RegControl, wide(set.Enabled)},
		{format.RegStatus, wide(hdl.Cat(b.runs, set.Enabled))},
		{format.RegMACLow, set.MAC.Slice(31, 0)},
		{format.RegMACHigh, wide(set.MAC.Slice(47, 32))},
		{format.RegKeyBaseLow, set.KeyBase.Slice(31, 0)},
		{format.RegKeyBaseHigh, set.KeyBase.Slice(63, 32)},
		{format.RegKeyLogSize, wide(set.KeyLogSize)},
		{format.RegModeration, set.Moderation},
		{format.RegIRQPending, wide(b.pending)},
		{format.RegMailboxDone, hdl.Cat(b.runs, hdl.K(23, 0), b.status)},
	}
	if b.p.NoCongestion {
		return all
	}
	fields := set.Congestion.Fields()
	for i, r := range format.CongestionRegisters() {
		all = append(all, known{uint64(r.Offset), wide(fields[i])})
	}
	return all
}
