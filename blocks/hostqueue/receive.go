package hostqueue

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// receiving is where the receive queue is with a frame.
type receiving int

const (
	rxWait   receiving = iota // for a frame
	rxData                    // it goes to memory
	rxDrop                    // the rest of it is dropped
	rxSettle                  // memory has not answered to all of it
	rxEntry                   // its entry is written
	rxAnswer                  // memory has not answered to that
)

func (s receiving) String() string {
	return [...]string{"wait", "data", "drop", "settle", "entry", "answer"}[s]
}

// answersBits is the width of how many bursts of a frame, and its entry, may be without answer.
const answersBits = lengthBits - logChunk + 1

// came is a beat of a received frame, with its number of bytes.
type came struct {
	Data  hdl.Bits
	Keep  hdl.Bits
	Bytes hdl.Bits
	Last  hdl.Bits `w:"1"`
}

// frame is the received frame at hand.
type frame struct {
	to     hdl.Bits // where the next burst goes
	left   hdl.Bits // bytes that the buffer has room for
	length hdl.Bits // bytes that are in it
	long   hdl.Bits // it has no room for more, which came
	bad    hdl.Bits // memory has answered with an error
}

// received brings frames in, with the number of bytes of each beat.
func (b *block) received() hdl.Stream[came] {
	n := b.p.beatBits()
	b.m.Unused(b.io.In.Data.Err) // only good frames come
	return stream.ForwardSlice(b.m, "u_in", stream.Map(b.io.In, func(x stream.Beat) came {
		return came{Data: x.Data, Keep: x.Keep, Bytes: stream.LastByte(x.Keep).ZExt(n + 1).AddK(1), Last: x.Last}
	}))
}

// receive takes frames, one after the other.
func (b *block) receive() {
	m, q, st, port := b.m, b.rx, b.receives, b.io.ReceiveWrite
	q.fetch(hdl.K(1, 1), b.io.ReceiveRead.Burst, b.io.ReceiveRead.Beat)
	b.io.ReceiveRead.Beat.Ready.SetK(1)
	in := b.received()
	f := frame{
		to: m.RegN("to", chunkBits), left: m.RegN("left", lengthBits), length: m.RegN("length", lengthBits),
		long: m.Reg("long", 1, 0), bad: m.Reg("bad", 1, 0),
	}
	puts := b.write(in, f)
	port.Done.Ready.SetK(1)
	answer := port.Done.Valid
	m.If(puts.burst.Xor(answer), func() { b.answers.Set(hdl.Mux(puts.burst, b.answers.AddK(1), b.answers.SubK(1))) })

	over := in.Fire().And(in.Data.Last)
	settled := b.answers.None()
	stays := hdl.AndAll(q.goes(), q.posted()) // an entry for the frame is here, or will be
	in.Ready.Set(puts.takes.Or(st.Is(rxDrop)))
	st.Switch(
		hdl.On(rxWait, func() {
			f.to.Set(q.entry.Addr)
			f.left.Set(q.entry.Length)
			f.length.SetK(0)
			f.long.SetK(0)
			f.bad.SetK(0)
			m.If(hdl.AndAll(in.Valid, stays, q.held), func() { st.Goto(rxData) })
			m.If(in.Valid.And(stays.Not()), func() { st.Goto(rxDrop) })
		}),
		hdl.On(rxData, func() {
			f.bad.Set(f.bad.Or(answer.And(port.Done.Data.Err)))
			m.If(in.Fire().And(puts.fits.Not()), func() {
				f.long.SetK(1)
				st.Goto(rxDrop)
			})
			m.If(over, func() { st.Goto(rxSettle) })
		}),
		hdl.On(rxDrop, func() {
			m.If(over, func() { st.Goto(rxWait) })
			m.If(over.And(f.long), func() { st.Goto(rxSettle) })
		}),
		hdl.On(rxSettle, func() {
			f.bad.Set(f.bad.Or(answer.And(port.Done.Data.Err)))
			m.If(settled, func() { st.Goto(rxEntry) })
			m.If(settled.And(f.long), func() { st.Goto(rxWait) })
		}),
		hdl.On(rxEntry, func() {
			m.If(puts.entry, func() { st.Goto(rxAnswer) })
		}),
		hdl.On(rxAnswer, func() {
			m.If(answer, func() { st.Goto(rxWait) })
		}),
	)
	given := over.And(st.Is(rxDrop)).And(f.long.Not())
	tooLong := hdl.AndAll(st.Is(rxSettle), settled, f.long)
	faulty := puts.entry.And(f.bad)
	q.drops = hdl.OrAll(given, tooLong, faulty)
	q.moves, q.answered = puts.entry, st.Is(rxAnswer).And(answer)
	q.unwritten = port.Done.Data.Err
	q.works.Set(hdl.OrAll(
		st.Is(rxData), st.Is(rxSettle), st.Is(rxEntry), st.Is(rxAnswer), f.long.And(st.Is(rxDrop))))
	q.advance()
	m.Event("host_frame_received", puts.entry, hdl.Field("index", q.head), hdl.Field("bytes", f.length), hdl.Field("error", f.bad))
	m.Event("host_frame_dropped", given.Or(tooLong))
}

// written is what happens in a cycle on the way to memory.
type written struct {
	takes hdl.Bits // a beat of a frame is taken if there is one
	fits  hdl.Bits // the buffer has room for it
	burst hdl.Bits // a burst is put there
	entry hdl.Bits // it is the entry's
}

// write puts frames there that go to memory, in bursts, and entries. Two bursts wait there with all their beats. A
// frame that has a beat too many ends its burst with that beat, of which nothing is written.
func (b *block) write(in hdl.Stream[came], f frame) written {
	m, p, q := b.m, b.p, b.rx
	bursts := hdl.NewStream(m, "burst", link.WriteBurst{})
	beats := hdl.NewStream(m, "beat", p.Sizes.WriteBeat())
	hdl.Connect(b.io.ReceiveWrite.Burst, stream.FIFO(m, "u_bursts", bursts, 2))
	hdl.Connect(b.io.ReceiveWrite.Beat, stream.FIFO(m, "u_beats", beats, 2*p.chunk()))
	room := bursts.Ready.And(beats.Ready)

	x, fits := in.Data, f.left.Ge(in.Data.Bytes.ZExt(lengthBits))
	takes := b.receives.Is(rxData).And(room)
	comes := takes.And(in.Valid)
	part, partial := hdl.K(8, 0), hdl.K(1, 0) // beats of the burst that are there already
	ends := x.Last.Or(fits.Not())
	if n := hdl.Log2(p.chunk()); n > 0 {
		count := m.Reg("part", n, 0)
		part, partial = count.ZExt(8), count.Any()
		ends = ends.Or(count.All())
		m.If(comes, func() { count.Set(hdl.Mux(ends, count.K(0), count.AddK(1))) })
	} else {
		ends = hdl.K(1, 1)
	}
	stores := comes.And(fits.Or(partial))
	entry := b.receives.Is(rxEntry).And(room)
	m.If(comes.And(fits), func() {
		f.left.Set(f.left.Sub(x.Bytes.ZExt(lengthBits)))
		f.length.Set(f.length.Add(x.Bytes.ZExt(lengthBits)))
	})
	m.If(stores.And(ends), func() { f.to.Set(f.to.AddK(1)) })

	doneBurst, doneBeat := q.done(hdl.Mux(f.bad, status(format.FrameBusErr), status(format.FrameDone)), f.length)
	bursts.Valid.Set(stores.And(ends).Or(entry))
	hdl.Set(bursts.Data, hdl.MuxOf(entry, doneBurst, link.WriteBurst{Addr: hdl.Cat(f.to, hdl.K(logChunk, 0)), Len: part}))
	beats.Valid.Set(stores.Or(entry))
	hdl.Set(beats.Data, hdl.MuxOf(entry, doneBeat, link.WriteBeat{Data: x.Data, Strb: x.Keep.And(fits.Rep(p.bytes())), Last: ends}))
	return written{takes: takes, fits: fits, burst: bursts.Valid, entry: entry}
}
