package command

import (
	"gornic/format"
	"gornic/hdl"
)

// verdict is the outcome of a check, and what owners are told if there is nothing
// wrong.
type verdict struct {
	status hdl.Bits // 8 bits
	tells  hdl.Bits // a bit of each telling
}

// judge says what is wrong with the command, 0 if nothing, and what it has to tell.
func (b *block) judge() (status, tells hdl.Bits) {
	known := verdict{status: code(format.CmdBadCommand), tells: tell()}
	for _, c := range []struct {
		code format.CommandCode
		verdict
	}{
		{format.CmdNop, verdict{code(format.CmdOK), tell()}},
		{format.CmdCreateEQ, b.judgeCreateEQ()},
		{format.CmdDestroyEQ, b.judgeDestroyEQ()},
		{format.CmdCreateCQ, b.judgeCreateCQ()},
		{format.CmdDestroyCQ, b.judgeDestroyCQ()},
		{format.CmdCreateQP, b.judgeCreateQP()},
		{format.CmdModifyQP, b.judgeModifyQP()},
		{format.CmdQueryQP, verdict{b.first(refuse(b.present().Not(), format.CmdBadNumber)), tell()}},
		{format.CmdQPAt, verdict{b.first(refuse(b.found.Context.Exists.Not(), format.CmdBadNumber)), tell()}},
		{format.CmdDestroyQP, b.judgeDestroyQP()},
		{format.CmdWriteKey, b.judgeWriteKey()},
		{format.CmdInvalidate, verdict{code(format.CmdOK), tell(tellKey, tellKeyDone, tellFlush, tellTxFence, tellRxFence, tellPassed)}},
		{format.CmdQueryKey, verdict{code(format.CmdOK), tell(tellKey, tellKeyDone)}},
		{format.CmdForgetKeys, verdict{code(format.CmdOK), tell(tellKey, tellKeyDone, tellFlush, tellTxFence, tellRxFence, tellPassed)}},
	} {
		is := b.in.is(c.code)
		known.status = hdl.Mux(is, c.status, known.status)
		known.tells = hdl.Mux(is, c.tells, known.tells)
	}
	return known.status, known.tells
}

func code(s format.CommandStatus) hdl.Bits { return hdl.K(8, uint64(s)) }

// tell is the set of tellings.
func tell(what ...int) hdl.Bits {
	set := uint64(0)
	for _, w := range what {
		set |= 1 << w
	}
	return hdl.K(tellings, set)
}

// refusal is a reason to refuse a command.
type refusal struct {
	when   hdl.Bits
	status format.CommandStatus
}

func refuse(when hdl.Bits, s format.CommandStatus) refusal { return refusal{when, s} }

// first is the status of the first refusal that applies, 0 if none does.
func (b *block) first(all ...refusal) hdl.Bits {
	status := code(format.CmdOK)
	for i := len(all) - 1; i >= 0; i-- {
		status = hdl.Mux(all[i].when, code(all[i].status), status)
	}
	return status
}

// present returns one bit: the queue pair that was looked up is the one meant.
func (b *block) present() hdl.Bits {
	return b.found.Context.Exists.And(b.found.Context.QPN.Eq(b.in.number))
}

// ringSize returns one bit: the log2 of a size is none that a queue of events or
// completions can have.
func badSize(log hdl.Bits) hdl.Bits { return log.None().Or(log.GtK(15)) }

// misaligned returns one bit: an address is not a multiple of 1 << (least + log)
// bytes, for log up to 15.
func misaligned(base, log hdl.Bits, least int) hdl.Bits {
	mask := hdl.Ones(15).Shl(log.Trunc(4)).Not()
	return base.Slice(least-1, 0).Any().Or(base.Slice(least+14, least).And(mask).Any())
}

func (b *block) judgeCreateEQ() verdict {
	in, t := b.in.createEQ, b.tables
	return verdict{b.first(
		refuse(above(in.EQN, b.p.Sizes.EQBits), format.CmdBadNumber),
		refuse(t.was.EQ, format.CmdBadNumber),
		refuse(hdl.OrAll(badSize(in.LogSize), above(in.Vector, b.p.Sizes.EQBits), misaligned(in.Base, in.LogSize, 4)), format.CmdBadParameter),
	), tell(tellQueue)}
}

func (b *block) judgeDestroyEQ() verdict {
	t := b.tables
	return verdict{b.first(
		refuse(above(b.in.number, b.p.Sizes.EQBits).Or(t.was.EQ.Not()), format.CmdBadNumber),
		refuse(t.was.EQUsed, format.CmdBusy),
	), tell(tellQueue)}
}

func (b *block) judgeCreateCQ() verdict {
	in, t := b.in.createCQ, b.tables
	return verdict{b.first(
		refuse(above(in.CQN, b.p.Sizes.CQBits).Or(t.was.CQ), format.CmdBadNumber),
		refuse(above(in.EQN, b.p.Sizes.EQBits).Or(t.was.EQ.Not()), format.CmdBadNumber),
		refuse(hdl.OrAll(badSize(in.LogSize), misaligned(in.Base, in.LogSize, 5), above(in.Page, b.p.Sizes.QPBits)), format.CmdBadParameter),
	), tell(tellQueue, tellOwner, tellCount)}
}

func (b *block) judgeDestroyCQ() verdict {
	t := b.tables
	return verdict{b.first(
		refuse(above(b.in.number, b.p.Sizes.CQBits).Or(t.was.CQ.Not()), format.CmdBadNumber),
		refuse(t.was.CQUsed, format.CmdBusy),
	), tell(tellQueue, tellOwner, tellCount)}
}

func (b *block) judgeCreateQP() verdict {
	in, t := b.in.createQP, b.tables
	stride := func(log hdl.Bits) hdl.Bits { return log.GtK(format.LogStrideMax) }
	return verdict{b.first(
		refuse(in.QPN.LtK(2).Or(b.found.Context.Exists), format.CmdBadNumber),
		refuse(above(in.SendCQ, b.p.Sizes.CQBits).Or(t.was.CQ.Not()), format.CmdBadNumber),
		refuse(above(in.RecvCQ, b.p.Sizes.CQBits).Or(t.was.Second.Not()), format.CmdBadNumber),
		refuse(hdl.OrAll(stride(in.SQLogStride), stride(in.RQLogStride), in.SQBase.Slice(11, 0).Any(), in.RQBase.Slice(11, 0).Any(), in.SigAll.GtK(1), in.Congestion.GtK(b.p.congestionMost()),
			above(in.Page, b.p.Sizes.QPBits)), format.CmdBadParameter),
	), tell(tellContext, tellClear, tellSQ, tellRQ, tellOwner, tellCount, tellSecondCount)}
}

func (b *block) judgeDestroyQP() verdict {
	return verdict{
		b.first(refuse(b.present().Not(), format.CmdBadNumber)),
		tell(tellContext, tellDisown, tellTxFence, tellRxFence, tellPassed, tellClear, tellSettle, tellSQ, tellRQ, tellCount, tellSecondCount),
	}
}

// judgeWriteKey lets through what makes sense as an entry (protocol section 6);
// whether its place is free is keycache's to know.
func (b *block) judgeWriteKey() verdict {
	k := b.in.key
	listed := k.PageShift.GeK(format.PageShiftMin).And(k.PageShift.LeK(format.PageShiftMax))
	remoteWrites := k.Rights.Bit(hdl.Log2(format.AccessRemoteWrite)).Or(k.Rights.Bit(hdl.Log2(format.AccessRemoteAtomic)))
	wraps := wrapsRange(k.VA, k.Length).Or(k.PageShift.None().And(wrapsRange(k.Translation, k.Length)))
	index := k.Key.ShrK(format.KeyTagBits).Trunc(format.KeyIndexBits)
	return verdict{b.first(
		refuse(index.Shr(b.io.KeyLog).Any(), format.CmdBadNumber),
		refuse(hdl.OrAll(
			k.PageShift.Any().And(listed.Not()), wraps, k.Type.GtK(format.KeyWindow2), k.State.None(), k.State.GtK(format.KeyValid),
			remoteWrites.And(k.Rights.Bit(hdl.Log2(format.AccessLocalWrite)).Not()), k.Rights.Slice(7, 6).Any(),
			listed.And(k.Translation.Slice(2, 0).Any()), k.Windows.Any(),
		), format.CmdBadParameter),
	), tell(tellKey, tellKeyDone, tellFlush)}
}

// wrapsRange returns one bit: length bytes from start on go beyond 2^64.
func wrapsRange(start, length hdl.Bits) hdl.Bits {
	end := start.AddC(length)
	return end.MSB().And(end.Trunc(64).Any())
}

// above returns one bit: a number is 1 << bits or more.
func above(n hdl.Bits, bits int) hdl.Bits {
	if bits >= n.Width() {
		return hdl.K(1, 0)
	}
	return n.ShrK(bits).Any()
}
