package verilog

import (
	"fmt"
	"regexp"
	"strings"

	"gornic/hdl/ir"
)

// Report is a line that a simulation with GORNIC_CHECK printed.
type Report struct {
	Kind ir.CheckKind
	Path string // of the instance, as the simulator's %m says it, such as "tb.dut.u_fifo"
	Name string // of the property
	Pos  string // "file:line" in Go; "?" without Options.Positions
}

var reportLine = regexp.MustCompile(`^(ASSERT|ASSUME|COVER) (\S+) (\S+) (\S+)$`)

// ParseReport reads a line of a simulator's output. An assertion or
// assumption that failed is followed by $stop; a cover is reported once, when it
// was first true.
func ParseReport(line string) (Report, bool) {
	f := reportLine.FindStringSubmatch(strings.TrimSpace(line))
	if f == nil {
		return Report{}, false
	}
	r := Report{Path: f[2], Name: f[3], Pos: f[4]}
	for kind := ir.Assert; kind <= ir.Cover; kind++ {
		if strings.ToUpper(kind.String()) == f[1] {
			r.Kind = kind
		}
	}
	return r, true
}

// Label is the name of a property in the FORMAL section, and in the reports
// of Yosys and its solvers: "assert_no_overflow".
func Label(c *ir.Check) string { return c.Kind.String() + "_" + c.Name }

// CoverCount is the name of the 64-bit register that counts, with
// GORNIC_CHECK, the cycles in which a cover was true.
func CoverCount(c *ir.Check) string { return "cover_" + c.Name + "_count" }

// properties is defined while the state that properties share is wanted.
const properties = "GORNIC_PROPERTIES"

// printAside writes what is no hardware: properties and events, with the state
// that they share.
func (e *module) printAside() {
	checks := e.opts.Checks && len(e.ir.Checks) > 0
	events := e.opts.Events && len(e.ir.Events) > 0
	if !checks && !events {
		return
	}
	e.planChecks()
	shared := events && e.eventsShareState()
	var readers []string
	if checks {
		e.heading("Properties")
		readers = append(readers, "FORMAL", "GORNIC_CHECK")
	}
	if shared {
		readers = append(readers, "GORNIC_TRACE")
	}
	if len(readers) > 0 {
		e.printGhosts(readers)
	}
	if checks {
		e.printProperties()
	}
	if events {
		e.heading("Events")
		e.printEvents(shared)
	}
}

func (e *module) heading(title string) {
	e.out.blank()
	e.out.comment([]string{strings.Repeat("-", 70), title})
}

func (e *module) printProperties() {
	e.out.blank()
	e.out.plain("`ifdef FORMAL")
	e.printFormal()
	e.out.plain("`endif")
	e.out.blank()
	e.out.plain("`ifdef GORNIC_CHECK")
	for _, c := range e.checkClocks() {
		e.printChecks(c)
	}
	e.out.plain("`endif")
}

// printGhosts writes the state and wires of the properties alone, for those who
// define one of readers.
func (e *module) printGhosts(readers []string) {
	outer := e.out
	e.out = &text{depth: 1}
	e.printDeclarations(e.out, true)
	e.out.blank()
	for _, w := range e.needed(e.checks.roots) {
		e.printWire(w)
	}
	for _, inst := range e.ir.Instances {
		if ghostInstance(inst) {
			e.printInstance(inst)
		}
	}
	for _, it := range e.ghosts {
		e.printItem(it)
	}
	for _, r := range e.ir.Memories {
		if r.Ghost {
			e.printMemory(r)
		}
	}
	e.printUnusedByProperties()
	inner := e.out
	e.out = outer
	if len(inner.lines) == 0 {
		return
	}
	e.out.blank()
	for i, reader := range readers {
		e.out.plain([]string{"`ifdef ", "`elsif "}[min(i, 1)] + reader + "\n`define " + properties)
	}
	e.out.plain("`endif")
	e.out.plain("`ifdef " + properties)
	e.out.append(inner)
	e.out.blank()
	e.out.plain("`undef " + properties)
	e.out.plain("`endif")
}

func (e *module) checkClocks() []*ir.Clock {
	var list []*ir.Clock
	for _, clock := range e.ir.Clocks {
		for _, c := range e.ir.Checks {
			if c.Clock == clock {
				list = append(list, clock)
				break
			}
		}
	}
	return list
}

// printFormal writes immediate assertions. A proof starts in reset.
func (e *module) printFormal() {
	for _, clock := range e.checkClocks() {
		e.out.blank()
		started := e.scope.take("formal_" + strings.TrimPrefix(clock.Name+"_started", "_"))
		e.out.plain("reg " + started + ";")
		e.out.plain("initial " + started + " = 1'b0;")
		e.out.plain("always @(posedge " + clock.Clk + ") begin\n    " + started + " <= 1'b1;\nend")
		e.out.plain("always @* begin\n    if (!" + started + ") begin\n        assume (" + clock.Rst + ");\n    end\nend")
		e.out.blank()
		e.out.plain("always @(posedge " + clock.Clk + ") begin")
		e.nested(func() {
			e.out.plain("if (!" + clock.Rst + ") begin")
			e.nested(func() {
				for _, c := range e.ir.Checks {
					if c.Clock == clock {
						lead := fmt.Sprintf("%s: %s (", e.scope.take(Label(c)), c.Kind)
						e.out.add(c.Pos, e.wrapped(lead, e.low.lower(c.Cond), mode{condition: true}, ");", false))
					}
				}
			})
			e.out.plain("end")
		})
		e.out.plain("end")
	}
}

// printChecks writes the properties of one clock for simulators.
func (e *module) printChecks(clock *ir.Clock) {
	e.out.blank()
	for _, c := range e.ir.Checks {
		if c.Clock == clock && c.Kind == ir.Cover {
			e.out.plain("reg [63:0] " + CoverCount(c) + " /* verilator public_flat_rd */;")
			e.out.plain("initial " + CoverCount(c) + " = 64'd0;")
		}
	}
	e.out.plain("always @(posedge " + clock.Clk + ") begin")
	e.nested(func() {
		e.out.plain("if (!" + clock.Rst + ") begin")
		e.nested(func() {
			for _, g := range e.guards(clock) {
				e.printGuarded(g)
			}
		})
		e.out.plain("end")
	})
	e.out.plain("end")
}

// printCheck writes what c does when cond is true.
func (e *module) printCheck(c *ir.Check, cond *ir.Node) {
	report := fmt.Sprintf(`$display("%s %%m %s %s");`, strings.ToUpper(c.Kind.String()), c.Name, posMark)
	e.out.plain(e.wrapped("if (", cond, mode{condition: true}, ") begin", false))
	e.nested(func() {
		if c.Kind == ir.Cover {
			count := CoverCount(c)
			e.out.plain("if (" + count + " == 64'd0) begin")
			e.nested(func() { e.out.add(c.Pos, report) })
			e.out.plain("end")
			e.out.plain(count + " <= " + count + " + 64'd1;")
			return
		}
		e.out.add(c.Pos, report)
		e.out.plain("$stop;")
	})
	e.out.plain("end")
}

// negated returns the opposite of a condition, with the negation moved inwards.
func (e *module) negated(n *ir.Node) *ir.Node {
	if e.names[n] == "" {
		switch n.Op {
		case ir.OpOr:
			return derived(n, ir.OpAnd, 1, e.negated(n.Args[0]), e.negated(n.Args[1]))
		case ir.OpAnd:
			return derived(n, ir.OpOr, 1, e.negated(n.Args[0]), e.negated(n.Args[1]))
		}
		return simplify(derived(n, ir.OpNot, 1, n))
	}
	return derived(n, ir.OpNot, 1, n)
}
