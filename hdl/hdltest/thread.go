package hdltest

import (
	"iter"

	"gornic/hdl"
	"gornic/hdl/sim"
)

// Bench runs threads that act cycle by cycle, as a person would write down
// what happens: set this, wait for that, check. All see the same moment of a cycle, in
// the order in which they were started.
type Bench struct {
	sim     *sim.Sim
	threads []*Thread
}

// NewBench returns a bench without threads.
func NewBench(s *sim.Sim) *Bench { return &Bench{sim: s} }

// Thread is one thread of a Bench, inside its function.
type Thread struct {
	Sim   *sim.Sim
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	stop  func()
	done  bool
}

// ended is the panic that unwinds a thread whose bench has stopped.
type ended struct{}

// Go starts a thread. It runs inside Run only.
func (b *Bench) Go(f func(*Thread)) {
	t := &Thread{Sim: b.sim}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != (any)(ended{}) {
				panic(r)
			}
		}()
		t.yield = yield
		f(t)
	})
	b.threads = append(b.threads, t)
}

// Run runs the threads and the design until every thread has returned, for
// at most max cycles or to the first failed check. It reports whether all returned;
// those that did not are ended.
func (b *Bench) Run(max int) bool {
	defer b.stop()
	for range max {
		if !b.resume() {
			return true
		}
		if b.sim.Err() != nil {
			return false
		}
		b.sim.Step()
	}
	return !b.resume()
}

// resume runs each thread up to its next Step, and reports whether one is left.
func (b *Bench) resume() bool {
	left := false
	for _, t := range b.threads {
		if t.done {
			continue
		}
		_, running := t.next()
		t.done = !running
		left = left || running
	}
	return left
}

func (b *Bench) stop() {
	for _, t := range b.threads {
		t.stop()
	}
	b.threads = nil
}

// Step waits for the next cycle.
func (t *Thread) Step() {
	if !t.yield(struct{}{}) {
		panic(ended{})
	}
}

// Wait waits for n cycles.
func (t *Thread) Wait(n int) {
	for range n {
		t.Step()
	}
}

// WaitFor waits until a port of one bit is one.
func (t *Thread) WaitFor(port hdl.Bits) {
	for t.Sim.Get(port) == 0 {
		t.Step()
	}
}
