// Package part is a part of the library with a mistake in it, for the tests of
// package check: findings in such parts name the line of their user too.
package part

import "gornic/hdl"

// Register returns x a cycle later, and forgets to use a copy of it.
func Register(m *hdl.Module, name string, x hdl.Bits) hdl.Bits {
	r := m.RegN(name, x.Width())
	r.Set(x)
	lost := m.Wire(name+"_lost", x.Width())
	lost.Set(x)
	return r
}
