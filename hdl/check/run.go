package check

import "gornic/hdl/ir"

// Report is the result of all passes.
type Report struct {
	Findings Findings  // sorted by file and line
	Ignored  []Ignored // what comments suppressed, in the same order
}

// Ignored is a finding that an "//hdl:ignore CODE reason" comment suppressed.
type Ignored struct {
	Finding
	Reason string
}

// Run looks for every mistake that the passes know and returns them all,
// sorted by file and line; nil for a design without mistakes.
func Run(d *ir.Design) Findings { return Examine(d).Findings }

// Examine is Run with what was suppressed.
func Examine(d *ir.Design) Report {
	c := &checker{design: d}
	for _, p := range passes {
		c.run(p)
		if p.code == Structure && len(c.found) > 0 {
			return Report{Findings: Sorted(c.found)}
		}
	}
	return suppress(d, Sorted(c.found))
}

func (c *checker) run(p pass) {
	c.code = p.code
	if p.design != nil {
		p.design(c)
		return
	}
	for _, m := range c.modules {
		p.module(c, m)
	}
}
