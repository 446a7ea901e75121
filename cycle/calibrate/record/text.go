package record

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"gornic/cycle/model"
)

// A Section is the events of one run under its name.
type Section struct {
	Name   string
	Events []model.Event
}

// Write writes sections as text: a line "# name" for each, then a line for each event with its numbers in the order of
// model.Event, cycles since the first doorbell.
func Write(w io.Writer, sections []Section) error {
	b := bufio.NewWriter(w)
	for _, s := range sections {
		fmt.Fprintf(b, "# %s\n", s.Name)
		for _, e := range s.Events {
			fmt.Fprintln(b, e.Cycle, e.Node, uint8(e.Kind), e.QP, e.WQE, e.PSN, e.Opcode, e.Bytes)
		}
	}
	return b.Flush()
}

// Read reads what [Write] writes; name names it in errors.
func Read(name string, r io.Reader) ([]Section, error) {
	var all []Section
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if title, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			all = append(all, Section{Name: string(title)})
			continue
		}
		var e model.Event
		var kind uint8
		if _, err := fmt.Sscan(string(line), &e.Cycle, &e.Node, &kind, &e.QP, &e.WQE, &e.PSN, &e.Opcode, &e.Bytes); err != nil || len(all) == 0 {
			return nil, fmt.Errorf("%s, line %d: %q is no event of a section", name, n, line)
		}
		e.Kind = model.EventKind(kind)
		s := &all[len(all)-1]
		s.Events = append(s.Events, e)
	}
	return all, lines.Err()
}

// Since returns events with cycles counted from one on.
func Since(begin uint64, events []model.Event) []model.Event {
	all := make([]model.Event, len(events))
	for i, e := range events {
		e.Cycle -= int64(begin)
		all[i] = e
	}
	return all
}
