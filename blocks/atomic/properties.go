package atomic

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, and that no two atomics under way are about the same word.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "command", io.Command)
	stream.AssumeSource(m, "operands", io.Operands)
	stream.AssumeSource(m, "read_beat", io.Read.Beat)
	stream.AssumeSource(m, "write_done", io.Write.Done)
	stream.AssertSource(m, "result", io.Result)
	stream.AssertSource(m, "done", io.Done)
	stream.AssertSource(m, "read_burst", io.Read.Burst)
	stream.AssertSource(m, "write_burst", io.Write.Burst)
	stream.AssertSource(m, "write_beat", io.Write.Beat)
	m.Assume("aligned", hdl.OrAll(io.Command.Valid.Not(), io.Command.Data.Cancel, io.Command.Data.Addr.Trunc(3).None()))
	m.Assert("takes_words_at_once", io.Read.Beat.Valid.Not().Or(io.Read.Beat.Ready))
	m.Assert("takes_answers_at_once", io.Write.Done.Valid.Not().Or(io.Write.Done.Ready))
	twice := hdl.K(1, 0)
	for i, a := range b.addrs {
		for j := range i {
			twice = twice.Or(hdl.AndAll(b.under[i], b.under[j], a.Eq(b.addrs[j])))
		}
	}
	m.Assert("one_at_a_word", twice.Not())
	m.Assert("ends_what_is_under_way", b.ends.Not().Or(hdl.Select(b.oldest, b.under...)))
}
