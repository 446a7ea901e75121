package verilog

import (
	"strings"

	"gornic/hdl/ir"
)

// printWaves writes a shadow of each signal with named values, typed as an
// enum, so that waves show the names.
func (e *module) printWaves() {
	types := map[*enumSet]string{}
	started := false
	for _, s := range e.ir.Signals {
		set := e.enumOfSignal(s)
		if set == nil || s.Ghost || s.Instance != nil || e.folded[s] || s.Width > 64 || len(set.enum.Values) == 0 {
			continue
		}
		if !started {
			started = true
			e.out.blank()
			e.out.plain("`ifdef GORNIC_WAVES")
			e.out.comment([]string{"Shadows with the names of values, for wave viewers (SystemVerilog)."})
			e.out.plain("/* verilator lint_off UNUSEDSIGNAL */ // read by people, in a viewer")
		}
		if types[set] == "" {
			types[set] = e.scope.take(strings.ToLower(set.prefix) + "_names")
			e.printEnumType(types[set], set)
		}
		shadow := e.scope.take(Name(s) + "_name")
		e.out.plain(types[set] + " " + shadow + ";")
		e.out.plain("assign " + shadow + " = " + types[set] + "'(" + Name(s) + ");")
	}
	if started {
		e.out.plain("/* verilator lint_on UNUSEDSIGNAL */")
		e.out.plain("`endif")
	}
}

func (e *module) printEnumType(name string, set *enumSet) {
	var rows [][]string
	seen := map[uint64]bool{}
	for _, v := range set.enum.Values {
		c, ok := ir.NewConst(set.width, v.Value)
		if ok && !seen[v.Value] {
			seen[v.Value] = true
			word := upper(v.Name)
			if word == "" || word[0] >= '0' && word[0] <= '9' {
				word = set.prefix + "_" + word
			}
			rows = append(rows, []string{e.scope.take(word), "= " + c.String()})
		}
	}
	e.out.plain(strings.Join(strings.Fields("typedef enum logic "+span(set.width)+" {"), " "))
	e.nested(func() {
		for i, l := range columns(rows) {
			e.out.plain(l + comma(i, len(rows)))
		}
	})
	e.out.plain("} " + name + ";")
}
