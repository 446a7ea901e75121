package sim

import (
	"fmt"
	"strconv"
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/netlist"
)

// Peek finds a signal, or a word of a memory as in "u_table.words[5]", and
// computes it from inputs and state.
func (b *native) Peek(path string) ([]uint64, error) {
	if words, ok, err := b.peekMemory(path); ok || err != nil {
		return words, err
	}
	s := findSignal(b.design, path)
	if s == nil {
		return nil, fmt.Errorf("sim: no signal %q", path)
	}
	b.net.Lock()
	defer b.net.Unlock()
	vec, err := b.net.Signal(s)
	if err != nil {
		return nil, err
	}
	e := netlist.NewEvaluator(b.net.Netlist, b.state())
	words := make([]uint64, len(vec))
	for i, v := range vec {
		words[i] = e.Value(v)
	}
	return words, nil
}

func (b *native) peekMemory(path string) (words []uint64, ok bool, err error) {
	name, rest, found := strings.Cut(path, "[")
	if !found {
		return nil, false, nil
	}
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if err != nil {
		return nil, false, fmt.Errorf("sim: peek %q: %w", path, err)
	}
	for _, m := range b.net.Mems {
		if m.Path != name {
			continue
		}
		if index < 0 || index >= m.Memory.Depth {
			return nil, false, fmt.Errorf("sim: peek %q: the memory has %d words", path, m.Memory.Depth)
		}
		at := m.Slot + index*m.Parts
		return append([]uint64(nil), b.state()[at:at+m.Parts]...), true, nil
	}
	return nil, false, fmt.Errorf("sim: no memory %q", name)
}

// findSignal returns the signal of a path from the top, or nil.
func findSignal(d *ir.Design, path string) *ir.Signal {
	for _, m := range d.All {
		name := path
		if m.Path != "" {
			rest, ok := strings.CutPrefix(path, m.Path+".")
			if !ok {
				continue
			}
			name = rest
		}
		for _, s := range m.Signals {
			if s.Name == name {
				return s
			}
		}
	}
	return nil
}
