package formal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// A prover has a design as Verilog in a folder of its own, and the tools.
type prover struct {
	design     *ir.Design
	dir        string // for the tools, removed in the end
	waves      string // folder for traces, made when there is one
	files      []string
	yosys, z3  toolset.Tool
	smtbmc     toolset.Tool
	oneReset   bool
	used       time.Duration       // processor time of all tools so far
	properties map[string]Property // by path
	lines      map[string][]string // of each file
}

func newProver(d *ir.Design, o Options) (*prover, error) {
	if len(d.Top.Clocks) != 1 {
		return nil, fmt.Errorf("prove %s: %d clocks, want one", d.Top.Name, len(d.Top.Clocks))
	}
	p := &prover{design: d, waves: o.Dir, oneReset: o.OneReset, properties: map[string]Property{}, lines: map[string][]string{}}
	for name, tool := range map[string]*toolset.Tool{toolset.Yosys: &p.yosys, toolset.Smtbmc: &p.smtbmc, toolset.Z3: &p.z3} {
		var err error
		if *tool, err = toolset.Find(name); err != nil {
			return nil, err
		}
	}
	for _, c := range sim.Checks(d) {
		p.properties[c.Path()] = Property{c.Path(), c.Check, c.Module}
	}
	return p, p.write()
}

// write puts the Verilog into a new folder.
func (p *prover) write() error {
	files, err := verilog.Emit(p.design, verilog.Options{Checks: true})
	if err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp("", "formal"); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(p.dir, f.Name), f.Text, 0o644); err != nil {
			return err
		}
		p.files = append(p.files, f.Name)
		p.lines[f.Name] = strings.Split(string(f.Text), "\n")
	}
	return nil
}

// propertyLine is the line of a file, from 1, from which on everything serves the properties.
func (p *prover) propertyLine(file string) int {
	i := slices.Index(p.lines[file], "    // Properties")
	if i < 0 {
		return math.MaxInt
	}
	return i + 1
}

func (p *prover) close() { os.RemoveAll(p.dir) }

func (p *prover) count(kind ir.CheckKind) int {
	n := 0
	for _, q := range p.properties {
		if q.Check.Kind == kind {
			n++
		}
	}
	return n
}

// A model is the file with the design for the solver.
type model string

// model has Yosys translate the design.
func (p *prover) model(ctx context.Context) (model, error) {
	const m model = "model.smt2"
	if _, err := p.run(ctx, p.script()+m.write()); err != nil {
		return m, err
	}
	return m, p.constrain()
}

// write is what makes a model of word-level cells. Yosys samples what is asserted at a clock edge with a register, and
// would look at it one cycle late: chformal -early takes those registers out.
func (m model) write() string {
	return "memory_map; opt -keepdc; async2sync; chformal -early; dffunmap; opt_clean; write_smt2 -wires " + string(m) + "; "
}

func (p *prover) constrain() error {
	return os.WriteFile(filepath.Join(p.dir, constraintsName), []byte(p.constraints()), 0o644)
}

// constraintsName is the file of what the solver is told besides the model.
const constraintsName = "start.smtc"

// constraints start the proof in reset: a top without properties of its own does not say so in its Verilog.
func (p *prover) constraints() string {
	rst := p.design.Top.Clocks[0].Rst
	if rst == "" {
		return "initial\n"
	}
	text := "initial\nassume [" + rst + "]\n"
	if p.oneReset {
		text += "\nstate 1:*\nassume (not [" + rst + "])\n"
	}
	return text
}

// script reads the design and makes it a netlist of word-level cells. What is assumed inside becomes an assertion.
func (p *prover) script() string {
	top := p.design.Top.Name
	s := "read_verilog -formal -DFORMAL " + strings.Join(p.files, " ") + "; prep -nordff -top " + top + "; "
	if len(p.design.Modules) > 1 {
		s += "chformal -assume2assert * " + top + " %d; "
	}
	return s
}

// run runs Yosys in the prover's folder. The script is a file: some versions, such as 0.52, cut the argument of -p at commas.
func (p *prover) run(ctx context.Context, script string) (string, error) {
	name, err := writeTemporary(p.dir, "script-*.ys", script+"\n")
	if err != nil {
		return "", fmt.Errorf("yosys on %s: %w", p.design.Top.Name, err)
	}
	cmd := p.yosys.Command(ctx, "-s", name)
	cmd.Dir = p.dir
	out, used, _, err := run(cmd, 0)
	p.used += used
	if err != nil {
		return "", fmt.Errorf("yosys on %s: %w\n%s", p.design.Top.Name, err, tail(out, 10))
	}
	return out, nil
}

// writeTemporary puts text into a new file of a folder and returns its name there.
func writeTemporary(dir, pattern, text string) (string, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return filepath.Base(f.Name()), errors.Join(err, f.Close())
}

func tail(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
