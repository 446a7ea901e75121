package translate_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keycache"
	"gornic/blocks/linktest"
	"gornic/blocks/translate"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// bench is the block between its packets, its key cache and its memory.
type bench struct {
	t     *testing.T
	s     *sim.Sim
	mem   *linktest.Memory
	reads *linktest.Reads
	ref   translate.Reference
	keys  map[uint32]keycache.Entry // by index
	flush hdl.Bits

	segment, reply             *sim.Source
	request, piece, translated *sim.Sink

	now    int
	asked  int               // questions to the key cache
	pieces []translate.Piece // owed
	fates  []translate.Fate
}

func newBench(t *testing.T, s *sim.Sim, io *translate.IO, gaps sim.Pattern) *bench {
	b := &bench{t: t, s: s, mem: linktest.NewMemory(), keys: map[uint32]keycache.Entry{}, flush: io.Flush}
	b.reads = linktest.NewReads(s, io.Read, b.mem, gaps, hdltest.Seed(t))
	table := keycache.Reference{LogSize: format.KeyIndexBits, Read: b.entry}
	b.ref = translate.Reference{Ask: table.Ask, Read: b.mem.Read}
	b.segment, b.reply = sim.NewSource(s, io.Segment, gaps), sim.NewSource(s, io.Key.Reply, gaps)
	b.request, b.piece, b.translated = sim.NewSink(s, io.Key.Request, gaps), sim.NewSink(s, io.Piece, gaps), sim.NewSink(s, io.Translated, gaps)
	s.Reset(2)
	return b
}

// entry is the key table, at address 0.
func (b *bench) entry(addr uint64, to []byte) error {
	text, err := format.AppendHost(nil, b.keys[uint32(addr/64)])
	copy(to, text)
	return err
}

// list writes a page list.
func (b *bench) list(at uint64, pages ...uint64) {
	for i, p := range pages {
		b.mem.Poke(at+8*uint64(i), binary.LittleEndian.AppendUint64(nil, p))
	}
}

// send sends a packet, and owes what the reference makes of it now.
func (b *bench) send(segments ...translate.Segment) {
	segments[len(segments)-1].Last = true
	pieces, fate := b.ref.Packet(segments)
	b.pieces = append(b.pieces, pieces...)
	b.fates = append(b.fates, fate)
	for _, s := range segments {
		b.segment.Send(linktest.Segment{
			Key: s.Key, PD: s.PD, QPN: s.QPN, Rights: int(s.Rights), VA: s.VA, Range: s.Range,
			Len: s.Len, Skip: s.Skip, Probe: s.Probe, Bus: s.Bus, Find: s.Find, Last: s.Last, Probed: s.Probed,
		})
	}
}

func (b *bench) step() {
	b.s.Step()
	for _, q := range sim.Received[keycache.Question](b.request) {
		b.asked++
		b.reply.Send(b.ref.Ask(q))
	}
	b.look()
}

// look compares what has come in a cycle.
func (b *bench) look() {
	b.now++
	b.reads.Step()
	for _, got := range sim.Received[translate.Piece](b.piece) {
		require.NotEmpty(b.t, b.pieces, "a piece too many: %+v", got)
		want := b.pieces[0]
		b.pieces = b.pieces[1:]
		if want.Skip {
			got.Addr = 0
		}
		if want.Skip && want.Len == 0 {
			got.Len = 0
		}
		require.Equal(b.t, want, got)
	}
	for _, got := range sim.Received[translate.Fate](b.translated) {
		require.NotEmpty(b.t, b.fates)
		if b.fates[0].Addr == 0 {
			got.Addr = 0
		}
		require.Equal(b.t, b.fates[0], got)
		b.fates = b.fates[1:]
	}
	require.NoError(b.t, b.s.Err())
}

func (b *bench) idle() bool { return len(b.pieces)+len(b.fates)+b.segment.Pending() == 0 }

// until steps until ok, for at most some cycles.
func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	for range 5000 {
		if ok() {
			return
		}
		b.step()
	}
	b.t.Fatalf("in vain: %s", what)
}

// drop gives Flush for a cycle.
func (b *bench) drop() {
	b.s.Set(b.flush, 1)
	b.step()
	b.s.Set(b.flush, 0)
}
