package ethport

import (
	"fmt"

	"gornic/fpga/blocks/mac"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Nibble is what the data pins and the control pin carry in half a cycle.
type Nibble struct {
	Data hdl.Bits `w:"4"`
	Ctl  hdl.Bits `w:"1"`
}

// Pins is one cycle of RGMII in one direction.
type Pins struct {
	Rise Nibble // at the rising edge: the low nibble; Ctl is DV or EN
	Fall Nibble // at the falling edge: the high nibble; Ctl is that xor ER
}

// Status is what the PHY says between frames.
type Status struct {
	Link   hdl.Bits `w:"1"`
	Speed  hdl.Bits `w:"2"` // 0: 10 Mb/s, 1: 100, 2: 1000, the only one that frames pass at
	Duplex hdl.Bits `w:"1"` // full
}

// Count is pulses of one cycle, one for each frame.
type Count struct {
	RxGood     hdl.Bits `w:"1"`
	RxBadFCS   hdl.Bits `w:"1"`
	RxShort    hdl.Bits `w:"1"`
	RxLong     hdl.Bits `w:"1"`
	RxPHYError hdl.Bits `w:"1"`
	RxOverrun  hdl.Bits `w:"1"` // symbols or beats of it were lost for want of room
	TxGood     hdl.Bits `w:"1"`
	TxAborted  hdl.Bits `w:"1"` // it came with Err
	TxUnderrun hdl.Bits `w:"1"`
}

// IO is the ports of the port. The default domain is the core's.
type IO struct {
	RxPins Pins         `hdl:"in" clock:"rx"`
	TxPins Pins         `hdl:"out" clock:"net"`
	Rx     stream.Frame `hdl:"out"`
	Tx     stream.Frame `hdl:"in"`
	Count  Count        `hdl:"out"`
	Status Status       `hdl:"out"`
}

// Params are the parameters of a port.
type Params struct {
	MaxFrame int // see mac.Params
	Words    int // 32-bit words of the FIFOs between net and the core, a power of two from 16 to 512
	Start    int // 32-bit words of a frame that have come before it starts to leave, 1 to 8
}

// between is the width of beats on net's side of the FIFOs, in bits: with what belongs to a beat, one block RAM of 36 bits.
const between = 32

// startWords is the depth of the FIFO in which words wait for the start of their frame.
const startWords = 16

// DefaultParams is a port for frames of any length.
func DefaultParams() Params { return Params{MaxFrame: mac.JumboFrame, Words: 64, Start: 8} }

// Validate returns an error for parameters that a port cannot have.
func (p Params) Validate() error {
	if err := (mac.Params{MaxFrame: p.MaxFrame}).Validate(); err != nil {
		return err
	}
	if p.Words < 16 || p.Words > 512 || p.Words&(p.Words-1) != 0 {
		return fmt.Errorf("ethport: FIFOs of %d words: not a power of two from 16 to 512", p.Words)
	}
	if p.Start < 1 || p.Start > startWords/2 {
		return fmt.Errorf("ethport: frames start at %d words: not 1 to %d", p.Start, startWords/2)
	}
	return nil
}

// newIO returns the prototypes.
func newIO() IO { return IO{Rx: hdl.StreamOf(port.Frame()), Tx: hdl.StreamOf(port.Frame())} }

// clocks are the domains of a port.
type clocks struct{ core, net, rx hdl.Clock }

// Def is the port. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("ethport_%d_x%d_%d", p.MaxFrame, p.Words, p.Start),
		Doc:  "One Ethernet port: between RGMII, as halves of cycles, and frames in the clock domain of the core.",
		IO:   newIO(),
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			c := clocks{core: m.Domain(""), net: m.Domain("net"), rx: m.Domain("rx")}
			r := receive(m, p, io, c)
			sent := transmit(m, p, io, c)
			m.In(c.core, func() {
				status := seeStatus(m, r.link)
				hdl.Set(io.Status, status)
				count(m, io, r, sent, c)
				stream.AssertFrame(m, "rx_out", io.Rx)
			})
		},
	}
}
