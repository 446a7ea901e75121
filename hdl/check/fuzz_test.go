package check

import (
	"testing"

	"pgregory.net/rapid"

	"gornic/hdl/ir"
	"gornic/hdl/sim/randnet"
)

// TestRandomDesigns runs every pass on designs that are sound by their
// construction, if pointless, and then with poison in them.
func TestRandomDesigns(t *testing.T) {
	sound := map[Code]bool{Structure: true, Twin: true, Clock: true, Ghost: true, Undriven: true, Loop: true}
	rapid.Check(t, func(t *rapid.T) {
		d := randnet.Design(t, randnet.Options{Clocks: rapid.IntRange(1, 2).Draw(t, "clocks")})
		before := Run(d)
		for _, f := range before {
			if sound[f.Code] {
				t.Fatalf("%v", f)
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "poisoned") > 0 {
			poison(t, d)
		}
		for _, f := range Run(d) {
			if sound[f.Code] {
				t.Fatalf("%v", f)
			}
		}
	})
}

// poison makes some expressions of a design faulty, as package hdl leaves
// them: what they were made of stays, their width may not be known.
func poison(t *rapid.T, d *ir.Design) {
	for _, m := range d.All {
		for _, n := range postorder(roots(m)) {
			if n.Op == ir.OpSignal || rapid.IntRange(0, 9).Draw(t, "faulty") > 0 {
				continue
			}
			n.Op = ir.OpInvalid
			n.Width = rapid.SampledFrom([]int{n.Width, n.Width, 0, -1}).Draw(t, "width")
			n.Signal, n.Memory, n.Const = nil, nil, ir.Const{}
		}
	}
}
