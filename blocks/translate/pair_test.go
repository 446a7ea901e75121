package translate_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keycache"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/translate"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const tableBase = 0x5_0000_0000

// pairIO is two directions and the key cache between them.
type pairIO struct {
	Segments   []hdl.Stream[link.Segment]    `hdl:"in"`
	Pieces     []hdl.Stream[link.Piece]      `hdl:"out"`
	Translated []hdl.Stream[link.Translated] `hdl:"out"`
	Command    hdl.Stream[link.KeyCommand]   `hdl:"in"`
	Done       hdl.Stream[link.KeyDone]      `hdl:"out"`
	Reads      []link.ReadPort               `hdl:"out"` // of each direction, and of the key cache
	Write      link.WritePort                `hdl:"out"`
	Flush      hdl.Bits                      `hdl:"in" w:"1"`
}

func pair(s link.Sizes) hdl.Def[pairIO] {
	io := pairIO{
		Command: hdl.StreamOf(link.KeyCommand{}), Done: hdl.StreamOf(link.KeyDone{}),
		Reads: []link.ReadPort{s.ReadPort(), s.ReadPort(), s.ReadPort()}, Write: s.WritePort(),
	}
	for range 2 {
		io.Segments = append(io.Segments, hdl.StreamOf(link.Segment{}))
		io.Pieces = append(io.Pieces, hdl.StreamOf(link.Piece{}))
		io.Translated = append(io.Translated, hdl.StreamOf(link.Translated{}))
	}
	return hdl.Def[pairIO]{Name: "translate_pair", IO: io, Body: func(m *hdl.Module, io *pairIO) {
		keys := hdl.Instance(m, "u_keys", keycache.Def(keycache.Params{Sizes: s, Clients: 2, Entries: 4}))
		keys.Base.SetK(tableBase)
		keys.LogSize.SetK(5)
		hdl.Connect(keys.Command, io.Command)
		hdl.Connect(io.Done, keys.Done)
		hdl.Connect(io.Reads[2], keys.Read)
		hdl.Connect(io.Write, keys.Write)
		m.Unused(keys.Missed)
		for i, name := range []string{"u_tx", "u_rx"} {
			x := hdl.Instance(m, name, translate.Def(translate.Params{Sizes: s, Lines: 2}))
			x.Flush.Set(io.Flush)
			hdl.Connect(x.Segment, io.Segments[i])
			hdl.Connect(keys.Clients[i], x.Key)
			hdl.Connect(io.Reads[i], x.Read)
			hdl.Connect(io.Pieces[i], x.Piece)
			hdl.Connect(io.Translated[i], x.Translated)
		}
	}}
}

// pairBench is a bench of each direction over one memory, and the commands.
type pairBench struct {
	*testing.T
	sides  []*bench
	keys   *linktest.Reads
	writes *linktest.Writes
	table  keycache.Reference
	send   *sim.Source
	done   *sim.Sink
}

func newPair(t *testing.T, s *sim.Sim, io *pairIO, gaps sim.Pattern) *pairBench {
	mem := linktest.NewMemory()
	p := &pairBench{T: t, table: keycache.Reference{Base: tableBase, LogSize: 5, Read: mem.Read, Write: mem.Write}}
	p.keys = linktest.NewReads(s, io.Reads[2], mem, gaps, hdltest.Seed(t))
	p.writes = linktest.NewWrites(s, io.Write, mem, gaps, hdltest.Seed(t))
	p.send, p.done = sim.NewSource(s, io.Command, gaps), sim.NewSink(s, io.Done, sim.Pattern{})
	for i := range 2 {
		p.sides = append(p.sides, &bench{
			t: t, s: s, mem: mem, keys: map[uint32]keycache.Entry{}, flush: io.Flush,
			reads:   linktest.NewReads(s, io.Reads[i], mem, gaps, hdltest.Seed(t)+uint64(i)),
			ref:     translate.Reference{Ask: p.table.Ask, Read: mem.Read},
			segment: sim.NewSource(s, io.Segments[i], gaps),
			piece:   sim.NewSink(s, io.Pieces[i], gaps), translated: sim.NewSink(s, io.Translated[i], gaps),
		})
	}
	s.Reset(2)
	return p
}

func (p *pairBench) step() {
	p.sides[0].s.Step()
	p.keys.Step()
	p.writes.Step()
	for _, b := range p.sides {
		b.look()
	}
}

func (p *pairBench) until(what string, ok func() bool) {
	p.Helper()
	for range 20000 {
		if ok() {
			return
		}
		p.step()
	}
	p.Fatalf("in vain: %s", what)
}

func (p *pairBench) idle() bool { return p.sides[0].idle() && p.sides[1].idle() }

// do is a command that has to go well.
func (p *pairBench) do(kind int, e keycache.Entry) {
	p.Helper()
	p.send.Send(struct {
		Kind  int
		Entry keycache.Entry
	}{kind, e})
	var got []done
	p.until("done", func() bool { got = sim.Received[done](p.done); return len(got) == 1 })
	require.Equal(p, format.CmdOK, got[0].Status)
}

type done struct {
	Status format.CommandStatus
	Vendor format.VendorCode
	Ended  bool
	Entry  keycache.Entry
}

// flush tells both that their lines are old.
func (p *pairBench) flush() {
	s := p.sides[0].s
	s.Set(p.sides[0].flush, 1)
	p.step()
	s.Set(p.sides[0].flush, 0)
}

// Both directions over one key cache with four places: keys that come and go while others are
// in use, each with a new page list where the old one was.
func TestPairAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, pair(link.Sizes{DataWidth: 64}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 10))
		p := newPair(t, s, io, hdltest.Gaps(t, 20))
		p.keys.Latency, p.sides[0].reads.Latency, p.sides[1].reads.Latency = 15, 15, 15
		const keys = 8
		all := p.sides[0]
		p.sides[1].keys = all.keys
		for i := range uint32(keys) {
			all.key(r, i)
			p.do(link.KeyWrite, all.keys[i])
		}
		for range 40 {
			for range 10 {
				for _, b := range p.sides {
					b.send(b.draw(r, keys), b.draw(r, keys))
				}
			}
			gone := uint32(r.IntN(keys))
			p.until("pieces", p.idle)
			p.do(link.KeyInvalidate, keycache.Entry{Key: uint64(gone) << 8})
			for _, b := range p.sides {
				b.send(b.draw(r, keys), b.draw(r, keys)) // the one that is gone is refused
			}
			p.until("pieces", p.idle)
			p.flush()
			all.key(r, gone)
			p.do(link.KeyWrite, all.keys[gone])
		}
	}, verilator.Simulator)
}

// Packets of one segment whose keys and pages are held: each direction one in 5 cycles, both at
// once.
func TestPairCycles(t *testing.T) {
	design, io := hdltest.Build(t, pair(link.Sizes{DataWidth: 64}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		p := newPair(t, s, io, sim.Pattern{})
		all := p.sides[0]
		all.twoKeys()
		for _, key := range slices.Sorted(maps.Keys(all.keys)) {
			p.do(link.KeyWrite, all.keys[key])
		}
		const n = 200
		for _, count := range []int{4, n} {
			start := all.now
			for i := range uint32(count) {
				for _, b := range p.sides {
					b.send(segment(1+i%2, 0x10_0900, 64))
				}
			}
			p.until("pieces", p.idle)
			if count == n {
				require.LessOrEqual(t, all.now-start, 5*n+12)
			}
		}
	}, verilator.Simulator)
}
