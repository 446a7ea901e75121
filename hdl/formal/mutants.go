package formal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gornic/hdl/ir"
)

// A Mutant is a copy of the design in which Yosys broke something at random: one bit of one operation is stuck, inverted or
// crossed with another.
type Mutant struct {
	What   string // "const1 at fifo.v:39"
	Answer Answer // Failed: the assertions notice
}

// Mutants makes up to n copies of the design, spread evenly over its control logic, and tries the bounded proof on each. The
// properties' own state is left alone. Not every one can be noticed: one may touch a bit that never changes, or an output
// that no assertion speaks of. How many are is a measure of the assertions; [Copies] are what they have to notice.
func Mutants(ctx context.Context, d *ir.Design, o Options, n int) ([]Mutant, error) {
	o = o.withDefaults()
	p, err := newProver(d, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	mutations, err := p.mutations(ctx, n)
	if err != nil {
		return nil, err
	}
	models, err := p.broken(ctx, mutations)
	if err != nil {
		return nil, err
	}
	var mutants []Mutant
	for i, m := range models {
		answer, err := p.try(ctx, m, o)
		if err != nil {
			return nil, err
		}
		mutants = append(mutants, Mutant{describeMutation(mutations[i]), answer})
	}
	return mutants, nil
}

const netlistName = "netlist.il"

// mutations writes the design as a netlist, has Yosys list broken copies, as the commands that make them, and drops those
// of the properties' section.
func (p *prover) mutations(ctx context.Context, n int) ([]string, error) {
	mutate := "mutate -seed " + strconv.Itoa(n) + " -list " + strconv.Itoa(20*n) + " -o "
	script := p.script() + "write_rtlil " + netlistName + "; " + mutate + "bits " + oneBit + "; " + mutate + "all"
	if _, err := p.run(ctx, script); err != nil {
		return nil, err
	}
	all, err := p.hardware("bits")
	if err == nil && len(all) < n {
		all, err = p.hardware("all")
	}
	if err != nil {
		return nil, err
	}
	var spread []string
	for i := range min(n, len(all)) {
		spread = append(spread, all[i*len(all)/min(n, len(all))])
	}
	return spread, nil
}

// broken makes a model of each mutation of the netlist.
func (p *prover) broken(ctx context.Context, mutations []string) ([]model, error) {
	if len(mutations) == 0 {
		return nil, nil
	}
	var script strings.Builder
	var models []model
	for i, mutation := range mutations {
		m := model(fmt.Sprintf("broken%d.smt2", i))
		models = append(models, m)
		script.WriteString("design -reset; read_rtlil " + netlistName + "; " + mutation + "; " + m.write())
	}
	if _, err := p.run(ctx, script.String()); err != nil {
		return nil, err
	}
	return models, p.constrain()
}

// oneBit selects the cells and registers of one bit, where control is: most of what assertions speak of.
const oneBit = "r:Y_WIDTH=1 r:WIDTH=1"

// hardware reads a list of mutations without those of the properties.
func (p *prover) hardware(list string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, list))
	if err != nil {
		return nil, err
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if p.isHardware(line) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all, nil
}

// source matches where a mutated cell comes from: a file and a line of the emitted Verilog.
var source = regexp.MustCompile(`-src (\S+?):(\d+)\.`)

func (p *prover) isHardware(mutation string) bool {
	places := source.FindAllStringSubmatch(mutation, -1)
	for _, m := range places {
		line, err := strconv.Atoi(m[2])
		if err != nil || line >= p.propertyLine(m[1]) {
			return false
		}
	}
	return len(places) > 0
}

func describeMutation(mutation string) string {
	mode, place := "fault", "?"
	if _, rest, ok := strings.Cut(mutation, "-mode "); ok {
		mode, _, _ = strings.Cut(rest, " ")
	}
	if m := source.FindStringSubmatch(mutation); m != nil {
		place = m[1] + ":" + m[2]
	}
	return fmt.Sprintf("%s at %s", mode, place)
}
