package uart_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/uart"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
)

// bench plays a line into the receiver and keeps that of the sender.
type bench struct {
	t        *testing.T
	s        *sim.Sim
	io       *uart.IO
	received []byte
	bad      int
	sent     []bool // the line, cycle by cycle
}

func newBench(t *testing.T, s *sim.Sim, io *uart.IO, divisor int) *bench {
	b := &bench{t: t, s: s, io: io}
	s.Set(io.Divisor, uint64(divisor))
	s.Set(io.RxPin, 1)
	return b
}

// step is a cycle with this level on the line in.
func (b *bench) step(level bool) {
	pin := uint64(0)
	if level {
		pin = 1
	}
	b.s.Set(b.io.RxPin, pin)
	b.s.Step()
	require.NoError(b.t, b.s.Err())
	b.sent = append(b.sent, b.s.Get(b.io.TxPin) == 1)
	if b.s.Get(b.io.Received.Valid) == 0 {
		return
	}
	if b.s.Get(b.io.Received.Bad) == 1 {
		b.bad++
		return
	}
	b.received = append(b.received, byte(b.s.Get(b.io.Received.Data)))
}

func (b *bench) play(line []bool) {
	for _, level := range line {
		b.step(level)
	}
}

// idle lets the line rest.
func (b *bench) idle(cycles int) {
	for range cycles {
		b.step(true)
	}
}

// resampled is a line at the clock of a sender that is off by so many parts in a thousand.
func resampled(line []bool, off int) []bool {
	var out []bool
	for i := 0; i*(1000+off)/1000 < len(line); i++ {
		out = append(out, line[i*(1000+off)/1000])
	}
	return out
}

func randomBytes(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// Bytes pass both ways at once, at all divisors, from clocks that are off by up to 3 per cent.
func TestBytes(t *testing.T) {
	design, io := hdltest.Build(t, uart.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
		b := newBench(t, s, io, uart.LeastDivisor)
		out := sim.NewSource(s, io.Send, sim.Pattern{})
		s.Reset(2)
		for _, divisor := range []int{8, 9, 15, 16, 62, 68, 543} {
			s.Set(io.Divisor, uint64(divisor))
			for _, off := range []int{0, -30, 30} {
				if divisor < 32 && off != 0 {
					continue // where a cycle is more than that
				}
				b.sent, b.received = nil, nil
				in, want := randomBytes(r, 4), randomBytes(r, 4)
				for _, x := range want {
					out.Send(uint64(x))
				}
				b.play(resampled(uart.Encode(in, divisor), off))
				b.idle(12 * divisor)
				require.Equal(t, in, b.received, "divisor %d, off by %d", divisor, off)
				got, bad := uart.Decode(b.sent, divisor)
				require.Zero(t, bad)
				require.Equal(t, want, got, "divisor %d", divisor)
			}
		}
		require.Zero(t, b.bad)
	}, verilator.Simulator)
}

// A glitch of less than an eighth of a bit changes nothing, wherever it comes; a start
// bit that is over too soon is none.
func TestGlitches(t *testing.T) {
	const divisor = 64
	design, io := hdltest.Build(t, uart.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 2))
		b := newBench(t, s, io, divisor)
		s.Reset(2)
		var want []byte
		for range 60 {
			b.idle(divisor + r.IntN(divisor)) // a glitch is over a bit before a start bit
			for range r.IntN(divisor / 3) {
				b.step(false)
			}
			b.idle(divisor)
			data := randomBytes(r, 1)
			line := uart.Encode(data, divisor)
			for bit := 1; bit < 10; bit++ { // one for each bit behind the start bit
				at := bit*divisor + r.IntN(divisor-7)
				for i := range 1 + r.IntN(7) {
					line[at+i] = !line[at+i]
				}
			}
			b.play(line)
			want = append(want, data...)
		}
		b.idle(2 * divisor)
		require.Equal(t, want, b.received)
		require.Zero(t, b.bad)
		require.NotZero(t, s.Covered("glitch"))
	}, verilator.Simulator)
}

// A byte without a stop bit is marked, once however long the line hangs low, and
// the next one is whole.
func TestNoStopBit(t *testing.T) {
	const divisor = 16
	design, io := hdltest.Build(t, uart.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, divisor)
		s.Reset(2)
		for _, low := range []int{divisor, 5 * divisor, 100 * divisor} {
			b.received, b.bad = nil, 0
			line := uart.Encode([]byte{0x5A}, divisor)
			line = line[:len(line)-divisor]
			for range low {
				line = append(line, false)
			}
			line = append(line, true, true, true, true)
			line = append(line, uart.Encode([]byte{0xA5}, divisor)...)
			b.play(line)
			b.idle(divisor)
			want, bad := uart.Decode(append(line, true, true), divisor)
			require.Equal(t, 1, bad)
			require.Equal(t, bad, b.bad, "low for %d", low)
			require.Equal(t, []byte{0xA5}, want)
			require.Equal(t, want, b.received)
		}
	}, verilator.Simulator)
}

// The line is full: a byte every ten bits.
func TestRate(t *testing.T) {
	const divisor = 10
	design, io := hdltest.Build(t, uart.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, divisor)
		out := sim.NewSource(s, io.Send, sim.Pattern{})
		s.Reset(2)
		for i := range uint64(30) {
			out.Send(i)
		}
		b.idle(20 * 10 * divisor)
		// One cycle passes between two bytes.
		require.InDelta(t, 20, 30-out.Pending(), 1)
	}, verilator.Simulator)
}

func TestLint(t *testing.T) {
	design, _ := hdltest.Build(t, uart.Def())
	lint.Check(t, design)
}
