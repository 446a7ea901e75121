package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Difference is how a metric differs between two measurements of the same point.
type Difference struct {
	Point  string  `json:"point"` // the swept fields; empty for a single run
	Metric string  `json:"metric"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	Change float64 `json:"change"` // B/A - 1; infinite, and left out of tables, where A is 0
}

// Comparison is all that differs, and what has no partner.
type Comparison struct {
	Differences []Difference `json:"differences"`
	OnlyA       []string     `json:"only_a"` // points that B has not measured
	OnlyB       []string     `json:"only_b"`
	Same        int          `json:"same"` // metrics that are equal
}

// Compare compares two sweeps point by point, points that were run with the same values of
// the same fields and the same seed. Two single runs are compared whatever they are of.
func Compare(a, b []Row) Comparison {
	c := Comparison{Differences: []Difference{}, OnlyA: []string{}, OnlyB: []string{}}
	single := len(a) == 1 && len(b) == 1
	byPoint := map[string]Row{}
	for _, r := range b {
		byPoint[r.point()] = r
	}
	for _, r := range a {
		other, ok := byPoint[r.point()]
		if single {
			other, ok = b[0], true
		}
		delete(byPoint, other.point())
		if !ok || r.Measured == nil || other.Measured == nil {
			c.OnlyA = append(c.OnlyA, r.point()+" "+why(other, ok, r))
			continue
		}
		c.add(r.describe(), *r.Measured, *other.Measured)
	}
	for _, r := range b {
		if _, left := byPoint[r.point()]; left {
			c.OnlyB = append(c.OnlyB, r.point())
		}
	}
	return c
}

// why a point cannot be compared.
func why(b Row, there bool, a Row) string {
	switch {
	case !there:
		return "(not in B)"
	case a.Measured == nil:
		return fmt.Sprintf("(%s in A)", a.Status)
	}
	return fmt.Sprintf("(%s in B)", b.Status)
}

func (c *Comparison) add(point string, a, b Measured) {
	for _, m := range Metrics() {
		x, y := m.Of(a), m.Of(b)
		switch {
		case x == y || math.IsNaN(x) && math.IsNaN(y):
			c.Same++
		case math.IsNaN(x) || math.IsNaN(y) || x == 0:
			c.Differences = append(c.Differences, Difference{point, m.Name, zeroNaN(x), zeroNaN(y), math.MaxFloat64})
		default:
			c.Differences = append(c.Differences, Difference{point, m.Name, x, y, y/x - 1})
		}
	}
}

func zeroNaN(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// Beyond returns the error of differences of more than a share.
func (c Comparison) Beyond(share float64) error {
	var errs []error
	for _, d := range c.Differences {
		if math.Abs(d.Change) > share {
			errs = append(errs, fmt.Errorf("%s: %s of B is %s, of A %s", strings.TrimSpace("point "+d.Point), d.Metric, plain(d.B), plain(d.A)))
		}
	}
	for _, p := range append(append([]string{}, c.OnlyA...), c.OnlyB...) {
		errs = append(errs, fmt.Errorf("point %s cannot be compared", p))
	}
	return errors.Join(errs...)
}

// Write writes a comparison for people.
func (c Comparison) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(c.Differences) > 0 {
		fmt.Fprintln(t, "metric\tA\tB\tchange\tpoint")
	}
	for _, d := range c.Differences {
		change := "-"
		if d.Change != math.MaxFloat64 {
			change = fmt.Sprintf("%+.2f %%", 100*d.Change)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.Metric, SI(d.A), SI(d.B), change, d.Point)
	}
	for _, p := range c.OnlyA {
		fmt.Fprintf(t, "A alone: %s\n", p)
	}
	for _, p := range c.OnlyB {
		fmt.Fprintf(t, "B alone: %s\n", p)
	}
	fmt.Fprintf(t, "%d numbers differ, %d are the same\n", len(c.Differences), c.Same)
	if err := t.Flush(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

// point is what makes a row's point the same as another sweep's.
func (r Row) point() string {
	return strings.TrimSpace(fmt.Sprintf("%s seed=%d", r.describe(), r.Seed))
}

// describe is the values of the swept fields.
func (r Row) describe() string {
	var all []string
	for _, v := range r.Values {
		if v.Field != "seed" {
			all = append(all, v.Field+"="+v.Text)
		}
	}
	return strings.Join(all, " ")
}
