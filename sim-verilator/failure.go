package verilator

import (
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
)

// findFailure reads what the design printed before it stopped: a line for each check that failed at that instant, of which
// the first of sim.Checks counts.
func (b *backend) findFailure() *sim.CheckError {
	text := b.text()
	failed := map[string]bool{}
	for line := range strings.Lines(text) {
		if r, ok := verilog.ParseReport(line); ok && r.Kind != ir.Cover {
			failed[joined(b.instancePath(r.Path), r.Name)] = true
		}
	}
	for _, c := range b.checks {
		if failed[c.Path()] {
			return b.failureOf(c)
		}
	}
	// The design stopped for a reason of Verilator's own.
	return b.failureOf(sim.InstanceCheck{Check: &ir.Check{Kind: ir.Assert, Name: strings.TrimSpace(text)}, Module: b.design.Top})
}

// failureOf says when a check failed: the instant at which the run ended.
func (b *backend) failureOf(c sim.InstanceCheck) *sim.CheckError {
	failure := &sim.CheckError{Check: c, Time: b.Time()}
	if clock := sim.RootClock(c.Module, c.Clock); clock != nil {
		failure.Cycle = b.Cycle(clock) - 1
	}
	return failure
}

// instancePath turns Verilator's path of an instance, "core.u_rx", into the language's, "u_rx".
func (b *backend) instancePath(path string) string {
	path = strings.TrimPrefix(path, "TOP.")
	if path == b.design.Top.Name {
		return ""
	}
	return strings.TrimPrefix(path, b.design.Top.Name+".")
}

// CoverCounts implements sim.Backend.
func (b *backend) CoverCounts() []uint64 {
	var own []uint64 // of the author's covers
	for i, n := range b.coverCounts() {
		if b.arms == nil || b.arms.arms[i] == nil {
			own = append(own, n)
		}
	}
	counts := make([]uint64, len(b.checks))
	for i, c := range b.checks {
		if c.Kind == ir.Cover && len(own) > 0 { // there are none with Options.NoChecks
			counts[i], own = own[0], own[1:]
		}
	}
	return counts
}

// coverCounts reads the counters of the library, in the order of text.covers.
func (b *backend) coverCounts() []uint64 {
	counts := make([]uint64, b.covers)
	call(b.readCovers, b.handle, uintptr(at(counts)))
	return counts
}
