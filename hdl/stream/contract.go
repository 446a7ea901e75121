package stream

import "gornic/hdl"

// AssertSource states that s keeps the rule of a stream's source: valid, once
// raised, stays with its payload until ready. The properties are
// NAME_valid_holds and NAME_data_holds.
func AssertSource[T any](m *hdl.Module, name string, s hdl.Stream[T]) {
	validHolds, dataHolds := holds(m, name, s)
	m.Assert(name+"_valid_holds", validHolds)
	m.Assert(name+"_data_holds", dataHolds)
}

// AssumeSource takes the rule of [AssertSource] for granted: it is for the
// streams that come into a module.
func AssumeSource[T any](m *hdl.Module, name string, s hdl.Stream[T]) {
	validHolds, dataHolds := holds(m, name, s)
	m.Assume(name+"_valid_holds", validHolds)
	m.Assume(name+"_data_holds", dataHolds)
}

func holds[T any](m *hdl.Module, name string, s hdl.Stream[T]) (validHolds, dataHolds hdl.Bits) {
	waits := s.Valid.And(s.Ready.Not())
	stalled := m.PastReset(name+"_stalled", waits, 0)
	var held hdl.Bits
	m.Ghost(func() {
		held = m.RegN(name+"_held", hdl.WidthOf(s.Data))
		m.If(waits, func() { held.Set(hdl.Pack(s.Data)) })
	})
	return stalled.Not().Or(s.Valid), stalled.Not().Or(hdl.Pack(s.Data).Eq(held))
}

// AssertFrame states [AssertSource] and the rules of a frame's beats: Keep is
// contiguous from byte 0 and never zero, all ones where Last is zero; Err comes
// with Last only. The properties are NAME_keep_contiguous, NAME_keep_full,
// NAME_keep_nonzero and NAME_err_at_last.
func AssertFrame(m *hdl.Module, name string, s Frame) {
	AssertSource(m, name, s)
	for _, r := range frameRules(s) {
		m.Assert(name+r.name, r.holds)
	}
}

// AssumeFrame takes the rules of [AssertFrame] for granted.
func AssumeFrame(m *hdl.Module, name string, s Frame) {
	AssumeSource(m, name, s)
	for _, r := range frameRules(s) {
		m.Assume(name+r.name, r.holds)
	}
}

type rule struct {
	name  string
	holds hdl.Bits
}

func frameRules(s Frame) []rule {
	idle, b := s.Valid.Not(), s.Data
	rules := []rule{
		{"_keep_nonzero", idle.Or(b.Keep.Bit(0))},
		{"_err_at_last", idle.Or(b.Last).Or(b.Err.Not())},
	}
	if n := b.Keep.Width(); n > 1 {
		holes := b.Keep.Slice(n-1, 1).And(b.Keep.Slice(n-2, 0).Not())
		rules = append(rules,
			rule{"_keep_contiguous", idle.Or(holes.None())},
			rule{"_keep_full", idle.Or(b.Last).Or(b.Keep.All())})
	}
	return rules
}
