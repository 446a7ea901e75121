package neighbour

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// verdict is whose a frame is.
type verdict struct {
	Mine hdl.Bits `w:"1"`
	Kind hdl.Bits // of a frame that is mine: a kind
}

// waitingWords is the depth of the FIFO in which frames wait for their verdict: a frame's sixth word and four cycles, and room to spare.
const waitingWords = 16

// wordCounter counts the words of a frame up to headWord + 1.
func wordCounter(m *hdl.Module, name string, fire, last hdl.Bits) hdl.Bits {
	at := m.Reg(name, 3, 0)
	m.If(fire, func() {
		m.If(last, func() { at.SetK(0) }).ElseIf(at.IsNot(headWord+1), func() { at.Set(at.AddK(1)) })
	})
	return at
}

// match gives a verdict for each frame that comes in, when its word headWord has come or its end, in order.
func match(m *hdl.Module, p Params, io *IO) hdl.Stream[verdict] {
	in, fire := io.In.Data, io.In.Fire()
	at := wordCounter(m, "at", fire, in.Last)

	// A word is compared, then the results of a frame's words are put together.
	came := m.Reg("came", 1, 0)
	first, final := m.RegN("came_first", 1), m.RegN("came_final", 1)
	head := m.RegN("came_head", 1)
	came.Set(fire)
	first.Set(at.Is(0))
	head.Set(at.Is(headWord))
	final.Set(at.Is(headWord).Or(in.Last.And(at.LtK(headWord))))
	fits := make([]hdl.Bits, p.kinds())
	for k := range p.kinds() {
		same := m.RegN("same_"+k.String(), 1)
		same.Set(wordFits(k, at, in, io))
		before := m.RegN("fits_"+k.String(), 1)
		fits[k] = same.And(first.Or(before))
		m.If(came, func() { before.Set(fits[k]) })
	}

	proto := verdict{Kind: hdl.W(hdl.Log2(len(fits)))}
	found := hdl.NewReg(m, "found", proto)
	finds := m.Reg("finds", 1, 0)
	finds.Set(came.And(final))
	found.Mine.Set(hdl.AndAll(io.Enable, head, hdl.OrAll(fits...)))
	found.Kind.Set(numberOf(fits))
	queue := hdl.Instance(m, "u_verdicts", stream.FIFODef(proto, waitingWords))
	queue.In.Valid.Set(finds)
	hdl.Set(queue.In.Data, found)
	m.Unused(queue.Level, queue.HighWater, queue.In.Ready)
	m.Assert("verdict_fits", finds.Not().Or(queue.In.Ready))
	return queue.Out
}

// numberOf is the number of the one of some bits that is set.
func numberOf(bits []hdl.Bits) hdl.Bits {
	number := hdl.K(hdl.Log2(len(bits)), 0)
	for i, bit := range bits {
		number = number.Or(number.K(uint64(i)).And(bit.Rep(number.Width())))
	}
	return number
}

// String returns the kind's name.
func (k kind) String() string { return [...]string{"arp", "ping", "tagged_arp", "tagged_ping"}[k] }

// wordFits says that a word is what word at of a request of kind k has to be.
func wordFits(k kind, at hdl.Bits, in stream.Beat, io *IO) hdl.Bits {
	all := needs(k, io.MAC, io.IP)
	fits := hdl.K(1, 1)
	for word := range headWord + 1 {
		same := hdl.K(1, 1)
		for lane := range 8 {
			n, ok := all[8*word+lane]
			if !ok {
				continue
			}
			same = same.And(n.met(in.Data.Byte(lane)).And(in.Keep.Bit(lane)))
		}
		fits = fits.And(same.Or(at.IsNot(uint64(word))))
	}
	return fits
}

// met says that a byte is what it has to be.
func (n need) met(data hdl.Bits) hdl.Bits {
	if n.mine.Width() > 0 {
		return data.Eq(n.mine)
	}
	if n.mask == 0xFF {
		return data.Is(uint64(n.value))
	}
	return data.And(data.K(uint64(n.mask))).Is(uint64(n.value))
}
