package play

import (
	"context"
	"fmt"
)

// end looks for what came and no step expected, and for bytes that were written beside what
// was allocated.
func (p *player) end(ctx context.Context) error {
	if err := p.m.run(calm); err != nil {
		return err
	}
	err := p.leftOver(ctx)
	if f, ok := err.(*Failure); ok && f.Line == 0 {
		f.File, f.Line, f.Verb = p.c.File, p.c.End, "behind the last step"
	}
	return err
}

func (p *player) leftOver(ctx context.Context) error {
	const nothing = "nothing more"
	if len(p.strays) > 0 {
		return p.stray(nothing)
	}
	if f := p.unseen("", nil); f != nil {
		return &Failure{Expected: nothing, Came: fmt.Sprintf("%s, which no step expects", p.words(f.q, f.Packet, true))}
	}
	for _, q := range p.pairs() {
		for queue := range q.cqes {
			if err := p.poll(ctx, q, queue); err != nil {
				return err
			}
			if all := q.cqes[queue]; len(all) > 0 {
				return &Failure{Expected: nothing, Came: fmt.Sprintf("a completion of %s that no step expects: %s", q.Name, cqeWords(all[0]))}
			}
		}
	}
	if err := p.takeEvents(ctx); err != nil {
		return err
	}
	if words := p.eventWords(""); words != "" {
		return &Failure{Expected: nothing, Came: "events that no step expects: " + words}
	}
	if err := p.m.CheckGuards(); err != nil {
		return &Failure{Expected: "memory beside what was allocated as it was", Came: err.Error()}
	}
	return nil
}
