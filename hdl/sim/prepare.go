package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gornic/hdl/ir"
)

// Prepare does what has to be done with a design before copies of it can run, once for
// all of them: the result opens that design, from several goroutines at once if need be,
// with options that have the same [Needs]. The end of ctx ends what takes seconds.
type Prepare func(ctx context.Context, d *ir.Design, o Options) (Open, error)

// Needs are what of the options changes how a design is prepared.
type Needs struct{ Checks, Coverage, Events, Waves, Interpret bool }

// Needs are those of the options.
func (o Options) Needs() Needs {
	return Needs{Checks: o.HasChecks(), Coverage: o.Coverage, Events: o.Events, Waves: o.Waves != "", Interpret: o.Interpret}
}

// PreparedFor is open for the design and the needs that it was prepared for; others are
// an error.
func PreparedFor(d *ir.Design, needs Needs, open Open) Open {
	return func(asked *ir.Design, o Options) (Backend, error) {
		switch {
		case asked != d:
			return nil, errors.New("sim: another design was prepared")
		case o.Needs() != needs:
			return nil, fmt.Errorf("sim: prepared for other options: %+v, not %+v", needs, o.Needs())
		}
		return open(asked, o)
	}
}

// Cached is the simulator with a memory: it prepares a design once, however many copies
// are opened of it and from how many goroutines; who comes while it is prepared waits. It
// keeps what it prepared, and so the designs, as long as it is itself kept. The end of ctx
// ends preparing.
func (s Simulator) Cached(ctx context.Context) Simulator {
	if s.Prepare == nil {
		return s
	}
	prepare := s.Prepare
	c := &cache{
		prepare: func(d *ir.Design, o Options) (Open, error) { return prepare(ctx, d, o) },
		opens:   map[cacheKey]func() (Open, error){},
	}
	s.Open = c.open
	return s
}

// A cache is the memory of a simulator.
type cache struct {
	prepare func(*ir.Design, Options) (Open, error)
	mu      sync.Mutex
	opens   map[cacheKey]func() (Open, error)
}

type cacheKey struct {
	design *ir.Design
	needs  Needs
}

func (c *cache) open(d *ir.Design, o Options) (Backend, error) {
	open, err := c.prepared(d, o)()
	if err != nil {
		return nil, err
	}
	return open(d, o)
}

// prepared is the function that prepares a design when it is first called.
func (c *cache) prepared(d *ir.Design, o Options) func() (Open, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := cacheKey{d, o.Needs()}
	once, ok := c.opens[key]
	if !ok {
		once = sync.OnceValues(func() (Open, error) { return c.prepare(d, o) })
		c.opens[key] = once
	}
	return once
}
