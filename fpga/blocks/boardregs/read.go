package boardregs

import (
	"gornic/blocks/pulses"
	"gornic/format"
	"gornic/hdl"
)

// read answers a read in steps: the address is held, the word is chosen, when its turn comes in case of
// a counter, the answer is held.
func (b *block) read(c pulses.Totals) {
	m, bus := b.m, &b.io.Bus
	m.Unused(bus.ARProt, bus.ARAddr.Slice(1, 0))
	held, answers := m.Reg("read_held", 1, 0), m.Reg("read_answers", 1, 0)
	at := m.RegN("read_at", addressBits-2)
	word, there := m.RegN("read_word", 32), m.RegN("read_there", 1)

	bus.ARReady.Set(held.Or(answers).Not())
	m.If(bus.ARValid.And(bus.ARReady), func() {
		held.SetK(1)
		at.Set(bus.ARAddr.Slice(addressBits-1, 2))
	})
	m.If(bus.RReady, func() { answers.SetK(0) })
	turn := isCounter(at).Not().Or(c.Known.And(c.Number.Eq(at.Trunc(numberBits()))))
	m.If(held.And(turn), func() {
		held.SetK(0)
		answers.SetK(1)
		value, exists := b.word(at)
		word.Set(hdl.Mux(isCounter(at), c.Total, value))
		there.Set(exists.Or(isCounter(at)))
	})
	bus.RValid.Set(answers)
	bus.RData.Set(word)
	bus.RResp.Set(hdl.Mux(there, hdl.K(2, respOKAY), hdl.K(2, respSLVERR)))
}

// isCounter returns one bit: a counter is at an offset in words.
func isCounter(at hdl.Bits) hdl.Bits {
	n := numberBits()
	return at.Slice(at.Width()-1, n).Is(format.BoardRegCounters / 4 >> n).And(at.Trunc(n).LtK(uint64(format.BoardCounterCount)))
}

// word is what is at an offset in words, and whether anything is; counters are not looked at.
func (b *block) word(at hdl.Bits) (value, there hdl.Bits) {
	value, there = hdl.K(32, 0), hdl.K(1, 0)
	for _, r := range b.words() {
		is := at.Is(uint64(r.offset) / 4)
		value = value.Or(is.Rep(32).And(r.value.ZExt(32)))
		there = there.Or(is)
	}
	return value, there
}

// register is a word that can be read.
type register struct {
	offset uint32
	value  hdl.Bits // 32 bits or less
}

// words are the registers that can be read.
func (b *block) words() []register {
	io := b.io
	constant := func(v int) hdl.Bits { return hdl.K(32, uint64(v)) }
	name := uint64(0)
	for i, c := range []byte(b.p.Name) {
		name |= uint64(c) << (8 * i)
	}
	all := []register{
		{format.BoardRegID, constant(format.BoardID)},
		{format.BoardRegVersion, constant(format.BoardVersionMajor<<16 | format.BoardVersionMinor)},
		{format.BoardRegNameLow, hdl.K(32, name&0xFFFFFFFF)},
		{format.BoardRegNameHigh, hdl.K(32, name>>32)},
		{format.BoardRegClock, constant(b.p.ClockKHz)},
		{format.BoardRegMemory, constant(b.p.Memory)},
		{format.BoardRegHosts, constant(len(b.p.Ports)<<format.BoardHostPorts | b.p.Hosts)},
		{format.BoardRegLEDs, hdl.Cat(io.LEDs.Mine, io.LEDs.Value)},
		{format.BoardRegDivisor, io.Divisor},
		{format.BoardRegPeer, hdl.Cat(io.Peer.UDPPort, hdl.K(15, 0), io.Peer.Up)},
		{format.BoardRegPeerIPv4, io.Peer.IPv4},
		{format.BoardRegSession, io.Peer.Session},
	}
	for i, port := range io.Ports {
		at, link := portOffset(i), io.Links[i]
		all = append(all,
			register{at + format.BoardPortMACLow, port.MAC.Slice(31, 0)},
			register{at + format.BoardPortMACHigh, port.MAC.Slice(47, 32)},
			register{at + format.BoardPortIPv4, port.IPv4},
			register{at + format.BoardPortRxDelay, port.RxDelay},
			register{at + format.BoardPortLink, hdl.Cat(link.Duplex, link.Speed, link.Up)},
		)
	}
	return all
}
