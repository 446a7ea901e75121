package mac

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/stream"
)

// Bytes on the wire around a frame.
const (
	preambleByte = 0x55
	startByte    = 0xD5
	fcsBytes     = 4
)

type rxState int

const (
	rxIdle     rxState = iota // between frames
	rxPreamble                // the start delimiter has not come
	rxData                    // in a frame, its FCS included
	rxSkip                    // the rest is no frame
)

func (s rxState) String() string { return [...]string{"IDLE", "PREAMBLE", "DATA", "SKIP"}[s] }

// ReceiveDef is the receiver. Building it with parameters that are not valid fails.
func ReceiveDef(p Params) hdl.Def[ReceiveIO] {
	return hdl.Def[ReceiveIO]{
		Name: fmt.Sprintf("mac_receive_%d", p.MaxFrame),
		Doc:  "Receiver of an Ethernet MAC: from symbols of a PHY to frames, without preamble and FCS.",
		IO:   ReceiveIO{In: hdl.StreamOf(Arrived{}), Out: stream.FrameOf(8)},
		Body: func(m *hdl.Module, io *ReceiveIO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			newReceiver(m, p, io).build()
		},
	}
}

// receiver is a receiver while it is built.
type receiver struct {
	m     *hdl.Module
	p     Params
	io    *ReceiveIO
	state *hdl.FSM[rxState]

	crc     hdl.Bits
	recent  []hdl.Bits // the last bytes, the newest first: the FCS and the byte before it
	length  hdl.Bits   // bytes of the frame so far
	primed  hdl.Bits   // all of recent is of this frame
	enough  hdl.Bits   // MinFrame bytes have come
	full    hdl.Bits   // MaxFrame bytes have come
	flagged hdl.Bits   // the PHY flagged an error
	gap     hdl.Bits   // symbols were lost
	judged  hdl.Bits   // the frame has its result, before its end
}

func newReceiver(m *hdl.Module, p Params, io *ReceiveIO) *receiver {
	r := &receiver{
		m: m, p: p, io: io,
		state:  hdl.NewFSM(m, "state", rxIdle, rxPreamble, rxData, rxSkip),
		crc:    m.RegN("crc", 32),
		length: m.RegN("length", ir.AddrWidth(p.MaxFrame+1)),
		primed: m.RegN("primed", 1), enough: m.RegN("enough", 1), full: m.RegN("full", 1),
		flagged: m.Reg("flagged", 1, 0), gap: m.Reg("gap", 1, 0), judged: m.RegN("judged", 1),
	}
	for i := range fcsBytes + 1 {
		r.recent = append(r.recent, m.RegN(fmt.Sprintf("recent_%d", i), 8))
	}
	return r
}

func (r *receiver) build() {
	m, in := r.m, r.io.In
	in.Ready.SetK(1)
	m.Unused(r.io.Out.Ready)
	symbol := in.Data
	comes := in.Valid.And(symbol.Enable)
	ends := in.Valid.And(symbol.Enable.Not())
	inFrame := r.state.Is(rxData)

	// What is wrong with a frame is remembered until its end.
	flagged := r.flagged.Or(comes.And(symbol.Error))
	gap := r.gap.Or(in.Valid.And(symbol.Lost))
	r.flagged.Set(flagged.And(ends.Not()))
	r.gap.Set(gap.And(ends.Not()))

	m.If(comes, func() { r.advance(symbol.Data) })
	m.If(ends, func() { r.state.Goto(rxIdle) })
	m.If(comes.And(inFrame), func() { r.take(symbol.Data) })

	long := hdl.AndAll(comes, inFrame, r.full)
	ended := ends.And(inFrame)
	verdict := r.verdict(flagged, gap, long)
	r.give(hdl.AndAll(comes.Or(ends), inFrame, r.primed), ended.Or(long), verdict.Good)
	// What began without a start delimiter, or is nothing but a loss, has its result at its end.
	nothing := ends.And(hdl.OrAll(
		r.state.Is(rxPreamble), r.state.Is(rxSkip).And(r.judged.Not()), r.state.Is(rxIdle).And(gap)))
	r.result(ended.Or(long), nothing, gap, verdict)
	r.properties()
}

// advance goes through the beginning of a frame: a byte has come.
func (r *receiver) advance(data hdl.Bits) {
	m := r.m
	preamble, start := data.Is(preambleByte), data.Is(startByte)
	begins := func() {
		r.judged.SetK(0)
		m.If(preamble, func() { r.state.Goto(rxPreamble) }).Else(func() { r.state.Goto(rxSkip) })
	}
	r.state.Switch(
		hdl.On(rxIdle, begins),
		hdl.On(rxPreamble, func() {
			begins()
			m.If(start, func() { r.state.Goto(rxData) })
			r.crc.Set(hdl.Ones(32))
			r.length.SetK(0)
			for _, flag := range []hdl.Bits{r.primed, r.enough, r.full} {
				flag.SetK(0)
			}
		}),
		hdl.On(rxData, func() {
			m.If(r.full, func() {
				r.state.Goto(rxSkip)
				r.judged.SetK(1)
			})
		}),
		hdl.On(rxSkip, func() {}),
	)
}

// take adds a byte to the frame.
func (r *receiver) take(data hdl.Bits) {
	m := r.m
	r.crc.Set(step(r.crc, data))
	for i, byte := range r.recent {
		if i == 0 {
			byte.Set(data)
		} else {
			byte.Set(r.recent[i-1])
		}
	}
	r.length.Set(r.length.AddK(1))
	m.If(r.length.Is(fcsBytes), func() { r.primed.SetK(1) })
	m.If(r.length.Is(MinFrame-1), func() { r.enough.SetK(1) })
	m.If(r.length.Is(uint64(r.p.MaxFrame-1)), func() { r.full.SetK(1) })
}

// verdict is the result of a frame that ends now: the first thing that is wrong with it.
func (r *receiver) verdict(flagged, gap, long hdl.Bits) Received {
	right := r.crc.Is(residue)
	var v Received
	open := hdl.K(1, 1)
	first := func(x hdl.Bits) hdl.Bits {
		now := open.And(x)
		open = open.And(x.Not())
		return now
	}
	v.Lost, v.PHYError, v.Long, v.Short = first(gap), first(flagged), first(long), first(r.enough.Not())
	v.BadFCS, v.Good = open.And(right.Not()), open.And(right)
	return v
}

// give puts the oldest byte out.
func (r *receiver) give(some, last, good hdl.Bits) {
	m := r.m
	valid := m.Reg("out_full", 1, 0)
	beat := hdl.NewReg(m, "beat", struct{ Data, Last, Err hdl.Bits }{hdl.W(8), hdl.W(1), hdl.W(1)})
	valid.Set(some)
	beat.Data.Set(r.recent[fcsBytes])
	beat.Last.Set(last)
	beat.Err.Set(last.And(good.Not()))
	r.io.Out.Valid.Set(valid)
	hdl.Set(r.io.Out.Data, stream.Beat{Data: beat.Data, Keep: hdl.K(1, 1), Last: beat.Last, Err: beat.Err})
}

// result makes the pulses, in the cycle in which the last beat is out.
func (r *receiver) result(ended, nothing, gap hdl.Bits, v Received) {
	m := r.m
	pulses := Received{
		Good: v.Good.And(ended), BadFCS: v.BadFCS.And(ended), Short: v.Short.And(ended), Long: v.Long.And(ended),
		PHYError: v.PHYError.And(ended).Or(nothing.And(gap.Not())),
		Lost:     v.Lost.And(ended).Or(nothing.And(gap)),
	}
	names := []string{"good", "bad_fcs", "short", "long", "phy_error", "lost"}
	for i, p := range []struct{ port, now hdl.Bits }{
		{r.io.Result.Good, pulses.Good}, {r.io.Result.BadFCS, pulses.BadFCS}, {r.io.Result.Short, pulses.Short},
		{r.io.Result.Long, pulses.Long}, {r.io.Result.PHYError, pulses.PHYError}, {r.io.Result.Lost, pulses.Lost},
	} {
		pulse := m.Reg("was_"+names[i], 1, 0)
		pulse.Set(p.now)
		p.port.Set(pulse)
	}
}
