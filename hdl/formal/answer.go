package formal

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"gornic/hdl/ir"
)

// Status is the answer to one question.
type Status int

// The answers.
const (
	NotAsked Status = iota
	Passed
	Failed
	TimedOut
)

var statusNames = [...]string{"not asked", "passed", "failed", "timed out"}

// String returns the answer in words, such as "timed out".
func (s Status) String() string { return statusNames[s] }

// Answer is what the solver said to one question.
type Answer struct {
	Status    Status
	Failing   []Property    // assertions that can fail, or covers that were not reached
	Cycles    int           // that the question is about
	Trace     *Trace        // how the assertions fail: all of Failing in its last cycle; nil for covers
	Witnesses []Witness     // with Options.Witness: how the covers that were reached are
	Time      time.Duration // of the solver's processor
}

// A Witness is a way to covers.
type Witness struct {
	Covers []Property // true in the last cycle
	Trace  *Trace
}

// Result has the answers to all questions.
type Result struct {
	Bounded, Induction, Covers Answer
	Properties                 int           // assertions that were proved
	Covered                    int           // covers that were looked for
	Time                       time.Duration // of the processor, for everything: the tools that make the model, too
}

// Err is nil where everything that was asked passed. It names the properties that failed, with their Go lines, and the
// files with the waves.
func (r *Result) Err() error {
	return errors.Join(r.Bounded.err("bounded proof"), r.Induction.err("induction"), r.Covers.err("covers"))
}

func (a Answer) err(question string) error {
	if a.Status == NotAsked || a.Status == Passed {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s after %.1f s of processor time", question, a.Status, a.Time.Seconds())
	if a.Trace != nil {
		fmt.Fprintf(&text, ", in cycle %d %s", a.Trace.Cycles-1, a.Trace.origin())
	}
	for _, p := range a.Failing {
		what := ""
		if a.Status == Failed && p.Check != nil && p.Check.Kind == ir.Cover {
			what = fmt.Sprintf(": not reached within %d cycles", a.Cycles)
		}
		text.WriteString("\n\t" + p.text(what))
	}
	if a.Trace != nil {
		fmt.Fprintf(&text, "\n\twaves: %s", a.Trace.File)
	}
	return errors.New(text.String())
}

// String says what is known, in a line: "2 assertions: passed in 10 cycles, passed for all time; 1 of 1 cover reached".
func (r *Result) String() string {
	if r.empty() {
		return "nothing was asked: the design has no assertion, and no cover that was looked for"
	}
	text := fmt.Sprintf("%s: %s in %d cycles", count(r.Properties, "assertion"), r.Bounded.Status, r.Bounded.Cycles)
	if r.Induction.Status == NotAsked {
		text += ", not asked for all time"
	} else {
		text += fmt.Sprintf(", %s for all time", r.Induction.Status)
	}
	if r.Covers.Status != NotAsked {
		text += fmt.Sprintf("; %d of %s reached", r.Covered-len(r.Covers.Failing), count(r.Covered, "cover"))
	}
	return fmt.Sprintf("%s; %.1f s of processor time", text, r.Time.Seconds())
}

// empty reports whether nothing could fail.
func (r *Result) empty() bool { return r.Properties == 0 && r.Covers.Status == NotAsked }

// count is a number of things: "1 cover", "2 covers".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Explain shows the last cycles of each failure as a table of the registers and ports that matter to it; empty where
// nothing failed.
func (r *Result) Explain() string {
	var text strings.Builder
	for _, a := range []Answer{r.Bounded, r.Induction} {
		if a.Trace != nil {
			text.WriteString(a.Trace.Table(a.Failing...))
		}
	}
	return text.String()
}
