package verilog

import (
	"strings"

	"gornic/hdl/ir"
)

// An enumSet is the localparams of one kind of value in a module. Only
// constants that the text uses are printed.
type enumSet struct {
	enum   *ir.Enum
	prefix string
	width  int
	scope  scope
	signal *ir.Signal // the first signal of that kind
	names  map[uint64]string
}

// nameOf returns the localparam of a value, or "" where it has none.
func (s *enumSet) nameOf(v uint64) string {
	if name, ok := s.names[v]; ok {
		return name
	}
	for _, named := range s.enum.Values {
		if named.Value == v {
			word := upper(named.Name)
			if rest, ok := strings.CutPrefix(word, s.prefix+"_"); ok {
				word = rest
			}
			s.names[v] = s.scope.take(s.prefix + "_" + word)
			return s.names[v]
		}
	}
	return ""
}

// upper turns "RDMA WRITE First" and "stPayload" into RDMA_WRITE_FIRST and ST_PAYLOAD.
func upper(name string) string {
	var b strings.Builder
	for _, r := range snake(strings.ReplaceAll(name, " ", "_")) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return strings.ToUpper(strings.Trim(b.String(), "_"))
}

// enumOf returns the names of the values of n, or nil: of the signal that it
// is, or of one that takes it.
func (e *module) enumOf(n *ir.Node) *enumSet {
	s := e.valueOf[n]
	if n.Op == ir.OpSignal && n.Signal.Enum != nil {
		s = n.Signal
	}
	if s == nil {
		return nil
	}
	return e.enumOfSignal(s)
}

func (e *module) enumOfSignal(s *ir.Signal) *enumSet {
	if s.Enum == nil {
		return nil
	}
	prefix := upper(s.Enum.Name)
	if s.FSM || prefix == "" {
		prefix = upper(s.Name)
	}
	for _, set := range e.enums {
		if set.prefix == prefix && set.width == s.Width && sameEnum(set.enum, s.Enum) {
			return set
		}
	}
	set := &enumSet{enum: s.Enum, prefix: prefix, width: s.Width, scope: e.scope, signal: s, names: map[uint64]string{}}
	e.enums = append(e.enums, set)
	return set
}

func sameEnum(a, b *ir.Enum) bool {
	if a == b {
		return true
	}
	if len(a.Values) != len(b.Values) {
		return false
	}
	for i, v := range a.Values {
		if v != b.Values[i] {
			return false
		}
	}
	return true
}

// printEnums writes the localparams that the text uses.
func (e *module) printEnums(t *text) {
	for _, set := range e.enums {
		var rows [][]string
		for _, v := range set.enum.Values {
			if name := set.names[v.Value]; name != "" {
				c, _ := ir.NewConst(set.width, v.Value)
				rows = append(rows, []string{"localparam", span(set.width), name, "= " + literal(c) + ";"})
			}
		}
		if len(rows) == 0 {
			continue
		}
		t.blank()
		if set.signal.FSM {
			t.comment([]string{"States of " + e.net(set.signal) + "."})
		} else {
			t.comment([]string{"Values of " + set.enum.Name + "."})
		}
		for _, l := range columns(rows) {
			t.plain(l)
		}
	}
}

// span is the range of a declaration; "" for one bit.
func span(width int) string {
	if width == 1 {
		return ""
	}
	return "[" + itoa(width-1) + ":0]"
}
