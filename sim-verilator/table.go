package verilator

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A peek is a variable that Verilator kept: its number in the library's table, and its width in bits.
type peek struct{ number, width int }

// A variable is a member of the C++ class that holds a design's state.
type variable struct {
	member string
	width  int
}

// member matches a declaration such as `CData/*7:0*/ top__DOT__u_fifo__DOT__count;` or `VlWide<16>/*511:0*/ top__DOT__data;`.
var member = regexp.MustCompile(`^\s*(?:VL_(?:IN|OUT)\w*\(|(?:[CSIQ]Data|VlWide<\d+>)/\*(\d+):(\d+)\*/ )(\w+)`)

// findVariables reads the header of the class. Memories, strings and what is not a plain value are passed over.
func findVariables(header string) ([]variable, error) {
	text, err := os.ReadFile(header)
	if err != nil {
		return nil, err
	}
	var all []variable
	for line := range strings.Lines(string(text)) {
		m := member.FindStringSubmatch(line)
		if m == nil || m[1] == "" || m[2] != "0" || strings.HasPrefix(m[3], "__V") {
			continue
		}
		high, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", header, line, err)
		}
		all = append(all, variable{m[3], high + 1})
	}
	return all, nil
}

// writeTable writes table.inc for the compiler and the numbers of the peeks for Go.
func (r *recipe) writeTable(dir string, variables []variable) error {
	var table strings.Builder
	for _, c := range r.text.clocks {
		fmt.Fprintf(&table, "CLOCK(%s)\n", mangle(c.clk))
		if c.rst != "" {
			fmt.Fprintf(&table, "RESET(%s)\n", mangle(c.rst))
		}
	}
	for _, p := range r.text.ports {
		fmt.Fprintf(&table, "PORT(%s, %d, %t)\n", mangle(p.name), p.width, p.input)
	}
	kept := map[string]int{}
	for _, v := range variables {
		kept[v.member] = v.width
	}
	for _, c := range r.text.covers {
		name := r.text.member(c)
		if kept[name] != 64 {
			return fmt.Errorf("the counter %s is not in the C++", name)
		}
		fmt.Fprintf(&table, "COVER(%s)\n", name)
	}
	if err := r.writeEvents(&table, kept); err != nil {
		return err
	}
	if err := r.writeParts(&table, kept); err != nil {
		return err
	}
	peeks := map[string][2]int{}
	for _, s := range r.text.signals {
		name := r.text.member(s.verilog)
		if kept[name] == s.width {
			fmt.Fprintf(&table, "PEEK(%s, %d)\n", name, s.width)
			peeks[s.path] = [2]int{len(peeks), s.width}
		}
	}
	if err := writeFile(filepath.Join(dir, "shim", "table.inc"), table.String()); err != nil {
		return err
	}
	numbers, err := json.Marshal(peeks)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, peeksName), string(numbers))
}

// writeEvents writes a line for each event, and lines for its fields after it.
func (r *recipe) writeEvents(table *strings.Builder, kept map[string]int) error {
	find := func(path string, width int) (string, error) {
		name := r.text.member(path)
		if kept[name] != width {
			return "", fmt.Errorf("the wire %s of an event is not in the C++", name)
		}
		return name, nil
	}
	for _, e := range r.text.events {
		name, err := find(e.when, 1)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "EVENT(%s, %d)\n", name, e.clock)
		for _, f := range e.fields {
			if name, err = find(f.wire, f.width); err != nil {
				return err
			}
			fmt.Fprintf(table, "FIELD(%s, %d)\n", name, f.width)
		}
	}
	return nil
}

func readPeeks(path string) (map[string]peek, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var numbers map[string][2]int
	if err := json.Unmarshal(text, &numbers); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	peeks := make(map[string]peek, len(numbers))
	for name, n := range numbers {
		peeks[name] = peek{number: n[0], width: n[1]}
	}
	return peeks, nil
}

// member returns the C++ name of a variable, whose Verilog path from the top is given.
func (t text) member(path string) string {
	parts := append([]string{t.top}, strings.Split(path, ".")...)
	for i, p := range parts {
		parts[i] = mangle(p)
	}
	return strings.Join(parts, "__DOT__")
}

// mangle returns Verilator's C++ name of an identifier: it keeps two underscores side by side for itself.
func mangle(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		b.WriteByte(name[i])
		if name[i] == '_' && i+1 < len(name) && name[i+1] == '_' {
			b.WriteString("__05F")
			i++
		}
	}
	return b.String()
}
