package icrc

import (
	"math/bits"

	"gornic/hdl"
	"gornic/hdl/stream"
)

func check(m *hdl.Module, p Params, io *CheckIO) {
	waiting := limit(m, p, io)
	valid := delayValid(m, "valid", io.In.Fire(), 3+stateDelay)
	beat := locate(m, p, io.In, valid)
	word, ask := cut(m, p, beat, valid[1])

	word.valid = valid[2]
	good := judge(m, p, state(m, p, word, 0), delay(m, "question", ask, 1+stateDelay), valid[2+stateDelay])
	hdl.Connect(io.Verdict, stream.FIFO(m, "u_verdicts", good, p.wait()))
	checkProperties(m, p, io, good, waiting)
}

// limit makes In ready as long as there is room for one more verdict. It
// returns the number of frames taken whose verdict has not left.
func limit(m *hdl.Module, p Params, io *CheckIO) hdl.Bits {
	width := bits.Len(uint(p.wait()))
	waiting := m.Reg("waiting", width, 0)
	entered, left := io.In.Fire().And(io.In.Data.Last), io.Verdict.Fire()
	waiting.Set(waiting.Add(entered.ZExt(width)).Sub(left.ZExt(width)))
	io.In.Ready.Set(waiting.IsNot(uint64(p.wait())))
	return waiting
}

// located is a beat with what its headers and those before it tell.
type located struct {
	data, keep, last hdl.Bits
	index            hdl.Bits // in its frame
	tagged, ipv6     hdl.Bits
	end              packetEnd
}

// locate returns each beat two cycles after it is taken: in the first the headers
// are read, in the second the end of the packet is computed. The bits of valid say
// that there is a beat 1, 2, ... cycles old.
func locate(m *hdl.Module, p Params, in stream.Frame, valid []hdl.Bits) located {
	m.Unused(in.Data.Err)
	r := newReader(m, p, in)
	h := r.headers()
	type taken struct{ Data, Keep, Last, Index hdl.Bits }
	beat := delay(m, "beat", taken{in.Data.Data, in.Data.Keep, in.Data.Last, r.index}, 1)
	later := &reader{m: m, p: p, take: valid[0], data: beat.Data, index: beat.Index}
	end := later.end(h, valid[1])
	beat = delay(m, "late_beat", beat, 1)
	return located{
		data: beat.Data, keep: beat.Keep, last: beat.Last, index: beat.Index,
		tagged: delay(m, "late_tagged", h.tagged.then, 1), ipv6: delay(m, "late_ipv6", h.ipv6.then, 1),
		end: end,
	}
}

// question is what is asked of the state after a beat.
type question struct {
	First hdl.Bits // the beat is the first of its frame
	Last  hdl.Bits // the last
	End   hdl.Bits // it has the packet's last byte
	Lane  hdl.Bits // which of its bytes that is
}

// cut returns the beat up to the packet's end, a cycle later, and what is to
// be asked when it has gone through the CRC.
func cut(m *hdl.Module, p Params, beat located, valid hdl.Bits) (word, question) {
	first, end := beat.index.None(), beat.end
	ended := m.RegN("ended", 1) // the packet ended in an earlier beat
	endedNow := ended.And(first.Not())
	holdsEnd := hdl.AndAll(end.known, end.here, endedNow.Not())
	m.If(valid, func() { ended.Set(endedNow.Or(holdsEnd)) })

	all := func(x hdl.Bits) hdl.Bits { return x.Rep(p.bytes()) }
	live := stream.KeepTo(end.lane, p.bytes()).Or(all(holdsEnd.Not())).And(all(endedNow.Not()))
	whole := hdl.Select(end.lane, split(beat.keep)...) // the frame has the packet's last byte
	w := word{
		first: delay(m, "word_first", first, 1),
		data:  delay(m, "word", coverData(m, p, beat.data, live, beat.index, beat.tagged, beat.ipv6), 1),
	}
	return w, question{First: first, Last: beat.last, End: holdsEnd.And(whole), Lane: end.lane}
}

// judge compares the state at the packet's end with what it has to be, and
// gives the verdict at the frame's.
func judge(m *hdl.Module, p Params, crc hdl.Bits, ask question, valid hdl.Bits) hdl.Stream[Verdict] {
	right := m.RegN("right", 1)
	match := crc.Eq(m.Table("residue", ask.Lane, 32, residues(p)...))
	rightNow := hdl.Mux(ask.End, match, right.And(ask.First.Not()))
	m.If(valid, func() { right.Set(rightNow) })

	verdict := hdl.NewStream(m, "verdict_made", Verdict{Good: hdl.W(1)})
	verdict.Valid.Set(valid.And(ask.Last))
	verdict.Data.Good.Set(rightNow)
	m.Unused(verdict.Ready) // there is room: see limit
	return verdict
}

// residues are the states after a packet, by the number of its last byte in the
// last beat: zeros follow it there.
func residues(p Params) []uint64 {
	states := make([]uint64, p.bytes())
	for i := range states {
		states[i] = uint64(advance(residue, p.bytes()-1-i))
	}
	return states
}

// split returns the bits of x, bit 0 first.
func split(x hdl.Bits) []hdl.Bits {
	parts := make([]hdl.Bits, x.Width())
	for i := range parts {
		parts[i] = x.Bit(i)
	}
	return parts
}
