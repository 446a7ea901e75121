package formal

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gornic/hdl/ir"
	"gornic/hdl/verilog"
)

// A question is a way to run yosys-smtbmc.
type question int

const (
	bounded question = iota
	induction
	covers
)

// waves is the file of the trace that answers a question; covers have one for each way, numbered at the %.
func (q question) waves() string { return [...]string{"bounded.vcd", "induction.vcd", "cover%.vcd"}[q] }

func (q question) arguments(o Options) []string {
	// Without --unroll z3 does not finish what takes it seconds with it.
	args := []string{"-s", "z3", "--unroll", "--noprogress", "--smtc", constraintsName, "-t", strconv.Itoa(o.cycles(q))}
	switch q {
	case induction:
		args = append(args, "-i")
	case covers:
		args = append(args, "-c")
	}
	return args
}

// ask runs the solver on one question and reads its trace.
func (p *prover) ask(ctx context.Context, m model, o Options, q question) (Answer, error) {
	args := q.arguments(o)
	if q != covers || o.Witness {
		args = append(args, "--dump-vcd", q.waves())
	}
	answer, text, err := p.solve(ctx, m, o.Timeout, args)
	answer.Cycles = o.cycles(q)
	if err != nil {
		return answer, err
	}
	if answer.Status == Failed {
		answer.Failing = p.failing(text, q)
	}
	switch {
	case q == covers && o.Witness:
		answer.Witnesses, err = p.witnesses(text)
	case q != covers && answer.Status == Failed:
		answer.Trace, err = p.trace(q.waves(), q)
	}
	return answer, err
}

// try asks for the status of the bounded proof alone.
func (p *prover) try(ctx context.Context, m model, o Options) (Answer, error) {
	answer, _, err := p.solve(ctx, m, o.Timeout, append(bounded.arguments(o), "--noinfo"))
	return answer, err
}

func (p *prover) solve(ctx context.Context, m model, timeout time.Duration, args []string) (answer Answer, text string, err error) {
	cmd := p.smtbmc.Command(ctx, append(args, string(m))...)
	cmd.Dir = p.dir
	text, used, expired, err := run(cmd, timeout)
	answer.Time = used
	p.used += used
	switch {
	case ctx.Err() != nil:
		return answer, text, ctx.Err()
	case strings.Contains(text, "Status: PASSED"):
		answer.Status = Passed
	case strings.Contains(text, "Status: FAILED") && !expired:
		answer.Status = Failed
	case expired:
		answer.Status = TimedOut
	default:
		return answer, text, fmt.Errorf("%s on %s: %w\n%s", p.smtbmc.Name, p.design.Top.Name, err, tail(text, 10))
	}
	return answer, text, nil
}

// Reports of yosys-smtbmc, with the path of the module and the label of the property.
var (
	failedAssert = regexp.MustCompile(`Assert failed in (\S+): (\S+)`)
	unreached    = regexp.MustCompile(`Unreached cover statement at (\S+?)[:.]? ?(\S*)\.?$`)
	reached      = regexp.MustCompile(`Reached cover statement in step \d+ at (\S+): (\S+)`)
	writing      = regexp.MustCompile(`Writing trace to VCD file: (\S+)`)
)

// failing finds the properties that a report names, each once. The way to a cover may break an assertion, where the bounded
// proof did not finish.
func (p *prover) failing(text string, q question) []Property {
	found := p.named(text, failedAssert)
	if q == covers {
		found = append(found, p.named(text, unreached)...)
	}
	return found
}

func (p *prover) named(text string, pattern *regexp.Regexp) []Property {
	var found []Property
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		m := pattern.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		property := p.find(m[1], m[2])
		if !seen[property.Path] {
			seen[property.Path] = true
			found = append(found, property)
		}
	}
	return found
}

// find turns a module's path and a label into the property; one that is not known keeps the solver's words.
func (p *prover) find(path, label string) Property {
	path = strings.TrimPrefix(strings.TrimPrefix(path, p.design.Top.Name), ".")
	label = p.labelAt(label)
	for known, property := range p.properties {
		if known == strings.TrimPrefix(path+"."+property.Check.Name, ".") && labelled(property.Check, label) {
			return property
		}
	}
	return Property{Path: path + ": " + label}
}

// labelled allows for what Yosys puts behind a label.
func labelled(c *ir.Check, label string) bool {
	rest, ok := strings.CutPrefix(label, verilog.Label(c))
	return ok && (rest == "" || strings.HasPrefix(rest, "_witness") || rest[0] == '$')
}

// place is what Yosys says in place of a label that it has lost: the label of an assumption, for one.
var place = regexp.MustCompile(`^(\S+\.v):(\d+)\.`)

// labelAt reads the label in the Verilog where the solver gave only the place.
func (p *prover) labelAt(label string) string {
	m := place.FindStringSubmatch(label)
	if m == nil {
		return label
	}
	n, err := strconv.Atoi(m[2])
	lines := p.lines[m[1]]
	if err != nil || n > len(lines) {
		return label
	}
	before, _, _ := strings.Cut(strings.TrimSpace(lines[n-1]), ":")
	return before
}
