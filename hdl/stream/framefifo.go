package stream

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// FrameFIFOOptions are the parameters of a frame FIFO.
type FrameFIFOOptions struct {
	Width int // of a beat's data in bits, a multiple of 8
	Depth int // beats in the RAM, a power of two from 4

	// DropWhenFull makes In never wait: a frame that does not fit when its
	// beats arrive is dropped. Otherwise In waits for room.
	DropWhenFull bool
}

// FrameFIFOIO is the ports of a frame FIFO.
type FrameFIFOIO struct {
	In          Frame    `hdl:"in"`
	Out         Frame    `hdl:"out"`       // Err is never set
	Level       hdl.Bits `hdl:"out"`       // beats in the RAM, those of the frame that is coming in included
	HighWater   hdl.Bits `hdl:"out"`       // the highest Level since reset
	DroppedErr  hdl.Bits `hdl:"out" w:"1"` // one cycle for each frame dropped because of its Err
	DroppedFull hdl.Bits `hdl:"out" w:"1"` // one cycle for each frame dropped because it did not fit
}

// FrameFIFODef stores frames in block RAM and gives out whole good ones: a
// frame leaves after its last beat has come in, and one that is bad (Err) or
// does not fit leaves no trace but a pulse. A frame of more than Depth beats
// never fits and is dropped in either mode.
//
// Order is kept; frames are neither cut nor mixed. Latency 3 from the last
// beat, a beat every cycle in and out. With DropWhenFull, In.Ready is always
// one. Cost: a RAM of Depth words of Width + log2(Width/8) + 1 bits, one
// register of a word and some 5 log2(Depth) flip-flops.
func FrameFIFODef(o FrameFIFOOptions) hdl.Def[FrameFIFOIO] {
	mode := ""
	if o.DropWhenFull {
		mode = "_drop"
	}
	levelW := ir.AddrWidth(o.Depth) + 1
	return hdl.Def[FrameFIFOIO]{
		Name: fmt.Sprintf("frame_fifo%s_%d_x%d", mode, o.Width, o.Depth),
		Doc:  "Frame FIFO: whole good frames leave; bad ones and those that do not fit are dropped.",
		IO: FrameFIFOIO{
			In: FrameOf(o.Width), Out: FrameOf(o.Width), Level: hdl.W(levelW), HighWater: hdl.W(levelW),
		},
		Body: func(m *hdl.Module, io *FrameFIFOIO) {
			wantRing(m, o.Depth)
			wantBytes(m, o.Width)
			f := &frameFIFO{m: m, io: io, o: o}
			f.write()
			f.read()
			io.Level.Set(f.tail.Sub(f.head))
			highWater(m, io.HighWater, f.tail.Sub(f.head))
			f.properties()
		},
	}
}

// FrameFIFO puts a [FrameFIFODef] behind in and returns its output. The width
// of the options is that of in.
func FrameFIFO(m *hdl.Module, name string, in Frame, depth int) Frame {
	q := hdl.Instance(m, name, FrameFIFODef(FrameFIFOOptions{Width: in.Data.Data.Width(), Depth: depth}))
	hdl.Connect(q.In, in)
	m.Unused(q.Level, q.HighWater, q.DroppedErr, q.DroppedFull)
	return q.Out
}

// word is a beat as the RAM has it. Keep is all ones but on the last beat, so
// the index of the last byte says it.
type word struct {
	Data     hdl.Bits
	LastByte hdl.Bits
	Last     hdl.Bits `w:"1"`
}

// frameFIFO is a frame FIFO while it is built. Addresses have one bit more than
// the RAM needs, so that full and empty differ.
type frameFIFO struct {
	m  *hdl.Module
	io *FrameFIFOIO
	o  FrameFIFOOptions

	ram    *hdl.Memory
	head   hdl.Bits // the next word to fetch
	commit hdl.Bits // behind the last word of the last good frame
	tail   hdl.Bits // behind the last word written
	skip   hdl.Bits // the rest of the present frame is dropped
	full   hdl.Bits
	store  hdl.Bits // a word is written
	ends   hdl.Bits // the last beat of a frame is taken
	drop   hdl.Bits // the present frame is dropped, good or bad
	ahead  ahead
}

// wordProto is the shape of a word of the RAM.
func (f *frameFIFO) wordProto() word {
	return word{Data: hdl.W(f.o.Width), LastByte: hdl.W(ir.AddrWidth(f.o.Width / 8)), Last: hdl.W(1)}
}

func wordOf(b Beat) word { return word{b.Data, LastByte(b.Keep), b.Last} }

// write takes beats behind tail; commit follows where a good frame ends, and
// tail goes back to it where a frame is dropped.
func (f *frameFIFO) write() {
	m, in := f.m, f.io.In
	f.ram = m.RAM("ram", f.o.Depth, hdl.WidthOf(f.wordProto()), hdl.Undefined)
	w := f.ram.AddrWidth()
	f.head = m.Reg("head", w+1, 0)
	f.commit = m.Reg("commit", w+1, 0)
	f.tail = m.Reg("tail", w+1, 0)
	f.skip = m.Reg("skip", 1, 0)

	f.full = f.tail.Eq(f.head.Xor(f.head.K(uint64(f.o.Depth))))
	tooLong := f.full.And(f.commit.Eq(f.head)) // nothing that can leave makes room
	if f.o.DropWhenFull {
		tooLong = f.full
	}
	in.Ready.Set(f.full.Not().Or(f.skip).Or(tooLong))

	f.drop = f.skip.Or(tooLong)
	f.store = in.Fire().And(f.drop.Not())
	f.ends = in.Fire().And(in.Data.Last)
	next := f.tail.AddK(1)
	f.ram.Write(f.tail.Trunc(w), f.store, hdl.Pack(wordOf(in.Data)))
	m.If(in.Fire(), func() { f.skip.Set(f.drop.And(in.Data.Last.Not())) })
	m.If(f.store, func() { f.tail.Set(next) })
	m.If(f.ends, func() {
		m.If(f.drop.Or(in.Data.Err), func() {
			f.tail.Set(f.commit)
		}).Else(func() {
			f.commit.Set(next)
		})
	})
	f.count()
	m.Unused(in.Data.Keep.Bit(0)) // one in every beat
}

// count makes the pulses of dropped frames.
func (f *frameFIFO) count() {
	droppedErr := f.m.Reg("err_pulse", 1, 0)
	droppedFull := f.m.Reg("full_pulse", 1, 0)
	droppedErr.Set(f.ends.And(f.drop.Not()).And(f.io.In.Data.Err))
	droppedFull.Set(f.ends.And(f.drop))
	f.io.DroppedErr.Set(droppedErr)
	f.io.DroppedFull.Set(droppedFull)
}

// read sends out what has been committed.
func (f *frameFIFO) read() {
	m, out := f.m, f.io.Out
	words := hdl.NewStream(m, "words", f.wordProto())
	f.ahead = readAhead(m, f.ram, f.head.Trunc(f.ram.AddrWidth()), f.head.Ne(f.commit), words)
	m.If(f.ahead.fetch, func() { f.head.Set(f.head.AddK(1)) })

	n := f.o.Width / 8
	out.Valid.Set(words.Valid)
	words.Ready.Set(out.Ready)
	keep := hdl.Ones(n)
	if n > 1 {
		keep = KeepTo(words.Data.LastByte, n).Or(words.Data.Last.Not().Rep(n))
	} else {
		m.Unused(words.Data.LastByte)
	}
	hdl.Set(out.Data, Beat{Data: words.Data.Data, Keep: keep, Last: words.Data.Last, Err: hdl.K(1, 0)})
}
