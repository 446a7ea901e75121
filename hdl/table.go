package hdl

import "gornic/hdl/check"

// Table returns values[index], constants of width bits, as a wire that is
// printed as one case statement: for tables in which a reader looks things up,
// where [Select] would print a tree. An index past the end gives the last value.
func (m *Module) Table(name string, index Bits, width int, values ...uint64) Bits {
	w := m.Wire(name, width)
	if len(values) == 0 {
		m.reportf(check.Misuse, "table %s has no values", name)
		w.Set(poison(width, index))
		return w
	}
	last := values[len(values)-1]
	var order []uint64 // of the arms: as the values first come
	where := map[uint64][]uint64{}
	for i, v := range values {
		if v == last || index.Width() < 64 && uint64(i)>>index.Width() != 0 {
			continue
		}
		if where[v] == nil {
			order = append(order, v)
		}
		where[v] = append(where[v], uint64(i))
	}
	if len(order) == 0 {
		w.SetK(last)
		return w
	}
	var arms []Arm
	for _, v := range order {
		arms = append(arms, Cases(where[v], func() { w.SetK(v) }))
	}
	m.Switch(index, append(arms, Default(func() { w.SetK(last) }))...)
	return w
}
