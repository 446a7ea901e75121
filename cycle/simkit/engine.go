package simkit

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/sarchlab/akita/v4/sim"
)

// Cycle is a number of cycles of the clock, or the number of one, from 0.
type Cycle = int64

// Never is later than every cycle.
const Never Cycle = math.MaxInt64

// wheelBits is log2 of the cycles that the wheel is ahead. What is later waits in a heap.
const wheelBits = 10

const (
	wheelSize = 1 << wheelBits
	wheelMask = wheelSize - 1
	wordBits  = 64
)

// Engine runs components. It is an Akita engine; used by one goroutine at a time.
type Engine struct {
	sim.HookableBase

	freq       sim.Freq
	now        Cycle
	cursor     int // the component that runs, -1 between cycles
	components []*Component
	lines      []line // streams, for Stuck

	words   int                    // of 64 components
	slots   []uint64               // of each cycle of the wheel, a bit for each component that wants to run
	used    [wheelSize / 64]uint64 // a bit for each cycle in which someone does
	later   wakeHeap
	foreign eventHeap
	stopped bool
	paused  bool
	steps   int64
	trace   *Trace // nil: none
}

var _ sim.Engine = (*Engine)(nil)

// line is what Stuck knows of a stream.
type line interface {
	describe() string
	waiting() int
}

// New returns an engine with a clock of so many Hz.
func New(hz float64) *Engine { return &Engine{freq: sim.Freq(hz), cursor: -1} }

// Now is the cycle at the moment.
func (e *Engine) Now() Cycle { return e.now }

// Steps is how often components have run.
func (e *Engine) Steps() int64 { return e.steps }

// CurrentTime is the time of the cycle, for Akita.
func (e *Engine) CurrentTime() sim.VTimeInSec { return e.timeOf(e.now) }

func (e *Engine) timeOf(c Cycle) sim.VTimeInSec { return sim.VTimeInSec(float64(c) / float64(e.freq)) }

// Pause stops Run behind the cycle at hand, until Continue is called and Run again.
func (e *Engine) Pause() { e.paused = true }

// Continue lets the next Run go on.
func (e *Engine) Continue() { e.paused = false }

// Stop ends Run behind the cycle at hand.
func (e *Engine) Stop() { e.stopped = true }

// Schedule takes an event of a component that is Akita's own. It runs behind the components of its cycle,
// primary events before secondary ones, in the order in which they were scheduled.
func (e *Engine) Schedule(event sim.Event) {
	at := max(Cycle(math.Round(float64(event.Time())*float64(e.freq))), e.now)
	e.foreign.push(foreignEvent{at: at, secondary: event.IsSecondary(), event: event})
}

// wake has a component run in a cycle, at the earliest in the present one if its turn is still to come.
func (e *Engine) wake(id int, at Cycle) {
	if at <= e.now {
		at = e.now
		if id <= e.cursor {
			at++
		}
	}
	if at-e.now >= wheelSize {
		if at < Never {
			e.later.Push(wakeup{at, id})
		}
		return
	}
	slot := int(at & wheelMask)
	e.slots[slot*e.words+id/wordBits] |= 1 << (id % wordBits)
	e.used[slot/wordBits] |= 1 << (slot % wordBits)
}

// grow makes the wheel wide enough for the components.
func (e *Engine) grow() {
	words := (len(e.components) + wordBits - 1) / wordBits
	if words == e.words {
		return
	}
	slots := make([]uint64, wheelSize*words)
	for s := range wheelSize {
		copy(slots[s*words:], e.slots[s*e.words:(s+1)*e.words])
	}
	e.slots, e.words = slots, words
}

// next is the first cycle from the present one on in which somebody wants to run.
func (e *Engine) next() Cycle {
	first := Never
	start := int(e.now & wheelMask)
	for i := 0; i <= len(e.used); i++ {
		w := (start/wordBits + i) % len(e.used)
		word := e.used[w]
		if i == 0 {
			word &= ^uint64(0) << (start % wordBits)
		}
		if i == len(e.used) {
			word &= 1<<(start%wordBits) - 1
		}
		if word != 0 {
			slot := w*wordBits + bits.TrailingZeros64(word)
			first = e.now + Cycle((slot-start)&wheelMask)
			break
		}
	}
	if len(e.later) > 0 {
		first = min(first, e.later[0].at)
	}
	if len(e.foreign) > 0 {
		first = min(first, e.foreign[0].at)
	}
	return first
}

// Run runs until nobody wants to run any more, or Stop or Pause is called.
func (e *Engine) Run() error { return e.RunContext(context.Background()) }

// contextSteps is how many cycles pass between two looks at the context.
const contextSteps = 1 << 12

// RunContext is Run that ends with the context, too. The error is that, or of a foreign event.
func (e *Engine) RunContext(ctx context.Context) error {
	e.stopped = false
	for n := 0; !e.stopped && !e.paused; n++ {
		if n%contextSteps == 0 && ctx.Err() != nil {
			return fmt.Errorf("cycle %d: %w", e.now, context.Cause(ctx))
		}
		at := e.next()
		if at == Never {
			return nil
		}
		e.now = at
		for len(e.later) > 0 && e.later[0].at-e.now < wheelSize {
			w := e.later.Pop()
			e.wake(w.id, w.at)
		}
		e.runCycle()
		if err := e.runForeign(); err != nil {
			return err
		}
	}
	return nil
}

// runCycle runs the components that want to, in their order. They may add others behind them.
func (e *Engine) runCycle() {
	slot := int(e.now & wheelMask)
	base := slot * e.words
	for w := range e.words {
		for e.slots[base+w] != 0 {
			bit := bits.TrailingZeros64(e.slots[base+w])
			e.slots[base+w] &^= 1 << bit
			id := w*wordBits + bit
			e.cursor = id
			e.steps++
			e.components[id].step(e.now)
		}
	}
	e.cursor = len(e.components)
	e.used[slot/wordBits] &^= 1 << (slot % wordBits)
}

func (e *Engine) runForeign() error {
	for len(e.foreign) > 0 && e.foreign[0].at <= e.now {
		event := e.foreign.pop().event
		if e.NumHooks() > 0 {
			e.InvokeHook(sim.HookCtx{Domain: e, Pos: sim.HookPosBeforeEvent, Item: event})
		}
		if err := event.Handler().Handle(event); err != nil {
			return fmt.Errorf("cycle %d: %w", e.now, err)
		}
		if e.NumHooks() > 0 {
			e.InvokeHook(sim.HookCtx{Domain: e, Pos: sim.HookPosAfterEvent, Item: event})
		}
	}
	e.cursor = -1
	return nil
}

// Stuck tells what lies in streams and who waits for what: for the error of a run that ended with work left.
func (e *Engine) Stuck() string {
	var lines []string
	for _, l := range e.lines {
		if l.waiting() > 0 {
			lines = append(lines, l.describe())
		}
	}
	for _, c := range e.components {
		if c.blocked != "" {
			lines = append(lines, fmt.Sprintf("%s waits for %s", c.Name(), c.blocked))
		}
	}
	if len(lines) == 0 {
		return "nothing lies in any stream"
	}
	return strings.Join(lines, "; ")
}
