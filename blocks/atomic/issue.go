package atomic

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// begun is a command with its operands.
type begun = stream.Pair[link.AtomicCommand, link.Operands]

// issue lets the oldest command begin when its word is not under way, and asks memory for it.
func (b *block) issue() {
	m, io := b.m, b.io
	command := stream.ForwardSlice(m, "u_command", stream.FIFO(m, "u_commands", io.Command, b.p.depth()))
	operands := stream.FIFO(m, "u_operands", io.Operands, b.p.depth())
	both := stream.Join(m, "u_both", command, operands)
	c := both.Data.A
	addr := c.Addr.Slice(63, 3)
	m.Unused(c.Addr.Trunc(3))

	next := m.Reg("next_place", hdl.Log2(b.p.places()), 0)
	full := hdl.Select(next, b.under...)
	idle := hdl.OrAll(b.under...).Not()
	conflict := b.compare(both, addr)
	ready := stream.Gate(m, "ready", both, b.compared.And(hdl.Mux(c.Cancel, idle, conflict.Or(full).Not())))
	m.Cover("conflict", hdl.AndAll(b.compared, conflict, c.Cancel.Not()))
	m.Cover("full", hdl.AndAll(b.compared, full, c.Cancel.Not()))

	to := stream.Demux(m, "u_begins", ready, c.Cancel, 2)
	begins := to[0].Fire()
	m.If(begins, func() { next.Set(next.AddK(1)) })
	for i := range b.under {
		m.If(b.ends.And(b.oldest.Is(uint64(i))), func() { b.under[i].SetK(0) })
		m.If(begins.And(next.Is(uint64(i))), func() {
			b.under[i].SetK(1)
			b.addrs[i].Set(addr)
		})
	}
	b.read(to[0])
	hdl.Connect(b.cancels, stream.Map(to[1], func(p begun) link.QPRef {
		hdl.UnusedBut(m, p, p.A.QP)
		return link.QPRef{QP: p.A.QP}
	}))
}

// compare looks for the word of the oldest command among those under way, and holds what it finds: no other begins
// before it does. It returns one bit: the word is under way.
func (b *block) compare(both hdl.Stream[begun], addr hdl.Bits) hdl.Bits {
	m := b.m
	b.compared = m.Reg("compared", 1, 0)
	m.If(both.Valid, func() { b.compared.SetK(1) })
	m.If(both.Fire(), func() { b.compared.SetK(0) })
	conflict := hdl.K(1, 0)
	for i, a := range b.addrs {
		same := m.RegN(fmt.Sprintf("same_%d", i), 1)
		m.If(b.compared.Not(), func() { same.Set(a.Eq(addr)) })
		conflict = conflict.Or(same.And(b.under[i]))
	}
	return conflict
}

// read asks memory for the beat that a word is in. Who executes the atomic hears of it at the same time.
func (b *block) read(in hdl.Stream[begun]) {
	m, bits := b.m, b.p.laneBits()+3
	both := stream.Fork(m, "u_reads", in, 2)
	hdl.Connect(b.io.Read.Burst, stream.Map(both[0], func(p begun) link.ReadBurst {
		hdl.UnusedBut(m, p, p.A.Addr)
		m.Unused(p.A.Addr.Trunc(bits))
		return link.ReadBurst{Addr: hdl.Cat(p.A.Addr.Slice(63, bits), hdl.K(bits, 0)), Len: hdl.K(8, 0)}
	}))
	ops := stream.Map(both[1], func(p begun) op {
		m.Unused(p.A.Cancel, p.A.Addr.Trunc(3))
		return op{QP: p.A.QP, Slot: p.A.Slot, Swap: p.A.Kind.Is(link.ResourceCompareSwap), Addr: p.A.Addr.Slice(63, 3), Operand: p.B}
	})
	hdl.Connect(b.ops, stream.FIFO(m, "u_ops", ops, b.p.depth()))
}
