package requester

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// inlineBytes is a granule of inline data.
const inlineBytes = format.GranuleBytes

// inline takes granules of the WQE and puts them on the stream, one by one.
func (s *sender) inline() {
	m := s.m
	m.If(s.inlineOut.Fire(), func() {
		s.msg.SGE.Set(s.msg.SGE.AddK(1))
		s.need.Set(s.need.SubK(inlineBytes))
		m.If(s.inlineOut.Data.Last, func() { s.st.Goto(stEnd) })
	})
}

// inlinePort makes beats of the granules that come.
func (s *sender) inlinePort() {
	m, out := s.m, s.inlineOut
	held := m.Reg("inline_here", 1, 0)
	word := m.RegN("inline_word", 8*inlineBytes)
	m.If(out.Fire(), func() { held.SetK(0) })
	m.If(s.extra.Comes.And(s.st.Is(stInline)), func() {
		held.SetK(1)
		word.Set(s.io.Queue.Granule.Data.Data)
	})
	last := s.need.LeK(inlineBytes)
	out.Valid.Set(held)
	out.Data.Data.Set(word)
	out.Data.Keep.Set(hdl.Mux(last, stream.KeepTo(s.need.Trunc(4).SubK(1), inlineBytes), hdl.Ones(inlineBytes)))
	out.Data.Last.Set(last)
	out.Data.Err.SetK(0)
	s.inlineWants = held.Not()
	hdl.Connect(s.io.Inline, stream.Resize(m, "u_inline", out, s.p.Sizes.DataWidth))
}
