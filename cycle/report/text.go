package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Text writes a run for people: rates, latencies, caches, and the bottleneck.
func Text(w io.Writer, m Measured) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	line("messages", grouped(m.Messages)+" in "+grouped(m.Cycles)+" cycles of "+strconv.Itoa(m.ClockMHz)+" MHz, "+Nanoseconds(float64(m.Cycles)*1e3/float64(m.ClockMHz)))
	line("message rate", SI(m.Rate)+"/s")
	line("goodput", SI(m.Goodput)+"bit/s")
	if l := m.Latency; l.Count > 0 {
		line("latency", fmt.Sprintf("mean %s, median %s, 99 %% %s, 99.9 %% %s, longest %s",
			Nanoseconds(l.Mean), Nanoseconds(l.P50), Nanoseconds(l.P99), Nanoseconds(l.P999), Nanoseconds(l.Max)))
	}
	line("packets", grouped(m.Packets)+" sent")
	if m.Resent+m.Lost+m.Dropped > 0 {
		line("", fmt.Sprintf("%s lost on the wire, %s dropped by receivers without room, %s sent again", grouped(m.Lost), grouped(m.Dropped), grouped(m.Resent)))
	}
	if m.Marked+m.CNPs+m.RNRs > 0 {
		line("", fmt.Sprintf("%s marked, %s CNPs, %s RNR NAKs", grouped(m.Marked), grouped(m.CNPs), grouped(m.RNRs)))
	}
	for _, c := range m.Caches {
		if c.Hits+c.Misses > 0 {
			line("cache", fmt.Sprintf("%s of host %s: %.2f %% of %s hit", c.Name, c.Host, 100*c.HitRate, grouped(c.Hits+c.Misses)))
		}
	}
	line("bottleneck", m.Bottleneck)
	if err := t.Flush(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

// Explain writes where the cycles of each block went, and the bottleneck in a sentence.
func Explain(w io.Writer, m Measured) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "host\tblock\titems\tbusy\tstarved\tstalled\tby")
	for _, b := range m.Blocks {
		if b.Items == 0 && b.Busy == 0 && len(b.Stalled) == 0 {
			continue // it had nothing to do at all
		}
		var stalled int64
		var by []string
		for _, s := range b.Stalled {
			stalled += s.Cycles
			by = append(by, fmt.Sprintf("%s %s", s.By, percent(s.Cycles, m.Cycles)))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", b.Host, b.Name, grouped(b.Items), percent(b.Busy, m.Cycles),
			percent(b.Starved, m.Cycles), percent(stalled, m.Cycles), strings.Join(by, ", "))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", m.Bottleneck); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

func percent(part, all int64) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(all))
}

// Table writes the rows of a sweep for people.
func Table(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(rows) > 0 {
		for _, v := range rows[0].Values {
			fmt.Fprintf(t, "%s\t", v.Field)
		}
	}
	fmt.Fprintln(t, "rate\tgoodput\tmedian\t99 %\t")
	for _, r := range rows {
		for _, v := range r.Values {
			fmt.Fprintf(t, "%s\t", v.Text)
		}
		switch m := r.Measured; {
		case r.Status == Failed:
			first, _, _ := strings.Cut(r.Error, "\n")
			fmt.Fprintf(t, "failed: %s\n", first)
		case m == nil:
			fmt.Fprintln(t, r.Status)
		default:
			fmt.Fprintf(t, "%s/s\t%sbit/s\t%s\t%s\t%s\n", SI(m.Rate), SI(m.Goodput), Nanoseconds(m.Latency.P50), Nanoseconds(m.Latency.P99), m.Bottleneck)
		}
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

// SI is a number with a prefix, with a space behind it for the unit: 12.3 M.
func SI(x float64) string {
	for _, p := range []struct {
		least float64
		name  string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(x) >= p.least {
			return digits(x/p.least) + " " + p.name
		}
	}
	return digits(x) + " "
}

// Nanoseconds is a time with the unit that suits it.
func Nanoseconds(ns float64) string {
	switch {
	case ns >= 1e9:
		return digits(ns/1e9) + " s"
	case ns >= 1e6:
		return digits(ns/1e6) + " ms"
	case ns >= 1e4:
		return digits(ns/1e3) + " us"
	}
	return digits(ns) + " ns"
}

// digits is a number with four digits, or all of those before its point.
func digits(x float64) string {
	after := 3
	for limit := 10.0; after > 0 && math.Abs(x) >= limit; limit *= 10 {
		after--
	}
	text := strconv.FormatFloat(x, 'f', after, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// grouped is a number with commas between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
