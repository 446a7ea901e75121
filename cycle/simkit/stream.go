package simkit

import (
	"fmt"
	"strings"

	"github.com/sarchlab/akita/v4/sim"
)

// Stream carries messages of one kind in order from one component to another, as a stream
// of the RTL with its FIFO: the taker sees a message so many cycles after it was given, and
// so many may be in it. It is an Akita connection of two ports.
type Stream[T any] struct {
	sim.HookableBase
	name     string
	from, to *Component
	latency  Cycle

	values []T
	due    []Cycle
	head   int
	size   int
	asked  bool // the giver waits for room
	in     *port[T]
	out    *port[T]
}

var _ sim.Connection = (*Stream[int])(nil)

// NewStream returns a stream between two components of an engine, with room for depth messages, which arrive
// latency cycles after they were given, at least 1.
func NewStream[T any](name string, from, to *Component, depth int, latency Cycle) *Stream[T] {
	if depth < 1 || latency < 1 {
		panic(fmt.Sprintf("simkit: stream %s of depth %d and latency %d", name, depth, latency))
	}
	s := &Stream[T]{name: name, from: from, to: to, latency: latency, values: make([]T, depth), due: make([]Cycle, depth)}
	out, in := name+"To"+last(to.name), name+"From"+last(from.name)
	s.out = &port[T]{name: from.name + "." + out, stream: s, owner: from, gives: true}
	s.in = &port[T]{name: to.name + "." + in, stream: s, owner: to}
	from.AddPort(out, s.out)
	to.AddPort(in, s.in)
	from.engine.lines = append(from.engine.lines, s)
	return s
}

// last is what stands behind the last dot of a name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// Name is the name of the stream.
func (s *Stream[T]) Name() string { return s.name }

// Len is how many messages are in the stream.
func (s *Stream[T]) Len() int { return s.size }

// Room tells whether the stream takes a message. If not, the giver is woken when it does.
func (s *Stream[T]) Room() bool { return s.RoomFor(1) }

// RoomFor is Room for n messages.
func (s *Stream[T]) RoomFor(n int) bool {
	if s.size+n <= len(s.values) {
		return true
	}
	s.asked = true
	return false
}

// Push gives a message. There has to be room.
func (s *Stream[T]) Push(v T) { s.PushAt(v, s.from.engine.now+s.latency) }

// PushAfter gives a message that arrives so many cycles later than others.
func (s *Stream[T]) PushAfter(v T, extra Cycle) { s.PushAt(v, s.from.engine.now+s.latency+extra) }

// PushAt gives a message that arrives in a cycle, or behind the one before it.
func (s *Stream[T]) PushAt(v T, at Cycle) {
	if s.size == len(s.values) {
		panic("simkit: stream " + s.name + " is full")
	}
	i := s.head + s.size
	if i >= len(s.values) {
		i -= len(s.values)
	}
	if s.size > 0 {
		last := i - 1
		if last < 0 {
			last = len(s.values) - 1
		}
		at = max(at, s.due[last])
	}
	at = max(at, s.from.engine.now+1)
	s.values[i], s.due[i] = v, at
	s.size++
	if s.size == 1 {
		s.to.Wake(at)
	}
	if s.out.NumHooks() > 0 {
		s.out.InvokeHook(sim.HookCtx{Domain: s.out, Pos: sim.HookPosPortMsgSend, Item: s.message(v)})
	}
}

// Ready tells whether a message has arrived.
func (s *Stream[T]) Ready() bool { return s.size > 0 && s.due[s.head] <= s.to.engine.now }

// Due is the cycle in which the first message arrives or has arrived, Never if there is none.
func (s *Stream[T]) Due() Cycle {
	if s.size == 0 {
		return Never
	}
	return s.due[s.head]
}

// Head is the first message, which has to be Ready. It stays.
func (s *Stream[T]) Head() *T { return &s.values[s.head] }

// At is message i, from the first on.
func (s *Stream[T]) At(i int) *T {
	i += s.head
	if i >= len(s.values) {
		i -= len(s.values)
	}
	return &s.values[i]
}

// Pop takes the first message, which has to be Ready.
func (s *Stream[T]) Pop() T {
	v := s.values[s.head]
	var none T
	s.values[s.head] = none
	if s.head++; s.head == len(s.values) {
		s.head = 0
	}
	s.size--
	if s.asked {
		s.asked = false
		s.from.Wake(s.from.engine.now)
	}
	if s.in.NumHooks() > 0 {
		s.in.InvokeHook(sim.HookCtx{Domain: s.in, Pos: sim.HookPosPortMsgRetrieveIncoming, Item: s.message(v)})
	}
	return v
}

// Next is when a taker that is free in a cycle can take the first message: for what a stage returns. It is later than now.
func (s *Stream[T]) Next(free Cycle) Cycle {
	if s.size == 0 {
		return Never
	}
	return max(free, s.due[s.head], s.to.engine.now+1)
}

// PlugIn, Unplug, NotifyAvailable and NotifySend are those of Akita. Both ports are plugged in from the beginning.
func (s *Stream[T]) PlugIn(sim.Port) {}

// Unplug does nothing: a stream keeps its ports.
func (s *Stream[T]) Unplug(sim.Port) {}

// NotifyAvailable wakes the giver.
func (s *Stream[T]) NotifyAvailable(sim.Port) { s.from.Wake(s.from.engine.now + 1) }

// NotifySend wakes the taker.
func (s *Stream[T]) NotifySend() { s.to.Wake(s.to.engine.now + 1) }

func (s *Stream[T]) waiting() int { return s.size }

func (s *Stream[T]) describe() string {
	return fmt.Sprintf("%d of %d in %s from %s to %s", s.size, len(s.values), s.name, s.from.name, s.to.name)
}
