package replay

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// lutQueue is the largest queue that is kept in LUT RAM.
const lutQueue = 64

// starts is the queue pairs whose first packet has been recorded and not been told of: a queue, in which each stands at
// most once, so that Record waits for nobody who is told; and a bit of each, that it stands there.
type starts struct {
	enters, leaves *hdl.Memory // a bit of each queue pair, written as it enters, and as it leaves: they differ while it is there
	swept          hdl.Bits    // all of them are zero or have been written since reset
	sweep          hdl.Bits
}

func (b *block) newStarts() starts {
	m, bits := b.m, b.p.Sizes.QPBits
	sweep := m.Reg("starts_sweep", bits+1, 0)
	m.If(sweep.MSB().Not(), func() { sweep.Set(sweep.AddK(1)) })
	return starts{
		enters: m.LUTRAM("start_enters", 1<<bits, 1), leaves: m.LUTRAM("start_leaves", 1<<bits, 1),
		swept: sweep.MSB(), sweep: sweep.Trunc(bits),
	}
}

// stand returns one bit: the queue pair stands in the queue.
func (s starts) stand(qp hdl.Bits) hdl.Bits { return s.enters.At(qp).Xor(s.leaves.At(qp)) }

// write writes the bit of a queue pair in one of the memories, and after reset all of them.
func (s starts) write(mem *hdl.Memory, qp, en, value hdl.Bits) {
	mem.Write(hdl.Mux(s.swept, qp, s.sweep), en.Or(s.swept.Not()), value.And(s.swept))
}

// start tells of the first packet of each ring, and says whether a ring has packets that were told of: so whoever looks sees
// none before the timer has been started for it.
func (b *block) start() {
	m, s, out, waits := b.m, b.starts, b.io.Started, b.io.Waits
	qp, removes := b.io.Record.Data.QP, b.io.Retired
	left := b.sent.At(qp).Sub(b.gone.At(qp)) // packets in the ring, the one that is just removed among them
	lone := hdl.AndAll(removes.Fire(), b.leaves, removes.Data.QP.Eq(qp), left.Is(1))
	first := hdl.AndAll(b.enters, b.packet, left.None().Or(lone))
	enters := first.And(s.stand(qp).Not())

	def := stream.FIFODef(b.p.Sizes.QPRef(), 1<<b.p.Sizes.QPBits)
	if 1<<b.p.Sizes.QPBits > lutQueue {
		def = stream.BlockFIFODef(b.p.Sizes.QPRef(), 1<<b.p.Sizes.QPBits)
	}
	queue := hdl.Instance(m, "u_starts", def)
	queue.In.Valid.Set(enters)
	queue.In.Data.QP.Set(qp)
	hdl.Connect(out, queue.Out)
	s.write(s.enters, qp, enters, s.leaves.At(qp).Not())
	s.write(s.leaves, out.Data.QP, out.Fire(), s.enters.At(out.Data.QP))
	waits.Waits.Set(b.sent.At(waits.QP).Ne(b.gone.At(waits.QP)).And(s.stand(waits.QP).Not()))

	m.Unused(queue.Level, queue.HighWater, queue.In.Ready) // it has room for all queue pairs
	m.Assert("starts_have_room", queue.In.Valid.Not().Or(queue.In.Ready))
	m.Cover("start_as_last_leaves", first.And(lone))
	m.Cover("start_while_it_stands", first.And(s.stand(qp)))
	m.Event("started", out.Fire(), hdl.Field("qp", out.Data.QP))
}
