package command

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// inputs are the contents of the mailbox in all the ways in which a command may
// take them.
type inputs struct {
	code     hdl.Bits
	number   hdl.Bits // of a QP, CQ or EQ: every struct begins with it
	createEQ format.CreateEQ[hdl.Bits]
	createCQ format.CreateCQ[hdl.Bits]
	createQP format.CreateQP[hdl.Bits]
	modify   format.ModifyQP[hdl.Bits]
	key      format.KeyEntry[hdl.Bits]
}

func unpack(g link.Go) inputs {
	return inputs{
		code: g.Code, number: g.In.Trunc(24),
		createEQ: as(format.CreateEQ[hdl.Bits]{}, g.In), createCQ: as(format.CreateCQ[hdl.Bits]{}, g.In),
		createQP: as(format.CreateQP[hdl.Bits]{}, g.In), modify: as(format.ModifyQP[hdl.Bits]{}, g.In), key: as(format.KeyEntry[hdl.Bits]{}, g.In),
	}
}

// as takes the low bits of x as a struct.
func as[T any](proto T, x hdl.Bits) T { return hdl.UnpackLow(proto, x.Trunc(hdl.WidthOf(proto))) }

// is returns one bit: the command is one of codes.
func (in inputs) is(codes ...format.CommandCode) hdl.Bits {
	is := hdl.K(1, 0)
	for _, c := range codes {
		is = is.Or(in.code.Is(uint64(c)))
	}
	return is
}

// output is what a command leaves in the mailbox: the state of a queue pair, or
// a key entry.
func (b *block) output() hdl.Bits {
	c, p := b.found.Context, b.io.Peeks
	pad := hdl.K(8, 0)
	oldest := hdl.Mux(p.Oldest.Value.Bit(24), p.Oldest.Value.Trunc(24), p.NextPSN.Value)
	state := hdl.PackLow(format.QPStatus[hdl.Bits]{
		QPN: c.QPN, State: c.State.ZExt(8), NextPSN: p.NextPSN.Value, Reserved0: pad, OldestPSN: oldest, Reserved1: pad,
		ExpPSN: p.ExpPSN.Value, Reserved2: pad, MSN: p.MSN.Value, Reserved3: pad,
		SQConsumer: p.SQConsumer.Value, RQConsumer: p.RQConsumer.Value,
	})
	return hdl.Mux(b.in.is(format.CmdQueryQP, format.CmdQPAt), state.ZExt(512), hdl.PackLow(b.key.Entry))
}

// replies returns one bit: the command leaves something in the mailbox.
func (b *block) replies() hdl.Bits {
	return b.in.is(format.CmdQueryQP, format.CmdQPAt, format.CmdQueryKey)
}
