package doorbell

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	if s.QPBits < 1 || s.QPBits > 16 || s.CQBits < 1 || s.CQBits > 16 || s.EQBits < 1 || s.EQBits > 16 {
		return fmt.Errorf("doorbell: 2^%d queue pairs, 2^%d completion queues, 2^%d event queues: not 2^1 to 2^16", s.QPBits, s.CQBits, s.EQBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Bell    hdl.Stream[link.Bell]       `hdl:"in"`
	Owner   hdl.Stream[link.BellOwner]  `hdl:"in"`
	SQ      hdl.Stream[link.RingUpdate] `hdl:"out"`
	RQ      hdl.Stream[link.RingUpdate] `hdl:"out"`
	CQ      hdl.Stream[link.CQUpdate]   `hdl:"out"`
	EQ      hdl.Stream[link.EQUpdate]   `hdl:"out"`
	Refused hdl.Bits                    `hdl:"out" w:"1"` // pulse
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("doorbell_qp%d_cq%d_eq%d", s.QPBits, s.CQBits, s.EQBits),
		Doc:  "Lets a doorbell through if it comes from the page of its queue.",
		IO: IO{
			Bell: hdl.StreamOf(link.Bell{}), Owner: hdl.StreamOf(s.BellOwner()),
			SQ: hdl.StreamOf(s.RingUpdate()), RQ: hdl.StreamOf(s.RingUpdate()),
			CQ: hdl.StreamOf(s.CQUpdate()), EQ: hdl.StreamOf(s.EQUpdate()),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			inner := *io
			inner.SQ = link.Before(m, s, "to_sq", io.SQ) // the tables, in block RAM, are late
			inner.RQ = link.Before(m, s, "to_rq", io.RQ)
			inner.CQ = link.Before(m, s, "to_cq", io.CQ)
			inner.EQ = link.Before(m, s, "to_eq", io.EQ)
			body(m, p, &inner)
		},
	}
}

// owner is what the tables know of a queue.
type owner struct {
	Exists hdl.Bits `w:"1"`
	Page   hdl.Bits `w:"16"`
	Number hdl.Bits `w:"16"`
}

// body joins each doorbell with what the tables know of its queue.
func body(m *hdl.Module, p Params, io *IO) {
	s := p.Sizes
	held := hdl.NewReg(m, "held", link.Bell{}) // the doorbell that the tables are read for
	holds := m.Reg("holds", 1, 0)
	leaves := m.Wire("leaves", 1)
	swept := sweep(m, max(s.QPBits, s.CQBits))

	// One address for both: a message of Owner writes where a doorbell would read.
	takes := m.Wire("takes", 1)
	io.Owner.Ready.Set(swept.done)
	io.Bell.Ready.Set(hdl.AndAll(swept.done, io.Owner.Valid.Not(), holds.Not().Or(leaves)))
	takes.Set(io.Bell.Fire())
	qp := table(m, "qp", s.QPBits, link.OwnerQP, io, swept, takes)
	cq := table(m, "cq", s.CQBits, link.OwnerCQ, io, swept, takes)
	m.If(leaves, func() { holds.SetK(0) })
	m.If(takes, func() {
		holds.SetK(1)
		hdl.Set(held, io.Bell.Data)
	})

	good := func(o owner) hdl.Bits {
		return hdl.AndAll(o.Exists, o.Page.Eq(held.Page), o.Number.Eq(held.Number))
	}
	at := func(offset uint64) hdl.Bits { return held.Offset.Is(offset / 4) }
	sq, rq := at(format.DoorbellSQ).And(good(qp)), at(format.DoorbellRQ).And(good(qp))
	next, solicited := at(format.DoorbellArm), at(format.DoorbellArmSolicited)
	forCQ := hdl.OrAll(at(format.DoorbellCQ), next, solicited).And(good(cq))
	forEQ := hdl.AndAll(at(format.DoorbellEQ), held.Page.None(), held.Number.ShrK(s.EQBits).None())

	put(io.SQ, holds.And(sq), link.RingUpdate{QP: held.Number.Trunc(s.QPBits), Index: held.Index})
	put(io.RQ, holds.And(rq), link.RingUpdate{QP: held.Number.Trunc(s.QPBits), Index: held.Index})
	arm := hdl.Mux(next, hdl.K(2, link.ArmNext), hdl.Mux(solicited, hdl.K(2, link.ArmSolicited), hdl.K(2, link.ArmNone)))
	put(io.CQ, holds.And(forCQ), link.CQUpdate{CQ: held.Number.Trunc(s.CQBits), Index: held.Index, Arm: arm})
	put(io.EQ, holds.And(forEQ), link.EQUpdate{EQ: held.Number.Trunc(s.EQBits), Index: held.Index})
	refused := hdl.OrAll(sq, rq, forCQ, forEQ).Not()
	leaves.Set(hdl.OrAll(io.SQ.Fire(), io.RQ.Fire(), io.CQ.Fire(), io.EQ.Fire(), refused).And(holds))
	io.Refused.Set(holds.And(refused))
	m.Event("sq_doorbell", io.SQ.Fire(), hdl.Field("qp", io.SQ.Data.QP), hdl.Field("producer", io.SQ.Data.Index))
	m.Event("rq_doorbell", io.RQ.Fire(), hdl.Field("qp", io.RQ.Data.QP), hdl.Field("producer", io.RQ.Data.Index))
	m.Event("cq_doorbell", io.CQ.Fire(),
		hdl.Field("cq", io.CQ.Data.CQ), hdl.Field("consumer", io.CQ.Data.Index), hdl.Field("arm", io.CQ.Data.Arm))
	properties(m, p, io)
}

// put drives a stream: data, while valid is one.
func put[T any](to hdl.Stream[T], valid hdl.Bits, data T) {
	to.Valid.Set(valid)
	hdl.Set(to.Data, data)
}

// sweeping is the clearing of the tables after reset.
type sweeping struct {
	done hdl.Bits
	at   hdl.Bits
}

func sweep(m *hdl.Module, bits int) sweeping {
	count := m.Reg("sweep", bits+1, 0)
	done := count.MSB()
	m.If(done.Not(), func() { count.Set(count.AddK(1)) })
	return sweeping{done: done, at: count.Trunc(bits)}
}

// table is the owners of queues of one kind: what it knows of the doorbell that
// takes says comes in is there a cycle later, and stays.
func table(m *hdl.Module, name string, bits int, kind uint64, io *IO, swept sweeping, takes hdl.Bits) owner {
	ram := m.RAM(name+"_owners", 1<<bits, hdl.WidthOf(owner{}), hdl.Undefined)
	set := io.Owner.Fire().And(io.Owner.Data.Kind.Is(kind))
	at := hdl.Mux(swept.done, io.Owner.Data.Index.Trunc(bits), swept.at.Trunc(bits))
	entry := owner{
		Exists: io.Owner.Data.Exists.And(swept.done),
		Page:   io.Owner.Data.Page, Number: io.Owner.Data.Number,
	}
	ram.Write(at, set.Or(swept.done.Not()), hdl.Pack(entry))
	return hdl.Unpack(owner{}, ram.Read(name+"_owner", io.Bell.Data.Number.Trunc(bits), takes))
}
