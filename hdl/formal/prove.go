package formal

import (
	"context"
	"fmt"
	"time"

	"gornic/hdl/ir"
)

// Options say how far a proof goes. The zero value proves 20 cycles, without induction, in at most two minutes of
// processor time a question.
type Options struct {
	Depth     int           // cycles of the bounded proof and of covers, the one in reset included; 0 means 20
	Induction int           // cycles that the induction step relies on; 0 means no induction
	OneReset  bool          // the reset stays low behind the first cycle: see Prove
	NoCovers  bool          // do not look for covers
	Witness   bool          // keep how each cover is reached: Answer.Witnesses
	Timeout   time.Duration // of each question, whole seconds of processor time; 0 means two minutes
	Dir       string        // for waves; "" means build/formal/NAME in the module root, NAME being the top's
}

func (o Options) withDefaults() Options {
	if o.Depth == 0 {
		o.Depth = 20
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	return o
}

// Prove proves the properties of a design. The error is for what kept it from asking, such as an absent tool
// (toolset.ErrAbsent); the answers, good or bad, are in the result. What an assertion that fails from reset makes
// pointless, the induction and the covers, is then not asked.
//
// A reset that is raised again leads to nothing new: all that it leaves alone is arbitrary at the start, too. With OneReset the
// solver is spared from finding that out, which matters where a known frame goes through.
func Prove(ctx context.Context, d *ir.Design, o Options) (*Result, error) {
	o = o.withDefaults()
	p, err := newProver(d, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	model, err := p.model(ctx)
	if err != nil {
		return nil, err
	}
	r := &Result{Properties: p.count(ir.Assert), Covered: p.count(ir.Cover)}
	defer func() { r.Time = p.used }()
	if r.Bounded, err = p.ask(ctx, model, o, bounded); err != nil || r.Bounded.Status == Failed {
		return r, err
	}
	if o.Induction > 0 {
		if r.Induction, err = p.ask(ctx, model, o, induction); err != nil {
			return r, err
		}
	}
	if !o.NoCovers && r.Covered > 0 {
		r.Covers, err = p.ask(ctx, model, o, covers)
	}
	return r, err
}

func (o Options) cycles(q question) int {
	if q == induction {
		return o.Induction
	}
	return o.Depth
}

// Property is a property of one instance.
type Property struct {
	Path   string // "u_fifo.no_overflow"
	Check  *ir.Check
	Module *ir.Module // the instance
}

// String names the property and the Go line that states it; where that is inside a part of the library, also the line that
// uses the part.
func (p Property) String() string { return p.text("") }

// text is String with what happened to the property behind its name and line.
func (p Property) text(what string) string {
	if p.Check == nil {
		return p.Path + what
	}
	text := fmt.Sprintf("%s %s (%s)%s", p.Check.Kind, p.Path, p.Check.Pos, what)
	if user := p.Check.Pos.UsedAt(); user != "" {
		text += " (used at " + user + ")"
	}
	return text
}
