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

	payload       *hdl.Memory
	read          hdl.Bits // the next beat to fetch
	start         hdl.Bits // behind the last frame that is kept
	write         hdl.Bits // behind the last beat
	newest        hdl.Bits // where the payload of the newest kept frame starts
	arrives       hdl.Bits // a beat is there
	limit, noRoom hdl.Bits // write goes no further than limit, and has no room there
	partly        hdl.Bits // beats of the frame were written already

	headers                        *hdl.Memory
	fetch                          hdl.Bits
	next                           hdl.Bits
	free                           hdl.Bits
	words                          int      // a descriptor
	number, turn, writing, storing hdl.Bits // of a descriptor that is being written: the word, also as one bit of several, and the place; only where there are several words
	idle                           hdl.Bits // no word of a descriptor is left to be written
	placesFull                     hdl.Bits // free has caught up with where fetch was a cycle ago

	takes  hdl.Bits // a status, with its descriptor where it has one
	keep   hdl.Bits // the frame of the status is kept
	queue  *hdl.Memory
	first  hdl.Bits    // the oldest status in the queue
	last   hdl.Bits    // behind the newest
	bad    *hdl.Memory // of a place: its frame turned out bad
	ends   *hdl.Memory // of a place: behind its frame's payload
	goBack hdl.Bits    // the newest kept frame is bad, and nothing came behind it
	given  hdl.Bits    // behind the payload of the last frame that the payload reader was set to
	out    descriptors
	job    job
}

func newBuffer(m *hdl.Module, p Params, io *IO) *buffer {
	b := &buffer{m: m, p: p, io: io, words: p.words()}
	ring := log2(p.Beats) + 1
	b.payload = m.RAM("payload", p.Beats, p.DataWidth, hdl.Undefined)
	b.read, b.start, b.write = m.Reg("read", ring, 0), m.Reg("start", ring, 0), m.Reg("write", ring, 0)
	b.newest, b.given = m.RegN("newest", ring), m.Reg("given", ring, 0)

	places := log2(p.Frames) + 1
	b.headers = m.RAM("headers", p.Frames*b.words, b.wordWidth(), hdl.Undefined)
	b.fetch, b.next, b.free = m.Reg("fetch", places, 0), m.Reg("next", places, 0), m.Reg("free", places, 0)
	b.placesFull = m.Reg("places_full", 1, 0)
	b.bad, b.ends = m.LUTRAM("bad", p.Frames, 1), m.LUTRAM("ends", p.Frames, ring)

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

	// Where write has no room is known from registers, two cycles after read moved.
	depth := uint64(b.p.Beats)
	limit, before := m.Reg("limit", b.read.Width(), depth), m.Reg("before_limit", b.read.Width(), depth-1)
	limit.Set(b.read.Xor(limit.K(depth)))
	before.Set(b.read.Xor(limit.K(depth)).SubK(1))
	noRoom := m.Reg("no_room", 1, 0)
	b.limit, b.noRoom = limit, noRoom
	m.Assert("before_limit_is_before", before.Eq(limit.SubK(1)))
	over := m.Reg("over", 1, 0) // a beat of the frame found no room
	lost := m.Wire("lost", 1)
	lost.Set(over.Or(in.Valid.And(noRoom)))
	b.arrives, b.partly = in.Valid, m.Reg("partly", 1, 0)
	stores := in.Valid.And(lost.Not())
	b.payload.Write(b.write.Trunc(b.payload.AddrWidth()), stores, in.Data.Data)
	b.keep.Set(io.Status.Data.Reason.Is(uint64(format.ReasonOK)).And(lost.Not()).And(b.placesFull.Not()))

	moveTo := func(place, full hdl.Bits) {
		b.write.Set(place)
		noRoom.Set(full)
	}
	beyond := b.write.AddK(1)
	end := hdl.Mux(in.Valid, beyond, b.write) // of a frame that is kept: all of its beats found room
	b.ends.Write(b.free.Trunc(b.ends.AddrWidth()), b.takes.And(b.keep), end)
	moveTo(b.write, b.write.Eq(limit))
	m.If(stores, func() { moveTo(beyond, b.write.Eq(before)) })
	over.Set(lost)
	b.partly.Set(b.partly.Or(in.Valid))
	m.If(b.takes, func() {
		over.SetK(0)
		b.partly.SetK(0)
		m.If(b.keep, func() {
			b.start.Set(end)
			b.newest.Set(b.start)
		}).Else(func() { moveTo(b.start, b.start.Eq(limit)) })
	})
	m.If(b.goBack, func() {
		moveTo(b.newest, b.newest.Eq(limit))
		b.start.Set(b.newest)
	})
}

// storeHeader takes statuses, and the descriptor of each acceptable frame with
// its status. It writes the descriptor even where the frame is not kept: the next
// one will take its place.
func (b *buffer) storeHeader() {
	m, in, status := b.m, b.io.Header, b.io.Status
	status.Ready.Set(full(b.first, b.last, waiting).Not())
	b.takes.Set(status.Fire())
	m.Unused(in.Valid) // it comes with the status
	begins := b.takes.And(status.Data.Reason.Is(uint64(format.ReasonOK)))
	place := b.free.Trunc(b.free.Width() - 1)
	stores := begins.And(b.placesFull.Not())

	words := b.headerWords()
	b.idle = hdl.K(1, 1)
	if b.words == 1 {
		in.Ready.Set(status.Ready)
		b.headers.Write(place, stores, words[0])
	} else {
		number := m.Reg("word_number", log2(b.words), 0)
		b.number = number
		turn := m.Reg("turn", b.words, 1) // number, one bit for each word: a multiplexer of small LUTs
		storing := m.RegN("storing", 1)
		writing := m.RegN("writing", place.Width())
		b.writing, b.storing, b.turn = writing, storing, turn
		b.idle = turn.Bit(0)
		m.If(b.idle, func() {
			storing.Set(stores)
			writing.Set(place)
		})
		m.If(begins.Or(b.idle.Not()), func() {
			number.Set(number.AddK(1))
			turn.Set(hdl.Cat(turn.Slice(b.words-2, 0), turn.MSB()))
		})
		in.Ready.Set(turn.MSB())
		b.headers.Write(hdl.Cat(hdl.Mux(b.idle, place, writing), number), hdl.Mux(b.idle, stores, storing), hdl.OneHot(turn, words...))
	}
	moveTo := func(place hdl.Bits) {
		b.free.Set(place)
		b.placesFull.Set(full(b.fetch, place, b.p.Frames))
	}
	moveTo(b.free)
	m.If(b.takes.And(b.keep), func() { moveTo(b.free.AddK(1)) })
	m.If(b.goBack, func() { moveTo(b.next) })
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
