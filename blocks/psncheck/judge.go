package psncheck

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// judged is what is known of the packet at hand, from the cycle on in which the
// state of its queue pair has been read.
type judged struct {
	known    hdl.Bits // all that follows has a meaning
	fresh    hdl.Bits // in the first cycle of that
	state    state
	distance hdl.Bits // of its PSN from the expected one (protocol section 3.2)
	request  hdl.Bits // it is a request to be judged by its PSN
	kind     hdl.Bits // link.PSNExpected, PSNDuplicate or PSNAhead, if it is
	response hdl.Bits // it is a response
	badQP    hdl.Bits // there is no such queue pair,
	badAddr  hdl.Bits // it has other addresses,
	badState hdl.Bits // or a state that takes none such
	ignored  hdl.Bits // it is a CNP for a queue pair without congestion control
	marked   hdl.Bits // it has the mark of congestion
	owesReq  hdl.Bits // a Request has not been taken,
	owesTell hdl.Bits // an Async has not been taken
	owesCNP  hdl.Bits // nor a CNP,
	owesMark hdl.Bits // nor a Marked
}

// judge reads the state of the packet's queue pair when no other request of it stands
// in the way, and then says what the packet is.
func (b *block) judge() {
	m, io, f := b.m, b.io, b.found.Data
	n := &b.now
	n.known, n.fresh = m.Reg("known", 1, 0), m.Reg("fresh", 1, 0)
	n.state, n.distance = hdl.NewReg(m, "now", state{}), m.RegN("distance", 24)
	n.request, n.response = m.RegN("is_request", 1), m.RegN("is_response", 1)
	n.ignored, n.marked = m.RegN("is_ignored_cnp", 1), m.RegN("is_marked", 1)
	n.owesCNP, n.owesMark = m.RegN("owes_cnp", 1), m.RegN("owes_marked", 1)
	n.badQP, n.badAddr, n.badState = m.RegN("is_bad_qp", 1), m.RegN("is_bad_address", 1), m.RegN("is_bad_state", 1)
	n.owesReq, n.owesTell = m.RegN("owes_request", 1), m.RegN("owes_async", 1)

	response := isResponse(f.Opcode)
	packet, from := f.Dead.Not(), f.Source.And(f.Dest)
	fits := hdl.AndAll(packet, f.Number, from, stateTakes(f.Context.State, response))
	request := hdl.AndAll(fits, response.Not(), f.CNP.Not())
	now := hdl.Unpack(state{}, b.states.At(f.QP))
	waits := request.And(b.locks.holds(f.QP, f.Resource))
	reads := hdl.AndAll(b.found.Valid, n.known.Not(), waits.Not())
	n.fresh.Set(reads)
	b.locks.choose(f.QP)
	m.If(reads, func() {
		n.known.SetK(1)
		hdl.Set(n.state, now)
		n.distance.Set(f.PSN.Sub(now.Expected))
		alive := request.And(now.Dead.Not())
		n.request.Set(alive)
		n.response.Set(fits.And(response))
		n.badQP.Set(packet.And(f.Number.Not()))
		elsewhere := from.Not().And(hasAddress(f.Context.State))
		n.badAddr.Set(hdl.AndAll(packet, f.Number, elsewhere))
		n.badState.Set(hdl.AndAll(packet, f.Number, elsewhere.Not(), fits.Not().Or(request.And(now.Dead))))
		marked, controlled := f.CNP.Not().And(f.Marked), f.Context.Congestion
		n.ignored.Set(hdl.AndAll(fits, f.CNP, controlled.Not()))
		n.marked.Set(fits.And(marked))
		n.owesCNP.Set(hdl.AndAll(fits, f.CNP, controlled))
		n.owesMark.Set(hdl.AndAll(fits, marked, controlled))
		n.owesReq.Set(hdl.OrAll(alive, fits.And(response), f.Dead, f.PayloadLen.Any()))
		n.owesTell.Set(hdl.AndAll(alive, f.Context.State.Is(uint64(format.QPRTR)), now.Established.Not()))
	})

	// Half of the numbers are ahead, half behind.
	kind := func(k uint64) hdl.Bits { return hdl.K(3, k) }
	behind := n.distance.MSB()
	n.kind = hdl.Mux(n.distance.None(), kind(link.PSNExpected), hdl.Mux(behind, kind(link.PSNDuplicate), kind(link.PSNAhead)))

	fence := b.fences
	other := hdl.Mux(f.Dead, kind(link.PSNDead), hdl.Mux(n.response, kind(link.PSNResponse), kind(link.PSNIgnored)))
	io.Fence.Ready.Set(fence.And(io.Request.Ready))
	io.Request.Valid.Set(n.known.And(n.owesReq).Or(fence))
	hdl.Set(io.Request.Data, link.RxRequest{
		Kind: hdl.Mux(fence, kind(link.PSNFence), hdl.Mux(n.request, n.kind, other)),
		QP:   f.QP, Opcode: f.Opcode, Undefined: f.Undefined, SE: f.SE, AckReq: f.AckReq, PadCnt: f.PadCnt,
		PSN: hdl.Mux(fence, io.Fence.Data.Token.ZExt(24), f.PSN), Expected: n.state.Expected, SendNAK: n.state.NAKSent.Not(),
		Ext: f.Ext, PayloadLen: hdl.Mux(fence, f.PayloadLen.K(0), f.PayloadLen), Context: f.Context,
	})

	io.Async.Valid.Set(n.known.And(n.owesTell))
	hdl.Set(io.Async.Data, link.Async{Code: hdl.K(8, uint64(format.EventCommEst)), Vendor: hdl.K(5, 0), Number: f.Context.QPN})

	m.If(n.known.And(io.Request.Ready), func() { n.owesReq.SetK(0) })
	m.If(n.known.And(io.Async.Ready), func() { n.owesTell.SetK(0) })
	leaves := hdl.AndAll(n.known, n.owesReq.Not().Or(io.Request.Ready), n.owesTell.Not().Or(io.Async.Ready), b.congestion())
	b.found.Ready.Set(leaves)
	m.If(leaves, func() { n.known.SetK(0) })

	m.Event("psn_checked", n.fresh.And(n.request),
		hdl.Field("qp", f.QP), hdl.Field("opcode", f.Opcode), hdl.Field("psn", f.PSN), hdl.Field("expected", n.state.Expected),
		hdl.Field("kind", n.kind))
	aeth := hdl.Unpack(format.AETH[hdl.Bits]{}, f.Ext[0])
	m.Event("response", n.fresh.And(n.response),
		hdl.Field("qp", f.QP), hdl.Field("opcode", f.Opcode), hdl.Field("psn", f.PSN), hdl.Field("syndrome", aeth.Syndrome), hdl.Field("msn", aeth.MSN))
	io.BadQP.Set(n.fresh.And(n.badQP))
	io.BadAddress.Set(n.fresh.And(n.badAddr))
	io.BadState.Set(n.fresh.And(n.badState))
	io.CNPIgnored.Set(n.fresh.And(n.ignored))
	io.ECNMarked.Set(n.fresh.And(n.marked))
	io.Duplicate.Set(hdl.AndAll(n.fresh, n.request, n.kind.Is(link.PSNDuplicate)))
	io.Ahead.Set(hdl.AndAll(n.fresh, n.request, n.kind.Is(link.PSNAhead)))
}

// congestion tells of CNPs and marks, and returns one bit: none waits.
func (b *block) congestion() hdl.Bits {
	m, n := b.m, b.now
	offer := func(owes hdl.Bits, to hdl.Stream[link.QPRef]) hdl.Bits {
		to.Valid.Set(n.known.And(owes))
		to.Data.QP.Set(b.found.Data.QP)
		m.If(n.known.And(to.Ready), func() { owes.SetK(0) })
		return owes.Not().Or(to.Ready)
	}
	return hdl.AndAll(offer(n.owesCNP, b.io.CNP), offer(n.owesMark, b.io.Marked))
}

// isResponse tells responses from requests: protocol section 2, step 5.
func isResponse(opcode hdl.Bits) hdl.Bits {
	return opcode.GeK(uint64(format.OpReadResponseFirst)).And(opcode.LeK(uint64(format.OpAtomicAck)))
}

// isResource tells the requests that a responder resource is for, which SENDs and WRITEs
// do not pass (package doc, Order).
func isResource(opcode hdl.Bits) hdl.Bits {
	return hdl.OrAll(opcode.Is(uint64(format.OpReadRequest)), isAtomic(opcode))
}

func isAtomic(opcode hdl.Bits) hdl.Bits {
	return hdl.OrAll(opcode.Is(uint64(format.OpCmpSwap)), opcode.Is(uint64(format.OpFetchAdd)))
}

// stateTakes is the table of protocol section 5.2.
func stateTakes(s, response hdl.Bits) hdl.Bits {
	is := func(q format.QPState) hdl.Bits { return s.Is(uint64(q)) }
	return hdl.OrAll(is(format.QPRTS), is(format.QPSQD), is(format.QPRTR).And(response.Not()))
}

// hasAddress tells the states in which software has said where the peer is.
func hasAddress(s hdl.Bits) hdl.Bits {
	return s.IsNot(uint64(format.QPReset)).And(s.IsNot(uint64(format.QPInit)))
}

// keep writes the state. It has one writer at a time: the judge for a NAK or an event,
// in the first cycle in which he knows of it, then Outcome, then Control.
func (b *block) keep() {
	m, io, n := b.m, b.io, b.now
	f := b.found.Data
	naks := hdl.AndAll(n.fresh, n.request, n.kind.Is(link.PSNAhead))
	b.locks.lock(hdl.AndAll(n.fresh, n.request, n.kind.Is(link.PSNExpected)), f.QP, f.Atomic)

	tells := n.fresh.And(n.owesTell)
	marks := naks.Or(tells)

	out, control := io.Outcome, io.Control
	out.Ready.Set(marks.Not())
	b.locks.unlock(out.Fire(), out.Data.QP, out.Data.Advance.None())
	io.AtomicDone.Ready.Set(out.Fire().Not())
	b.locks.executed(io.AtomicDone.Fire(), io.AtomicDone.Data.QP)
	b.locks.settle()
	was := hdl.Unpack(state{}, b.states.At(out.Data.QP))
	m.Unused(was.NAKSent, was.Dead)

	control.Ready.Set(marks.Or(out.Valid).Not())
	peeked := m.RegN("peeked", 24)
	peeked.Set(hdl.Unpack(state{}, b.states.At(io.Peek.QP)).Expected)
	io.Peek.Value.Set(peeked)
	d := control.Data
	zero := d.PSN.K(0)
	begins := hdl.AndAll(control.Fire(), d.Kind.Is(link.ControlClear).Or(d.Kind.Is(link.ControlRecvPSN)))
	b.states.Write(
		hdl.Mux(marks, f.QP, hdl.Mux(out.Valid, out.Data.QP, d.QP)),
		hdl.OrAll(marks, out.Valid, begins),
		hdl.Pack(hdl.MuxOf(marks,
			state{Expected: n.state.Expected, NAKSent: n.state.NAKSent.Or(naks), Dead: n.state.Dead, Established: n.state.Established.Or(tells)},
			hdl.MuxOf(out.Valid,
				state{Expected: was.Expected.Add(out.Data.Advance), NAKSent: out.Data.NAKSent, Dead: out.Data.Dead, Established: was.Established},
				state{Expected: hdl.Mux(d.Kind.Is(link.ControlRecvPSN), d.PSN, zero), NAKSent: hdl.K(1, 0), Dead: hdl.K(1, 0), Established: hdl.K(1, 0)},
			))))
}
