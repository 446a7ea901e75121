package readmatch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/readmatch"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// randomLengths are the SGEs of a READ: some of them empty, most of them short against the path MTU.
func (b *bench) randomLengths(qp int) []uint32 {
	q := &b.qps[qp]
	lengths := make([]uint32, 1+b.r.IntN(format.SendSGEs(q.ref.LogStride)))
	for i := range lengths {
		switch b.r.IntN(4) {
		case 0: // empty
		case 1:
			lengths[i] = b.r.Uint32N(20)
		case 2:
			lengths[i] = b.r.Uint32N(uint32(2 * q.ref.MTU))
		default:
			lengths[i] = uint32(q.ref.MTU) * b.r.Uint32N(3)
		}
	}
	return lengths
}

// randomResponse sends a response: mostly the one that is due, sometimes in its other form, sometimes one
// with something wrong.
func (b *bench) randomResponse(qp int, seen map[int]int) {
	q, r := &b.qps[qp], b.r
	op, psn, length, syndrome := format.OpAcknowledge, q.psn+uint32(r.IntN(4)), 0, 0x1F
	if q.ref.Outstanding() > 0 {
		op, psn, length = b.due(qp)
	}
	again := map[format.Opcode]format.Opcode{
		format.OpReadResponseMiddle: format.OpReadResponseFirst, format.OpReadResponseLast: format.OpReadResponseOnly,
		format.OpReadResponseFirst: format.OpReadResponseMiddle, format.OpReadResponseOnly: format.OpReadResponseLast,
	}
	if x, ok := again[op]; ok && r.IntN(3) == 0 {
		op = x
	}
	syndromes := []int{0x1F, 0, 0x05, 0x60, 0x61, 0x62, 0x63, 0x64, 0x21, 0x80, 0x45}
	switch r.IntN(24) {
	case 0:
		op = format.OpReadResponseFirst + format.Opcode(r.IntN(6))
	case 1:
		psn += []uint32{1, 2, 1<<24 - 1, 1<<24 - 2, 1 << 23, 1<<23 - 1, 1<<23 + 1, r.Uint32()}[r.IntN(8)]
	case 2:
		length = max(0, length+r.IntN(3)-1)
	case 3:
		length = r.IntN(4097)
	case 4:
		syndrome = syndromes[r.IntN(len(syndromes))]
	case 5, 6, 7:
		op, length = format.OpAcknowledge, r.IntN(2)*r.IntN(9)
		psn += r.Uint32N(7) - 3
		syndrome = syndromes[r.IntN(len(syndromes))]
	}
	a := b.respond(qp, op, psn, syndrome, length)
	seen[a.Match]++
	if a.Fault {
		seen[faults]++
	}
	if q.ref.Closed() {
		seen[closed]++
	}
}

// Keys of what a random run has seen, besides Match.
const (
	faults = 100 + iota
	closed
)

// Random READs and atomics of several queue pairs, with responses right and wrong
// between packets of other kinds: each Matched, Source and Value is the reference's.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct {
		width, latency int
		gaps           uint32
	}{{64, 20, 20}, {128, 3, 0}, {256, 0, 40}, {512, 30, 25}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, readmatch.Def(params(c.width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, c.gaps, c.latency)
				seen := map[int]int{}
				b.mem.Fault(func(addr uint64) bool { return addr>>32 == 3 && addr>>6%3 == 0 })
				fresh := func(qp int) { b.make(qp, 1+b.r.IntN(5), b.r.IntN(10), b.r.IntN(2), b.r.Uint32()|0xFFFFF0) }
				for qp := range qps {
					fresh(qp)
				}
				for range 6000 {
					qp := b.r.IntN(qps)
					q := &b.qps[qp]
					switch {
					case q.ref.Closed() && b.r.IntN(3) == 0:
						fresh(qp)
					case q.ref.Closed():
						b.randomResponse(qp, seen)
					case q.ref.Outstanding() < q.capacity() && b.r.IntN(3) == 0:
						if b.r.IntN(4) == 0 {
							b.read(qp, true, 8)
						} else {
							b.read(qp, false, b.randomLengths(qp)...)
						}
					case b.r.IntN(6) == 0:
						b.other([]int{link.PSNExpected, link.PSNDuplicate, link.PSNAhead, link.PSNIgnored}[b.r.IntN(4)], qp, b.r.IntN(2)*b.r.IntN(4097))
					case b.r.IntN(12) == 0:
						b.other([]int{link.PSNFence, link.PSNDead}[b.r.IntN(2)], qp, 0)
					default:
						b.randomResponse(qp, seen)
					}
					for range b.r.IntN(4) {
						b.step()
					}
				}
				b.drain()
				t.Logf("%v, %d pieces, %d bursts", seen, b.pieces, b.reads.Bursts)
				for match := range link.MatchStray + 1 {
					require.Greater(t, seen[match], 10, "match %d", match)
				}
				require.Greater(t, seen[faults], 3)
				require.Greater(t, seen[closed], 10)
			}, linktest.Others(c.width)...)
		})
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64).Validate())
	require.Error(t, params(96).Validate())
	for _, spoil := range []func(*link.Sizes){
		func(s *link.Sizes) { s.QPBits = 0 }, func(s *link.Sizes) { s.CQBits = 17 }, func(s *link.Sizes) { s.ReadBits = 0 }, func(s *link.Sizes) { s.ReadBits = 8 },
	} {
		p := params(64)
		spoil(&p.Sizes)
		require.Error(t, p.Validate())
	}
}
