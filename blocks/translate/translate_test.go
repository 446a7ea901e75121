package translate_test

import (
	"fmt"
	"math/rand/v2"
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
						packet := []translate.Segment{b.draw(r, keys)}
						for r.IntN(2) == 0 && len(packet) < 5 {
							packet = append(packet, b.draw(r, keys))
						}
						b.send(packet...)
						if b.fates[len(b.fates)-1] != format.VendorNone {
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

// Packets of one segment: one every second cycle, contiguous or in a page.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, translate.Def(params(64, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.twoKeys()
		count := func(key uint32) int {
			b.send(segment(key, 0x10_0900, 64))
			b.until("pieces", b.idle)
			start := b.now
			for range 100 {
				b.send(segment(key, 0x10_0900, 64))
			}
			b.until("pieces", b.idle)
			return b.now - start
		}
		require.LessOrEqual(t, count(1), 200+10)
		require.LessOrEqual(t, count(2), 200+10)
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64, 2).Validate())
	require.ErrorContains(t, params(96, 2).Validate(), "data width")
	require.ErrorContains(t, params(64, 1).Validate(), "lines")
	require.ErrorContains(t, params(64, 12).Validate(), "lines")
}
