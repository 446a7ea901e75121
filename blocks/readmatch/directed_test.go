package readmatch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/readmatch"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const (
	first  = format.OpReadResponseFirst
	middle = format.OpReadResponseMiddle
	last   = format.OpReadResponseLast
	only   = format.OpReadResponseOnly
	ack    = format.OpAcknowledge
	atomic = format.OpAtomicAck
)

// response is a packet, and what it is.
type response struct {
	op       format.Opcode
	psn      int // past the first one of the oldest
	syndrome int
	length   int
	match    int
}

// matches is each row of protocol sections 4.3 and 4.4, for a READ of 700 bytes at a path MTU of 256, and
// an atomic behind it; with what the queue pair takes afterwards.
func matches() map[string][]response {
	good := []response{
		{first, 0, 0x1F, 256, link.MatchData}, {middle, 1, 0, 256, link.MatchData}, {last, 2, 0x1F, 188, link.MatchDone},
		{atomic, 3, 0x1F, 0, link.MatchDone}, {ack, 4, 0x1F, 0, link.MatchACK},
	}
	with := func(n int, more ...response) []response { return append(good[:n:n], more...) }
	ignored := response{middle, 1, 0x1F, 256, link.MatchIgnored}
	return map[string][]response{
		"as it should be":             good,
		"acknowledgements between":    with(1, response{ack, -1, 0x1F, 0, link.MatchACK}, good[1], response{ack, 1, 0x60, 0, link.MatchACK}, response{ack, 9, 0x25, 0, link.MatchACK}, good[2]),
		"one with payload":            with(1, response{ack, 1, 0x1F, 4, link.MatchACK}, good[1]),
		"sent again from the middle":  with(1, response{first, 1, 0x1F, 256, link.MatchData}, good[2]),
		"sent again for the last":     with(2, response{only, 2, 0x05, 188, link.MatchDone}, good[3]),
		"MIDDLE at the beginning":     {{middle, 0, 0xFF, 256, link.MatchData}, good[1]},
		"once more":                   with(2, response{first, 0, 0x1F, 256, link.MatchStray}, response{middle, 1, 0x1F, 256, link.MatchStray}, good[2]),
		"long ago":                    with(2, response{only, 2 - 1<<23, 0x1F, 9, link.MatchStray}, good[2]),
		"once more, whatever it is":   with(2, response{atomic, 1, 0x61, 0, link.MatchStray}, good[2]),
		"before the first one":        {{only, -1, 0x1F, 40, link.MatchStray}, {atomic, -2, 0x1F, 0, link.MatchStray}, good[0]},
		"one is missing":              with(1, response{last, 2, 0x1F, 188, link.MatchGap}, good[1]),
		"far ahead":                   with(1, response{last, 1<<23 - 1 + 1, 0x1F, 188, link.MatchGap}, good[1]),
		"the atomic before its turn":  with(2, response{atomic, 3, 0x1F, 0, link.MatchGap}, good[2], good[3]),
		"nothing is outstanding":      with(4, response{only, 4, 0x1F, 5, link.MatchStray}, response{atomic, 4, 0x1F, 0, link.MatchStray}, good[4]),
		"ATOMIC_ACK to a READ":        with(1, response{atomic, 1, 0x1F, 0, link.MatchBad}, ignored, response{ack, 1, 0x1F, 0, link.MatchIgnored}),
		"READ response to an atomic":  with(3, response{only, 3, 0x1F, 8, link.MatchBad}, ignored),
		"a NAK in a READ response":    with(2, response{last, 2, 0x60, 188, link.MatchBad}, ignored),
		"an RNR NAK in an ATOMIC_ACK": with(3, response{atomic, 3, 0x21, 0, link.MatchBad}, ignored),
		"LAST too early":              with(1, response{last, 1, 0x1F, 256, link.MatchBad}, ignored),
		"ONLY too early":              {{only, 0, 0x1F, 700, link.MatchBad}, ignored},
		"MIDDLE at the end":           with(2, response{middle, 2, 0x1F, 256, link.MatchBad}, ignored),
		"FIRST at the end":            with(2, response{first, 2, 0x1F, 188, link.MatchBad}, ignored),
		"short":                       with(1, response{middle, 1, 0x1F, 255, link.MatchLength}, ignored),
		"long":                        {{first, 0, 0x1F, 257, link.MatchLength}, ignored},
		"empty":                       {{first, 0, 0x1F, 0, link.MatchLength}, ignored},
		"short at the end":            with(2, response{last, 2, 0x1F, 187, link.MatchLength}, ignored),
		"long at the end":             with(2, response{last, 2, 0x1F, 189, link.MatchLength}, ignored),
		"an ATOMIC_ACK with payload":  with(3, response{atomic, 3, 0x1F, 8, link.MatchLength}, ignored),
		"refused at its first PSN":    with(1, response{ack, 0, 0x62, 0, link.MatchACK}, ignored),
		"refused in the middle":       with(1, response{ack, 1, 0x63, 0, link.MatchACK}, ignored),
		"refused at its last PSN":     {{ack, 2, 0x61, 0, link.MatchACK}, ignored},
		"the atomic refused":          with(3, response{ack, 3, 0x63, 4, link.MatchACK}, response{atomic, 3, 0x1F, 0, link.MatchIgnored}),
		"one before it refused":       with(1, response{ack, -1, 0x61, 0, link.MatchACK}, good[1]),
		"one behind it refused":       with(1, response{ack, 3, 0x61, 0, link.MatchACK}, good[1]),
		"reserved NAKs":               with(1, response{ack, 1, 0x64, 0, link.MatchACK}, response{ack, 1, 0x7F, 0, link.MatchACK}, good[1]),
		"refused behind all":          with(4, response{ack, 4, 0x61, 0, link.MatchACK}, response{ack, 5, 0x1F, 0, link.MatchACK}),
	}
}

// PSNs go round within the READ.
func TestMatches(t *testing.T) {
	const qp, psn = 3, 0xFFFFFE
	design, io := hdltest.Build(t, readmatch.Def(params(64)))
	for name, steps := range matches() {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 20, 5)
			b.make(qp, format.MTU256, 3, 1, psn)
			b.read(qp, false, 0, 300, 0, 400, 0)
			b.read(qp, true, 8)
			for i, x := range steps {
				a := b.respond(qp, x.op, uint32(psn+x.psn), x.syndrome, x.length)
				require.Equal(t, x.match, a.Match, "response %d", i)
			}
			b.drain()
		})
	}
}

// READs of no bytes, and SGEs of no bytes anywhere, at the end of one packet and the
// beginning of the next.
func TestEmpty(t *testing.T) {
	for _, width := range []int{64, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, readmatch.Def(params(width)))
			b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0, 0)
			b.make(0, format.MTU256, 3, 1, 1<<24-3)
			for _, lengths := range [][]uint32{
				{0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 0}, {256, 0, 0, 256, 0, 3}, {0, 256, 0, 255, 0, 1}, {255, 1, 256, 0, 0, 0}, {1, 1, 1, 1, 1, 1},
			} {
				b.read(0, false, lengths...)
				for b.qps[0].ref.Outstanding() > 0 {
					a := b.answer(0)
					require.False(t, a.Fault)
				}
			}
			b.drain()
			require.Equal(t, 1+1+3+3+3+6, b.pieces)
		})
	}
}

// A READ of almost 2^23 packets: its length and its last PSN count in full.
func TestLong(t *testing.T) {
	for refused, offset := range map[bool]uint32{true: 1<<23 - 2, false: 1<<23 - 1} {
		design, io := hdltest.Build(t, readmatch.Def(params(64)))
		b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0, 0)
		b.make(1, format.MTU256, 3, 0, 1<<24-2)
		b.read(1, false, 5, 1<<31-256-5)
		for range 3 {
			require.Equal(t, link.MatchData, b.answer(1).Match)
		}
		b.respond(1, ack, 1<<24-2+offset, 0x62, 0)
		require.Equal(t, refused, b.qps[1].ref.Closed())
		b.respond(1, middle, 1, 0, 256)
		b.drain()
	}
}

// A WQE that cannot be read takes what its kept SGE takes, and nothing more; another queue
// pair goes on. So does one whose SGEs became shorter.
func TestFault(t *testing.T) {
	for _, width := range []int{64, 128, 256, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, readmatch.Def(params(width)))
			b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 10, 9)
			for _, shorter := range []bool{false, true} {
				for qp := range 2 {
					b.make(qp, format.MTU256, 4, 1, 7)
					b.read(qp, false, 100, 200, 300)
				}
				q := &b.qps[0]
				wqe := q.ref.Base + uint64(q.index-1)&15<<7
				b.mem.Fault(func(addr uint64) bool { return !shorter && addr>>6 == wqe>>6+1 })
				if shorter {
					b.mem.Poke(wqe+32+2*16+8, []byte{43, 0, 0, 0}) // 100 + 200 + 43: the second packet ends at 512
				}
				require.False(t, b.answer(0).Fault, "100 + 156 bytes are in the first half of the WQE")
				require.False(t, b.answer(1).Fault)
				a := b.answer(0)
				require.True(t, a.Fault)
				require.NotEmpty(t, a.Pieces)
				require.False(t, b.answer(1).Fault)
				require.Equal(t, link.MatchIgnored, b.respond(0, last, 9, 0x1F, 88).Match)
				require.Equal(t, link.MatchDone, b.answer(1).Match)
				b.drain()
				require.Positive(t, b.reads.Bursts)
			}
		})
	}
}

// What does not fit into the ring is dropped: the queue pair cannot use it.
func TestBeyondTheRing(t *testing.T) {
	design, io := hdltest.Build(t, readmatch.Def(params(64)))
	b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0, 0)
	b.make(2, format.MTU256, 8, 0, 1<<24-3)
	for range 4 {
		b.read(2, true, 8)
	}
	before := b.qps[2].ref
	b.qps[2].used = 0
	b.read(2, false, 0)
	b.qps[2].ref = before // it never was
	for range 4 {
		require.Equal(t, link.MatchDone, b.answer(2).Match)
	}
	require.Equal(t, link.MatchStray, b.respond(2, only, 1, 0x1F, 0).Match)
	b.drain()
}

// Sources and values that nobody takes stop packets only where there is no more room for
// them; and those of a packet are told, though its Matched is not taken.
func TestStalls(t *testing.T) {
	design, io := hdltest.Build(t, readmatch.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		never := sim.Pattern{Kind: sim.Never}
		for qp := range 2 {
			b.make(qp, format.MTU256, 8, 0, 5)
		}
		b.read(0, false, 2048)
		for range 3 {
			b.read(1, true, 8)
		}
		b.source.SetPattern(never)
		b.value.SetPattern(never)
		b.step()
		for range 8 {
			b.answer(0)
		}
		for range 3 {
			b.answer(1)
		}
		b.respond(1, ack, 4, 0x1F, 0)
		b.until("acknowledgement", func() bool { return len(b.want) == 0 })
		require.Len(t, b.sources, 11)
		require.Len(t, b.values, 3)
		for range 7 {
			b.other(link.PSNExpected, 2, 9)
		}
		for range 100 {
			b.step()
		}
		require.Len(t, b.want, 2, "room for 16 sources")
		b.source.SetPattern(sim.Pattern{})
		b.value.SetPattern(sim.Pattern{})
		b.drain()

		b.read(0, true, 8)
		b.read(1, false, 4)
		b.matched.SetPattern(never)
		b.step()
		b.answer(0)
		b.until("value", func() bool { return len(b.values)+len(b.sources) == 0 })
		b.read(1, false, 4) // taken, though Matched is not
		b.answer(1)
		b.answer(1)
		for range 100 {
			b.step()
		}
		require.Len(t, b.want, 3)
		b.matched.SetPattern(sim.Pattern{})
		b.drain()
	}, verilator.Simulator)
}

// Cycles a packet, with those of the first one in it: a slice before, and a register behind.
func TestCycles(t *testing.T) {
	const n, latency = 4, 6
	stage := map[int]int{64: 1} // a register that takes two cycles
	for _, c := range []struct {
		what   string
		sges   []uint32 // none: an acknowledgement
		cycles int
		fetch  map[int]int // of SGEs, by the data width: 4, and what memory takes
	}{
		{"acknowledgement", nil, 1, nil},
		{"one piece", []uint32{64}, 6, nil},
		{"atomic", []uint32{8}, 6, nil},
		{"two pieces", []uint32{32, 32}, 9, map[int]int{64: 7, 512: 6}},
		{"six pieces", []uint32{11, 11, 11, 11, 11, 9}, 21, map[int]int{64: 15, 512: 7}},
	} {
		for _, width := range []int{64, 512} {
			t.Run(fmt.Sprint(c.what, " ", width), func(t *testing.T) {
				design, io := hdltest.Build(t, readmatch.Def(params(width)))
				b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0, 0)
				for qp := range qps {
					b.make(qp, format.MTU256, 8, 1, 1000)
					for range n {
						if c.sges != nil {
							b.read(qp, c.what == "atomic", c.sges...)
						}
					}
				}
				b.drain()
				begin := b.s.Cycle()
				for range n {
					for qp := range qps {
						if c.sges == nil {
							b.respond(qp, ack, 5, 0x1F, 0)
						} else {
							b.answer(qp)
						}
					}
				}
				b.until("Matched", func() bool { return len(b.want) == 0 })
				cycles := int(b.s.Cycle() - begin)
				t.Logf("%.2f cycles", float64(cycles)/(n*qps))
				require.LessOrEqual(t, cycles, n*qps*(c.cycles+stage[width]+c.fetch[width])+latency)
			})
		}
	}
}

// What a trace shows of a READ of two packets, the second one over two SGEs.
func TestTrace(t *testing.T) {
	design, io := hdltest.Build(t, readmatch.Def(params(64)))
	hdltest.EachSimWith(t, design, sim.Options{Seed: 1, Events: true}, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		b.make(1, format.MTU256, 3, 0, 2000)
		wqe := uint64(b.qps[1].index)
		b.read(1, false, 300, 100)
		o, _ := b.qps[1].ref.Oldest()
		b.answer(1)
		b.answer(1)
		b.respond(1, ack, 2000, 0x1F, 0)
		b.drain()
		var got []map[string]uint64
		for _, e := range s.Events() {
			if e.Name != "response" && e.Name != "read_data" {
				continue
			}
			fields := map[string]uint64{}
			for _, f := range e.Fields {
				fields[f.Name] = f.Value
			}
			delete(fields, "msn")
			got = append(got, fields)
		}
		second := got[len(got)-2]["va"]
		require.Equal(t, []map[string]uint64{
			{"qp": 1, "opcode": uint64(first), "psn": 2000, "match": link.MatchData, "syndrome": 0x1F},
			{"qp": 1, "psn": 2000, "wqe": wqe, "sge": 0, "va": o.SGE.Addr, "bytes": 256},
			{"qp": 1, "opcode": uint64(last), "psn": 2001, "match": link.MatchDone, "syndrome": 0x1F},
			{"qp": 1, "psn": 2001, "wqe": wqe, "sge": 0, "va": o.SGE.Addr + 256, "bytes": 44},
			{"qp": 1, "psn": 2001, "wqe": wqe, "sge": 1, "va": second, "bytes": 100},
			{"qp": 1, "opcode": uint64(ack), "psn": 2000, "match": link.MatchACK, "syndrome": 0x1F},
		}, got)
		require.Equal(t, b.address(1, wqe, 1), second)
	}, verilator.Simulator)
}
