package command

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// turn returns one bit: it is the turn of this telling.
func (b *block) turn(what int) hdl.Bits {
	before := hdl.K(1, 0)
	if what > 0 {
		before = b.untold.Slice(what-1, 0).Any()
	}
	return hdl.AndAll(b.st.Is(stTell), b.untold.Bit(what), before.Not())
}

// tell tells the owners, one after the other.
func (b *block) tell() {
	m, io := b.m, b.io
	for what := range tellings {
		turn := b.turn(what)
		m.If(turn.And(b.telling(what, turn)), func() {
			b.untold.Set(b.untold.And(tell(what).Not()))
		})
	}
	io.TxPassed.Ready.SetK(1)
	io.RxPassed.Ready.SetK(1)
	m.Unused(io.TxPassed.Data.Token, io.RxPassed.Data.Token)
	m.If(b.st.Is(stJudge), func() {
		b.passed.tx.SetK(0)
		b.passed.rx.SetK(0)
	})
	m.If(io.TxPassed.Valid, func() { b.passed.tx.SetK(1) })
	m.If(io.RxPassed.Valid, func() { b.passed.rx.SetK(1) })
}

// telling drives the stream of a telling, and returns one bit: it is taken.
func (b *block) telling(what int, turn hdl.Bits) hdl.Bits {
	io := b.io
	switch what {
	case tellKey:
		kind := hdl.Mux(b.in.is(format.CmdWriteKey), hdl.K(3, link.KeyWrite),
			hdl.Mux(b.in.is(format.CmdInvalidate), hdl.K(3, link.KeyInvalidate),
				hdl.Mux(b.in.is(format.CmdForgetKeys), hdl.K(3, link.KeyForget), hdl.K(3, link.KeyQuery))))
		return put(io.Key, turn, link.KeyCommand{Kind: kind, Entry: b.in.key})
	case tellKeyDone:
		return b.keyDone(turn)
	case tellFlush:
		io.Flush.Set(turn)
		return turn
	case tellPSN:
		return b.control()
	case tellTimers, tellClear:
		return b.io.Control.Ready // tellPSN drives it
	case tellContext:
		return put(io.Write, turn, b.contextWrite())
	case tellTxFence:
		return put(io.TxFence, turn, link.Fence{Token: hdl.K(2, 0)})
	case tellRxFence:
		return put(io.RxFence, turn, link.Fence{Token: hdl.K(2, 0)})
	case tellPassed:
		return b.passed.tx.And(b.passed.rx)
	case tellSQ:
		q := b.in.createQP
		return put(io.SQ, turn, b.ring(q.SQBase, q.SQLogSize, q.SQLogStride))
	case tellRQ:
		q := b.in.createQP
		return put(io.RQ, turn, b.ring(q.RQBase, q.RQLogSize, q.RQLogStride))
	case tellOwner:
		return put(io.Owner, turn.Or(b.turn(tellDisown)), b.owner())
	case tellDisown:
		return b.io.Owner.Ready // tellOwner drives it
	case tellQueue:
		return b.queue(turn)
	case tellSettle:
		return b.io.CQ.Ready // tellQueue drives it
	case tellWake:
		return put(io.Wake, turn, link.QPRef{QP: b.qp})
	}
	return turn // the counts are in this block
}

// put drives a stream in its turn. It returns one bit: that the taker is ready.
func put[T any](to hdl.Stream[T], turn hdl.Bits, data T) hdl.Bits {
	to.Valid.Set(turn)
	hdl.Set(to.Data, data)
	return to.Ready
}

// keyDone takes the outcome of a key command; a failed one leaves nothing in the mailbox.
func (b *block) keyDone(turn hdl.Bits) hdl.Bits {
	m, done := b.m, b.io.KeyDone
	done.Ready.SetK(1)
	m.Unused(b.key.Status, b.key.Vendor, b.key.Ended)
	m.If(turn.And(done.Valid), func() {
		hdl.Set(b.key, done.Data)
		b.status.Set(done.Data.Status.ZExt(8))
		b.reply.Set(b.reply.And(done.Data.Status.None()))
	})
	return done.Valid
}

// control drives Control, which has three turns: the first PSN, timers, and all state.
func (b *block) control() hdl.Bits {
	in, control := b.in.modify, b.io.Control
	first, timers, clear := b.turn(tellPSN), b.turn(tellTimers), b.turn(tellClear)
	send := b.has(format.AttrSQPSN)
	drain := send.Or(b.has(format.AttrRQPSN)).Not()
	kind := hdl.Mux(send, hdl.K(3, link.ControlSendPSN), hdl.Mux(drain, hdl.K(3, link.ControlDrain), hdl.K(3, link.ControlRecvPSN)))
	wanted := b.has(format.AttrNotify).And(in.Notify.Bit(0)).ZExt(24)
	psn := hdl.Mux(send, in.SQPSN, hdl.Mux(drain, wanted, in.RQPSN))
	kind = hdl.Mux(timers, hdl.K(3, link.ControlTimers), kind)
	psn = hdl.Mux(timers, b.timers().PSN(), psn)
	control.Valid.Set(hdl.OrAll(first, timers, clear))
	hdl.Set(control.Data, link.QPControl{
		QP: b.qp, Kind: hdl.Mux(clear, hdl.K(3, link.ControlClear), kind), PSN: hdl.Mux(clear, psn.K(0), psn),
	})
	return control.Ready
}

// timers are those of the queue pair from now on.
func (b *block) timers() link.Timers {
	in, was := b.in.modify, b.found.Context
	now := func(attr int, value, old hdl.Bits) hdl.Bits {
		return hdl.Mux(b.has(attr), value.Trunc(old.Width()), old)
	}
	return link.Timers{
		Timeout:  now(format.AttrTimeout, in.Timeout, was.Timeout),
		RetryCnt: now(format.AttrRetryCnt, in.RetryCnt, was.RetryCnt),
		RNRRetry: now(format.AttrRNRRetry, in.RNRRetry, was.RNRRetry),
	}
}

// ring is a ring of a new queue pair; or of one that is reset or destroyed, of which nothing is read any more.
func (b *block) ring(base, logSize, logStride hdl.Bits) link.RingConfig {
	return link.RingConfig{QP: b.qp, Keep: b.in.is(format.CmdModifyQP, format.CmdDestroyQP), Base: base, LogSize: logSize, LogStride: logStride.Bit(0)}
}

// owner gives a queue its doorbell page, or takes it away.
func (b *block) owner() link.BellOwner {
	in := b.in
	forCQ := in.is(format.CmdCreateCQ, format.CmdDestroyCQ)
	makes := in.is(format.CmdCreateCQ, format.CmdCreateQP)
	w := b.io.Owner.Data.Index.Width()
	return link.BellOwner{
		Kind:  hdl.Mux(forCQ, hdl.K(1, link.OwnerCQ), hdl.K(1, link.OwnerQP)),
		Index: hdl.Mux(forCQ, b.tables.cqAt.ZExt(w), b.qp.ZExt(w)), Exists: makes,
		Page: hdl.Mux(forCQ, in.createCQ.Page, in.createQP.Page), Number: in.number.Trunc(16),
	}
}

// queue tells of a completion or event queue that is made or goes.
func (b *block) queue(turn hdl.Bits) hdl.Bits {
	in, s := b.in, b.p.Sizes
	forCQ := in.is(format.CmdCreateCQ, format.CmdDestroyCQ)
	settles := b.turn(tellSettle)
	cq := put(b.io.CQ, turn.And(forCQ).Or(settles), link.CQConfig{
		CQ: b.tables.cqAt, Keep: settles, Exists: in.is(format.CmdCreateCQ), EQ: in.createCQ.EQN.Trunc(s.EQBits),
		LogSize: in.createCQ.LogSize.Trunc(4), Base: in.createCQ.Base,
	})
	eq := put(b.io.EQ, turn.And(forCQ.Not()), link.EQConfig{
		EQ: in.number.Trunc(s.EQBits), Exists: in.is(format.CmdCreateEQ), Vector: in.createEQ.Vector,
		LogSize: in.createEQ.LogSize.Trunc(4), Base: in.createEQ.Base,
	})
	return hdl.Mux(forCQ, cq, eq)
}

// contextWrite is the queue pair as the command makes it.
func (b *block) contextWrite() link.ContextWrite {
	creates, destroys := b.in.is(format.CmdCreateQP), b.in.is(format.CmdDestroyQP)
	changed := b.changed()
	next := hdl.MuxOf(creates, b.created(), changed.Context)
	next.Exists = destroys.Not()
	return link.ContextWrite{QP: b.qp, Lookup: link.Lookup{Context: next, Address: changed.Address}}
}

// created is a new queue pair: in state RESET, and without attributes.
func (b *block) created() link.Context {
	q, s := b.in.createQP, b.p.Sizes
	zero := hdl.Unpack(s.Context(), hdl.K(hdl.WidthOf(s.Context()), 0))
	zero.QPN, zero.PD, zero.SigAll = q.QPN, q.PD, q.SigAll.Bit(0)
	zero.Congestion = q.Congestion.Bit(0)
	zero.SQStride, zero.RQStride = q.SQLogStride.Bit(0), q.RQLogStride.Bit(0)
	zero.SendCQ, zero.RecvCQ = q.SendCQ.Trunc(s.CQBits), q.RecvCQ.Trunc(s.CQBits)
	zero.State = hdl.K(3, uint64(format.QPReset))
	return zero
}

// changed is the queue pair with the attributes of ModifyQP.
func (b *block) changed() link.Lookup {
	in, l := b.in.modify, b.found
	c := &l.Context
	put := func(attr int, field *hdl.Bits, value hdl.Bits) {
		*field = hdl.Mux(b.has(attr), value.Trunc(field.Width()), *field)
	}
	c.State = b.nextState()
	put(format.AttrAccess, &c.Access, in.Access)
	put(format.AttrPathMTU, &c.PathMTU, in.PathMTU)
	put(format.AttrDestQPN, &c.DestQPN, in.DestQPN)
	put(format.AttrMinRNR, &c.MinRNR, in.MinRNR)
	put(format.AttrTimeout, &c.Timeout, in.Timeout)
	put(format.AttrRetryCnt, &c.RetryCnt, in.RetryCnt)
	put(format.AttrRNRRetry, &c.RNRRetry, in.RNRRetry)
	put(format.AttrMaxRD, &c.MaxRD, in.MaxRD)
	put(format.AttrMaxDestRD, &c.MaxDestRD, in.MaxDestRD)
	a, v := &l.Address, in.AV
	put(format.AttrAV, &a.DstMAC, v.DstMAC)
	put(format.AttrAV, &a.HopLimit, v.HopLimit)
	put(format.AttrAV, &a.TrafficClass, v.TrafficClass)
	put(format.AttrAV, &a.FlowLabel, v.FlowLabel)
	put(format.AttrAV, &a.IPv6, v.IPv6)
	put(format.AttrAV, &a.VLAN, v.VLAN)
	put(format.AttrAV, &a.TCI, v.TCI)
	put(format.AttrAV, &a.SrcPort, v.SrcPort)
	put(format.AttrAV, &a.SrcHi, v.SrcHi)
	put(format.AttrAV, &a.SrcLo, v.SrcLo)
	put(format.AttrAV, &a.DstHi, v.DstHi)
	put(format.AttrAV, &a.DstLo, v.DstLo)
	return l
}
