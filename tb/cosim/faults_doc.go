package main

import (
	"fmt"
	"slices"
	"strings"

	"gornic/format"
)

// faultsDoc is docs/faults.md: the tables, for people. Rows of a family that come to the
// same, but for the vendor code, are one.
func faultsDoc() string {
	text := "# Faults\n\n" +
		"Generated from the tables of `tb/cosim` (faults*.go, rules*.go, places.go): `go test ./tb/cosim -run TestFaultsDoc -faults.update`.\n" +
		"`go run ./tb/cosim -run faults/NAME` plays a row on the core and the reference, in the middle of traffic of other queue pairs, which goes on; so do\n" +
		"`rules/NAME` and `places/NAME`. A's request meets the fault; B is its responder. A queue pair in ERR flushes the rest of both its queues, in order,\n" +
		"with WR_FLUSH_ERR; nothing is written outside of what the messages may write, nor to the key table by what is refused. Numbers behind a status, and of\n" +
		"events, are vendor codes ([formats.md](formats.md)). A row marked * has a twin: the same without what is wrong is played first, and must succeed, so that\n" +
		"the refusal is for that reason alone. (Of the rows of rules/bound it is the other way round: what is refused is software's command.)\n"
	for _, t := range tables() {
		text += "\n## " + t.name + ": " + t.about + "\n\n" +
			"| fault | noticed by | A's request | B's receive | NAK | event | in ERR |\n|---|---|---|---|---|---|---|\n"
		for _, rows := range grouped(t.rows) {
			text += docLine(rows) + "\n"
		}
	}
	return text
}

// family is the first half of a fault's name.
func (f fault) family() string {
	family, _, _ := strings.Cut(f.name, "/")
	return family
}

// grouped puts rows together that follow each other and differ in the vendor code alone.
func grouped(all []fault) [][]fault {
	var groups [][]fault
	for _, f := range all {
		i := slices.IndexFunc(groups, func(g []fault) bool { return g[0].family() == f.family() && alike(g[0].want, f.want) })
		if i < 0 {
			groups = append(groups, []fault{f})
		} else {
			groups[i] = append(groups[i], f)
		}
	}
	return groups
}

// alike tells whether two verdicts differ in nothing that docLine shows, but vendor codes.
func alike(a, b verdict) bool {
	show := func(v verdict) string {
		f := fault{want: v}
		return strings.Join([]string{string(v.by), f.request(nil), f.receive(nil), f.nak(), f.asyncs(nil), f.errors()}, "|")
	}
	return show(a) == show(b)
}

func docLine(rows []fault) string {
	var names []string
	send, recv, events := &codes{}, &codes{}, &codes{}
	for _, f := range rows {
		_, name, _ := strings.Cut(f.name, "/")
		if f.twin != nil {
			name += "*"
		}
		names = append(names, name)
		f.request(send)
		f.receive(recv)
		f.asyncs(events)
	}
	f := rows[0]
	what := f.what
	if len(rows) > 1 {
		what = strings.Join(names, ", ")
	} else {
		what = names[0] + ": " + what
	}
	return fmt.Sprintf("| **%s** %s | %s | %s%v | %s%v | %s | %s%v | %s |", f.family(), what, f.want.by,
		f.request(nil), send, f.receive(nil), recv, f.nak(), f.asyncs(nil), events, f.errors())
}

// codes are vendor codes, each once.
type codes struct{ all []format.VendorCode }

func (c *codes) add(v format.VendorCode) {
	if c != nil && v != format.VendorNone && !slices.Contains(c.all, v) {
		c.all = append(c.all, v)
	}
}

func (c *codes) String() string {
	var words []string
	for _, v := range c.all {
		words = append(words, fmt.Sprint(uint16(v)))
	}
	if words == nil {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// request is what becomes of A's request; its vendor code goes to c.
func (f fault) request(c *codes) string {
	v := f.want
	switch {
	case v.unsure:
		return "SUCCESS or none"
	case v.lost[0]:
		return "none"
	case v.by == byResponder && !v.dead[sideA], v.by == byDoorbell:
		return ""
	}
	c.add(v.send.vendor)
	return v.send.status.String()
}

func (f fault) receive(c *codes) string {
	if f.want.recv == nil {
		return ""
	}
	c.add(f.want.recv.vendor)
	return f.want.recv.status.String()
}

func (f fault) nak() string {
	if f.want.nak == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", f.want.nak)
}

func (f fault) asyncs(c *codes) string {
	var words []string
	for s, events := range f.want.events {
		for _, e := range events {
			c.add(e.vendor)
			words = append(words, fmt.Sprintf("%v at %s", e.code, strings.ToUpper(side(s).String())))
		}
	}
	if f.want.refused > 0 {
		words = append(words, "counter bad_doorbell")
	}
	return strings.Join(words, ", ")
}

func (f fault) errors() string {
	var words []string
	for s, dead := range f.want.dead {
		if dead {
			words = append(words, strings.ToUpper(side(s).String()))
		}
	}
	return strings.Join(words, ", ")
}
