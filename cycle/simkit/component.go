package simkit

import (
	"fmt"

	"github.com/sarchlab/akita/v4/sim"
)

// Stage is a part of a component: it does what can be done in the cycle, and returns the cycle in which it
// wants to run again, later than now, or Never.
type Stage func(now Cycle) Cycle

// Component is something with stages, which run one after the other whenever it is woken.
type Component struct {
	sim.HookableBase
	*sim.PortOwnerBase

	engine  *Engine
	id      int
	name    string
	last    string // behind the last dot
	stages  []Stage
	blocked string // what it waits for, for Stuck
	Use     Use
}

var _ sim.Component = (*Component)(nil)

// Component makes a component of an engine. The name is one of Akita: words that begin with a capital, in
// brackets an index, dots between. Make takers before givers.
func (e *Engine) Component(name string, stages ...Stage) *Component {
	sim.NameMustBeValid(name)
	c := &Component{PortOwnerBase: sim.NewPortOwnerBase(), engine: e, id: len(e.components), name: name, last: last(name), stages: stages}
	e.components = append(e.components, c)
	e.grow()
	return c
}

// Name is the name of the component.
func (c *Component) Name() string { return c.name }

// Add adds a stage behind the others.
func (c *Component) Add(s Stage) { c.stages = append(c.stages, s) }

// Now is the present cycle.
func (c *Component) Now() Cycle { return c.engine.now }

// Wake has the component run in a cycle: in the present one, if that is not over for it, else in the next.
func (c *Component) Wake(at Cycle) { c.engine.wake(c.id, at) }

// NotifyRecv and NotifyPortFree wake the component, for connections of Akita.
func (c *Component) NotifyRecv(sim.Port) { c.Wake(c.engine.now + 1) }

// NotifyPortFree is as NotifyRecv.
func (c *Component) NotifyPortFree(sim.Port) { c.Wake(c.engine.now + 1) }

// Handle runs the component for an event that Akita brings.
func (c *Component) Handle(sim.Event) error {
	c.Wake(c.engine.now + 1)
	return nil
}

// Waits notes what the component waits for, for Stuck; "" if for nothing. It returns Never.
func (c *Component) Waits(what string) Cycle {
	c.blocked = what
	c.Use.stall(what)
	return Never
}

// Busy notes that the component works until a cycle, which it returns.
func (c *Component) Busy(until Cycle) Cycle {
	c.Use.busy(until)
	if t := c.engine.trace; t != nil {
		t.Task("busy", c.last, c.name, c.engine.now, until)
	}
	return until
}

// step runs the stages.
func (c *Component) step(now Cycle) {
	c.blocked = ""
	if t := c.engine.trace; t != nil {
		if what, since := c.Use.waits(); what != "" {
			t.Task("stall", what, c.name, since, now)
		}
	}
	c.Use.begin(now)
	next := Never
	for _, s := range c.stages {
		at := s(now)
		if at <= now {
			panic(fmt.Sprintf("simkit: %s wants to run in cycle %d, in cycle %d", c.name, at, now))
		}
		next = min(next, at)
	}
	if next < Never {
		c.engine.wake(c.id, next)
	}
}
