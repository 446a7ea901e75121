package play

import (
	"context"
	"fmt"
	"slices"

	"gornic/tb/drill/script"
	"gornic/verbs"
)

// takeEvents takes the events that came, each to its queue pair.
func (p *player) takeEvents(ctx context.Context) error {
	all, err := p.dev.PollAsync(ctx)
	if err != nil {
		return err
	}
	for _, e := range all {
		q := p.eventOf(e)
		if q == nil {
			return &Failure{Expected: "events of what there is", Came: e.String()}
		}
		q.events = append(q.events, e)
	}
	for {
		cq, err := p.dev.EQ().Poll(ctx)
		if err != nil || cq == nil {
			return err
		}
		for _, q := range p.pairs() {
			if i := slices.Index(q.cqs[:], cq); i >= 0 {
				q.armed[i]++
			}
		}
	}
}

// eventOf is the queue pair that an asynchronous event is about.
func (p *player) eventOf(e verbs.AsyncEvent) *queuePair {
	for _, q := range p.pairs() {
		if e.QP != nil && e.QP == q.qp || e.CQ != nil && slices.Contains(q.cqs[:], e.CQ) {
			return q
		}
	}
	return nil
}

// anyEvent tells whether an event waits.
func (p *player) anyEvent(ctx context.Context) (bool, error) {
	if err := p.takeEvents(ctx); err != nil {
		return false, err
	}
	return p.eventWords("") != "", nil
}

// eventWords says what events wait: of a queue pair or, without a name, of all; empty: none.
func (p *player) eventWords(name string) string {
	text := ""
	for _, q := range p.pairs() {
		if name != "" && q.Name != name {
			continue
		}
		for _, e := range q.events {
			text += fmt.Sprintf(", %v of %s (%v)", e.Type, q.Name, e.Vendor)
		}
		for i, count := range q.armed {
			if count > 0 {
				text += fmt.Sprintf(", %d completion events of the %s queue of %s", count, [...]string{"send", "recv"}[i], q.Name)
			}
		}
	}
	if text == "" {
		return ""
	}
	return text[2:]
}

// expectEvent expects an event of a queue pair.
func (p *player) expectEvent(ctx context.Context, s script.Step, a script.ExpectEvent) error {
	q, w := p.qps[a.QP], p.windowOf(a.Times)
	taken := ""
	came, err := p.await(w.until, func() (bool, error) {
		if err := p.takeEvents(ctx); err != nil {
			return false, err
		}
		taken = q.takeEvent(&a)
		return taken != "", nil
	})
	if err != nil || came {
		p.trace(s.Line, "event       %s", taken)
		return err
	}
	words := p.eventWords("")
	if words == "" {
		words = "none"
	}
	return &Failure{Expected: wantedEvent(&a), Came: words + ", until " + p.elapsed(p.m.now(), w.since)}
}

// takeEvent takes an event that is expected, and names it; empty: there is none.
func (q *queuePair) takeEvent(a *script.ExpectEvent) string {
	if i := queueOf(a.Recv); a.Completion && q.armed[i] > 0 {
		q.armed[i]--
		return "completion event"
	}
	i := slices.IndexFunc(q.events, func(e verbs.AsyncEvent) bool { return slices.Contains(a.Event, e.Type) })
	if i < 0 {
		return ""
	}
	e := q.events[i]
	q.events = slices.Delete(q.events, i, i+1)
	return e.String()
}

func wantedEvent(a *script.ExpectEvent) string {
	text := names(a.Event)
	if a.Completion {
		text = "a completion event"
	}
	return text + " of " + a.QP
}

// expectNoEvent expects that no event comes.
func (p *player) expectNoEvent(ctx context.Context, a script.ExpectNoEvent) error {
	err := p.quiet(a.For, func() (bool, error) {
		err := p.takeEvents(ctx)
		return p.eventWords(a.QP) != "", err
	})
	if err == nil && p.eventWords(a.QP) != "" {
		return &Failure{Expected: "no event for " + a.For.Text, Came: p.eventWords(a.QP)}
	}
	return err
}
