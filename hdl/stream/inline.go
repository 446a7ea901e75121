package stream

// The functions of this file add logic to the module that calls them, and no
// assumptions: a stream inside a module has its rules from what makes it.

import "gornic/hdl"

// Map returns in with its payload changed by f, which is combinational. It
// makes no module.
func Map[T, U any](in hdl.Stream[T], f func(T) U) hdl.Stream[U] {
	return hdl.Stream[U]{Valid: in.Valid, Ready: in.Ready, Data: f(in.Data)}
}

// Filter returns the payloads of in for which pass, one bit that may depend
// on the payload but not change while it waits, is one; the others are taken
// and dropped. Latency 0, a payload every cycle.
func Filter[T any](m *hdl.Module, name string, in hdl.Stream[T], pass hdl.Bits) hdl.Stream[T] {
	out := sameData(m, name, in)
	out.Valid.Set(in.Valid.And(pass))
	in.Ready.Set(out.Ready.Or(pass.Not()))
	return out
}

// Gate returns in while open, one bit, is one, and holds it back otherwise.
// Open may fall only in a cycle in which nothing waits at the output, or something moves;
// the property NAME_valid_holds says so.
func Gate[T any](m *hdl.Module, name string, in hdl.Stream[T], open hdl.Bits) hdl.Stream[T] {
	out := sameData(m, name, in)
	out.Valid.Set(in.Valid.And(open))
	in.Ready.Set(out.Ready.And(open))
	AssertSource(m, name, out)
	return out
}

// sameData returns a stream with a handshake of its own and the payload of in,
// which needs no copies with other names.
func sameData[T any](m *hdl.Module, name string, in hdl.Stream[T]) hdl.Stream[T] {
	return hdl.Stream[T]{Valid: m.Wire(name+"_valid", 1), Ready: m.Wire(name+"_ready", 1), Data: in.Data}
}

// Offer puts data on out while owes, a register of one bit, is one, and clears
// owes when data has been taken; data does not change before that. It returns one bit:
// data still waits after this cycle. A step with several effects, each taken
// when its taker likes, ends when none of them waits.
func Offer[T any](m *hdl.Module, out hdl.Stream[T], owes hdl.Bits, data T) (waits hdl.Bits) {
	out.Valid.Set(owes)
	hdl.Set(out.Data, data)
	m.If(owes.And(out.Ready), func() { owes.SetK(0) })
	return owes.And(out.Ready.Not())
}

// Discard takes and drops everything that in brings.
func Discard[T any](m *hdl.Module, in hdl.Stream[T]) {
	in.Ready.SetK(1)
	m.Unused(in.Valid, hdl.Pack(in.Data))
}
