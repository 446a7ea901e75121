package play

import (
	"fmt"

	"gornic/tb/drill/script"
)

const (
	patience = 6000 // cycles that work may take
	calm     = 1000 // cycles in which what must not come would have come
)

// window is when something may happen, in cycles.
type window struct {
	since, after, until uint64
}

// windowOf is that of a step.
func (p *player) windowOf(t script.Times) window {
	since := p.moment
	if t.Since != "" {
		since = p.moments[t.Since]
	}
	w := window{since: since, after: since + uint64(t.After.In(p.m.tick))}
	w.until = max(w.after, since+uint64(t.Within.In(p.m.tick)), p.m.now()) + patience
	return w
}

// await lets the NIC work until something is ready, false when a time has passed.
func (p *player) await(until uint64, ready func() (bool, error)) (bool, error) {
	for {
		if ok, err := ready(); ok || err != nil {
			return ok, err
		}
		if p.m.now() >= until {
			return false, nil
		}
		if err := p.m.run(slice); err != nil {
			return false, err
		}
	}
}

// quiet lets a time pass in which something must not come: at least as long as it would take.
func (p *player) quiet(t script.Time, came func() (bool, error)) error {
	_, err := p.await(p.m.now()+uint64(max(t.In(p.m.tick), calm)), came)
	return err
}

// elapsed says how long after something a cycle is.
func (p *player) elapsed(cycle, since uint64) string {
	if cycle < since {
		return "before that"
	}
	n := cycle - since
	return fmt.Sprintf("%.3f us (%d cycles) after", float64(p.m.duration(n).Nanoseconds())/1000, n)
}
