package formal

import (
	"context"

	"gornic/hdl/ir"
	"gornic/tools/toolset"
)

// TB is the part of testing.TB that [Check] uses.
type TB interface {
	Helper()
	Context() context.Context
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Check proves a design in a test: it fails with the name and the Go line of each property that does not hold and with the
// last cycles that lead there, where there is nothing to prove, and skips the test where the tools are absent. It logs what
// has been proved (go test -v), and with Options.Witness how each cover is reached.
func Check(tb TB, d *ir.Design, o Options) {
	tb.Helper()
	for _, name := range []string{toolset.Yosys, toolset.Smtbmc, toolset.Z3} {
		toolset.Need(tb, name)
	}
	r, err := Prove(tb.Context(), d, o)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	if r.empty() {
		tb.Errorf("%s: %s", d.Top.Name, r)
		return
	}
	tb.Logf("%s: %s", d.Top.Name, r)
	for _, w := range r.Covers.Witnesses {
		tb.Logf("%s", w)
	}
	if err := r.Err(); err != nil {
		tb.Errorf("%v\n%s", err, r.Explain())
	}
}
