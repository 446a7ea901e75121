package sim

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Arm is one branch of an if or a switch in the Go code of a generator.
// Instances of a module, and modules of one generator, share their arms.
type Arm struct {
	File string // package-relative, such as "blocks/icrc/icrc.go"
	Line int    // of the arm's first statement
	Kind string // "if", "else if", "else", "case" or "default"
}

// Coverage counts the cycles in which arms were taken.
type Coverage struct{ counts map[Arm]uint64 }

// NewCoverage returns an empty count.
func NewCoverage() *Coverage { return &Coverage{counts: map[Arm]uint64{}} }

// Add counts n more cycles of an arm; n may be 0, for an arm that exists.
func (c *Coverage) Add(a Arm, n uint64) { c.counts[a] += n }

// Merge adds the counts of another run.
func (c *Coverage) Merge(other *Coverage) {
	if other == nil {
		return
	}
	for a, n := range other.counts {
		c.counts[a] += n
	}
}

// Count returns in how many cycles an arm was taken, over all instances.
func (c *Coverage) Count(a Arm) uint64 { return c.counts[a] }

// Arms lists every arm, by file and line.
func (c *Coverage) Arms() []Arm {
	arms := make([]Arm, 0, len(c.counts))
	for a := range c.counts {
		arms = append(arms, a)
	}
	slices.SortFunc(arms, func(a, b Arm) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
	return arms
}

// Untaken lists the arms that no run took, by file and line.
func (c *Coverage) Untaken() []Arm {
	return slices.DeleteFunc(c.Arms(), func(a Arm) bool { return c.counts[a] > 0 })
}

// Report writes a line for each arm that was never taken, and a total.
func (c *Coverage) Report(w io.Writer) error {
	untaken := c.Untaken()
	for _, a := range untaken {
		if _, err := fmt.Fprintf(w, "%s:%d: %s arm never taken\n", a.File, a.Line, a.Kind); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d arms taken\n", len(c.counts)-len(untaken), len(c.counts))
	return err
}
