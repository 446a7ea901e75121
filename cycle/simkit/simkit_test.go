package simkit

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sarchlab/akita/v4/sim"
	"github.com/stretchr/testify/require"
)

const hz = 250e6

// source gives numbers as fast as there is room.
func source(c *Component, out *Stream[int], count int) Stage {
	n := 0
	return func(now Cycle) Cycle {
		if n == count {
			return Never
		}
		if !out.Room() {
			return c.Waits("sink")
		}
		out.Push(n)
		n++
		return now + 1
	}
}

// sink takes one every so many cycles, and notes when.
func sink(in *Stream[int], every Cycle, at *[]Cycle) Stage {
	free := Cycle(0)
	return func(now Cycle) Cycle {
		if in.Ready() && now >= free {
			if in.Pop() != len(*at) {
				panic("out of order")
			}
			*at = append(*at, now)
			free = now + every
		}
		return in.Next(free)
	}
}

func chain(t *testing.T, depth int, latency, every Cycle, count int) (*Engine, []Cycle) {
	e := New(hz)
	to := e.Component("Sink")
	from := e.Component("Source")
	s := NewStream[int]("Numbers", from, to, depth, latency)
	var at []Cycle
	to.Add(sink(s, every, &at))
	from.Add(source(from, s, count))
	from.Wake(0)
	require.NoError(t, e.Run())
	require.Len(t, at, count)
	return e, at
}

// A stream of depth 1 carries a message a cycle, and none is lost when the taker is slow.
func TestStream(t *testing.T) {
	_, at := chain(t, 1, 1, 1, 100)
	require.Equal(t, Cycle(100), at[99], "a cycle each, one behind")
	_, at = chain(t, 1, 1, 7, 100)
	require.Equal(t, Cycle(1+7*99), at[99])
	_, at = chain(t, 8, 5, 1, 100)
	require.Equal(t, Cycle(5+99), at[99])
}

// Cycles in which nobody wants to run are skipped, also those that are farther away than the wheel reaches.
func TestIdle(t *testing.T) {
	e := New(hz)
	c := e.Component("Sleeper")
	var ran []Cycle
	next := []Cycle{3, wheelSize - 1, wheelSize + 3, 1 << 20, 1 << 40, Never}
	c.Add(func(now Cycle) Cycle {
		ran = append(ran, now)
		return next[len(ran)-1]
	})
	c.Wake(0)
	require.NoError(t, e.Run())
	require.Equal(t, append([]Cycle{0}, next[:5]...), ran)
	require.Equal(t, int64(6), e.Steps())
	require.Equal(t, Cycle(1<<40), e.Now())
}

// A component runs once in a cycle, however often it is woken; a wake in its own turn, or behind it, is for the next cycle.
func TestWake(t *testing.T) {
	e := New(hz)
	first := e.Component("First")
	second := e.Component("Second")
	var ran [2][]Cycle
	first.Add(func(now Cycle) Cycle {
		ran[0] = append(ran[0], now)
		if now == 0 {
			second.Wake(now)
			second.Wake(now)
			first.Wake(now)
		}
		return Never
	})
	second.Add(func(now Cycle) Cycle {
		ran[1] = append(ran[1], now)
		if now == 0 {
			first.Wake(now)
		}
		return Never
	})
	first.Wake(0)
	require.NoError(t, e.Run())
	require.Equal(t, []Cycle{0, 1}, ran[0])
	require.Equal(t, []Cycle{0}, ran[1])
}

// Messages that arrive in one cycle are seen in an order that does not depend on who gave first.
func TestSameCycle(t *testing.T) {
	order := func(swap bool) []int {
		e := New(hz)
		to := e.Component("To")
		a, b := e.Component("A"), e.Component("B")
		if swap {
			a, b = b, a
		}
		sa := NewStream[int]("SA", a, to, 4, 1)
		sb := NewStream[int]("SB", b, to, 4, 1)
		var got []int
		to.Add(func(Cycle) Cycle {
			for _, s := range []*Stream[int]{sa, sb} {
				for s.Ready() {
					got = append(got, s.Pop())
				}
			}
			return Never
		})
		a.Add(func(Cycle) Cycle { sa.Push(1); return Never })
		b.Add(func(Cycle) Cycle { sb.Push(2); return Never })
		a.Wake(0)
		b.Wake(0)
		require.NoError(t, e.Run())
		return got
	}
	require.Equal(t, []int{1, 2}, order(false))
	require.Equal(t, []int{1, 2}, order(true))
}

// A message that nobody takes ends the run, which says where it lies and who waits.
func TestStuck(t *testing.T) {
	e := New(hz)
	to := e.Component("Sink")
	from := e.Component("Source")
	s := NewStream[int]("Numbers", from, to, 2, 1)
	to.Add(func(Cycle) Cycle { return to.Waits("better times") })
	from.Add(source(from, s, 5))
	from.Wake(0)
	require.NoError(t, e.Run())
	require.Contains(t, e.Stuck(), "2 of 2 in Numbers from Source to Sink")
	require.Contains(t, e.Stuck(), "Sink waits for better times")
	require.Contains(t, e.Stuck(), "Source waits for sink")
}

// A gate wakes all who wait, once.
func TestGate(t *testing.T) {
	e := New(hz)
	c := e.Component("Waiter")
	var g Gate
	ran := 0
	c.Add(func(Cycle) Cycle {
		ran++
		return Never
	})
	g.Wait(c)
	g.Wait(c)
	g.Open()
	g.Open()
	require.NoError(t, e.Run())
	require.Equal(t, 1, ran)
}

// Where the cycles of a component went adds up to all of them.
func TestUse(t *testing.T) {
	e := New(hz)
	c := e.Component("Worker")
	c.Add(func(now Cycle) Cycle {
		switch now {
		case 0:
			return c.Busy(10)
		case 10:
			c.Waits("bus")
			return 25
		case 25:
			return c.Busy(30)
		}
		return Never
	})
	c.Wake(0)
	require.NoError(t, e.Run())
	busy, idle, waited := c.Use.Total(50)
	require.Equal(t, Cycle(15), busy)
	require.Equal(t, Cycle(20), idle)
	require.Equal(t, []Waited{{"bus", 15}}, waited)
}

// The end of a context ends a run that would go on for ever.
func TestContext(t *testing.T) {
	e := New(hz)
	c := e.Component("Clock")
	c.Add(func(now Cycle) Cycle { return now + 1 })
	c.Wake(0)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, e.RunContext(ctx), context.DeadlineExceeded)
}

// foreign is a component of Akita's own that sends into a stream by its port.
type foreign struct {
	port  sim.Port
	times []sim.VTimeInSec
}

func (f *foreign) Handle(e sim.Event) error {
	f.times = append(f.times, e.Time())
	if err := f.port.Send(&Message{Value: len(f.times)}); err != nil {
		return errors.New("no room")
	}
	return nil
}

// Events of Akita's components run in the order of time and of scheduling, and reach streams by their ports; hooks see messages.
func TestAkita(t *testing.T) {
	e := New(hz)
	to := e.Component("To")
	from := e.Component("From")
	s := NewStream[int]("Numbers", from, to, 8, 1)
	var got []int
	to.Add(func(Cycle) Cycle {
		for s.Ready() {
			got = append(got, s.Pop())
		}
		return s.Next(0)
	})
	seen := &counter{}
	to.GetPortByName("NumbersFromFrom").AcceptHook(seen)
	f := &foreign{port: from.GetPortByName("NumbersToTo")}
	for _, cycle := range []int{5, 2, 2, 9} {
		e.Schedule(sim.NewEventBase(sim.VTimeInSec(float64(cycle)/hz), f))
	}
	require.NoError(t, e.Run())
	require.Equal(t, []int{1, 2, 3, 4}, got)
	require.Equal(t, 4, seen.count)
	for i, want := range []float64{2, 2, 5, 9} {
		require.InDelta(t, want/hz, float64(f.times[i]), 1e-12)
	}
	require.Equal(t, "To", to.Name())
}

type counter struct{ count int }

func (c *counter) Func(sim.HookCtx) { c.count++ }

// Nothing is allocated once streams are full of what they will hold.
func BenchmarkStream(b *testing.B) {
	e := New(hz)
	to := e.Component("Sink")
	from := e.Component("Source")
	s := NewStream[int]("Numbers", from, to, 8, 3)
	to.Add(func(Cycle) Cycle {
		if s.Ready() {
			s.Pop()
		}
		return s.Next(0)
	})
	from.Add(source(from, s, b.N))
	from.Wake(0)
	b.ReportAllocs()
	b.ResetTimer()
	if err := e.Run(); err != nil {
		b.Fatal(err)
	}
}
