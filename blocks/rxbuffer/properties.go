package rxbuffer

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance: rings that fill after a few cycles. Its covers
// take more cycles than a bounded proof gets through, and are left to simulation.
func Proofs() []hdl.Proof {
	p := hdl.ProofOf(Def(Params{DataWidth: 64, Beats: 4, Frames: 2}), 9, 1)
	p.NoCovers = true
	return []hdl.Proof{p.Breaks(
		hdl.StuckAt0("no_room").As("payload over payload that is still wanted"),
		hdl.StuckAt0("partly").As("half a frame kept"),
		hdl.StuckAt0("turn", 1).As("a word of the descriptor left out"),
		hdl.StuckAt1("keep").As("frames kept without a place"),
	)}
}

// properties states the contracts of the streams, what the buffer takes for
// granted of the parser, and the order of the pointers.
func (b *buffer) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "status", io.Status)
	stream.AssumeSource(m, "header", io.Header)
	stream.AssumeFrame(m, "payload", io.Payload)
	stream.AssumeSource(m, "verdict", io.Verdict)
	stream.AssertSource(m, "out_header", io.OutHeader)
	stream.AssertFrame(m, "out_payload", io.OutPayload)

	acceptable := io.Status.Valid.And(io.Status.Data.Reason.Is(uint64(format.ReasonOK)))
	m.Assume("header_with_status", acceptable.Not().Or(io.Header.Valid.And(b.idle)))

	b.payloadPointers()
	b.places()
	b.descriptorWords()
	m.Assert("queue_holds", b.last.Sub(b.first).LeK(waiting))
	m.Assert("queue_has_room", b.queueFull.Or(b.last.Sub(b.first).LtK(waiting)))
	m.Assert("payload_never_waits", io.Payload.Ready)

	m.Cover("goes_back", b.goBack)
	m.Cover("passes_over", b.job.valid.And(b.job.skip))
	m.Cover("no_room", b.takes.And(b.keep.Not()).And(acceptable))
	m.Cover("packet_leaves", io.OutHeader.Fire())
}

// payloadPointers states the order of the pointers into the payload's ring:
// read, begun, given, start, write, limit.
func (b *buffer) payloadPointers() {
	m := b.m
	given, start, write, limit := b.behindRead(b.given), b.behindRead(b.start), b.behindRead(b.write), b.behindRead(b.limit)
	m.Assert("ring_holds", limit.LeK(uint64(b.p.Beats)))
	m.Assert("write_within_limit", write.Le(limit))
	m.Assert("room_is_there", b.noRoom.Or(write.Lt(limit)))
	m.Assert("room_is_there_at_start", b.startFull.Or(start.Lt(limit)))
	m.Assert("start_within_written", start.Le(write))
	m.Assert("nothing_partly_written", b.partly.Or(start.Eq(write)))
	m.Assert("given_within_kept", given.Le(start))
	begun := b.behindRead(b.begun)
	m.Assert("job_has_beats", b.job.valid.Eq(begun.Any()))
	m.Assert("job_is_begun", begun.Eq(hdl.Mux(b.job.valid, b.job.left.AddK(1), begun.K(0))))
	b.notedJobs()
}

// notedJobs states that the jobs that wait are of payloads that follow each other, from
// begun to given.
func (b *buffer) notedJobs() {
	m, waiting := b.m, b.lastJob.Sub(b.firstJob)
	m.Assert("jobs_hold", waiting.LeK(ahead))
	before, follow := b.behindRead(b.begun), hdl.K(1, 1)
	m.Ghost(func() {
		for i := range uint64(ahead) {
			n := hdl.Unpack(b.newNote(), b.jobs.At(b.firstJob.AddK(i).Trunc(b.jobs.AddrWidth())))
			there, end := waiting.GtK(i), b.behindRead(n.End)
			follow = follow.And(there.Not().Or(before.Lt(end)))
			before = hdl.Mux(there, end, before)
		}
	})
	m.Assert("jobs_follow", follow)
	m.Assert("jobs_end_at_given", before.Eq(b.behindRead(b.given)))
}

// behindRead is how many beats a pointer is behind read.
func (b *buffer) behindRead(pointer hdl.Bits) hdl.Bits { return pointer.Sub(b.read) }

// places states the order of the pointers into the ring of descriptors, and that
// the payloads of the frames in it follow each other up to start: of the first
// two, and of the last one.
func (b *buffer) places() {
	m := b.m
	used, judged := b.free.Sub(b.fetch), b.next.Sub(b.fetch)
	m.Assert("places_hold", used.LeK(uint64(b.p.Frames)))
	m.Assert("place_is_there", b.placesFull.Or(used.LtK(uint64(b.p.Frames))))
	m.Assert("filled_before_free", b.filled.Eq(b.free.SubK(1)))
	m.Assert("judged_within_kept", judged.Le(used))

	var first, second, newest, before hdl.Bits
	end := func(pointer hdl.Bits) hdl.Bits { return b.behindRead(b.ends.At(pointer.Trunc(b.ends.AddrWidth()))) }
	m.Ghost(func() {
		first, second = end(b.fetch), end(b.fetch.AddK(1))
		newest, before = end(b.free.SubK(1)), end(b.free.SubK(2))
	})
	start, left := b.behindRead(b.start), b.behindRead(b.left())
	some, one, several := used.Any(), used.Is(1), used.GtK(1)
	m.Assert("left_within_kept", b.behindRead(b.given).Le(left).And(left.Le(start)))
	m.Assert("first_follows", some.Not().Or(left.Le(first).And(first.Le(start))))
	m.Assert("second_follows", several.Not().Or(first.Le(second).And(second.Le(start))))
	m.Assert("newest_ends_at_start", start.Eq(hdl.Mux(some, newest, left)))
	m.Assert("newest_starts_behind_last", b.free.Eq(b.next).Or(b.behindRead(b.newest).Eq(hdl.Mux(one, left, before))))
	m.Assert("whole_places_leave", b.leaving().Not().Or(judged.Any().And(left.Eq(first))))
}

// left is where the payload ends of the last frame whose descriptor has left
// its RAM, at least in part.
func (b *buffer) left() hdl.Bits {
	o := b.out
	inPart := hdl.K(1, 0)
	if b.words > 1 {
		inPart = hdl.Mux(o.fetched, o.number, o.word).Any()
	}
	return hdl.Mux(o.fetched, o.fetchedEnd, hdl.Mux(o.valid.Or(inPart), o.end, b.given))
}

// leaving returns one bit: the descriptor at fetch has left its RAM in part.
func (b *buffer) leaving() hdl.Bits {
	if b.words == 1 {
		return hdl.K(1, 0)
	}
	return b.out.word.Any()
}

// descriptorWords states the order in which the words of descriptors are written
// and read.
func (b *buffer) descriptorWords() {
	m, o := b.m, b.out
	if b.words == 1 {
		m.Assert("descriptor_follows", o.fetched.And(o.valid).Not().Or(b.behindRead(o.end).Le(b.behindRead(o.fetchedEnd))))
		m.Assert("given_before_descriptor", o.valid.Not().Or(b.behindRead(b.given).Le(b.behindRead(o.end))))
		return
	}
	turns := hdl.K(1, 1)
	for i := range b.words {
		turns = turns.And(b.filling.turn.Bit(i).Eq(b.filling.number.Is(uint64(i))))
	}
	m.Assert("turn_is_number", turns)
	here := b.filling.stores.And(b.fetch.Trunc(b.filling.place.Width()).Eq(b.filling.place)).And(b.fetch.Ne(b.next))
	m.Assert("written_before_read", b.idle.Or(here.Not()).Or(o.word.Lt(b.filling.number)))

	m.Assert("words_in_order", o.fetched.Not().Or(o.word.Eq(o.number.AddK(1))))
	next := hdl.Mux(o.fetched, o.number, o.word) // to be put into the descriptor
	m.Assert("whole_before_next", o.valid.Not().Or(next.None()))
	m.Assert("same_descriptor", next.None().Or(o.fetched.Not()).Or(o.end.Eq(o.fetchedEnd)))
	held := o.valid.Or(next.Any())
	m.Assert("descriptor_follows", o.fetched.And(held).Not().Or(b.behindRead(o.end).Le(b.behindRead(o.fetchedEnd))))
	m.Assert("given_before_descriptor", held.Not().Or(b.behindRead(b.given).Le(b.behindRead(o.end))))
}
