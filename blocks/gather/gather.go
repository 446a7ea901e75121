package gather

import (
	"fmt"
	"math/bits"

	"gornic/blocks/link"
	"gornic/blocks/pieces"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct {
	Sizes  link.Sizes
	Buffer int // bytes of payload that it holds
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	switch p.Sizes.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("gather: data width of %d bits: not 64, 128, 256 or 512", p.Sizes.DataWidth)
	}
	if p.Buffer < 8192 || p.Buffer > 1<<20 || p.Buffer&(p.Buffer-1) != 0 {
		return fmt.Errorf("gather: a buffer of %d bytes: not a power of two from 8192 to 1048576", p.Buffer)
	}
	return nil
}

// outstanding is how many bursts are on their way, and how many packets may wait for theirs.
const outstanding = 64

// bytes is the number of bytes of a beat.
func (p Params) bytes() int { return p.Sizes.DataWidth / 8 }

// words is the number of beats in the buffer.
func (p Params) words() int { return p.Buffer / p.bytes() }

// indexBits is the width of a byte's index in a beat.
func (p Params) indexBits() int { return pieces.IndexBits(p.Sizes.DataWidth) }

// wordBits is the width of a number of words up to all of them.
func (p Params) wordBits() int { return bits.Len(uint(p.words())) }

// IO is the ports of the block.
type IO struct {
	Piece      hdl.Stream[link.Piece]      `hdl:"in"`
	Translated hdl.Stream[link.Translated] `hdl:"in"`
	Read       link.ReadPort               `hdl:"out"`
	Gathered   hdl.Stream[link.Gathered]   `hdl:"out"`
	Payload    stream.Frame                `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("gather_%d_x%d", p.Sizes.DataWidth, p.Buffer),
		Doc:  "Reads the payload of packets from host memory, any number of pieces at any address, and holds it until it is whole.",
		IO: IO{
			Piece: hdl.StreamOf(link.Piece{}), Translated: hdl.StreamOf(link.Translated{}), Read: p.Sizes.ReadPort(),
			Gathered: hdl.StreamOf(link.Gathered{}), Payload: stream.FrameOf(p.Sizes.DataWidth),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.ask(b.plan())
			b.arrive()
			b.merge()
			b.store()
			b.send()
			b.report()
			b.account()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	room    hdl.Bits // words that no burst has been asked for
	waiting hdl.Bits // packets that have been asked for whole and are not reported
	claims  hdl.Bits // words that the burst asked for in this cycle completes, else 0
	forgets hdl.Bits // words claimed by the packet that is given up in this cycle, else 0
	drops   hdl.Bits // words of a packet that failed, in the cycle of its last one, else 0
	leaves  hdl.Bits // one bit: a word is read
	whole   hdl.Bits // one bit: a packet has been asked for whole
	told    hdl.Bits // one bit: such a packet is reported

	notes   hdl.Stream[note]   // bursts on their way
	results hdl.Stream[result] // packets that have come
	lane    lane               // a beat in its place, behind the rotator
	arrives hdl.Bits           // it is there
	word    word               // of payload, to be written
	writes  hdl.Bits           // it is there
	buffer  *hdl.Memory
	read    hdl.Bits // the next word to read
	commit  hdl.Bits // behind the last word of the last whole packet
}

// result is a packet whose beats have all come.
type result struct {
	Err hdl.Bits `w:"1"` // some with an error response
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	w := p.wordBits()
	return &block{
		m: m, p: p, io: io,
		room:    m.Reg("room", w, uint64(p.words())),
		waiting: m.Reg("packets_waiting", bits.Len(uint(outstanding)), 0),
		read:    m.Reg("read", w, 0),
		commit:  m.Reg("commit", w, 0),
		results: hdl.NewWire(m, "result", hdl.StreamOf(result{})),
	}
}

// account counts the free words, which come back a cycle late, and the packets.
func (b *block) account() {
	m := b.m
	back := m.Reg("room_back", b.room.Width(), 0)
	back.Set(b.leaves.ZExt(back.Width()).Add(b.drops).Add(b.forgets))
	b.room.Set(b.room.Add(back).Sub(b.claims))
	m.If(b.whole.Xor(b.told), func() {
		b.waiting.Set(hdl.Mux(b.told, b.waiting.SubK(1), b.waiting.AddK(1)))
	})
}

// report tells how each packet fared: those whose keys were bad, and those of probes alone, at once, the
// others when their beats have come.
func (b *block) report() {
	io, results := b.io, stream.FIFO(b.m, "u_results", b.results, outstanding)
	keys := stream.ForwardSlice(b.m, "u_key", stream.FIFO(b.m, "u_keys", io.Translated, outstanding))
	b.m.Unused(keys.Data.Tail, keys.Data.Addr)
	alone := keys.Data.Fault.Any().Or(keys.Data.Probe)
	io.Gathered.Valid.Set(keys.Valid.And(alone.Or(results.Valid)))
	io.Gathered.Data.Fault.Set(hdl.Mux(alone.Not().And(results.Data.Err), keys.Data.Fault.K(uint64(format.VendorBusRead)), keys.Data.Fault))
	b.m.Event("payload_whole", io.Gathered.Fire().And(keys.Data.Probe.Not()), hdl.Field("fault", io.Gathered.Data.Fault))
	keys.Ready.Set(io.Gathered.Fire())
	results.Ready.Set(io.Gathered.Fire().And(alone.Not()))
	b.told = results.Fire()
}
