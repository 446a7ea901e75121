package hostqueue

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// sending is where the send queue is with a frame.
type sending int

const (
	txIdle   sending = iota // there is none
	txJudge                 // its length is looked at
	txRoom                  // the buffer has no room for it yet
	txRead                  // it comes from memory
	txEntry                 // its entry is written
	txAnswer                // memory has not answered to that
)

func (s sending) String() string {
	return [...]string{"idle", "judge", "room", "read", "entry", "answer"}[s]
}

// leaving is the frame to be sent that is at hand.
type leaving struct {
	beats   hdl.Bits // of it that are still to come
	outcome hdl.Bits // of its entry
}

// send reads frames, one after the other, each when the buffer has room for all of it.
func (b *block) send() {
	m, q, st, done := b.m, b.tx, b.sends, b.io.SendWrite.Done
	f := leaving{beats: m.RegN("beats", b.p.countBits()), outcome: m.RegN("outcome", statusBits)}
	fits, over, failed := b.fill(f)
	b.ask(f, fits)
	entry := b.told(f)
	done.Ready.SetK(1)
	st.Switch(
		hdl.On(txIdle, func() {
			m.If(hdl.AndAll(q.goes(), q.held, b.io.Enabled), func() { st.Goto(txJudge) })
		}),
		hdl.On(txJudge, func() {
			f.beats.Set(b.p.beatsOf(q.entry.Length))
			f.outcome.Set(status(format.FrameLength))
			st.Goto(txRoom)
			m.If(b.p.wrong(q.entry.Length), func() { st.Goto(txEntry) })
			m.If(q.goes().Not(), func() { st.Goto(txIdle) })
		}),
		hdl.On(txRoom, func() {
			m.If(fits, func() { st.Goto(txRead) })
			m.If(q.goes().Not(), func() { st.Goto(txIdle) })
		}),
		hdl.On(txRead, func() {
			f.outcome.Set(hdl.Mux(failed, status(format.FrameBusErr), status(format.FrameDone)))
			m.If(over, func() { st.Goto(txEntry) })
		}),
		hdl.On(txEntry, func() {
			m.If(entry, func() { st.Goto(txAnswer) })
		}),
		hdl.On(txAnswer, func() {
			m.If(done.Valid, func() { st.Goto(txIdle) })
		}),
	)
	q.moves, q.drops = entry, entry.And(f.outcome.Any())
	q.answered, q.unwritten = st.Is(txAnswer).And(done.Valid), done.Data.Err
	q.works.Set(hdl.OrAll(st.Is(txRead), st.Is(txEntry), st.Is(txAnswer)))
	q.advance()
	m.Event("host_frame_read", entry, hdl.Field("index", q.head), hdl.Field("bytes", q.entry.Length), hdl.Field("status", f.outcome))
}

// countBits is the width of a frame's beats.
func (p Params) countBits() int { return lengthBits - p.beatBits() + 1 }

// beatsOf is how many beats a length takes.
func (p Params) beatsOf(length hdl.Bits) hdl.Bits {
	return length.ZExt(lengthBits+1).AddK(uint64(p.bytes()-1)).Slice(lengthBits, p.beatBits())
}

// wrong returns one bit: no frame that can be sent is so long.
func (p Params) wrong(length hdl.Bits) hdl.Bits {
	wrong := length.LtK(format.FrameMin)
	if p.frameMax() < format.FrameMost {
		wrong = wrong.Or(length.GtK(uint64(p.frameMax())))
	}
	return wrong
}

// ask asks for entries, and for frames that fit, in bursts.
func (b *block) ask(f leaving, fits hdl.Bits) {
	m, p, q, read := b.m, b.p, b.tx, b.io.SendRead
	entries := hdl.NewStream(m, "entries", link.ReadBurst{})
	q.fetch(b.sends.Is(txIdle), entries, read.Beat)

	asks := m.Reg("asks", 1, 0)
	from, left := m.RegN("from", chunkBits), m.RegN("beats_to_ask", p.countBits())
	last := left.LeK(uint64(p.chunk()))
	beats := hdl.Mux(last, left.Trunc(4).SubK(1), hdl.K(4, uint64(p.chunk()-1)))
	asked := asks.And(read.Burst.Ready)
	m.If(b.sends.Is(txRoom), func() {
		asks.Set(fits.And(q.goes()))
		from.Set(q.entry.Addr)
		left.Set(f.beats)
	})
	m.If(asked, func() {
		asks.Set(last.Not())
		from.Set(from.AddK(1))
		left.Set(left.SubK(uint64(p.chunk())))
	})
	read.Burst.Valid.Set(entries.Valid.Or(asks))
	entries.Ready.Set(read.Burst.Ready)
	hdl.Set(read.Burst.Data, hdl.MuxOf(entries.Valid, entries.Data, link.ReadBurst{Addr: hdl.Cat(from, hdl.K(logChunk, 0)), Len: beats.ZExt(8)}))
	read.Beat.Ready.SetK(1)
}

// fill puts frames into the buffer as they come. It returns whether the buffer has room for the frame at hand,
// and, in the cycle in which the last beat of it comes, that, and whether memory has answered with an error.
func (b *block) fill(f leaving) (fits, over, failed hdl.Bits) {
	m, p, beat := b.m, b.p, b.io.SendRead.Beat
	buffer := hdl.Instance(m, "u_buffer", stream.FrameFIFODef(stream.FrameFIFOOptions{Width: p.Sizes.DataWidth, Depth: p.depth()}))
	hdl.Connect(b.io.Out, buffer.Out)
	m.Unused(buffer.In.Ready, buffer.HighWater, buffer.DroppedErr, buffer.DroppedFull)

	n := max(buffer.Level.Width(), f.beats.Width())
	room := m.RegN("room", n)
	room.Set(hdl.K(n, uint64(p.depth())).Sub(buffer.Level.ZExt(n)))
	fits = f.beats.ZExt(n).Le(room)

	bad := m.Reg("frame_bad", 1, 0)
	comes := beat.Valid.And(b.sends.Is(txRead))
	last := f.beats.Is(1)
	over, failed = comes.And(last), bad.Or(beat.Data.Err)
	m.If(comes, func() {
		f.beats.Set(f.beats.SubK(1))
		bad.Set(failed.And(last.Not()))
	})
	end := stream.KeepTo(b.tx.entry.Length.Trunc(p.beatBits()).SubK(1), p.bytes())
	buffer.In.Valid.Set(comes)
	hdl.Set(buffer.In.Data, stream.Beat{
		Data: beat.Data.Data, Keep: hdl.Mux(last, end, hdl.Ones(p.bytes())), Last: last, Err: last.And(failed),
	})
	m.Assert("buffer_has_room", comes.Not().Or(buffer.In.Ready))
	return fits, over, failed
}

// told writes what became of a frame. It returns one bit: that is on its way.
func (b *block) told(f leaving) hdl.Bits {
	m, port := b.m, b.io.SendWrite
	bursts, beats := hdl.NewStream(m, "tx_burst", link.WriteBurst{}), hdl.NewStream(m, "tx_beat", b.p.Sizes.WriteBeat())
	hdl.Connect(port.Burst, stream.FIFO(m, "u_tx_burst", bursts, 1))
	hdl.Connect(port.Beat, stream.FIFO(m, "u_tx_beat", beats, 1))
	puts := hdl.AndAll(b.sends.Is(txEntry), bursts.Ready, beats.Ready)
	burst, beat := b.tx.done(f.outcome, b.tx.entry.Length)
	bursts.Valid.Set(puts)
	hdl.Set(bursts.Data, burst)
	beats.Valid.Set(puts)
	hdl.Set(beats.Data, beat)
	return puts
}
