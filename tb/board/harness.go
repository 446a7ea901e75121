package board

import (
	"fmt"
	"slices"

	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/top"
	"gornic/hdl"
	"gornic/tb/board/rgmii"
)

// symbolBits is the width of an rgmii.Symbol.
const symbolBits = 10

// level is the serial line for some cycles, at least one.
type level struct {
	Cycles hdl.Bits `w:"24"`
	High   hdl.Bits `w:"1"`
}

// sent is what a MAC has on its pins in a cycle that is worth a look.
type sent struct {
	Valid  hdl.Bits `w:"1"`
	Symbol hdl.Bits `w:"10"`
}

// harnessIO is a board whose pins are streams.
type harnessIO struct {
	Rx0    hdl.Stream[hdl.Bits]   `hdl:"in" clock:"rx0"`
	Rx1    []hdl.Stream[hdl.Bits] `hdl:"in" clock:"rx1"` // one where there is a port 1
	Idle   []hdl.Bits             `hdl:"in" w:"10"`      // symbols between frames
	Tx     []sent                 `hdl:"out" clock:"net"`
	ToUART hdl.Stream[level]      `hdl:"in"`
	Turned hdl.Bits               `hdl:"out" w:"1"` // the board's serial output changes in this cycle,
	High   hdl.Bits               `hdl:"out" w:"1"` // to this

	LEDs    hdl.Bits   `hdl:"out"`
	RxDelay []hdl.Bits `hdl:"out" w:"7"`
	Reset   hdl.Bits   `hdl:"out" w:"1"` // software has wanted a reset since the last one
}

// received returns the streams of all ports.
func (io *harnessIO) received() []hdl.Stream[hdl.Bits] {
	return append([]hdl.Stream[hdl.Bits]{io.Rx0}, io.Rx1...)
}

func harness(p top.Params) hdl.Def[harnessIO] {
	ports := len(p.Board.Ports)
	symbols := hdl.StreamOf(hdl.W(symbolBits))
	return hdl.Def[harnessIO]{
		Name: "harness", Doc: "The board with streams for pins.",
		IO: harnessIO{
			Rx0: symbols, Rx1: slices.Repeat([]hdl.Stream[hdl.Bits]{symbols}, ports-1), Idle: make([]hdl.Bits, ports), Tx: make([]sent, ports),
			ToUART: hdl.StreamOf(level{}), LEDs: hdl.W(p.Board.LEDs.Count), RxDelay: make([]hdl.Bits, ports),
		},
		Body: func(m *hdl.Module, io *harnessIO) {
			b := hdl.Instance(m, "u_board", top.BoardDef(p))
			pins := append([]ethport.Pins{b.Rx0}, b.Rx1...)
			for i, in := range io.received() {
				receive(pins[i], in, io.Idle[i])
				transmit(m, io.Tx[i], b.Tx[i], i)
				io.RxDelay[i].Set(b.RxDelay[i])
			}
			b.UARTRx.Set(hold(m, io.ToUART))
			before := m.Reg("uart_before", 1, 1)
			before.Set(b.UARTTx)
			io.Turned.Set(before.Ne(b.UARTTx))
			io.High.Set(b.UARTTx)
			io.LEDs.Set(b.LEDs)
			wanted := m.Reg("reset_wanted", 1, 0)
			m.If(b.Reset, func() { wanted.SetK(1) })
			io.Reset.Set(wanted)
		},
	}
}

// receive puts symbols on pins.
func receive(pins ethport.Pins, in hdl.Stream[hdl.Bits], idle hdl.Bits) {
	s := hdl.Mux(in.Valid, in.Data, idle)
	pins.Rise.Data.Set(s.Slice(3, 0))
	pins.Fall.Data.Set(s.Slice(7, 4))
	pins.Rise.Ctl.Set(s.Bit(8))
	pins.Fall.Ctl.Set(s.Bit(9))
	in.Ready.SetK(1)
}

// transmit shows the pins where there is a frame, and in the cycle behind it.
func transmit(m *hdl.Module, out sent, pins ethport.Pins, number int) {
	m.In(m.Domain("net"), func() {
		active := pins.Rise.Ctl.Or(pins.Fall.Ctl)
		before := m.Reg(fmt.Sprintf("active_%d", number), 1, 0)
		before.Set(active)
		out.Valid.Set(active.Or(before))
		out.Symbol.Set(hdl.Cat(pins.Fall.Ctl, pins.Rise.Ctl, pins.Fall.Data, pins.Rise.Data))
	})
}

// hold is the serial line: each level for its cycles, then the last one.
func hold(m *hdl.Module, in hdl.Stream[level]) hdl.Bits {
	line, left := m.Reg("line", 1, 1), m.Reg("left", in.Data.Cycles.Width(), 0)
	in.Ready.Set(left.Is(0))
	m.If(left.Is(0), func() {
		m.If(in.Valid, func() {
			line.Set(in.Data.High)
			left.Set(in.Data.Cycles.SubK(1))
		})
	})
	m.If(left.IsNot(0), func() { left.Set(left.SubK(1)) })
	return line
}

// idle is the symbol between frames of a link that is up.
const idle = uint64(rgmii.Gigabit) | uint64(rgmii.Gigabit)<<4
