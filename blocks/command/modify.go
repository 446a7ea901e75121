package command

import (
	"gornic/format"
	"gornic/hdl"
)

// has returns one bit: the attribute is in the mask.
func (b *block) has(attr int) hdl.Bits { return b.in.modify.Mask.Bit(hdl.Log2(attr)) }

// nextState is the state that ModifyQP asks for.
func (b *block) nextState() hdl.Bits {
	return hdl.Mux(b.has(format.AttrState), b.in.modify.State.Trunc(3), b.found.Context.State)
}

// judgeModifyQP checks a change of state and attributes (protocol section 5.2).
func (b *block) judgeModifyQP() verdict {
	in := b.in.modify
	from, to := b.found.Context.State, b.nextState()
	at := func(s hdl.Bits, q format.QPState) hdl.Bits { return s.Is(uint64(q)) }
	alone := in.Mask.Eq(hdl.K(32, format.AttrState))
	reset, dies := at(to, format.QPReset).And(b.has(format.AttrState)), at(to, format.QPError).And(b.has(format.AttrState))

	known := reset.Or(dies.And(at(from, format.QPReset).Not()))
	good := known.And(alone)
	for _, t := range format.QPTransitions() {
		row := at(from, t.From).And(at(to, t.To))
		missing := in.Mask.Not().And(hdl.K(32, uint64(t.Required))).Any()
		extra := in.Mask.And(hdl.K(32, uint64(^(t.Required | t.Optional | format.AttrState)))).Any()
		known = known.Or(row)
		good = good.Or(hdl.AndAll(row, missing.Not(), extra.Not()))
	}
	noState := b.has(format.AttrState).And(in.State.GtK(uint64(format.QPError)).Or(in.State.Is(5)))

	sends := hdl.Mux(at(to, format.QPRTS).Or(at(to, format.QPSQD)), tell(tellTimers, tellWake), tell())
	clears := hdl.Mux(reset, tell(tellTxFence, tellRxFence, tellPassed, tellClear, tellSettle, tellSQ, tellRQ), tell())
	drains := hdl.OrAll(at(from, format.QPRTS).And(at(to, format.QPSQD)), at(from, format.QPSQD).And(at(to, format.QPRTS)))
	psn := hdl.Mux(hdl.OrAll(b.has(format.AttrSQPSN), b.has(format.AttrRQPSN), drains), tell(tellPSN), tell())
	return verdict{b.first(
		refuse(b.present().Not(), format.CmdBadNumber),
		refuse(noState, format.CmdBadState),
		refuse(known.Not(), format.CmdBadState),
		refuse(good.Not(), format.CmdBadAttribute),
		refuse(b.badValue(), format.CmdBadParameter),
	), hdl.OrAll(tell(tellContext), sends, clears, psn)}
}

// badValue returns one bit: an attribute in the mask has a value that it cannot
// have.
func (b *block) badValue() hdl.Bits {
	in := b.in.modify
	bad := hdl.K(1, 0)
	check := func(attr int, wrong hdl.Bits) { bad = bad.Or(b.has(attr).And(wrong)) }
	check(format.AttrPathMTU, in.PathMTU.None().Or(in.PathMTU.GtK(uint64(hdl.Log2(b.p.MTU/128)))))
	check(format.AttrAccess, in.Access.GtK(format.AccessLocalWrite|format.AccessRemoteWrite|format.AccessRemoteRead|format.AccessRemoteAtomic))
	check(format.AttrMinRNR, in.MinRNR.GtK(31))
	check(format.AttrTimeout, in.Timeout.GtK(31))
	check(format.AttrRetryCnt, in.RetryCnt.GtK(7))
	check(format.AttrRNRRetry, in.RNRRetry.GtK(7))
	reads := uint64(1) << b.p.Sizes.ReadBits // there is room for
	check(format.AttrMaxRD, in.MaxRD.GtK(reads))
	check(format.AttrMaxDestRD, in.MaxDestRD.GtK(reads))
	check(format.AttrPKeyIndex, in.PKeyIndex.Any())
	check(format.AttrPort, in.Port.IsNot(1))
	check(format.AttrNotify, in.Notify.GtK(1))
	check(format.AttrDestQPN, in.DestQPN.LtK(2))
	v := in.AV // the addresses of IPv4 have 32 bits
	wide := hdl.OrAll(v.SrcHi.Any(), v.DstHi.Any(), v.SrcLo.Slice(63, 32).Any(), v.DstLo.Slice(63, 32).Any())
	check(format.AttrAV, v.IPv6.Not().And(wide))
	return bad
}
