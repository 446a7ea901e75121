package serial_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/fpga/blocks/serial"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
)

// bus is what accesses reach: some registers, some memory. It counts writes.
type bus struct {
	registers map[uint32]uint32
	memory    map[uint32]uint64
	writes    int
}

const (
	registerLimit = 0x100
	memoryLimit   = 0x1000
)

func newBus() *bus { return &bus{registers: map[uint32]uint32{}, memory: map[uint32]uint64{}} }

func (b *bus) ReadRegister(addr uint32) (uint32, bool) {
	return b.registers[addr], addr < registerLimit
}

func (b *bus) WriteRegister(addr, value uint32) bool {
	if addr >= registerLimit {
		return false
	}
	b.registers[addr] = value
	b.writes++
	return true
}

func (b *bus) ReadWord(addr uint32) (uint64, bool) { return b.memory[addr], addr < memoryLimit }

func (b *bus) WriteWord(addr uint32, value uint64, strobe uint8) bool {
	if addr >= memoryLimit {
		return false
	}
	for i := range 8 {
		if strobe>>i&1 == 1 {
			b.memory[addr] = b.memory[addr]&^(0xFF<<(8*i)) | value&(0xFF<<(8*i))
		}
	}
	b.writes++
	return true
}

type access struct {
	Write, Memory bool
	Addr, Data    uint64
	Strobe        uint8
}

// do makes an access as a client of package access would.
func (b *bus) do(a access) (data uint64, fault bool) {
	ok := false
	switch addr := uint32(a.Addr); {
	case a.Memory && a.Write:
		ok = b.WriteWord(addr, a.Data, a.Strobe)
	case a.Memory:
		data, ok = b.ReadWord(addr)
	case a.Write:
		ok = b.WriteRegister(addr, uint32(a.Data))
	default:
		var v uint32
		v, ok = b.ReadRegister(addr)
		data = uint64(v)
	}
	if !ok {
		data = 0xDEADBEEF
	}
	return data, !ok
}

// bench is the line and the accesses of a bridge.
type bench struct {
	t       *testing.T
	s       *sim.Sim
	io      *serial.IO
	bus     *bus
	line    *sim.Sink // what the bridge sends
	asked   *sim.Sink
	replies *sim.Source
	counts  [serial.Counters]int
	got     []byte
}

func newBench(t *testing.T, s *sim.Sim, io *serial.IO) *bench {
	b := &bench{t: t, s: s, io: io, bus: newBus()}
	b.line = sim.NewSink(s, io.Send, hdltest.Gaps(t, 60))
	b.asked, b.replies = sim.NewSink(s, io.Client.Access, hdltest.Gaps(t, 30)), sim.NewSource(s, io.Client.Reply, hdltest.Gaps(t, 50))
	s.Set(io.Received.Valid, 0)
	s.Set(io.Received.Data, 0)
	s.Set(io.Received.Bad, 0)
	s.Reset(2)
	return b
}

func (b *bench) step() {
	b.s.Step()
	require.NoError(b.t, b.s.Err())
	for i := range b.counts {
		b.counts[i] += int(b.s.Get(b.io.Counts) >> i & 1)
	}
	for _, a := range sim.Received[access](b.asked) {
		data, fault := b.bus.do(a)
		b.replies.Send(struct {
			Data  uint64
			Fault bool
		}{data, fault})
	}
	for _, x := range sim.Received[byte](b.line) {
		b.got = append(b.got, x)
	}
}

func (b *bench) run(cycles int) {
	for range cycles {
		b.step()
	}
}

// play puts bytes on the line, some cycles apart.
func (b *bench) play(bytes []byte) {
	for _, x := range bytes {
		b.symbol(x, 0)
	}
}

func (b *bench) symbol(x byte, bad uint64) {
	b.s.Set(b.io.Received.Valid, 1)
	b.s.Set(b.io.Received.Data, uint64(x))
	b.s.Set(b.io.Received.Bad, bad)
	b.step()
	b.s.Set(b.io.Received.Valid, 0)
	b.run(4)
}

// answer runs until the bridge has sent as many bytes as there are in want, and is quiet.
func (b *bench) answer(want []byte) {
	for n := 0; len(b.got) < len(want); n++ {
		require.Less(b.t, n, 40000, "no answer")
		b.step()
	}
	b.run(60)
	require.Equal(b.t, want, b.got)
	b.got = nil
}

// request is a frame with a random operation.
func request(r *rand.Rand, seq byte) []byte {
	op := format.SerialOp(1 + r.IntN(7))
	if op == format.SerialIdentify && r.IntN(4) > 0 {
		op = format.SerialWriteMemory
	}
	memory := op >= format.SerialReadMemory
	size, limit := 4, uint32(registerLimit)
	if memory {
		size, limit = 8, memoryLimit
	}
	words := 1 + r.IntN(5)
	if r.IntN(8) == 0 {
		words = 1 + r.IntN(format.SerialWords)
	}
	payload := 0
	switch op {
	case format.SerialIdentify:
		words = 1
	case format.SerialModifyRegister, format.SerialModifyMemory:
		words, payload = 1, 2*size
	case format.SerialWriteRegisters, format.SerialWriteMemory:
		payload = words * size
	}
	addr := r.Uint32N(limit/uint32(size)) * uint32(size)
	switch r.IntN(24) {
	case 0:
		addr++
	case 1:
		words = r.IntN(256)
	case 2:
		payload += 1 + r.IntN(3)
	case 3:
		op = format.SerialOp(r.Uint32())
	case 4:
		addr = r.Uint32() &^ 7
	}
	q := []byte{byte(op), seq, byte(words), byte(r.Uint32()), byte(r.Uint32())}
	q = binary.LittleEndian.AppendUint32(q, addr)
	for range payload {
		x := byte(r.Uint32())
		if r.IntN(4) == 0 {
			x = []byte{format.SerialEnd, format.SerialEscape, format.SerialEscEnd, format.SerialEscEsc}[r.IntN(4)]
		}
		q = append(q, x)
	}
	return q
}

// Random requests, good and malformed, repeated, out of sequence, on a line that damages: each
// answer, each access and each count is as the reference says.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, serial.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
		b := newBench(t, s, io)
		ref := serial.Reference{Bus: newBus()}
		frame, seq := []byte(nil), byte(0)
		for range 400 {
			bad := -1 // the byte without a stop bit
			switch choice := r.IntN(10); {
			case choice == 0 && frame != nil: // the same again
			case choice == 1:
				frame = serial.Frame(request(r, byte(r.Uint32())))
			default:
				frame = serial.Frame(request(r, seq))
			}
			line := append([]byte(nil), frame...)
			switch at := r.IntN(len(line)); r.IntN(12) {
			case 0:
				line[at] ^= 1 << r.IntN(8)
			case 1:
				line = append(line[:at], line[at+1:]...)
			case 2:
				line = append(line[:at+1], line[at:]...)
			case 3:
				bad = r.IntN(len(line))
			case 4:
				line = line[:at] // the rest never comes
			case 5:
				for range 600 { // far too long
					line = append(line, byte(r.Uint32()))
				}
			}
			for i, x := range line {
				isBad := uint64(0)
				if i == bad {
					isBad = 1
				}
				b.symbol(x, isBad)
				if want := ref.Byte(x, i == bad); want != nil {
					b.answer(want)
				}
			}
			seq = ref.Next()
		}
		b.run(100)
		require.Empty(t, b.got)
		require.Equal(t, ref.Bus, b.bus)
		require.Equal(t, [4]int{ref.Framing, ref.Bad, ref.Repeats, ref.Refused}, b.counts)
		require.Greater(t, min(ref.Framing, ref.Bad, ref.Repeats, ref.Refused), 5)
		require.Greater(t, b.bus.writes, 200)
	}, verilator.Simulator)
}

// begin identifies the bridge, with number 0.
func (b *bench) begin(ref *serial.Reference) {
	b.exchange(ref, []byte{byte(format.SerialIdentify), 0, 1, 0, 0, 0, 0, 0, 0})
}

// exchange has a request answered as the reference says.
func (b *bench) exchange(ref *serial.Reference, q []byte) {
	for _, x := range serial.Frame(q) {
		b.symbol(x, 0)
		if want := ref.Byte(x, false); want != nil {
			b.answer(want)
		}
	}
}

func write(seq, value byte) []byte {
	return []byte{byte(format.SerialWriteRegisters), seq, 1, 0, 0, 8, 0, 0, 0, value, 0, 0, 0}
}

// A frame that comes while a request is executed or answered, all of it or its beginning or its end, is
// dropped and counted; the answer under way is whole, and the next frame is taken.
func TestFrameThatComesTooEarly(t *testing.T) {
	design, io := hdltest.Build(t, serial.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		ref := &serial.Reference{Bus: newBus()}
		b.begin(ref)
		early := serial.Frame(write(2, 99))
		for _, n := range []int{2, 5, len(early) - 1, len(early)} {
			seq := ref.Next()
			b.line.SetPattern(sim.Pattern{Kind: sim.Never}) // the line takes nothing
			var want []byte
			for _, x := range serial.Frame(write(seq, 7)) {
				b.symbol(x, 0)
				if a := ref.Byte(x, false); a != nil {
					want = a
				}
			}
			b.play(early[:n])
			b.run(300)
			require.Empty(t, b.got)
			b.line.SetPattern(sim.Pattern{})
			b.answer(want)
			b.play(early[n:])
			b.exchange(ref, write(ref.Next(), 8))
		}
		require.Equal(t, ref.Bus, b.bus)
		require.EqualValues(t, 8, b.bus.registers[8])
		require.Equal(t, 8, b.bus.writes)
		require.Equal(t, [4]int{0, 4, 0, 0}, b.counts)
	}, verilator.Simulator)
}

// A write is executed once, however often it is asked for; its answer is the same each time.
func TestOnce(t *testing.T) {
	design, io := hdltest.Build(t, serial.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		ref := &serial.Reference{Bus: newBus()}
		b.begin(ref)
		for range 5 {
			b.exchange(ref, write(1, 55))
		}
		b.exchange(ref, write(0, 1)) // of long ago
		require.Equal(t, 1, b.bus.writes)
		require.EqualValues(t, 55, b.bus.registers[8])
		require.Equal(t, [4]int{0, 0, 4, 1}, b.counts)
	}, verilator.Simulator)
}

// Before the first identify nothing is executed.
func TestNoSession(t *testing.T) {
	design, io := hdltest.Build(t, serial.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		ref := &serial.Reference{Bus: newBus()}
		for seq := range 256 {
			b.exchange(ref, write(byte(seq), 1))
		}
		require.Zero(t, b.bus.writes)
		require.Equal(t, 256, b.counts[3])
	})
}

// The longest write and the longest read pass, and a byte takes fewer cycles than the fastest line.
func TestLongest(t *testing.T) {
	design, io := hdltest.Build(t, serial.Def())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.line.SetPattern(sim.Pattern{})
		ref := &serial.Reference{Bus: newBus()}
		b.begin(ref)
		q := []byte{byte(format.SerialWriteMemory), 1, format.SerialWords, 0xF0, 0x0F, 0, 0, 0, 0}
		for i := range 8 * format.SerialWords {
			q = append(q, byte(i*7))
		}
		require.Len(t, q, format.SerialMostBytes-4)
		b.exchange(ref, q)
		b.exchange(ref, []byte{byte(format.SerialReadMemory), 2, format.SerialWords, 0, 0, 0, 0, 0, 0})
		require.Equal(t, ref.Bus, b.bus)

		b.play(serial.Frame([]byte{byte(format.SerialReadMemory), 3, format.SerialWords, 0, 0, 0, 0, 0, 0}))
		for len(b.got) < 100 {
			b.step()
		}
		start, from := s.Cycle(), len(b.got)
		b.run(1000)
		require.Less(t, float64(s.Cycle()-start)/float64(len(b.got)-from), 10.0)
	}, verilator.Simulator)
}

func TestLint(t *testing.T) {
	design, _ := hdltest.Build(t, serial.Def())
	lint.Check(t, design)
}
