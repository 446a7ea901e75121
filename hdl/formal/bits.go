package formal

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/tools/toolset"
)

// ProveBits asks the questions of [Prove] with the solvers of ABC, which work on single bits: they get through blocks with
// wide data paths, where z3 does not. The bounded proof is bmc3. In place of induction, which takes invariants that the
// author must state, pdr looks for the invariants by itself (property directed reachability, Bradley 2011); Induction asks
// for it, whatever its value. There are no traces: take [Prove] to see how a property fails.
func ProveBits(ctx context.Context, d *ir.Design, o Options) (*Result, error) {
	o = o.withDefaults()
	b, err := newBitProver(d, o)
	if err != nil {
		return nil, err
	}
	defer b.close()
	r := &Result{Properties: b.count(ir.Assert), Covered: b.count(ir.Cover)}
	defer func() { r.Time += b.used }()
	m, err := b.model(ctx)
	if err != nil {
		return nil, err
	}
	if r.Bounded, err = b.bounded(ctx, m, o); err != nil || r.Bounded.Status == Failed {
		return r, err
	}
	if o.Induction > 0 {
		if r.Induction, err = b.forever(ctx, m, o); err != nil {
			return r, err
		}
	}
	if !o.NoCovers && r.Covered > 0 {
		r.Covers, r.Time, err = coverBits(ctx, d, o)
	}
	return r, err
}

// coverBits looks for covers: it asks whether the opposite of each can be proved. When it has found one way, bmc3 may lose
// sight of another property that fails in the same cycle, so what is missing is asked for once more, alone.
// used is the processor time with the making of the models.
func coverBits(ctx context.Context, d *ir.Design, o Options) (answer Answer, used time.Duration, err error) {
	all, used, err := fails(ctx, opposites(d, nil), o)
	if err != nil {
		return all, used, err
	}
	reached := map[string]bool{}
	for _, p := range all.Failing {
		reached[p.Path] = true
	}
	answer = Answer{Status: Passed, Time: all.Time, Cycles: o.Depth}
	for _, c := range sim.Checks(d) {
		if c.Kind != ir.Cover || reached[c.Path()] {
			continue
		}
		alone, usedAlone, err := fails(ctx, opposites(d, c.Check), o)
		answer.Time += alone.Time
		used += usedAlone
		switch {
		case err != nil:
			return answer, used, err
		case alone.Status == Failed:
			continue
		case alone.Status == TimedOut:
			answer.Status = TimedOut
		case answer.Status == Passed:
			answer.Status = Failed
		}
		answer.Failing = append(answer.Failing, Property{c.Path(), c.Check, c.Module})
	}
	return answer, used, nil
}

// fails asks which assertions of a design fail.
func fails(ctx context.Context, d *ir.Design, o Options) (answer Answer, used time.Duration, err error) {
	b, err := newBitProver(d, o)
	if err != nil {
		return answer, 0, err
	}
	defer b.close()
	m, err := b.model(ctx)
	if err == nil {
		answer, err = b.bounded(ctx, m, o)
	}
	return answer, b.used, err
}

// opposites is the design with the opposite of each cover, or of one alone, as its only assertions. It shares all else with
// the original.
func opposites(d *ir.Design, one *ir.Check) *ir.Design {
	o := &ir.Design{}
	copies := map[*ir.Module]*ir.Module{}
	for _, m := range d.All {
		c := *m
		c.Checks = nil
		for _, check := range m.Checks {
			switch {
			case check.Kind == ir.Cover && one != nil && check != one:
			case check.Kind == ir.Cover:
				c.Checks = append(c.Checks, &ir.Check{
					Kind: ir.Assert, Name: check.Name, Clock: check.Clock, Pos: check.Pos,
					Cond: &ir.Node{Op: ir.OpNot, Width: 1, Args: []*ir.Node{check.Cond}, Module: check.Cond.Module, Pos: check.Pos},
				})
			case check.Kind == ir.Assume && m == d.Top:
				c.Checks = append(c.Checks, check)
			}
		}
		copies[m] = &c
		o.All = append(o.All, &c)
	}
	o.Top = copies[d.Top]
	for _, m := range d.Modules {
		o.Modules = append(o.Modules, copies[m])
	}
	return o
}

// MutantsBits is [Mutants] with the solver of [ProveBits].
func MutantsBits(ctx context.Context, d *ir.Design, o Options, n int) ([]Mutant, error) {
	o = o.withDefaults()
	b, err := newBitProver(d, o)
	if err != nil {
		return nil, err
	}
	defer b.close()
	mutations, err := b.mutations(ctx, n)
	if err != nil {
		return nil, err
	}
	models, err := b.broken(ctx, mutations)
	if err != nil {
		return nil, err
	}
	var mutants []Mutant
	for i, m := range models {
		answer, err := b.try(ctx, m, o)
		if err != nil {
			return nil, err
		}
		mutants = append(mutants, Mutant{describeMutation(mutations[i]), answer})
	}
	return mutants, nil
}

// broken makes a model of each mutation of the netlist.
func (b *bitProver) broken(ctx context.Context, mutations []string) ([]bitModel, error) {
	if len(mutations) == 0 {
		return nil, nil
	}
	var script strings.Builder
	var models []bitModel
	for i, mutation := range mutations {
		m := bitModel{name: fmt.Sprintf("broken%d", i)}
		models = append(models, m)
		script.WriteString("design -reset; read_rtlil " + netlistName + "; " + mutation + "; " + b.write(m))
	}
	_, err := b.run(ctx, script.String())
	return models, err
}

// A bitProver has ABC besides.
type bitProver struct {
	*prover
	abc toolset.Tool
}

func newBitProver(d *ir.Design, o Options) (*bitProver, error) {
	abc, err := toolset.Find(toolset.ABC)
	if err != nil {
		return nil, err
	}
	p, err := newProver(d, o)
	if err != nil {
		return nil, err
	}
	return &bitProver{p, abc}, nil
}

// A bitModel is the name of the files with the design as and-gates and inverters (AIGER), and with the order of its
// assertions.
type bitModel struct {
	name    string
	asserts []string // paths of Yosys, in the order of the outputs; nil where nobody will ask
}

func (b *bitProver) model(ctx context.Context) (bitModel, error) {
	m := bitModel{name: "bits"}
	if _, err := b.run(ctx, b.script()+b.write(m)); err != nil {
		return m, err
	}
	text, err := os.ReadFile(filepath.Join(b.dir, m.name+".json"))
	if err != nil {
		return m, err
	}
	var order struct{ Asserts [][]string }
	if err := json.Unmarshal(text, &order); err != nil {
		return m, fmt.Errorf("order of assertions: %w", err)
	}
	for _, path := range order.Asserts {
		m.asserts = append(m.asserts, strings.ReplaceAll(strings.Join(path, "."), `\`, ""))
	}
	return m, nil
}

// write makes a model of bits. Outputs go, as AIGER has nothing but outputs to say what must not be one. The reset is high
// in the first cycle: see prover.constraints.
func (b *bitProver) write(m bitModel) string {
	start := ""
	if rst := b.design.Top.Clocks[0].Rst; rst != "" {
		later := "1'bz"
		if b.oneReset {
			later = "1'b0"
		}
		start = "fminit -seq " + rst + " 1'b1," + later + "; "
	}
	return "flatten; " + start + "delete -output; memory_map; opt -keepdc; async2sync; chformal -early; " +
		"chformal -cover -remove; setundef -undriven -anyseq; opt_clean; " +
		"techmap t:$shl t:$shr t:$sshl t:$sshr t:$shift t:$shiftx t:$mul; simplemap; dfflegalize -cell $_DFF_P_ 0; opt_clean; " +
		"setundef -undriven -anyseq; aigmap; opt_clean; " +
		"write_aiger -I -B -zinit -no-startoffset -ywmap " + m.name + ".json " + m.name + ".aig; "
}

// Reports of ABC.
var (
	assertedOutput = regexp.MustCompile(`Output +(\d+) (?:of miter "[^"]*" )?was asserted in frame +(\d+)`)
	provedAll      = regexp.MustCompile(`Property proved|Networks are equivalent`)
	boundedDone    = regexp.MustCompile(`No output asserted in \d+ frames`)
)

// prepare makes assertions of what is assumed; simplify makes a smaller model of the same behaviour, in which bits that are
// always equal are one.
const (
	prepare  = "fold; strash; "
	simplify = "scorr; dc2; "
)

// stateless is what ABC says of a model as it was prepared where no assertion can fail: the state in which all has been as
// assumed so far, the reset at least, goes into each output that is not zero for ever.
const stateless = "Does not work for combinational networks"

// bounded looks for assertions that fail within o.Depth cycles.
func (b *bitProver) bounded(ctx context.Context, m bitModel, o Options) (Answer, error) {
	answer, failed, err := b.ask(ctx, m, o, "bmc3 -a -F "+strconv.Itoa(o.Depth), boundedDone)
	answer.Cycles = o.Depth
	for _, f := range failed {
		answer.Failing = append(answer.Failing, b.output(m, f[1]))
	}
	return answer, err
}

// try asks for the status of the bounded proof alone. What is broken fails early, so that simplifying would take longer.
func (b *bitProver) try(ctx context.Context, m bitModel, o Options) (Answer, error) {
	answer, _, err := b.askAsIs(ctx, m, o, "bmc3 -F "+strconv.Itoa(o.Depth), boundedDone)
	return answer, err
}

// forever asks for all assertions at once, so that each may rely on the others; which of them fail, where some do, a bounded
// proof that goes as far says.
func (b *bitProver) forever(ctx context.Context, m bitModel, o Options) (Answer, error) {
	answer, failed, err := b.ask(ctx, m, o, "orpos; pdr", provedAll)
	if err != nil || answer.Status != Failed {
		return answer, err
	}
	frame, err := strconv.Atoi(failed[0][2])
	if err != nil {
		return answer, err
	}
	o.Depth = frame + 1
	named, err := b.bounded(ctx, m, o)
	answer.Failing = named.Failing
	answer.Time += named.Time
	return answer, err
}

// ask runs a command of ABC on a simplified model; it returns the outputs that failed, with their frames, or that the report
// says that none does.
func (b *bitProver) ask(ctx context.Context, m bitModel, o Options, command string, none *regexp.Regexp) (answer Answer, failed [][]string, err error) {
	text, used, expired, err := b.abcRun(ctx, m, prepare+simplify+command, o.Timeout)
	if !assertedOutput.MatchString(text) && !none.MatchString(text) && !expired && ctx.Err() == nil {
		// No state or no output may be left for the solver, which then says neither.
		answer, failed, err = b.askAsIs(ctx, m, o, command, none)
		answer.Time += used
		return answer, failed, err
	}
	return b.understand(ctx, text, used, expired, err, none)
}

// askAsIs is ask without simplifying.
func (b *bitProver) askAsIs(ctx context.Context, m bitModel, o Options, command string, none *regexp.Regexp) (Answer, [][]string, error) {
	text, used, expired, err := b.abcRun(ctx, m, prepare+command, o.Timeout)
	return b.understand(ctx, text, used, expired, err, none)
}

// understand reads a report of ABC.
func (b *bitProver) understand(ctx context.Context, text string, used time.Duration, expired bool, ran error, none *regexp.Regexp) (answer Answer, failed [][]string, err error) {
	answer.Time = used
	failed = assertedOutput.FindAllStringSubmatch(text, -1)
	switch {
	case ctx.Err() != nil:
		return answer, nil, ctx.Err()
	case len(failed) > 0:
		answer.Status = Failed
	case expired:
		answer.Status = TimedOut
	case none.MatchString(text), strings.Contains(text, stateless):
		answer.Status = Passed
	default:
		return answer, nil, fmt.Errorf("%s on %s: %w\n%s", b.abc.Name, b.design.Top.Name, ran, tail(text, 10))
	}
	return answer, failed, nil
}

func (b *bitProver) abcRun(ctx context.Context, m bitModel, commands string, limit time.Duration) (text string, used time.Duration, expired bool, err error) {
	cmd := b.abc.Command(ctx, "-c", "read_aiger "+m.name+".aig; "+commands)
	cmd.Dir = b.dir
	text, used, expired, err = run(cmd, limit)
	b.used += used
	return text, used, expired, err
}

// output is the property behind one output of the model.
func (b *bitProver) output(m bitModel, number string) Property {
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(m.asserts) {
		return Property{Path: "output " + number}
	}
	for path, p := range b.properties {
		if inside, label := splitPath(m.asserts[i]); joinPath(inside, p.Check.Name) == path && labelled(p.Check, label) {
			return p
		}
	}
	return Property{Path: m.asserts[i]}
}

func splitPath(path string) (inside, name string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

func joinPath(inside, name string) string { return strings.TrimPrefix(inside+"."+name, ".") }
