package sim

import (
	"fmt"

	"gornic/hdl/ir"
)

// InstanceCheck is one property of one instance.
type InstanceCheck struct {
	*ir.Check
	Module *ir.Module // the instance that holds it
}

// Path is the name of the property from the top, such as
// "u_rx.u_fifo.no_overflow".
func (c InstanceCheck) Path() string { return join(c.Module.Path, c.Name) }

// Checks lists the properties of every instance, parents first, in the order
// that both backends number them.
func Checks(d *ir.Design) []InstanceCheck {
	var all []InstanceCheck
	for _, m := range d.All {
		for _, c := range m.Checks {
			all = append(all, InstanceCheck{Check: c, Module: m})
		}
	}
	return all
}

// CheckError is an assertion or assumption that did not hold.
type CheckError struct {
	Check InstanceCheck
	Cycle uint64 // edges of the check's clock before the one that failed
	Time  uint64 // of that edge, in picoseconds
}

// Error names the property, where it was written, and when it failed. Where a part
// of the library states it, the line that uses the part is named, too.
func (e *CheckError) Error() string {
	text := fmt.Sprintf("%s: %s %s failed in cycle %d (%d ps)",
		e.Check.Pos, e.Check.Kind, e.Check.Path(), e.Cycle, e.Time)
	if user := e.Check.Pos.UsedAt(); user != "" {
		text += " (used at " + user + ")"
	}
	return text
}

// RootClock returns the clock of the top module that drives a clock of m.
func RootClock(m *ir.Module, c *ir.Clock) *ir.Clock {
	for m.Parent != nil && c != nil {
		c = parentClock(m, c)
		m = m.Parent
	}
	return c
}

func parentClock(m *ir.Module, c *ir.Clock) *ir.Clock {
	for _, in := range m.Parent.Instances {
		if in.Module == m {
			return in.Clocks[c]
		}
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
