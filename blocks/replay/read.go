package replay

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// reader is the questions of those who send again, one at a time.
type reader struct {
	reading hdl.Bits // an entry is being read,
	valid   hdl.Bits // and offered
	early   placed   // what is known before the entry is
}

// placed is where in a ring the reader's entry is.
type placed struct {
	Any    hdl.Bits `w:"1"`
	Index  hdl.Bits `w:"16"`
	Newest hdl.Bits `w:"1"`
}

// read takes a question of the reader where the completer asks none, as the entries have one read port, and none is
// recorded, which it could meet in the memory. It returns where to read, and whether to.
func (b *block) read() (at, reads hdl.Bits) {
	m, ask := b.m, b.io.Reader.Request
	b.reader = reader{reading: m.Reg("read_reading", 1, 0), valid: m.Reg("read_out", 1, 0), early: hdl.NewReg(m, "read_early", placed{})}
	r := b.reader
	ask.Ready.Set(hdl.OrAll(r.reading, r.valid, b.peeks, b.enters).Not())
	found := b.find()
	m.If(ask.Fire(), func() { hdl.Set(r.early, found) })
	r.reading.Set(ask.Fire())
	return b.place(ask.Data.QP, found.Index), ask.Fire()
}

// find says where the entry is that the reader asks for.
func (b *block) find() placed {
	ask := b.io.Reader.Request.Data
	head, tail := b.heads.At(ask.QP), b.tails.At(ask.QP)
	oldest := ask.Oldest.Or(ask.Index.Sub(head).MSB()) // or it has been removed
	fromHead, fromIndex := tail.Sub(head), tail.Sub(ask.Index)
	return placed{
		Any:    hdl.Mux(oldest, fromHead.Any(), fromIndex.Any().And(fromIndex.MSB().Not())),
		Index:  hdl.Mux(oldest, head, ask.Index),
		Newest: hdl.Mux(oldest, fromHead.Is(1), fromIndex.Is(1)),
	}
}

// reply answers the reader, who gets the word of the cycle after its question.
func (b *block) reply() {
	m, r, reply := b.m, b.reader, b.io.Reader.Reply
	out := hdl.NewReg(m, "read_found", link.ReplayFound{})
	m.If(reply.Ready, func() { r.valid.SetK(0) })
	m.If(r.reading, func() {
		r.valid.SetK(1)
		hdl.Set(out, link.ReplayFound{Any: r.early.Any, Index: r.early.Index, Newest: r.early.Newest, Entry: hdl.Unpack(link.ReplayEntry{}, b.word)})
	})
	reply.Valid.Set(r.valid)
	hdl.Set(reply.Data, out)
}
