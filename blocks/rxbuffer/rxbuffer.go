package rxbuffer

import (
	"fmt"

	"gornic/blocks/icrc"
	"gornic/blocks/rxparse"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the buffer.
type Params struct {
	DataWidth int // of a beat in bits: 64, 128, 256 or 512
	Beats     int // room for payload: a power of two, at least 4
	Frames    int // room for descriptors: a power of two, at least 2
}

// Validate returns an error for parameters that the buffer cannot have.
func (p Params) Validate() error {
	if err := (rxparse.Params{DataWidth: p.DataWidth}).Validate(); err != nil {
		return fmt.Errorf("rxbuffer: data width of %d bits: not 64, 128, 256 or 512", p.DataWidth)
	}
	if p.Beats < 4 || p.Beats&(p.Beats-1) != 0 {
		return fmt.Errorf("rxbuffer: room for %d beats: not a power of two from 4", p.Beats)
	}
	if p.Frames < 2 || p.Frames&(p.Frames-1) != 0 {
		return fmt.Errorf("rxbuffer: room for %d descriptors: not a power of two from 2", p.Frames)
	}
	return nil
}

// ICRC codes of a [Report].
const (
	ICRCAbsent = 0 // the frame has none
	ICRCGood   = 1
	ICRCBad    = 2
)

// Report is what became of a frame. It has no ready: who wants it listens.
type Report struct {
	Valid  hdl.Bits `w:"1"`
	Reason hdl.Bits `w:"5"` // a format.Reason, which implies the verdict
	ICRC   hdl.Bits `w:"2"`
}

// CounterBits is the width of the counters, which wrap.
const CounterBits = 32

// IO is the ports of the buffer. The package comment tells what each stream
// carries.
type IO struct {
	Status  hdl.Stream[rxparse.Status]                `hdl:"in"`
	Header  hdl.Stream[format.RxDescriptor[hdl.Bits]] `hdl:"in"`
	Payload stream.Frame                              `hdl:"in"`
	Verdict hdl.Stream[icrc.Verdict]                  `hdl:"in"`

	OutHeader  hdl.Stream[format.RxDescriptor[hdl.Bits]] `hdl:"out"`
	OutPayload stream.Frame                              `hdl:"out"`
	Report     Report                                    `hdl:"out"`

	Used      hdl.Bits `hdl:"out"`        // beats of payload inside
	HighWater hdl.Bits `hdl:"out"`        // the highest Used since reset
	Stored    hdl.Bits `hdl:"out" w:"32"` // frames reported ok
	Full      hdl.Bits `hdl:"out" w:"32"` // frames reported buffer-full
	Refused   hdl.Bits `hdl:"out" w:"32"` // frames reported dropped for another reason
}

// Def is the buffer. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	level := hdl.W(hdl.Log2(p.Beats) + 1)
	return hdl.Def[IO]{
		Name: fmt.Sprintf("rxbuffer_%d_x%d_x%d", p.DataWidth, p.Beats, p.Frames),
		Doc:  "Stores received packets until parser and ICRC have judged them; hands the good ones on whole.",
		IO: IO{
			Status:     hdl.StreamOf(rxparse.Status{}),
			Header:     hdl.StreamOf(format.RxDescriptor[hdl.Bits]{}),
			Payload:    stream.FrameOf(p.DataWidth),
			Verdict:    hdl.StreamOf(icrc.Verdict{}),
			OutHeader:  hdl.StreamOf(format.RxDescriptor[hdl.Bits]{}),
			OutPayload: stream.FrameOf(p.DataWidth),
			Used:       level,
			HighWater:  level,
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBuffer(m, p, io)
			b.storePayload()
			b.storeHeader()
			b.judge()
			b.fetchHeader()
			b.takeJob()
			b.fetchPayload()
			b.levels()
			b.properties()
		},
	}
}

// leastFrame is the length of the shortest frame that is accepted, in bytes:
// Ethernet, IPv4, UDP, BTH, ICRC.
const leastFrame = 14 + 20 + 8 + 12 + format.ICRCSize

// words is how many words of the RAM hold a descriptor: as many as the beats of
// the shortest accepted frame, so that writing one takes no longer than
// receiving it. That is 8, 4, 2 or 1.
func (p Params) words() int {
	bytes := p.DataWidth / 8
	return (leastFrame + bytes - 1) / bytes
}
