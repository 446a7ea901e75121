package rxbuffer

import (
	"gornic/format"
	"gornic/hdl"
)

// waiting is how many statuses may wait for the verdict of the ICRC, a power of
// two. It covers the frames that fit between the two at a frame every cycle.
const waiting = 16

// buffer is the buffer while it is built. Pointers into the rings have one bit
// more than their RAM needs, so that full and empty differ.
//
//	payload ring     read ... start ... write    start: of the frame that comes in
//	descriptor ring  fetch ... next ... free     next: to be judged
type buffer struct {
	m  *hdl.Module
	p  Params
	io *IO

	payload *hdl.Memory
	read    hdl.Bits // the next beat to fetch
	start   hdl.Bits // behind the last frame that is kept
	write   hdl.Bits // behind the last beat
	newest  hdl.Bits // where the payload of the newest kept frame starts
	arrives hdl.Bits // a beat is there

	headers *hdl.Memory
	fetch   hdl.Bits
	next    hdl.Bits
	free    hdl.Bits
	words   int // a descriptor

	takes  hdl.Bits // a status, with its descriptor where it has one
	keep   hdl.Bits // the frame of the status is kept
	queue  *hdl.Memory
	first  hdl.Bits // the oldest status in the queue
	last   hdl.Bits // behind the newest
	bad    *hdl.Memory
	goBack hdl.Bits // the newest kept frame is bad, and nothing came behind it
	job    job
}

func newBuffer(m *hdl.Module, p Params, io *IO) *buffer {
	b := &buffer{m: m, p: p, io: io, words: p.words()}
	ring := log2(p.Beats) + 1
	b.payload = m.RAM("payload", p.Beats, p.DataWidth, hdl.Undefined)
	b.read, b.start, b.write = m.Reg("read", ring, 0), m.Reg("start", ring, 0), m.Reg("write", ring, 0)
	b.newest = m.RegN("newest", ring)

	places := log2(p.Frames) + 1
	b.headers = m.RAM("headers", p.Frames*b.words, b.wordWidth(), hdl.Undefined)
	b.fetch, b.next, b.free = m.Reg("fetch", places, 0), m.Reg("next", places, 0), m.Reg("free", places, 0)
	b.bad = m.LUTRAM("bad", p.Frames, 1)

	b.queue = m.LUTRAM("queue", waiting, hdl.WidthOf(entry{Reason: hdl.W(5), Packet: hdl.W(1), Kept: hdl.W(1)}))
	b.first, b.last = m.Reg("first", log2(waiting)+1, 0), m.Reg("last", log2(waiting)+1, 0)

	b.takes, b.keep, b.goBack = m.Wire("takes", 1), m.Wire("keep", 1), m.Wire("go_back", 1)
	return b
}

// full returns one bit: a ring of depth is full between two of its pointers.
func full(head, tail hdl.Bits, depth int) hdl.Bits {
	return tail.Eq(head.Xor(head.K(uint64(depth))))
}

// storePayload takes every beat that comes. A frame that does not fit loses its
// claim to be kept.
func (b *buffer) storePayload() {
	m, io := b.m, b.io
	in := io.Payload
	in.Ready.SetK(1)
	m.Unused(in.Data.Keep, in.Data.Last, in.Data.Err) // the status and the descriptor tell

	over := m.Reg("over", 1, 0) // a beat of the frame found no room
	noRoom := m.Wire("no_room", 1)
	noRoom.Set(over.Or(in.Valid.And(full(b.read, b.write, b.p.Beats))))
	b.arrives = in.Valid
	b.payload.Write(b.write.Trunc(b.payload.AddrWidth()), in.Valid.And(noRoom.Not()), in.Data.Data)
	b.keep.Set(io.Status.Data.Reason.Is(uint64(format.ReasonOK)).And(noRoom.Not()).And(full(b.fetch, b.free, b.p.Frames).Not()))

	beyond := b.write.AddK(1)
	end := hdl.Mux(in.Valid, beyond, b.write) // of a frame that is kept: all of its beats found room
	m.If(in.Valid.And(noRoom.Not()), func() { b.write.Set(beyond) })
	over.Set(noRoom)
	m.If(b.takes, func() {
		over.SetK(0)
		m.If(b.keep, func() {
			b.start.Set(end)
			b.newest.Set(b.start)
		}).Else(func() {
			b.write.Set(b.start)
		})
	})
	m.If(b.goBack, func() {
		b.write.Set(b.newest)
		b.start.Set(b.newest)
	})
}

// storeHeader takes statuses, and writes the descriptor of a frame that is kept
// word by word: the first one with the status.
func (b *buffer) storeHeader() {
	m, in, status := b.m, b.io.Header, b.io.Status
	ok := status.Data.Reason.Is(uint64(format.ReasonOK))
	begins, refuses := b.takes.And(b.keep), b.takes.And(ok).And(b.keep.Not())
	idle := hdl.K(1, 1)
	free := b.free.Trunc(b.free.Width() - 1)

	words := b.headerWords()
	if b.words == 1 {
		in.Ready.Set(b.takes.And(ok))
		b.headers.Write(free, begins, words[0])
	} else {
		number := m.Reg("writing", log2(b.words), 0)
		turn := m.Reg("turn", b.words, 1) // number, one bit for each word: a multiplexer of small LUTs
		place := m.RegN("place", free.Width())
		idle = turn.Bit(0)
		writes := begins.Or(idle.Not())
		m.If(idle, func() { place.Set(free) })
		m.If(writes, func() {
			number.Set(number.AddK(1))
			turn.Set(hdl.Cat(turn.Slice(b.words-2, 0), turn.MSB()))
		})
		in.Ready.Set(turn.MSB().Or(refuses))
		b.headers.Write(hdl.Cat(hdl.Mux(idle, free, place), number), writes, hdl.OneHot(turn, words...))
	}

	status.Ready.Set(full(b.first, b.last, waiting).Not().And(ok.Not().Or(in.Valid.And(idle))))
	b.takes.Set(status.Fire())
	m.If(begins, func() { b.free.Set(b.free.AddK(1)) })
	m.If(b.goBack, func() { b.free.Set(b.next) })
}

// headerWords is the descriptor that comes in as words of the RAM.
func (b *buffer) headerWords() []hdl.Bits {
	width := b.wordWidth()
	padded := hdl.Pack(b.io.Header.Data).ZExt(width * b.words)
	words := make([]hdl.Bits, b.words)
	for i := range words {
		words[i] = padded.Slice(width*i+width-1, width*i)
	}
	return words
}

// wordWidth is the width of a word of the descriptors' RAM.
func (b *buffer) wordWidth() int {
	return (hdl.WidthOf(b.io.Header.Data) + b.words - 1) / b.words
}
