package walk

import (
	"fmt"
	"strings"
)

// want is what is looked for: the next observation of a name, at a place, with the
// values of of; it then has those of is, too, or the fact is none.
type want struct {
	where Where
	what  string
	of    []Value
	is    []Value
	cycle uint64 // in which it is; 0: any
}

// on looks for the next observation of a name that has some values.
func on(where Where, what string, of ...Value) want {
	return want{where: where, what: what, of: of}
}

// must says which values it has to have.
func (w want) must(is ...Value) want {
	w.is = append(w.is[:len(w.is):len(w.is)], is...)
	return w
}

// in looks in one cycle alone.
func (w want) in(cycle uint64) want {
	w.cycle = cycle
	return w
}

// val is a value.
func val[T ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64](name string, v T) Value {
	return Value{name, uint64(v)}
}

// flag is a value of one bit.
func flag(name string, v bool) Value {
	if v {
		return Value{name, 1}
	}
	return Value{name, 0}
}

// picks tells that an observation is the one that is looked for.
func (w want) picks(s Seen) bool {
	return s.Where == w.where && s.What == w.what && (w.cycle == 0 || s.Cycle == w.cycle) && differ(s, w.of) == ""
}

// differ says in which value an observation is not as expected; empty: in none.
func differ(s Seen, values []Value) string {
	for _, v := range values {
		got, ok := s.find(v.Name)
		switch {
		case !ok:
			return fmt.Sprintf("it has no %s", v.Name)
		case got != v.Number:
			return fmt.Sprintf("%s, expected %s", Value{v.Name, got}, v)
		}
	}
	return ""
}

func (w want) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", w.where, w.what)
	for _, v := range w.of {
		fmt.Fprintf(&b, " %s", v)
	}
	return b.String()
}
