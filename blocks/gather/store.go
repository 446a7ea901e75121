package gather

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// stored is a word as the buffer has it.
type stored struct {
	Data  hdl.Bits
	Final hdl.Bits
	Last  hdl.Bits `w:"1"`
}

func (p Params) stored() stored {
	return stored{Data: hdl.W(p.Sizes.DataWidth), Final: hdl.W(p.indexBits())}
}

// store writes words. A packet's first one goes to where the last whole packet ended, whatever was
// written since: that was of one that was given up.
func (b *block) store() {
	m, x := b.m, b.word.Mark
	write := m.Reg("write", b.commit.Width(), 0) // the next word to write, within a packet
	at := hdl.Mux(x.First, b.commit, write)
	behind := at.AddK(1)
	b.buffer = m.RAM("buffer", b.p.words(), hdl.WidthOf(b.p.stored()), hdl.Undefined)
	b.buffer.Write(at.Trunc(b.buffer.AddrWidth()), b.writes, hdl.Pack(stored{b.word.Data, x.Final, x.Last}))
	ends := b.writes.And(x.Last)
	m.If(b.writes, func() { write.Set(behind) })
	m.If(ends.And(x.Err.Not()), func() { b.commit.Set(behind) })
	b.drops = hdl.Mux(ends.And(x.Err), behind.Sub(b.commit), behind.K(0))
	b.results.Valid.Set(ends)
	b.results.Data.Err.Set(x.Err)
	m.Unused(b.results.Ready) // there is room for every packet that was asked for
	m.Assert("results_have_room", ends.Not().Or(b.results.Ready))
	m.Assert("word_has_room", b.writes.Not().Or(at.Sub(b.read).LtK(uint64(b.p.words()))))
}

// send gives out whole packets, a word every cycle: through the register of the
// RAM and one behind it.
func (b *block) send() {
	m, out := b.m, b.io.Payload
	fetched, valid := m.Reg("word_fetched", 1, 0), m.Reg("word_valid", 1, 0)
	data := hdl.NewReg(m, "word_out", b.p.stored())
	load := out.Ready.Or(valid.Not())
	b.leaves = b.read.Ne(b.commit).And(load.Or(fetched.Not()))
	raw := b.buffer.Read("word_read", b.read.Trunc(b.buffer.AddrWidth()), b.leaves)
	m.If(load, func() {
		valid.Set(fetched)
		fetched.SetK(0)
		hdl.Set(data, hdl.Unpack(data, raw))
	})
	m.If(b.leaves, func() {
		fetched.SetK(1)
		b.read.Set(b.read.AddK(1))
	})
	n := b.p.bytes()
	out.Valid.Set(valid)
	hdl.Set(out.Data, stream.Beat{
		Data: data.Data, Keep: stream.KeepTo(data.Final, n).Or(data.Last.Not().Rep(n)), Last: data.Last, Err: hdl.K(1, 0),
	})
}
