package formal

import (
	"context"
	"errors"
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

func (q question) arguments(o Options) []string {
	// Without --unroll z3 does not finish what takes it seconds with it.
	args := []string{"-s", "z3", "--unroll", "--noprogress", "--smtc", constraintsName}
	switch q {
	case bounded:
		args = append(args, "-t", strconv.Itoa(o.Depth))
	case induction:
		args = append(args, "-i", "-t", strconv.Itoa(o.Induction))
	case covers:
		args = append(args, "-c", "-t", strconv.Itoa(o.Depth))
	}
	return args
}

// ask runs the solver on one question.
func (p *prover) ask(ctx context.Context, m model, o Options, q question) (Answer, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	cmd := p.smtbmc.Command(limited, append(q.arguments(o), m.path)...)
	cmd.Dir = p.dir
	endWithChildren(cmd)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	answer := Answer{Time: time.Since(start)}
	text := string(out)
	switch {
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		answer.Status = TimedOut
	case strings.Contains(text, "Status: PASSED"):
		answer.Status = Passed
	case strings.Contains(text, "Status: FAILED"):
		answer.Status = Failed
	default:
		return answer, fmt.Errorf("%s on %s: %w\n%s", p.smtbmc.Name, p.design.Top.Name, err, tail(text, 10))
	}
	if answer.Status == Failed {
		answer.Failing = p.failing(text, q)
	}
	return answer, nil
}

// Reports of yosys-smtbmc, with the path of the module and the label of the property.
var (
	failedAssert = regexp.MustCompile(`Assert failed in (\S+): (\S+)`)
	unreached    = regexp.MustCompile(`Unreached cover statement at (\S+?)[:.]? ?(\S*)\.?$`)
)

// failing finds the properties that a report names, each once.
func (p *prover) failing(text string, q question) []Property {
	pattern := failedAssert
	if q == covers {
		pattern = unreached
	}
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
