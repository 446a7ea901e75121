package formal

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/verilog"
)

// vcd is what yosys-smtbmc wrote: the value of each net in each cycle, as binary digits. A cycle takes 10 units of time.
type vcd struct {
	text   []byte
	ids    map[string]string   // by path from the top: "u_fifo.head", "u_fifo.ram[3]"
	values map[string][]string // by id, in each cycle
	cycles int
}

// readVCD reads as much of the format as yosys-smtbmc uses.
func readVCD(text []byte) *vcd {
	v := &vcd{text: text, ids: map[string]string{}, values: map[string][]string{}}
	var scopes []string
	now := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 4 && f[0] == "$scope":
			scopes = append(scopes, f[2])
		case len(f) > 0 && f[0] == "$upscope" && len(scopes) > 0:
			scopes = scopes[:len(scopes)-1]
		case len(f) == 6 && f[0] == "$var" && len(scopes) > 0:
			v.ids[netPath(scopes, f[4])] = f[3]
		case strings.HasPrefix(line, "#"):
			now, _ = strconv.Atoi(strings.TrimSpace(line[1:]))
		case len(f) == 2 && f[0][0] == 'b' && now%10 == 0:
			v.set(f[1], now/10, f[0][1:])
		}
	}
	// Behind the last cycle stand the clock and the number of the step once more.
	v.cycles = now / 10
	return v
}

func netPath(scopes []string, name string) string {
	path := strings.Join(append(scopes[1:len(scopes):len(scopes)], name), ".")
	return strings.NewReplacer("<", "[", ">", "]").Replace(path)
}

// set takes a value; one that is not given again stays.
func (v *vcd) set(id string, cycle int, digits string) {
	for len(v.values[id]) < cycle {
		v.values[id] = append(v.values[id], v.before(id))
	}
	v.values[id] = append(v.values[id][:cycle], digits)
}

func (v *vcd) before(id string) string {
	if list := v.values[id]; len(list) > 0 {
		return list[len(list)-1]
	}
	return "0"
}

// signal returns the values of a net in all cycles.
func (v *vcd) signal(path string, width int) ([]ir.Const, bool) {
	id, ok := v.ids[path]
	if !ok {
		return nil, false
	}
	values := make([]ir.Const, v.cycles)
	for c := range values {
		digits := v.before(id)
		if c < len(v.values[id]) {
			digits = v.values[id][c]
		}
		values[c] = binary(width, digits)
	}
	return values, true
}

// binary takes what is not known as zero.
func binary(width int, digits string) ir.Const {
	c, _ := ir.NewConst(width, 0)
	for i := range min(width, len(digits)) {
		if digits[len(digits)-1-i] == '1' {
			c.Words[i/64] |= 1 << (i % 64)
		}
	}
	return c
}

// trace gives the nets back to the signals of a design.
func (v *vcd) trace(d *ir.Design, start Start) *Trace {
	t := &Trace{Start: start, Cycles: v.cycles, design: d, signals: map[*ir.Signal]int{}, memories: map[*ir.Memory][]int{}}
	rst := d.Top.Clocks[0].Rst
	if values, ok := v.signal(rst, 1); ok {
		t.Signals = append(t.Signals, TraceSignal{Path: rst, Values: values})
	}
	for _, m := range d.All {
		for _, s := range m.Signals {
			if values, ok := v.signal(join(m.Path, verilog.Name(s)), s.Width); ok && s.Instance == nil {
				t.signals[s] = len(t.Signals)
				t.Signals = append(t.Signals, TraceSignal{join(m.Path, s.Name), s, values})
			}
		}
		for _, mem := range m.Memories {
			for i := range mem.Depth {
				path := join(m.Path, fmt.Sprintf("%s[%d]", mem.Name, i))
				if values, ok := v.signal(path, mem.Width); ok {
					t.memories[mem] = append(t.memories[mem], len(t.Signals))
					t.Signals = append(t.Signals, TraceSignal{Path: path, Values: values})
				}
			}
		}
	}
	return t
}

// named is the VCD with a text beside each signal whose values have names, as the native simulator writes it.
func (v *vcd) named(t *Trace) []byte {
	enums := map[string]*ir.Enum{}
	for _, s := range t.Signals {
		if s.Signal != nil && s.Signal.Enum != nil && s.Signal.Width <= 64 {
			enums[v.ids[join(s.Signal.Module.Path, verilog.Name(s.Signal))]] = s.Signal.Enum
		}
	}
	var out bytes.Buffer
	for line := range bytes.Lines(v.text) {
		out.Write(line)
		f := strings.Fields(string(line))
		switch {
		case len(f) == 6 && f[0] == "$var" && enums[f[3]] != nil:
			fmt.Fprintf(&out, "$var string 1 %s_name %s_name $end\n", f[3], f[4])
		case len(f) == 2 && enums[f[1]] != nil:
			value := binary(64, f[0][1:]).Uint64()
			fmt.Fprintf(&out, "s%s %s_name\n", nameOr(enums[f[1]], value), f[1])
		}
	}
	return out.Bytes()
}

func nameOr(e *ir.Enum, value uint64) string {
	if name := enumName(e, value); name != "" {
		return strings.ReplaceAll(name, " ", "_")
	}
	return fmt.Sprintf("0x%x", value)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
