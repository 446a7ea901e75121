package gather_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/gather"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

func params(width int) gather.Params {
	return gather.Params{Sizes: link.Sizes{DataWidth: width}, Buffer: 8192}
}

// bench is the block between translator, memory and transmitter.
type bench struct {
	t     *testing.T
	s     *sim.Sim
	mem   *linktest.Memory
	reads *linktest.Reads

	piece, translated *sim.Source
	gathered, payload *sim.Sink
	frames            *hdltest.Frames
	faults            []format.VendorCode
	got               []hdltest.Frame

	hold bool   // what the keys were is not told,
	held []fate // but kept here

	wantFaults []format.VendorCode
	want       [][]byte
}

// fate is a link.Translated.
type fate struct {
	Fault       format.VendorCode
	Probe, Tail bool
	Addr        uint64
}

// Where payload lies: memoryBytes from base on, of random bytes, with holes.
const (
	base        = 0x12_3456_7000
	memoryBytes = 1 << 16
)

func newBench(t *testing.T, s *sim.Sim, io *gather.IO, gaps uint32, latency int) *bench {
	g := hdltest.Gaps(t, gaps)
	b := &bench{t: t, s: s, mem: linktest.NewMemory()}
	r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
	all := make([]byte, memoryBytes)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	b.mem.Poke(base, all)
	b.reads = linktest.NewReads(s, io.Read, b.mem, g, hdltest.Seed(t))
	b.reads.Latency = latency
	b.piece, b.translated = sim.NewSource(s, io.Piece, g), sim.NewSource(s, io.Translated, g)
	b.gathered, b.payload = sim.NewSink(s, io.Gathered, g), sim.NewSink(s, io.Payload, g)
	b.frames = hdltest.NewFrames(b.payload)
	s.Reset(2)
	return b
}

func (b *bench) step() {
	b.s.Step()
	b.reads.Step()
	require.NoError(b.t, b.s.Err())
	for _, f := range sim.Received[uint64](b.gathered) {
		b.faults = append(b.faults, format.VendorCode(f))
	}
	b.got = append(b.got, b.frames.Take()...)
}

// give sends what the translator makes of a packet; the reference says what comes of it.
func (b *bench) give(p gather.Packet) {
	type piece struct {
		Addr       uint64
		Len        int
		Skip, Last bool
	}
	for i, x := range p.Pieces {
		b.piece.Send(piece{x.Addr, x.Len, false, p.Fault == format.VendorNone && i == len(p.Pieces)-1})
	}
	if p.Fault != format.VendorNone && !p.Probe {
		b.piece.Send(piece{Skip: true, Last: true})
	}
	told := fate{Fault: p.Fault, Probe: p.Probe, Addr: 0xABC}
	if b.hold {
		b.held = append(b.held, told)
	} else {
		b.translated.Send(told)
	}
	payload, fault := gather.Reference(b.mem.Read, p)
	b.wantFaults = append(b.wantFaults, fault)
	if payload != nil {
		b.want = append(b.want, payload)
	}
}

// finish steps until all has come, and compares.
func (b *bench) finish(limit int) {
	b.t.Helper()
	for n := 0; len(b.faults) < len(b.wantFaults) || len(b.got) < len(b.want) || !b.reads.Idle(); n++ {
		require.Less(b.t, n, limit, "%d of %d reports, %d of %d frames", len(b.faults), len(b.wantFaults), len(b.got), len(b.want))
		b.step()
	}
	for range 50 {
		b.step()
	}
	require.NoError(b.t, b.reads.Broken)
	require.Equal(b.t, b.wantFaults, b.faults)
	require.Len(b.t, b.got, len(b.want))
	for i, w := range b.want {
		require.True(b.t, bytes.Equal(w, b.got[i].Data), "payload %d", i)
	}
}

// randomPacket draws pieces of a packet, long or short, few or many.
func randomPacket(r *rand.Rand) gather.Packet {
	var p gather.Packet
	if r.IntN(5) == 0 {
		return gather.Packet{Probe: true, Fault: []format.VendorCode{format.VendorNone, format.VendorKeyPD}[r.IntN(2)]}
	}
	left := 1 + r.IntN(1<<(1+r.IntN(12)))
	most := 1 + r.IntN(1<<(1+r.IntN(12)))
	for left > 0 {
		n := min(left, 1+r.IntN(most))
		p.Pieces = append(p.Pieces, gather.Piece{Addr: base + uint64(r.IntN(memoryBytes-n)), Len: n})
		left -= n
		if len(p.Pieces) == 60 {
			break
		}
	}
	if r.IntN(8) == 0 {
		p.Fault = format.VendorKeyUnknown + format.VendorCode(r.IntN(4))
		p.Pieces = p.Pieces[:r.IntN(len(p.Pieces)+1)]
	}
	return p
}

// Random packets, with faults of keys and holes in memory, in a memory that takes its time.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct{ width, latency int }{{64, 50}, {128, 0}, {256, 9}, {512, 60}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, gather.Def(params(c.width)))
			for _, gaps := range []uint32{0, 30} {
				hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
					r := rand.New(rand.NewPCG(hdltest.Seed(t), uint64(gaps)))
					b := newBench(t, s, io, gaps, c.latency)
					b.mem.Fault(func(addr uint64) bool { return (addr-base)>>7 == 77 })
					for range 200 {
						b.give(randomPacket(r))
					}
					b.finish(400_000)
					require.NotZero(t, s.Covered("probe_waits_for_payload"))
				}, linktest.Others(c.width)...)
			}
		})
	}
}

// cycles returns from the first to the last beat of payload for n equal packets.
func (b *bench) cycles(n int, packet func(i int) gather.Packet) int {
	for i := range n {
		b.give(packet(i))
	}
	b.finish(100_000)
	return int(b.got[n-1].Last - b.got[0].First)
}

// At full speed: a packet of one piece in as many cycles as it has beats, or one more where
// it is not aligned, with a buffer as large as one row of block RAMs.
func TestCycles(t *testing.T) {
	const packets = 100
	for _, width := range []int{64, 512} {
		n := width / 8
		for _, c := range []struct{ length, offset, beats int }{
			{64, 0, 64 / n}, {64, 5, 64/n + 1}, {4096, 0, 4096 / n}, {4096, 3, 4096/n + 1}, {1, 1, 1}, {4096, 4000, 4096/n + 2},
		} {
			t.Run(fmt.Sprintf("%d/%d bytes at %d", width, c.length, c.offset), func(t *testing.T) {
				p := gather.Params{Sizes: link.Sizes{DataWidth: width}, Buffer: max(8192, 512*n)}
				design, io := hdltest.Build(t, gather.Def(p))
				hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
					b := newBench(t, s, io, 0, 0)
					got := b.cycles(packets, func(i int) gather.Packet {
						return gather.Packet{Pieces: []gather.Piece{{Addr: base + uint64(i%8*4096+c.offset), Len: c.length}}}
					})
					t.Logf("%.2f cycles a packet", float64(got)/packets)
					require.LessOrEqual(t, got, packets*c.beats)
				})
			})
		}
	}
}

// While a memory takes long to answer, bursts of further packets go out until the buffer would be full.
func TestOverlap(t *testing.T) {
	design, io := hdltest.Build(t, gather.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		b.reads.Hold = true
		for i := range 70 {
			b.give(gather.Packet{Pieces: []gather.Piece{{Addr: base + uint64(200*i), Len: 100}}})
		}
		for range 1000 {
			b.step()
		}
		require.Empty(t, b.faults)
		b.reads.Hold = false
		b.finish(2000)
		require.Equal(t, 70, len(b.got))
	})
}

// While nobody knows what the keys were, packets wait, no more of them than there is room for.
func TestLateKeys(t *testing.T) {
	design, io := hdltest.Build(t, gather.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		b.hold = true
		for i := range 70 {
			b.give(gather.Packet{Pieces: []gather.Piece{{Addr: base + uint64(200*i), Len: 50}}})
		}
		for range 1000 {
			b.step()
		}
		require.Empty(t, b.faults)
		for _, f := range b.held {
			b.translated.Send(f)
		}
		b.finish(2000)
	})
}

// Probes are told in their order, though they read nothing: not before the payload in front of them
// has come, and one a cycle.
func TestProbes(t *testing.T) {
	design, io := hdltest.Build(t, gather.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		probes := func(n int) {
			for i := range n {
				b.give(gather.Packet{Probe: true, Fault: []format.VendorCode{format.VendorNone, format.VendorKeyRange}[i%2]})
			}
		}
		b.reads.Hold = true
		b.give(gather.Packet{Pieces: []gather.Piece{{Addr: base, Len: 100}}})
		probes(2)
		b.give(gather.Packet{Pieces: []gather.Piece{{Addr: base + 200, Len: 100}}})
		for range 200 {
			b.step()
		}
		require.Empty(t, b.faults)
		b.reads.Hold = false
		b.finish(200)
		require.Equal(t, 2, b.reads.Bursts)
		const n = 40
		probes(n)
		before := len(b.faults)
		for range n + 5 {
			b.step()
		}
		require.Equal(t, before+n, len(b.faults))
	})
}

// Faults one by one: nothing of the packet comes out, its neighbours are whole, and
// a packet that is given up after its reads went out costs its neighbours no room.
func TestFaults(t *testing.T) {
	for _, width := range []int{64, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, gather.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, 0, 200)
				const hole = base + 0x8000
				b.mem.Fault(func(addr uint64) bool { return addr>>6 == hole>>6 })
				good := gather.Packet{Pieces: []gather.Piece{{Addr: base + 3, Len: 4096}}}
				for _, bad := range []gather.Packet{
					{Fault: format.VendorKeyUnknown},
					{Fault: format.VendorKeyRange, Pieces: []gather.Piece{{Addr: base + 1, Len: 1}}},
					{Fault: format.VendorKeyPD, Pieces: []gather.Piece{{Addr: base + 64, Len: 4000}, {Addr: base, Len: 95}}},
					{Fault: format.VendorKeyRights, Pieces: []gather.Piece{{Addr: hole, Len: 100}}},
					{Pieces: []gather.Piece{{Addr: hole + 63, Len: 1}}},
					{Pieces: []gather.Piece{{Addr: hole - 100, Len: 101}, {Addr: base, Len: 50}}},
					{Pieces: []gather.Piece{{Addr: base, Len: 4000}, {Addr: hole + 63, Len: 96}}},
				} {
					for range 5 {
						b.give(bad)
					}
					b.give(good)
					b.give(good)
				}
				b.finish(100_000)
				require.Len(t, b.faults, 49)
				require.Len(t, b.got, 14)
			}, linktest.Others(width)...)
		})
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64).Validate())
	require.Error(t, params(96).Validate())
	for _, buffer := range []int{4096, 12288, 1 << 21} {
		require.Error(t, gather.Params{Sizes: link.Sizes{DataWidth: 64}, Buffer: buffer}.Validate())
	}
}
