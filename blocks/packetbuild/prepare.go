package packetbuild

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// withLengths and withPlan are a descriptor on its way through the two steps.
type withLengths struct {
	Desc    descriptor
	Lengths lengths
}

type withPlan struct {
	Desc descriptor
	Plan plan
}

// packets are descriptors with their plans.
type packets struct {
	hdl.Stream[withPlan]
	late  int    // cycles that the plan comes after its descriptor
	enter *enter // nil where a descriptor is seen without a register before it
}

// enter is what is known of a descriptor in the cycle before it is seen.
type enter struct {
	fire         hdl.Bits // it is the next one
	tagged, ipv6 hdl.Bits
}

// planned adds the plan to each descriptor, in two cycles.
//
// The first bytes of a frame do not depend on the plan. Where they fill one
// beat, the plan may be a cycle late, where they fill two, two cycles: a narrow
// builder needs no registers to keep the descriptor meanwhile.
func planned(m *hdl.Module, p Params, desc hdl.Stream[descriptor]) packets {
	const planFrom = 16 // the first byte of a frame that may depend on the plan
	out := packets{late: min(2, planFrom/p.bytes())}

	first := hdl.NewStream(m, "measured", withLengths{Desc: desc.Data})
	numbers := lengthsOf(m, desc.Data)
	if out.late >= 2 {
		numbers = register(m, "lengths", numbers)
	}
	pass(first, desc)
	hdl.Set(first.Data, withLengths{desc.Data, numbers})
	if out.late < 2 {
		out.enter = &enter{first.Fire(), desc.Data.VLAN, desc.Data.IPv6}
		first = stream.ForwardSlice(m, "u_measured", first)
	}

	d := first.Data.Desc
	out.Stream = hdl.NewStream(m, "planned", withPlan{Desc: d, Plan: planProto(p)})
	steps := planOf(p, d, first.Data.Lengths)
	if out.late >= 1 {
		steps = register(m, "plan", steps)
	}
	pass(out.Stream, first)
	hdl.Set(out.Data, withPlan{d, steps})
	if out.late < 1 {
		out.enter = &enter{out.Fire(), d.VLAN, d.IPv6}
		out.Stream = stream.ForwardSlice(m, "u_planned", out.Stream)
	}
	return out
}

// pass joins the handshakes of two streams.
func pass[T, U any](to hdl.Stream[T], from hdl.Stream[U]) {
	to.Valid.Set(from.Valid)
	from.Ready.Set(to.Ready)
}

// register returns x a cycle later.
func register[T any](m *hdl.Module, name string, x T) T {
	r := hdl.NewReg(m, name, hdl.Proto(x))
	hdl.Set(r, x)
	return r
}
