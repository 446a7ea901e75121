package uart

import (
	"gornic/format"
	"gornic/hdl"
)

// DivisorBits is the width of the divisor.
const DivisorBits = 16

// Byte is a byte that was received, in the one cycle in which Valid is one.
type Byte struct {
	Valid hdl.Bits `w:"1"`
	Data  hdl.Bits `w:"8"`
	Bad   hdl.Bits `w:"1"` // it has no stop bit: Data means nothing
}

// IO is the ports of the block.
type IO struct {
	Divisor  hdl.Bits             `hdl:"in" w:"16"` // cycles for each bit, 8 or more
	RxPin    hdl.Bits             `hdl:"in" w:"1"`
	TxPin    hdl.Bits             `hdl:"out" w:"1"`
	Send     hdl.Stream[hdl.Bits] `hdl:"in"`
	Received Byte                 `hdl:"out"`
}

// Def is the block.
func Def() hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: "uart",
		Doc:  "Serial line, 8N1: each bit is looked at three times.",
		IO:   IO{Send: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *IO) {
			send(m, io)
			receive(m, io)
			properties(m, io)
		},
	}
}

// bitsOfByte is how many bits a byte is on the line: start, data, stop.
const bitsOfByte = 10

// send shifts a byte out, its start bit first. Ones follow it in the register, so that the
// line is high when the byte has left.
func send(m *hdl.Module, io *IO) {
	line := m.Reg("sending", bitsOfByte-1, 1<<(bitsOfByte-1)-1) // the lowest bit is on the line
	left := m.Reg("send_bits", 4, 0)
	cycles := m.RegN("send_cycles", DivisorBits)   // left of the present bit, less one
	divisor := m.RegN("send_divisor", DivisorBits) // less one

	idle := left.None()
	ends := m.Reg("send_bit_ends", 1, 0)
	less := io.Divisor.SubK(1)
	io.TxPin.Set(line.Bit(0))
	io.Send.Ready.Set(idle)
	ends.Set(cycles.Is(1))
	cycles.Set(cycles.SubK(1))
	m.If(io.Send.Fire(), func() {
		line.Set(hdl.Cat(io.Send.Data, hdl.K(1, 0)))
		left.SetK(bitsOfByte)
		divisor.Set(less)
		cycles.Set(less)
		ends.SetK(0)
	}).ElseIf(ends, func() {
		line.Set(hdl.Cat(hdl.K(1, 1), line.Slice(bitsOfByte-2, 1)))
		m.If(idle.Not(), func() { left.Set(left.SubK(1)) })
		cycles.Set(divisor)
		ends.SetK(0)
	})
}

// reception is the state of the receiver.
type reception int

const (
	waiting  reception = iota // for the line to fall
	arriving                  // a byte is on the line
	broken                    // there was no stop bit: for the line to rise
)

func (r reception) String() string { return [...]string{"WAITING", "ARRIVING", "BROKEN"}[r] }

// receive looks at the line in the middle of each bit, and an eighth of a bit before and behind.
func receive(m *hdl.Module, io *IO) {
	line := synchronised(m, io.RxPin)
	state := hdl.NewFSM(m, "reception", waiting, arriving, broken)
	cycle := m.RegN("cycle", DivisorBits) // of the present bit
	last := m.RegN("last", DivisorBits)   // cycle of a bit
	first, middle, third := m.RegN("first_look", DivisorBits), m.RegN("middle_look", DivisorBits), m.RegN("third_look", DivisorBits)
	number := m.RegN("number", 4) // of the present bit: 0 is the start bit
	ones := m.RegN("ones", 2)     // of the looks at the present bit so far
	data := m.RegN("arrived", 8)
	looks := m.Reg("looks", 1, 0) // a look at the line, in this cycle
	judges := m.Reg("judges", 1, 0)

	half := io.Divisor.ShrK(1)
	bitEnds := cycle.Eq(last)
	looks.Set(hdl.OrAll(cycle.Eq(first), cycle.Eq(middle), cycle.Eq(third)).And(state.Is(arriving)))
	judges.Set(cycle.Eq(third).And(state.Is(arriving)))
	cycle.Set(hdl.Mux(bitEnds, cycle.K(0), cycle.AddK(1)))
	m.If(bitEnds, func() { number.Set(number.AddK(1)) })
	m.If(looks, func() { ones.Set(ones.Add(line.ZExt(2))) })

	bit := ones.Add(line.ZExt(2)).Bit(1) // two or three of three
	state.Switch(
		hdl.On(waiting, func() {
			cycle.SetK(0)
			number.SetK(0)
			ones.SetK(0)
			last.Set(io.Divisor.SubK(1))
			first.Set(half.Sub(io.Divisor.ShrK(3)))
			middle.Set(half)
			third.Set(half.Add(io.Divisor.ShrK(3)))
			m.If(line.Not(), func() { state.Goto(arriving) })
		}),
		hdl.On(arriving, func() {
			m.If(judges, func() {
				ones.SetK(0)
				data.Set(hdl.Cat(bit, data.Slice(7, 1)))
				m.If(number.None().And(bit), func() { state.Goto(waiting) })
				m.If(number.Is(bitsOfByte-1), func() {
					data.Set(data)
					m.If(bit, func() { state.Goto(waiting) }).Else(func() { state.Goto(broken) })
				})
			})
		}),
		hdl.On(broken, func() { m.If(line, func() { state.Goto(waiting) }) }),
	)
	done := hdl.AndAll(state.Is(arriving), judges, number.Is(bitsOfByte-1))
	received, bad := m.Reg("received_now", 1, 0), m.RegN("received_wrong", 1)
	received.Set(done)
	bad.Set(bit.Not())
	hdl.Set(io.Received, Byte{Valid: received, Data: data, Bad: bad})
	m.Cover("glitch", hdl.AndAll(state.Is(arriving), judges, number.None(), bit))
	m.Cover("bad_byte", received.And(bad))
}

// synchronised is the pin in this clock domain, high after reset.
func synchronised(m *hdl.Module, pin hdl.Bits) hdl.Bits {
	unsafe, safe := m.Reg("rx_pin_1", 1, 1), m.Reg("rx_pin_2", 1, 1)
	unsafe.Set(pin)
	safe.Set(unsafe)
	return safe
}

// LeastDivisor is the least divisor with which a byte is received.
const LeastDivisor = format.BoardDivisorLeast
