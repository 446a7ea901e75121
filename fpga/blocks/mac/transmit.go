package mac

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// What the transmitter adds, in byte times.
const (
	preambleBytes = 8 // the start delimiter included
	gapBytes      = 12
	padTo         = MinFrame - fcsBytes
)

type txState int

const (
	txIdle     txState = iota // the last byte time of the gap, and every one until a frame comes
	txPreamble                // the start delimiter included
	txData
	txPad
	txFCS
	txGap
)

func (s txState) String() string {
	return [...]string{"IDLE", "PREAMBLE", "DATA", "PAD", "FCS", "GAP"}[s]
}

// TransmitDef is the transmitter.
func TransmitDef() hdl.Def[TransmitIO] {
	return hdl.Def[TransmitIO]{
		Name: "mac_transmit",
		Doc:  "Transmitter of an Ethernet MAC: adds preamble, padding, FCS and gap to frames, a symbol a cycle.",
		IO:   TransmitIO{In: stream.FrameOf(8)},
		Body: func(m *hdl.Module, io *TransmitIO) { newTransmitter(m, io).build() },
	}
}

// transmitter is a transmitter while it is built.
type transmitter struct {
	m     *hdl.Module
	io    *TransmitIO
	state *hdl.FSM[txState]

	count  hdl.Bits // byte times in this state
	size   hdl.Bits // bytes of the frame so far, up to padTo
	enough hdl.Bits // size is padTo
	bad    hdl.Bits // the FCS is to be wrong
	rest   hdl.Bits // of a frame that was cut, up to its last byte: it is dropped

	next symbolAhead // a cycle ahead of what is out
}

// symbolAhead is a symbol before its FCS is known: the CRC takes its byte while it goes out.
type symbolAhead struct {
	Data   hdl.Bits `w:"8"`
	Enable hdl.Bits `w:"1"`
	Covers hdl.Bits `w:"1"` // the FCS covers the byte
	FCS    hdl.Bits `w:"1"` // it is one of the FCS, in place of Data
}

func newTransmitter(m *hdl.Module, io *TransmitIO) *transmitter {
	return &transmitter{
		m: m, io: io,
		state:  hdl.NewFSM(m, "state", txIdle, txPreamble, txData, txPad, txFCS, txGap),
		count:  m.RegN("count", 4),
		size:   m.RegN("size", 6),
		enough: m.RegN("enough", 1),
		bad:    m.RegN("bad", 1),
		rest:   m.Reg("rest", 1, 0),
		next: symbolAhead{
			Data: m.RegN("next_data", 8), Enable: m.Reg("next_enable", 1, 0), Covers: m.RegN("next_covers", 1), FCS: m.RegN("next_fcs", 1),
		},
	}
}

func (t *transmitter) build() {
	m, in := t.m, t.io.In
	in.Ready.Set(t.state.Is(txData).Or(t.rest))
	m.Unused(in.Data.Keep)
	t.next.Enable.SetK(0)
	t.next.Covers.SetK(0)
	t.next.FCS.SetK(0)
	t.count.Set(t.count.AddK(1))
	m.If(t.rest.And(in.Valid).And(in.Data.Last), func() { t.rest.SetK(0) })
	t.state.Switch(
		hdl.On(txIdle, func() {
			t.count.SetK(0)
			m.If(in.Valid.And(t.rest.Not()), func() { t.state.Goto(txPreamble) })
		}),
		hdl.On(txPreamble, t.preamble),
		hdl.On(txData, t.frame),
		hdl.On(txPad, t.pad),
		hdl.On(txFCS, t.fcs),
		hdl.On(txGap, func() {
			m.If(t.count.Is(gapBytes-2), func() { t.state.Goto(txIdle) })
		}),
	)
	t.out()
	t.result()
	t.properties()
}

// out is the last stage. The FCS is the complement of the CRC's state, low byte first; of a bad frame, the state itself.
func (t *transmitter) out() {
	m := t.m
	crc, data, enable := m.RegN("crc", 32), m.RegN("data", 8), m.Reg("enable", 1, 0)
	m.If(t.next.Covers, func() {
		crc.Set(step(crc, t.next.Data))
	}).ElseIf(t.next.FCS, func() {
		crc.Set(crc.ShrK(8))
	}).Else(func() {
		crc.Set(hdl.Ones(32))
	})
	data.Set(hdl.Mux(t.next.FCS, crc.Trunc(8).Xor(t.bad.Not().Rep(8)), t.next.Data))
	enable.Set(t.next.Enable)
	t.io.Out.Data.Set(data)
	t.io.Out.Enable.Set(enable)
}

// send makes a byte the next symbol.
func (t *transmitter) send(data hdl.Bits) {
	t.next.Enable.SetK(1)
	t.next.Data.Set(data)
}

func (t *transmitter) preamble() {
	last := t.count.Is(preambleBytes - 1)
	t.send(hdl.Mux(last, hdl.K(8, startByte), hdl.K(8, preambleByte)))
	t.size.SetK(0)
	t.enough.SetK(0)
	t.bad.SetK(0)
	t.m.If(last, func() { t.state.Goto(txData) })
}

// cover sends a byte that the FCS covers.
func (t *transmitter) cover(data hdl.Bits) {
	t.send(data)
	t.next.Covers.SetK(1)
	t.m.If(t.enough.Not(), func() { t.size.Set(t.size.AddK(1)) })
	t.m.If(t.lastShort(), func() { t.enough.SetK(1) })
}

// lastShort says that with one more byte the frame is long enough.
func (t *transmitter) lastShort() hdl.Bits { return t.size.Is(padTo - 1) }

// frame sends a byte of the frame, or a zero in place of one that is late.
func (t *transmitter) frame() {
	m, in := t.m, t.io.In
	t.cover(in.Data.Data.And(in.Valid.Rep(8)))
	t.count.SetK(0)
	m.If(in.Valid.Not(), func() { t.rest.SetK(1) })
	m.If(in.Valid.Not().Or(in.Data.Last), func() {
		t.bad.Set(in.Valid.Not().Or(in.Data.Err))
		m.If(t.enough.Or(t.lastShort()), func() { t.state.Goto(txFCS) }).Else(func() { t.state.Goto(txPad) })
	})
}

func (t *transmitter) pad() {
	t.cover(hdl.K(8, 0))
	t.count.SetK(0)
	t.m.If(t.lastShort(), func() { t.state.Goto(txFCS) })
}

func (t *transmitter) fcs() {
	t.send(t.next.Data) // out has it from the CRC
	t.next.FCS.SetK(1)
	t.m.If(t.count.Is(fcsBytes-1), func() {
		t.state.Goto(txGap)
		t.count.SetK(0)
	})
}

// result makes the pulses, at the end of a frame.
func (t *transmitter) result() {
	m, in := t.m, t.io.In
	takes := t.state.Is(txData)
	ends := takes.And(in.Valid).And(in.Data.Last)
	for _, p := range []struct {
		name      string
		port, now hdl.Bits
	}{
		{"good", t.io.Result.Good, ends.And(in.Data.Err.Not())},
		{"aborted", t.io.Result.Aborted, ends.And(in.Data.Err)},
		{"underrun", t.io.Result.Underrun, takes.And(in.Valid.Not())},
	} {
		pulse := m.Reg("was_"+p.name, 1, 0)
		pulse.Set(p.now)
		p.port.Set(pulse)
	}
}
