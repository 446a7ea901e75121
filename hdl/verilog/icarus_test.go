package verilog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/sim/randnet"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"

	"pgregory.net/rapid"
)

// The text means what the design means: random designs give the same outputs and
// events in Icarus as in the native simulator, from the same random state.
func TestIcarusAgrees(t *testing.T) {
	iverilog, vvp := toolset.Need(t, toolset.Icarus), toolset.Need(t, toolset.Vvp)
	designs := rapid.Custom(func(t *rapid.T) *ir.Design {
		return randnet.Design(t, randnet.Options{Clocks: rapid.IntRange(1, 2).Draw(t, "clocks"), InRange: true})
	})
	for seed := range 60 {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			d := designs.Example(seed)
			forwardWithinClock(d)
			b := newBench(t, d)
			b.run(uint64(seed), 24)
			dir := t.TempDir()
			files, err := verilog.Emit(d, verilog.Options{Checks: true, Events: true, Anonymous: true})
			if err != nil {
				t.Fatal(err)
			}
			names, err := verilog.Write(dir, append(files, verilog.File{Name: "tb.v", Text: b.text()}))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			run := func(tool toolset.Tool, args ...string) string {
				cmd := tool.Command(ctx, args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
				}
				return string(out)
			}
			run(iverilog, append([]string{"-g2005", "-DGORNIC_TRACE", "-o", "tb.vvp", "-s", "tb"}, names...)...)
			got := sortEvents(run(vvp, "-n", "tb.vvp"))
			if want := strings.Join(b.want, "\n") + "\n"; got != want {
				keep := filepath.Join(os.TempDir(), "gornic-icarus")
				if _, err := verilog.Write(keep, append(files, verilog.File{Name: "tb.v", Text: b.text()})); err == nil {
					t.Log("the files are in " + keep)
				}
				t.Errorf("Icarus and the native simulator differ\n%s", firstDifference(got, want))
			}
		})
	}
}

// forwardWithinClock takes the policy ReadNew from memories with several
// clocks: between clocks no forwarding exists in hardware.
func forwardWithinClock(d *ir.Design) {
	for _, m := range d.All {
		for _, r := range m.Memories {
			for _, read := range r.Reads {
				for _, w := range r.Writes {
					if r.Collide == ir.ReadNew && read.Clock != w.Clock {
						r.Collide = ir.ReadOld
					}
				}
			}
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] == w[i] {
			continue
		}
		report := fmt.Sprintf("cycle %d:", i)
		gf, wf := strings.Fields(g[i]), strings.Fields(w[i])
		for j := range min(len(gf), len(wf)) {
			if gf[j] != wf[j] {
				report += fmt.Sprintf(" got %s want %s;", gf[j], wf[j])
			}
		}
		return report
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// bench runs the native simulator and writes a testbench that does the same.
type bench struct {
	t     *testing.T
	d     *ir.Design
	sim   sim.Backend
	state uint64 // of the random numbers
	body  strings.Builder
	want  []string // what the testbench prints, the events of an instant in the order of their text
	time  uint64   // of the last edge in the testbench
}

var benchTimings = map[string]sim.Timing{"": {Period: 10}, "b": {Period: 6, Phase: 2}}

func newBench(t *testing.T, d *ir.Design) *bench {
	backend, err := sim.Native(d, sim.Options{Seed: 7, Clocks: benchTimings, Interpret: true, Events: true})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, d: d, sim: backend, time: ^uint64(0)} // the first edge is at 1, the others 2 apart
	for _, m := range d.All {
		b.load(m)
	}
	return b
}

// load gives the state of a module the values that the native simulator
// starts from.
func (b *bench) load(m *ir.Module) {
	path := func(name string) string { return strings.TrimPrefix(m.Path+"."+name, ".") }
	set := func(target, source string, width int) {
		words, err := b.sim.Peek(path(source))
		if err != nil {
			b.t.Fatal(err)
		}
		fmt.Fprintf(&b.body, "        dut.%s = %s;\n", path(target), literal(width, words))
	}
	for _, s := range m.Signals {
		switch {
		case s.Kind == ir.Reg:
			set(s.Name, s.Name, s.Width)
		case s.Kind == ir.ReadData && s.Read.Memory.Collide == ir.ReadNew && writtenBy(s.Read.Memory, s.Clock):
			set(s.Name+"_stored", s.Name, s.Width)
			fmt.Fprintf(&b.body, "        dut.%s = 0;\n", path(s.Name+"_hit"))
		case s.Kind == ir.ReadData:
			set(s.Name, s.Name, s.Width)
		}
	}
	for _, r := range m.Memories {
		for i := range r.Depth {
			word := fmt.Sprintf("%s[%d]", r.Name, i)
			set(word, word, r.Width)
		}
	}
}

func writtenBy(r *ir.Memory, c *ir.Clock) bool {
	for _, w := range r.Writes {
		if w.Clock == c {
			return true
		}
	}
	return false
}

func literal(width int, words []uint64) string {
	v := ir.Const{Width: 64 * len(words), Words: words}.Big()
	return fmt.Sprintf("%d'h%s", width, v.Text(16))
}

// run drives random inputs, notes the outputs, and runs an edge, cycle by cycle.
func (b *bench) run(seed uint64, cycles int) {
	b.state = seed
	for range cycles {
		b.drive()
		b.observe()
		b.edge()
	}
}

func (b *bench) drive() {
	for _, s := range b.d.Top.Signals {
		if s.Kind != ir.Input {
			continue
		}
		words := make([]uint64, ir.WordCount(s.Width))
		for i := range words {
			words[i] = sim.SplitMix64(&b.state)
			if sim.SplitMix64(&b.state)%4 == 0 {
				words[i] = 0
			}
		}
		c, _ := ir.ConstFromBig(s.Width, ir.Const{Width: 64 * len(words), Words: words}.Big())
		b.sim.Set(s, c.Words)
		fmt.Fprintf(&b.body, "        %s = %s;\n", s.Name, literal(s.Width, c.Words))
	}
	for _, c := range b.d.Top.Clocks {
		high := sim.SplitMix64(&b.state)%8 == 0
		b.sim.SetReset(c, high)
		fmt.Fprintf(&b.body, "        %s = %d;\n", c.Rst, map[bool]int{true: 1}[high])
	}
}

// observe compares outputs and registers.
func (b *bench) observe() {
	var formats, names, values []string
	for _, m := range b.d.All {
		for _, s := range m.Signals {
			if s.Kind != ir.Output && s.Kind != ir.Reg {
				continue
			}
			path := strings.TrimPrefix(m.Path+"."+s.Name, ".")
			words, err := b.sim.Peek(path)
			if err != nil {
				b.t.Fatal(err)
			}
			formats, names = append(formats, path+"=%0h"), append(names, "dut."+path)
			values = append(values, path+"="+ir.Const{Width: 64 * len(words), Words: words}.Big().Text(16))
		}
	}
	fmt.Fprintf(&b.body, "        #1 $display(\"%s\", %s);\n", strings.Join(formats, " "), strings.Join(names, ", "))
	b.want = append(b.want, strings.Join(values, " "))
}

func (b *bench) edge() {
	at := ^uint64(0)
	before := map[*ir.Clock]uint64{}
	for _, c := range b.d.Top.Clocks {
		before[c] = b.sim.Cycle(c)
		timing := benchTimings[c.Name]
		at = min(at, timing.FirstEdge()+timing.Period*before[c])
	}
	b.sim.Run(sim.RunRequest{Until: at})
	var up, down string
	for _, c := range b.d.Top.Clocks {
		if b.sim.Cycle(c) != before[c] {
			up += " " + c.Clk + " = 1;"
			down += " " + c.Clk + " = 0;"
		}
	}
	fmt.Fprintf(&b.body, "       %s\n        #1%s\n", up, down)
	b.time += 2
	var events []string
	for _, e := range b.sim.Events() {
		events = append(events, b.line(e))
	}
	slices.Sort(events)
	b.want = append(b.want, events...)
}

// line is an event as the text prints it.
func (b *bench) line(e sim.Event) string {
	line := fmt.Sprintf("TRACE %d %s %s", b.time, strings.TrimSuffix("tb.dut."+e.Path, "."), e.Name)
	for _, f := range e.Fields {
		line += fmt.Sprintf(" %s=%x", f.Name, f.Value)
	}
	return line
}

// sortEvents brings the events of each instant into the order of want.
func sortEvents(out string) string {
	lines := strings.SplitAfter(out, "\n")
	isEvent := func(i int) bool { return i < len(lines) && strings.HasPrefix(lines[i], "TRACE ") }
	for i := 0; i < len(lines); i++ {
		first := i
		for isEvent(i) {
			i++
		}
		slices.Sort(lines[first:i])
	}
	return strings.Join(lines, "")
}

func (b *bench) text() []byte {
	var out strings.Builder
	out.WriteString("module tb;\n")
	var pins []string
	add := func(kind string, width int, name string) {
		fmt.Fprintf(&out, "    %s [%d:0] %s;\n", kind, width-1, name)
		pins = append(pins, fmt.Sprintf(".%s(%s)", name, name))
	}
	for _, c := range b.d.Top.Clocks {
		add("reg", 1, c.Clk)
		add("reg", 1, c.Rst)
	}
	for _, s := range b.d.Top.Signals {
		switch s.Kind {
		case ir.Input:
			add("reg", s.Width, s.Name)
		case ir.Output:
			add("wire", s.Width, s.Name)
		}
	}
	fmt.Fprintf(&out, "    %s dut (%s);\n    initial begin\n", b.d.Top.Name, strings.Join(pins, ", "))
	for _, c := range b.d.Top.Clocks {
		fmt.Fprintf(&out, "        %s = 0;\n", c.Clk)
	}
	out.WriteString(b.body.String())
	out.WriteString("        $finish(0);\n    end\nendmodule\n")
	return []byte(out.String())
}
