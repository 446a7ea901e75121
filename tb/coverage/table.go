package coverage

import (
	"errors"
	"fmt"
	"sync"

	"gornic/format"
)

// Table is the counts. Its zero value has none; it may be used by many goroutines.
type Table struct {
	mu     sync.Mutex
	counts map[cell]int
	wrong  error // the first packet that a core should not have sent
}

// A cell is what is counted in one place.
type cell struct {
	op     format.Opcode
	column Column
	way    Way
}

func (c cell) String() string {
	info, _ := format.Lookup(c.op)
	text := info.Name + " " + c.way.String()
	if c.column != Any {
		text += ", " + c.column.String()
	}
	return text
}

// Count is how many packets of an opcode with a property there were one way.
func (t *Table) Count(op format.Opcode, c Column, w Way) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[cell{op, c, w}]
}

// Err is the first packet that a core sent and that cannot be, nil without one.
func (t *Table) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wrong
}

// errImpossible tells of a packet that cannot be.
var errImpossible = errors.New("cannot be")

// add counts a packet. What nobody should send counts nowhere; a test may give it to a core.
func (t *Table) add(c cell) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch why := Impossible(c.op, c.column, c.way); {
	case why != "" && c.way == Sent && t.wrong == nil:
		t.wrong = fmt.Errorf("%v, %w: %s", c, errImpossible, why)
	case why == "":
		if t.counts == nil {
			t.counts = map[cell]int{}
		}
		t.counts[c]++
	}
}

// Holes are the cells that the protocol allows, and that are empty, in words.
func (t *Table) Holes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for _, info := range format.Opcodes() {
		for column := range columns {
			for way := range ways {
				c := cell{info.Code, column, way}
				if Impossible(c.op, c.column, c.way) == "" && t.counts[c] == 0 {
					all = append(all, c.String())
				}
			}
		}
	}
	return all
}
