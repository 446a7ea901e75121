package cqewriter

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// judgeState is the step of judging a completion or a doorbell.
type judgeState int

const (
	stTake   judgeState = iota // it comes in; the state of its queue is read
	stCount                    // what is in the ring is counted
	stDecide                   // what becomes of it
)

func (s judgeState) String() string { return [...]string{"take", "count", "decide"}[s] }

// judge decides over completions and doorbells, one at a time.
func (b *block) judge() {
	m, update := b.m, b.io.Update
	next, from := stream.RoundRobin(m, "u_completions", b.io.Completions...)
	m.Unused(from)
	st := hdl.NewFSM(m, "judge", stTake, stCount, stDecide)
	seen := hdl.NewReg(m, "doorbell", hdl.Proto(update.Data))
	done := hdl.NewReg(m, "judged", hdl.Proto(next.Data))
	isUpdate := m.Reg("is_update", 1, 0) // what is judged, or was last

	open := hdl.AndAll(st.Is(stTake), b.swept(), b.io.Config.Valid.Not())
	update.Ready.Set(open.And(hdl.OrAll(isUpdate.Not(), next.Valid.Not())))
	next.Ready.Set(open.And(hdl.OrAll(isUpdate, update.Valid.Not())))
	takes := update.Fire().Or(next.Fire())
	cq := hdl.Mux(update.Fire(), update.Data.CQ, next.Data.CQ)
	r := hdl.Unpack(ring{}, b.rings.Read("ring", cq, takes))
	f := hdl.Unpack(fill{}, b.fills.Read("fill", cq, takes))
	consumer := b.consumers.Read("consumer", cq, takes)

	used := m.RegN("used", 16)   // CQEs that software has not seen
	moved := m.RegN("moved", 16) // CQEs that it has seen since the last doorbell
	exists := m.RegN("exists", 1)
	at := hdl.NewReg(m, "place", place{}) // of a CQE
	moves := m.Wire("judge_moves", 1)     // the decision is taken
	st.Switch(
		hdl.On(stTake, func() {
			hdl.Set(seen, update.Data)
			hdl.Set(done, next.Data)
			m.If(takes, func() {
				isUpdate.Set(update.Fire())
				st.Goto(stCount)
			})
		}),
		hdl.On(stCount, func() {
			unseen := f.Producer.Sub(consumer)
			used.Set(unseen)
			moved.Set(seen.Index.Sub(consumer))
			exists.Set(r.Exists)
			hdl.Set(at, placeOf(r, f, unseen, b.failed.At(done.CQ)))
			st.Goto(stDecide)
		}),
		hdl.On(stDecide, func() { m.If(moves, func() { st.Goto(stTake) }) }),
	)
	decides := st.Is(stDecide)
	fills := b.complete(decides.And(isUpdate.Not()), done, at, exists)
	seenBy := b.consume(decides.And(isUpdate), seen, exists.And(moved.Le(used)))
	moves.Set(fills.Or(seenBy))

	settled := hdl.AndAll(st.Is(stTake), b.swept(), b.flights.Out.Valid.Not(), b.retires.Not())
	b.io.Config.Ready.Set(settled)
	b.making.Set(b.io.Config.Fire().And(b.io.Config.Data.Keep.Not()))
}

// place is where a CQE goes.
type place struct {
	At       hdl.Bits `w:"59"` // bus address in CQEs
	Phase    hdl.Bits `w:"1"`
	Producer hdl.Bits `w:"16"` // its index
	Over     hdl.Bits `w:"1"`  // there is no room for it, or was none for one before it
	Lost     hdl.Bits `w:"1"`  // it goes nowhere
}

// placeOf is the next place of a ring.
func placeOf(r ring, f fill, unseen, failed hdl.Bits) place {
	mask := hdl.Ones(maxLogSize + 1).Shl(r.LogSize).Not()
	over := f.Over.Or(hdl.Select(r.LogSize, bitsOf(unseen)...))
	return place{
		At:    r.Base.Or(f.Producer.And(mask).ZExt(r.Base.Width())),
		Phase: hdl.Select(r.LogSize, bitsOf(f.Producer)...).Not(), Producer: f.Producer,
		Over: over, Lost: hdl.OrAll(r.Exists.Not(), over, failed),
	}
}

// complete sends a CQE to memory unless it is lost, and notes what is to be said of it.
// It returns one bit: both have been taken.
func (b *block) complete(valid hdl.Bits, c link.Completion, at place, exists hdl.Bits) hdl.Bits {
	jobs, flights := b.jobs.In, b.flights.In
	jobs.Valid.Set(hdl.AndAll(valid, at.Lost.Not(), flights.Ready))
	flights.Valid.Set(valid.And(at.Lost.Or(jobs.Ready)))
	hdl.Set(jobs.Data, job{At: at.At, CQE: cqe(c, at.Phase)})

	behind := at.Producer.AddK(1)
	hdl.Set(flights.Data, flight{
		CQ: c.CQ, QP: c.QP, Producer: behind, Solicited: c.Solicited, Lost: at.Lost, Nowhere: exists.Not(),
	})
	b.m.Event("cqe_leaves", jobs.Fire(),
		hdl.Field("cq", c.CQ), hdl.Field("index", at.Producer), hdl.Field("qpn", c.QPN), hdl.Field("queue", c.Queue),
		hdl.Field("status", c.Status))
	b.set(b.fills, c.CQ, flights.Fire(), hdl.Pack(fill{Producer: hdl.Mux(at.Lost, at.Producer, behind), Over: at.Over}))
	return flights.Fire()
}

// consume passes a doorbell on that is good. It returns one bit: that is done, or
// it was not good.
func (b *block) consume(valid hdl.Bits, u link.CQUpdate, good hdl.Bits) hdl.Bits {
	b.io.Seen.Valid.Set(valid.And(good))
	hdl.Set(b.io.Seen.Data, u)
	b.set(b.consumers, u.CQ, b.io.Seen.Fire(), u.Index)
	return valid.And(good.Not().Or(b.io.Seen.Ready))
}

// cqe is a CQE as it is in memory.
func cqe(c link.Completion, phase hdl.Bits) hdl.Bits {
	return hdl.PackLow(format.CQE[hdl.Bits]{
		WRID: c.WRID, ByteLen: c.ByteLen, Imm: c.Imm, QPN: c.QPN, Status: c.Status, WQEIndex: c.WQEIndex, Opcode: c.Opcode,
		Flags: c.Flags.ZExt(8), Vendor: c.Vendor.ZExt(16), Reserved: hdl.K(46, 0), Queue: c.Queue, Phase: phase,
	})
}

// bitsOf is the bits of a number, from the lowest up.
func bitsOf(x hdl.Bits) []hdl.Bits {
	var all []hdl.Bits
	for i := range x.Width() {
		all = append(all, x.Bit(i))
	}
	return all
}
