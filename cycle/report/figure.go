package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Picture says what the plots of a sweep show.
type Picture struct {
	X          string   // the field on the x axis
	Series     []string // the fields that have a line for each of their values
	Y          []string // metrics, each a plot of its own; none: rate, goodput, latencies, hit rates
	ClosedForm string   // a curve to compare with: go_back_n, or empty
}

// Figure is one plot: lines over an axis.
type Figure struct {
	Name   string // for a file
	Title  string
	XLabel string
	YLabel string
	Ticks  []string // of an axis of words, in their order from 0; nil: numbers
	LogX   bool
	Lines  []Line
}

// Line is a line of a figure.
type Line struct {
	Name   string
	Points []XY
	Dashed bool // a closed form
}

// XY is a point of a line.
type XY struct{ X, Y float64 }

// usual is what is plotted where nobody asks for something else; latencies share a plot, and so do hit rates.
var usual = []string{"message_rate", "goodput_gbps", "latency", "hit_rate"}

// Complete fills in what a picture leaves open: the first swept field of several values on the x axis, a line for each value
// of the others.
func (p Picture) Complete(rows []Row) Picture {
	fields := varied(rows)
	if p.X == "" && len(fields) > 0 {
		p.X = fields[0]
	}
	if p.Series == nil {
		for _, f := range fields {
			if f != p.X && f != "seed" {
				p.Series = append(p.Series, f)
			}
		}
	}
	if p.Y == nil {
		p.Y = usual
	}
	return p
}

// varied are the swept fields that have several values, numbers first.
func varied(rows []Row) []string {
	if len(rows) == 0 {
		return nil
	}
	var numbers, words []string
	for _, v := range rows[0].Values {
		switch values := distinct(rows, v.Field); {
		case len(values) < 2:
		case allNumbers(values):
			numbers = append(numbers, v.Field)
		default:
			words = append(words, v.Field)
		}
	}
	return append(numbers, words...)
}

// distinct are the values of a field, in the order of the rows.
func distinct(rows []Row, field string) []string {
	var all []string
	for _, r := range rows {
		if v := r.value(field); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

func allNumbers(values []string) bool {
	for _, v := range values {
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return false
		}
	}
	return true
}

// Figures returns the plots of a sweep. Rows without a result are not in them. Rows that differ in nothing but their
// seed, or in fields that are not shown, are one point: their mean.
func Figures(rows []Row, p Picture) ([]Figure, error) {
	p = p.Complete(rows)
	if p.X == "" {
		return nil, fmt.Errorf("plot: no swept field has several values: there is no x axis")
	}
	axis := newAxis(rows, p.X)
	var all []Figure
	for _, y := range p.Y {
		f := Figure{Name: y, XLabel: p.X, Ticks: axis.ticks, LogX: axis.log}
		metrics := family(y)
		if len(metrics) == 0 {
			return nil, fmt.Errorf("plot: no metric %q: there are latency, hit_rate, %s", y, strings.Join(metricNames(), ", "))
		}
		f.Title, f.YLabel = title(y, metrics)
		for _, m := range metrics {
			f.Lines = append(f.Lines, lines(rows, p, axis, m, len(metrics) > 1)...)
		}
		if f.Lines = slices.DeleteFunc(f.Lines, func(l Line) bool { return len(l.Points) == 0 }); len(f.Lines) > 0 {
			all = append(all, f)
		}
	}
	if p.ClosedForm != "" {
		f, err := closedForm(rows, p, axis)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// family are the metrics of one plot.
func family(name string) []Metric {
	var all []Metric
	for _, m := range Metrics() {
		switch {
		case m.Name == name,
			name == "hit_rate" && strings.HasPrefix(m.Name, "hit_rate_"),
			name == "latency" && slices.Contains([]string{"latency_p50_ns", "latency_p99_ns", "latency_p999_ns"}, m.Name):
			all = append(all, m)
		}
	}
	return all
}

func metricNames() []string {
	var all []string
	for _, m := range Metrics() {
		all = append(all, m.Name)
	}
	return all
}

func title(y string, metrics []Metric) (title, label string) {
	switch y {
	case "latency":
		return "Latency, doorbell to completion", "ns"
	case "hit_rate":
		return "Hit rates of caches", "share of accesses"
	}
	doc := metrics[0].Doc
	return strings.ToUpper(doc[:1]) + doc[1:], doc
}

// axis places the values of a field.
type axis struct {
	at    map[string]float64
	ticks []string
	log   bool
}

// wide is how far apart the ends of an axis are that is logarithmic.
const wide = 16

func newAxis(rows []Row, field string) axis {
	values := distinct(rows, field)
	a := axis{at: map[string]float64{}}
	if !allNumbers(values) {
		for i, v := range values {
			a.at[v] = float64(i)
		}
		a.ticks = values
		return a
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		x, _ := strconv.ParseFloat(v, 64) // they are numbers
		a.at[v] = x
		low, high = min(low, x), max(high, x)
	}
	a.log = low > 0 && high >= wide*low
	return a
}

// lines are those of a metric: one for each combination of values of the series.
func lines(rows []Row, p Picture, a axis, m Metric, named bool) []Line {
	var names []string
	sums := map[string]map[float64][]float64{}
	for _, r := range rows {
		if r.Measured == nil || math.IsNaN(m.Of(*r.Measured)) {
			continue
		}
		name := p.series(r)
		if sums[name] == nil {
			names, sums[name] = append(names, name), map[float64][]float64{}
		}
		x := a.at[r.value(p.X)]
		sums[name][x] = append(sums[name][x], m.Of(*r.Measured))
	}
	var all []Line
	for _, name := range names {
		l := Line{Name: name, Points: means(sums[name])}
		if named {
			l.Name = strings.TrimSpace(short(m) + " " + name)
		}
		all = append(all, l)
	}
	return all
}

// short is the name of a metric among others of its kind.
func short(m Metric) string {
	switch m.Name {
	case "latency_p50_ns":
		return "median"
	case "latency_p99_ns":
		return "99 %"
	case "latency_p999_ns":
		return "99.9 %"
	}
	cache, host, _ := strings.Cut(strings.TrimPrefix(m.Doc, "hit rate of the "), " cache, ")
	return cache + ", " + host
}

// means are points in the order of x.
func means(sums map[float64][]float64) []XY {
	var all []XY
	for x, ys := range sums {
		sum := 0.0
		for _, y := range ys {
			sum += y
		}
		all = append(all, XY{x, sum / float64(len(ys))})
	}
	slices.SortFunc(all, func(a, b XY) int {
		if a.X < b.X {
			return -1
		}
		return 1
	})
	return all
}

// series is the name of the line that a row belongs to. The last part of a path says enough.
func (p Picture) series(r Row) string {
	var all []string
	for _, f := range p.Series {
		all = append(all, lastPart(f, p.Series)+" "+r.value(f))
	}
	return strings.Join(all, ", ")
}

// lastPart is the end of a path, of two parts if another field has the same.
func lastPart(field string, among []string) string {
	parts := strings.Split(field, ".")
	end := parts[len(parts)-1]
	for _, f := range among {
		if f != field && strings.HasSuffix(f, "."+end) && len(parts) > 1 {
			return parts[len(parts)-2] + "." + end
		}
	}
	return end
}

// closedForm compares what losses leave of the goodput with what go-back-N leaves: of W packets on their way and a
// loss of p, (1-p)/(1-p+pW) of what is sent is new. The series is W, and the x axis p.
func closedForm(rows []Row, p Picture, a axis) (Figure, error) {
	f := Figure{
		Name: p.ClosedForm, Title: "Goodput of that without losses: dots measured, dashed (1-p)/(1-p+pW)",
		XLabel: p.X, YLabel: "share",
	}
	if p.ClosedForm != "go_back_n" || len(p.Series) != 1 || a.ticks != nil {
		return f, fmt.Errorf("plot: closed form %q: expected go_back_n, a loss on the x axis, and one series, of packets on their way", p.ClosedForm)
	}
	goodput := family("goodput_gbps")[0]
	for _, l := range lines(rows, p, a, goodput, false) {
		window, err := strconv.ParseFloat(l.Name[strings.LastIndex(l.Name, " ")+1:], 64)
		if err != nil {
			return f, fmt.Errorf("plot: closed form: %s is no number of packets", l.Name)
		}
		theory := Line{Name: l.Name + ", theory", Dashed: true}
		whole := l.Points[0].Y / goBackN(l.Points[0].X, window) // at the least loss, which is nearly none
		for i := range l.Points {
			l.Points[i].Y /= whole
			theory.Points = append(theory.Points, XY{l.Points[i].X, goBackN(l.Points[i].X, window)})
		}
		f.Lines = append(f.Lines, l, theory)
	}
	return f, nil
}

func goBackN(loss, window float64) float64 { return (1 - loss) / (1 - loss + loss*window) }
