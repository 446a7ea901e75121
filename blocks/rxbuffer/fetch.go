package rxbuffer

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// job is the payload that the payload reader sends, or passes over.
type job struct {
	valid hdl.Bits
	skip  hdl.Bits
	left  hdl.Bits // beats less one
	count hdl.Bits // bytes of the last beat less one
	ready hdl.Bits // a new one can be set at the end of this cycle
}

// note is a job that waits for the reader.
type note struct {
	Skip  hdl.Bits
	End   hdl.Bits // behind the payload
	Count hdl.Bits
}

func (b *buffer) newNote() note {
	return note{Skip: hdl.W(1), End: hdl.W(hdl.Log2(b.p.Beats) + 1), Count: hdl.W(hdl.Log2(b.p.DataWidth / 8))}
}

// descriptors is the way out of the descriptors' RAM: the register of the RAM and
// the registers of a whole descriptor.
type descriptors struct {
	fetched    hdl.Bits // a word is in the RAM's register,
	fetchedEnd hdl.Bits // of a frame whose payload ends there,
	number     hdl.Bits // this one of its words; only where there are several
	word       hdl.Bits // the next word to fetch; only where there are several
	valid      hdl.Bits // a descriptor is whole,
	end        hdl.Bits // of a frame whose payload ends there
}

// fetchHeader reads descriptors that have been judged, and gives out those of
// good frames, each together with a job for the payload reader.
func (b *buffer) fetchHeader() {
	m, out := b.m, b.io.OutHeader
	width := b.wordWidth()
	ring := b.read.Width()
	b.out = descriptors{
		fetched: m.Reg("header_fetched", 1, 0), fetchedEnd: m.RegN("fetched_end", ring),
		valid: m.Reg("header_whole", 1, 0), end: m.RegN("header_end", ring),
	}
	o := &b.out
	fetchedBad, bad := m.RegN("fetched_bad", 1), m.RegN("header_bad", 1)
	room := full(b.firstJob, b.lastJob, ahead).Not()
	leaves := m.Wire("header_leaves", 1)

	load := o.fetched.And(o.valid.Not().Or(leaves))
	fetch := m.Wire("header_fetch", 1)
	fetch.Set(b.fetch.Ne(b.next).And(o.fetched.Not().Or(load)))
	place := b.fetch.Trunc(b.bad.AddrWidth())
	addr, lastFetched, lastLoaded := place, hdl.K(1, 1), hdl.K(1, 1)
	if b.words > 1 {
		o.word, o.number = m.Reg("fetch_word", hdl.Log2(b.words), 0), m.RegN("fetched_word", hdl.Log2(b.words))
		m.If(fetch, func() {
			o.word.Set(o.word.AddK(1))
			o.number.Set(o.word)
		})
		addr, lastFetched, lastLoaded = hdl.Cat(place, o.word), o.word.All(), o.number.All()
	}
	data := b.headers.Read("header_word", addr, fetch)
	m.If(fetch.And(lastFetched), func() { b.fetch.Set(b.fetch.AddK(1)) })
	m.If(load, func() { o.fetched.SetK(0) })
	m.If(fetch, func() {
		o.fetched.SetK(1)
		o.fetchedEnd.Set(b.ends.At(place))
		fetchedBad.Set(b.bad.At(place))
	})

	parts := make([]hdl.Bits, b.words)
	for i := range parts {
		part, here := m.RegN(fmt.Sprintf("descriptor_%d", i), width), load
		if b.words > 1 {
			here = load.And(o.number.Is(uint64(i)))
		}
		m.If(here, func() { part.Set(data) })
		parts[b.words-1-i] = part
	}
	m.If(leaves, func() { o.valid.SetK(0) })
	m.If(load, func() {
		o.valid.Set(lastLoaded)
		o.end.Set(o.fetchedEnd)
		bad.Set(fetchedBad)
	})

	if spare := width*b.words - hdl.WidthOf(out.Data); spare > 0 {
		m.Unused(parts[0].Slice(width-1, width-spare))
	}
	d := hdl.Unpack(hdl.Proto(out.Data), hdl.Cat(parts...).Trunc(hdl.WidthOf(out.Data)))
	out.Valid.Set(o.valid.And(bad.Not()).And(room))
	hdl.Set(out.Data, d)
	leaves.Set(o.valid.And(room).And(bad.Or(out.Ready)))
	b.noteJob(leaves, note{bad, o.end, d.PayloadLen.Trunc(hdl.Log2(b.p.DataWidth / 8)).SubK(1)})
}

// noteJob notes a job for the payload reader, if there is payload.
func (b *buffer) noteJob(leaves hdl.Bits, n note) {
	m := b.m
	notes := leaves.And(n.End.Ne(b.given))
	b.jobs.Write(b.lastJob.Trunc(b.jobs.AddrWidth()), notes, hdl.Pack(n))
	m.If(notes, func() {
		b.lastJob.Set(b.lastJob.AddK(1))
		b.given.Set(n.End)
	})
}

// takeJob sets the payload reader to work on the oldest job.
func (b *buffer) takeJob() {
	m, j := b.m, &b.job
	n := hdl.Unpack(b.newNote(), b.jobs.At(b.firstJob.Trunc(b.jobs.AddrWidth())))
	j.valid, j.skip, j.ready = m.Reg("job", 1, 0), m.RegN("job_skip", 1), m.Wire("job_ready", 1)
	j.left, j.count = m.RegN("job_left", n.End.Width()), m.RegN("job_count", n.Count.Width())
	waits := b.firstJob.Ne(b.lastJob)
	m.If(j.ready, func() {
		j.valid.Set(waits)
		m.If(waits, func() {
			b.firstJob.Set(b.firstJob.AddK(1))
			b.begun.Set(n.End)
			j.skip.Set(n.Skip)
			j.count.Set(n.Count)
			j.left.Set(n.End.Add(b.begun.Not())) // end - begun - 1
		})
	})
}

// fetchPayload sends the payload of the job, a beat every cycle, or passes over
// it in one cycle.
func (b *buffer) fetchPayload() {
	m, out, j := b.m, b.io.OutPayload, &b.job
	k := j.count.Width()
	type mark struct{ Last, Count hdl.Bits }
	proto := mark{hdl.W(1), hdl.W(k)}

	fetched, valid := m.Reg("payload_fetched", 1, 0), m.Reg("payload_valid_out", 1, 0)
	fetchedMark, outMark := hdl.NewReg(m, "fetched", proto), hdl.NewReg(m, "out", proto)
	data := m.RegN("sent", b.p.DataWidth)
	load := out.Ready.Or(valid.Not())
	fetch := m.Wire("payload_fetch", 1)
	fetch.Set(j.valid.And(j.skip.Not()).And(load.Or(fetched.Not())))
	last := j.left.None()
	j.ready.Set(j.valid.Not().Or(j.skip).Or(fetch.And(last)))

	word := b.payload.Read("payload_word", b.read.Trunc(b.payload.AddrWidth()), fetch)
	m.If(fetch, func() {
		b.read.Set(b.read.AddK(1))
		hdl.Set(fetchedMark, mark{last, j.count})
	}).ElseIf(j.valid.And(j.skip), func() {
		b.read.Set(b.begun)
	})
	m.If(fetch.And(last.Not()), func() { j.left.Set(j.left.SubK(1)) })
	m.If(load, func() {
		valid.Set(fetched)
		fetched.SetK(0)
		data.Set(word)
		hdl.Set(outMark, fetchedMark)
	})
	m.If(fetch, func() { fetched.SetK(1) })

	n := b.p.DataWidth / 8
	out.Valid.Set(valid)
	hdl.Set(out.Data, stream.Beat{
		Data: data, Keep: stream.KeepTo(outMark.Count, n).Or(outMark.Last.Not().Rep(n)), Last: outMark.Last, Err: hdl.K(1, 0),
	})
}

// levels gives out how full the payload ring is.
func (b *buffer) levels() {
	used := b.m.Wire("used_beats", b.write.Width())
	used.Set(b.write.Sub(b.read))
	high := b.m.Reg("high_water_mark", used.Width(), 0)
	b.m.If(used.Gt(high), func() { high.Set(used) })
	b.io.Used.Set(used)
	b.io.HighWater.Set(high)
}
