package hdl

import (
	"slices"

	"gornic/hdl/check"
)

// UnusedBut is [Module.Unused] of all fields of a bundle but those listed: of a
// message of many fields a block may read few, and one that is added to the message
// later is none of that block's business.
//
//	hdl.UnusedBut(m, reply.Context, reply.Context.QPN, reply.Context.SendCQ)
func UnusedBut[T any](m *Module, bundle T, read ...Bits) {
	fields := leaves(&bundle, "")
	isField := func(x Bits) bool {
		return slices.ContainsFunc(fields, func(l leaf) bool { return l.at.n == x.n })
	}
	for _, x := range read {
		if !isField(x) {
			m.reportf(check.Misuse, "UnusedBut: a value of %s is no field of the bundle", plural(x.w, "bit"))
		}
	}
	for _, l := range fields {
		if !slices.ContainsFunc(read, func(x Bits) bool { return x.n == l.at.n }) {
			m.Unused(*l.at)
		}
	}
}
