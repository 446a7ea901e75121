package translate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keycache"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/translate"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func params(width, lines int) translate.Params {
	return translate.Params{Sizes: link.Sizes{DataWidth: width}, Lines: lines}
}

const listBase = 0x7_0000_0000

// key makes a key over some 30 pages, or a contiguous one.
func (b *bench) key(r *rand.Rand, index uint32) {
	e := keycache.Entry{
		Key: uint64(index) << 8, State: format.KeyValid, Rights: 15,
		VA: r.Uint64() >> 1, Length: uint64(1 + r.IntN(1<<17)), Translation: r.Uint64() >> 1,
	}
	if shift := []int{0, 12, 12, 12, 13, 16, 20, 21}[r.IntN(8)]; shift != 0 {
		e.PageShift = uint64(shift)
		e.Translation = listBase + uint64(index)*0x400 + 8*uint64(r.IntN(20))
		for i := range uint64(40) {
			b.list(e.Translation+8*i, r.Uint64()) // low bits are not to be looked at
		}
	}
	b.keys[index] = e
}

// draw is a segment with a key, mostly a good one.
func (b *bench) draw(r *rand.Rand, keys int) translate.Segment {
	index := uint32(r.IntN(keys))
	e := b.keys[index]
	s := translate.Segment{Len: 1 + r.IntN(4096), Skip: r.IntN(10) == 0}
	s.Len = min(s.Len, int(e.Length))
	if r.IntN(4) == 0 {
		s.Len = min(1+r.IntN(16), int(e.Length))
	}
	s.Question = keycache.Question{Key: index << 8, Rights: 1, Range: uint32(s.Len), VA: e.VA + uint64(r.IntN(int(e.Length)-s.Len+1))}
	if s.Skip && r.IntN(2) == 0 {
		s.Rights = 0 // its key is not looked at
	}
	switch r.IntN(30) {
	case 0:
		s.Key = 1 << 20
	case 1:
		s.PD++
	case 2:
		s.VA = e.VA + e.Length
	}
	return s
}

// bus is a segment that names its bus address, with a key and rights that nobody looks at.
func bus(r *rand.Rand) translate.Segment {
	s := translate.Segment{Len: 1 + r.IntN(256), Bus: true}
	s.Question = keycache.Question{Key: r.Uint32(), Rights: uint8(r.UintN(256)), Range: r.Uint32(), VA: r.Uint64()>>1&^0xFFF + uint64(r.IntN(4096-s.Len+1))}
	return s
}

// packet is a payload, one with a Probe behind it, or probes alone.
func (b *bench) packet(r *rand.Rand, keys int) []translate.Segment {
	packet := []translate.Segment{b.draw(r, keys)}
	for r.IntN(2) == 0 && len(packet) < 5 {
		packet = append(packet, b.draw(r, keys))
	}
	if r.IntN(4) == 0 {
		for i := range packet {
			if r.IntN(2) == 0 {
				packet[i] = bus(r)
			}
		}
		return packet
	}
	probe := func(s *translate.Segment) {
		s.Probe, s.Find, s.Skip = true, r.IntN(2) == 0, r.IntN(8) == 0
		s.Len = r.IntN(4097) // means nothing
	}
	last := len(packet) - 1
	switch r.IntN(3) {
	case 0:
		packet[last].Last, packet[last].Probed = true, true
		packet = append(packet, b.draw(r, keys))
		probe(&packet[last+1])
	case 1:
		for i := range packet {
			probe(&packet[i])
		}
	}
	return packet
}

// Random packets over keys of all page sizes, with lines that cannot be read, and
// flushes: each piece is where the reference says, and each packet has its fault.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct{ width, lines, latency int }{{64, 4, 20}, {128, 2, 0}, {256, 8, 7}, {512, 4, 30}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, translate.Def(params(c.width, c.lines)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 9))
				b := newBench(t, s, io, hdltest.Gaps(t, 20))
				b.reads.Latency = c.latency
				faults := 0
				for range 12 {
					const keys = 6
					for i := range uint32(keys) {
						b.key(r, i)
					}
					bad := uint64(listBase>>6) + r.Uint64N(keys*0x400>>6)
					b.mem.Fault(func(addr uint64) bool { return addr>>6 == bad })
					b.drop()
					for range 40 {
						b.send(b.packet(r, keys)...)
						if b.fates[len(b.fates)-1].Fault != format.VendorNone {
							faults++
						}
						b.until("room", func() bool { return b.segment.Pending() < 6 })
						if r.IntN(8) == 0 {
							b.drop()
						}
					}
					b.until("pieces", b.idle)
				}
				require.Greater(t, faults, 30)
				require.NotZero(t, s.Covered("swallows"))
				require.NotZero(t, s.Covered("second_page"))
				require.NotZero(t, s.Covered("tail_asked"))
				require.NotZero(t, s.Covered("tail_dropped"))
				require.NotZero(t, s.Covered("found_in_page"))
				require.NotZero(t, s.Covered("bus"))
			}, linktest.Others(c.width)...)
		})
	}
}

// paged is a key of pages of 4 KiB at listBase, contiguous is one without.
func (b *bench) twoKeys() {
	b.keys[1] = keycache.Entry{Key: 1 << 8, State: format.KeyValid, VA: 0x10_0000, Length: 1 << 16, Translation: 1 << 40}
	b.keys[2] = keycache.Entry{Key: 2 << 8, State: format.KeyValid, VA: 0x10_0800, Length: 1 << 16, Translation: listBase, PageShift: 12}
	for i := range uint64(17) {
		b.list(listBase+8*i, (0x100+i)<<12)
	}
}

func segment(key uint32, va uint64, n int) translate.Segment {
	return translate.Segment{Question: keycache.Question{Key: key << 8, VA: va, Range: uint32(n)}, Len: n}
}

// A line is read once, until Flush; what is on its way at Flush is not held.
func TestLinesAreHeld(t *testing.T) {
	design, io := hdltest.Build(t, translate.Def(params(64, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.twoKeys()
		look := func(bursts int) {
			t.Helper()
			b.send(segment(2, 0x10_0900, 4096))
			b.until("pieces", b.idle)
			require.Equal(t, bursts, b.reads.Bursts)
		}
		look(1)
		look(1)
		b.drop()
		look(2)
		b.drop()
		b.reads.Hold = true
		b.send(segment(2, 0x10_0900, 10))
		b.until("question", func() bool { return b.reads.Bursts == 3 })
		b.drop()
		b.reads.Hold = false
		b.until("pieces", b.idle)
		look(4)
		require.NotZero(t, s.Covered("line_is_old"))
	}, verilator.Simulator)
}

// The first entry is the page of the key's first address, wherever in it that is;
// a segment is cut where pages end.
func TestPages(t *testing.T) {
	design, io := hdltest.Build(t, translate.Def(params(64, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.twoKeys()
		want := []translate.Piece{{Addr: 0x10_0FFF, Len: 1}, {Addr: 0x10_1000, Len: 4095, Last: true}}
		b.send(segment(2, 0x10_0FFF, 4096))
		require.Equal(t, want, b.pieces, "the reference itself")
		b.until("pieces", b.idle)
		b.send(segment(2, 0x10_0800, 1), segment(1, 0x10_0FFF, 4096), segment(2, 0x11_07FF, 1))
		require.Equal(t, []translate.Piece{{Addr: 0x10_0800, Len: 1}, {Addr: 1<<40 + 0xFFF, Len: 4096}, {Addr: 0x11_07FF, Len: 1, Last: true}}, b.pieces)
		b.until("pieces", b.idle)
	}, verilator.Simulator)
}

// A bus address is its piece, without a question: alone, between segments with keys, and dropped behind a fault.
func TestBus(t *testing.T) {
	design, io := hdltest.Build(t, translate.Def(params(64, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.twoKeys()
		bus := translate.Segment{Question: keycache.Question{Key: 77, Rights: 1, VA: 0xFEDC_BA98_7654_3FC0}, Len: 64, Bus: true}
		piece := translate.Piece{Addr: 0xFEDC_BA98_7654_3FC0, Len: 64}
		last := piece
		last.Last = true
		for _, c := range []struct {
			name   string
			packet []translate.Segment
			pieces []translate.Piece
			fate   translate.Fate
			asked  int
		}{
			{"alone", []translate.Segment{bus}, []translate.Piece{last}, translate.Fate{}, 0},
			{"twice", []translate.Segment{bus, bus}, []translate.Piece{piece, last}, translate.Fate{}, 0},
			{"between", []translate.Segment{segment(1, 0x10_0000, 8), bus, segment(2, 0x10_0900, 8)}, []translate.Piece{{Addr: 1 << 40, Len: 8}, piece, {Addr: 0x10_0900, Len: 8, Last: true}}, translate.Fate{}, 2},
			{"behind", []translate.Segment{segment(3, 0, 8), bus}, []translate.Piece{{Skip: true, Last: true}}, translate.Fate{Fault: format.VendorKeyUnknown}, 1},
		} {
			asked := b.asked
			b.send(c.packet...)
			require.Equal(t, c.pieces, b.pieces, "the reference itself: "+c.name)
			require.Equal(t, []translate.Fate{c.fate}, b.fates, c.name)
			b.until(c.name, b.idle)
			require.Equal(t, asked+c.asked, b.asked, c.name)
		}
	}, verilator.Simulator)
}

// What probes tell, one by one.
func TestProbes(t *testing.T) {
	design, io := hdltest.Build(t, translate.Def(params(64, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.twoKeys()
		const unreadable = listBase + 64
		b.mem.Fault(func(addr uint64) bool { return addr>>6 == unreadable>>6 })
		probe := func(key uint32, va uint64, find bool) translate.Segment {
			x := segment(key, va, 8)
			x.Probe, x.Find, x.Len = true, find, 0
			return x
		}
		load := func(key uint32, va uint64) translate.Segment {
			x := segment(key, va, 100)
			x.Last, x.Probed = true, true
			return x
		}
		for _, c := range []struct {
			name   string
			packet []translate.Segment
			pieces int
			fate   translate.Fate
		}{
			{"contiguous", []translate.Segment{probe(1, 0x10_0008, true)}, 0, translate.Fate{Probe: true, Addr: 1<<40 + 8}},
			{"paged", []translate.Segment{probe(2, 0x10_1008, true)}, 0, translate.Fate{Probe: true, Addr: 0x10_1008}},
			{"key alone", []translate.Segment{probe(2, 0x10_8808, false)}, 0, translate.Fate{Probe: true}},
			{"no page", []translate.Segment{probe(2, 0x10_8808, true)}, 0, translate.Fate{Probe: true, Fault: format.VendorBusRead}},
			{"several", []translate.Segment{probe(1, 0x10_0000, false), probe(1, 0x10_0010, true)}, 0, translate.Fate{Probe: true, Addr: 1<<40 + 16}},
			{"first of several", []translate.Segment{probe(3, 0, false), probe(1, 0x10_0010, true)}, 0, translate.Fate{Probe: true, Fault: format.VendorKeyUnknown}},
			{"tail", []translate.Segment{load(1, 0x10_0000), probe(2, 0x10_1008, true)}, 1, translate.Fate{Addr: 0x10_1008}},
			{"bad tail", []translate.Segment{load(1, 0x10_0000), probe(3, 0, false)}, 1, translate.Fate{Fault: format.VendorKeyUnknown, Tail: true}},
			{"bad payload", []translate.Segment{load(1, 0x11_0000), probe(3, 0, false)}, 1, translate.Fate{Fault: format.VendorKeyRange}},
			{"no page of it", []translate.Segment{load(2, 0x10_8808), probe(3, 0, false)}, 1, translate.Fate{Fault: format.VendorBusRead}},
			{"bad, and more", []translate.Segment{segment(3, 0, 1), load(1, 0x10_0000), probe(1, 0x10_0000, false)}, 1, translate.Fate{Fault: format.VendorKeyUnknown}},
			{"payload, no probe", []translate.Segment{segment(1, 0x10_0000, 100)}, 1, translate.Fate{}},
		} {
			b.send(c.packet...)
			require.Equal(t, c.fate, b.fates[0], c.name)
			require.Len(t, b.pieces, c.pieces, c.name)
			asked := b.asked
			b.until(c.name, b.idle)
			if strings.HasPrefix(c.name, "bad payload") || strings.HasPrefix(c.name, "no page of") {
				require.Equal(t, asked+1, b.asked, "the Probe behind a bad payload is not asked")
			}
		}
	}, verilator.Simulator)
}

// A Probe behind a payload is not asked while a page of that is not known.
func TestTailWaits(t *testing.T) {
	design, io := hdltest.Build(t, translate.Def(params(64, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.twoKeys()
		b.reads.Hold = true
		payload, probe := segment(2, 0x10_0900, 10), segment(1, 0x10_0000, 1)
		payload.Last, payload.Probed, probe.Probe = true, true, true
		b.send(payload, probe)
		b.until("line is read", func() bool { return b.reads.Bursts == 1 })
		for range 50 {
			b.step()
		}
		require.Equal(t, 1, b.asked)
		b.reads.Hold = false
		b.until("fate", b.idle)
		require.Equal(t, 2, b.asked)
	}, verilator.Simulator)
}

// Packets of one segment: one every second cycle, contiguous or in a page, or a probe.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, translate.Def(params(64, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.twoKeys()
		count := func(x translate.Segment) int {
			b.send(x)
			b.until("pieces", b.idle)
			start := b.now
			for range 100 {
				b.send(x)
			}
			b.until("pieces", b.idle)
			return b.now - start
		}
		require.LessOrEqual(t, count(segment(1, 0x10_0900, 64)), 300+10)
		require.LessOrEqual(t, count(segment(2, 0x10_0900, 64)), 300+10)
		probe := segment(2, 0x10_0900, 64)
		probe.Probe = true
		require.LessOrEqual(t, count(probe), 300+10)
		probe.Find = true
		require.LessOrEqual(t, count(probe), 300+10)
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64, 2).Validate())
	require.ErrorContains(t, params(96, 2).Validate(), "data width")
	require.ErrorContains(t, params(64, 1).Validate(), "lines")
	require.ErrorContains(t, params(64, 12).Validate(), "lines")
}
