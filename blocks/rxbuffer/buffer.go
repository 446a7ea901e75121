package rxbuffer

import "gornic/hdl"

// waiting is how many statuses may wait for the verdict of the ICRC, a power of
// two. It covers the frames that fit between the two at a frame every cycle.
const waiting = 16

// ahead is by how many payloads descriptors may leave before theirs, a power of two:
// whoever judges them takes longer than the shortest packets.
const ahead = 8

// buffer is the buffer while it is built. Pointers into the rings have one bit
// more than their RAM needs, so that full and empty differ.
//
//	payload ring     read ... begun ... given ... start ... write ... limit
//	descriptor ring  fetch ... next ... free
//	queue            first ... last
//	jobs             firstJob ... lastJob
type buffer struct {
	m  *hdl.Module
	p  Params
	io *IO

	// Payload.
	payload   *hdl.Memory
	read      hdl.Bits // the next beat to fetch
	begun     hdl.Bits // behind the last frame that the payload reader was set to
	given     hdl.Bits // behind the last frame whose descriptor has left
	start     hdl.Bits // behind the last frame that is kept
	newest    hdl.Bits // where the newest of them starts
	write     hdl.Bits // behind the last beat
	limit     hdl.Bits // as far as write may go: where read was a cycle ago, once around
	noRoom    hdl.Bits // write is where limit was a cycle ago
	startFull hdl.Bits // start is
	arrives   hdl.Bits // a beat is there
	partly    hdl.Bits // beats of the frame have come already

	// Descriptors. A frame that is kept has a place.
	headers    *hdl.Memory
	ends       *hdl.Memory // of a place: behind its frame's payload
	bad        *hdl.Memory // of a place: its frame turned out bad
	fetch      hdl.Bits    // the next place to read
	next       hdl.Bits    // the next place to be judged
	free       hdl.Bits    // the next place to fill
	filled     hdl.Bits    // the one before
	placesFull hdl.Bits    // free is once around from where fetch was a cycle ago
	words      int         // of a descriptor
	filling    filling
	idle       hdl.Bits // no word of a descriptor is left to be written

	// Statuses.
	takes     hdl.Bits // one, with its descriptor where it has one
	keep      hdl.Bits // its frame is kept
	queue     *hdl.Memory
	first     hdl.Bits // the oldest one
	last      hdl.Bits // behind the newest
	queueFull hdl.Bits // last is once around from where first was a cycle ago
	goBack    hdl.Bits // the newest kept frame is bad, and nothing came behind it

	out descriptors
	job job

	// Jobs of descriptors that have left.
	jobs     *hdl.Memory
	firstJob hdl.Bits // the oldest one
	lastJob  hdl.Bits // behind the newest
}

// filling is a descriptor that is being written; only where it has several words.
type filling struct {
	place  hdl.Bits
	stores hdl.Bits // the place is there
	number hdl.Bits // of the word
	turn   hdl.Bits // the same, one bit for each word: a multiplexer of small LUTs
}

func newBuffer(m *hdl.Module, p Params, io *IO) *buffer {
	b := &buffer{m: m, p: p, io: io, words: p.words()}
	ring, places, queue := hdl.Log2(p.Beats)+1, hdl.Log2(p.Frames)+1, hdl.Log2(waiting)+1
	b.payload = m.RAM("payload", p.Beats, p.DataWidth, hdl.Undefined)
	b.read, b.begun, b.given = m.Reg("read", ring, 0), m.Reg("begun", ring, 0), m.Reg("given", ring, 0)
	b.start, b.write = m.Reg("start", ring, 0), m.Reg("write", ring, 0)
	b.newest, b.noRoom, b.partly = m.RegN("newest", ring), m.Reg("no_room", 1, 0), m.Reg("partly", 1, 0)
	b.limit, b.startFull = m.Reg("limit", ring, uint64(p.Beats)), m.Reg("start_full", 1, 0)

	b.headers = m.RAM("headers", p.Frames*b.words, b.wordWidth(), hdl.Undefined)
	b.ends, b.bad = m.LUTRAM("ends", p.Frames, ring), m.LUTRAM("bad", p.Frames, 1)
	b.fetch, b.next, b.free = m.Reg("fetch", places, 0), m.Reg("next", places, 0), m.Reg("free", places, 0)
	b.filled, b.placesFull = m.Reg("filled", places, uint64(2*p.Frames-1)), m.Reg("places_full", 1, 0)

	b.queue = m.LUTRAM("queue", waiting, hdl.WidthOf(newEntry()))
	b.first, b.last, b.queueFull = m.Reg("first", queue, 0), m.Reg("last", queue, 0), m.Reg("queue_full", 1, 0)
	jobs := hdl.Log2(ahead) + 1
	b.jobs = m.LUTRAM("jobs", ahead, hdl.WidthOf(b.newNote()))
	b.firstJob, b.lastJob = m.Reg("first_job", jobs, 0), m.Reg("last_job", jobs, 0)
	b.takes, b.keep, b.goBack = m.Wire("takes", 1), m.Wire("keep", 1), m.Wire("go_back", 1)
	return b
}

// full returns one bit: a ring of depth is full between two of its pointers.
func full(head, tail hdl.Bits, depth int) hdl.Bits {
	return tail.Eq(head.Xor(head.K(uint64(depth))))
}
