package sim

import (
	"cmp"
	"errors"
	"fmt"
	"io"
)

// A machine in another process is driven by calls over a pipe. Calls without
// an answer wait for the next one that has one.

type callKind int

const (
	callSet callKind = iota
	callSetReset
	callPush
	callSetPattern
	callAddSource
	callAddSink
	callGet // from here on there is an answer
	callRun
	callStatus
	callState
	callPending
	callCounts
	callTake
	callTakeEvents
)

type call struct {
	Kind    callKind
	N       int      // port, domain or model
	Words   []uint64 // travel after the batch of calls
	Flag    bool     // a reset is high; a model is a sink
	Stream  streamImage
	Pattern Pattern
	Sink    SinkOptions
	Request engineRequest
}

type answer struct {
	Words, Cycles []uint64 // travel after the answer
	N             int
	Result        RunResult
	Status        engineStatus
}

// start is the first message to the other process.
type start struct {
	Image *image
	Seed  uint64
}

// remote is an engine at the other end of a pipe.
type remote struct {
	*wire
	waiting []call
	last    engineStatus // as it was when last asked for
	sources int
	sinks   int
	err     error
	end     func() error
}

func newRemote(w io.Writer, r io.Reader, s start, end func() error) *remote {
	c := &remote{wire: newWire(r, w), end: end}
	c.last = engineStatus{
		Edges:  make([]uint64, len(s.Image.Clocks)),
		Covers: make([]uint64, len(s.Image.Covers)), Arms: make([]uint64, len(s.Image.Arms)),
	}
	c.err = c.send(s, nil)
	return c
}

func (c *remote) later(k call) { c.waiting = append(c.waiting, k) }

func (c *remote) ask(k call) answer {
	var a answer // gob leaves out zeros, so it must be all zeros
	if c.err == nil {
		c.later(k)
		c.err = c.sendCalls(c.waiting)
		c.waiting = nil
	}
	if c.err == nil {
		c.err = c.receive(&a, func() []*[]uint64 { return []*[]uint64{&a.Words, &a.Cycles} })
	}
	if c.err != nil {
		a.Result.Stop = -1
	}
	return a
}

func (c *remote) set(port int, words []uint64) {
	c.later(call{Kind: callSet, N: port, Words: append([]uint64(nil), words...)})
}

func (c *remote) setReset(domain int, high bool) {
	c.later(call{Kind: callSetReset, N: domain, Flag: high})
}

func (c *remote) push(source int, words []uint64) {
	c.later(call{Kind: callPush, N: source, Words: append([]uint64(nil), words...)})
}

func (c *remote) setPattern(isSink bool, model int, p Pattern) {
	c.later(call{Kind: callSetPattern, N: model, Flag: isSink, Pattern: p})
}

func (c *remote) addSource(im streamImage, p Pattern) int {
	c.later(call{Kind: callAddSource, Stream: im, Pattern: p})
	c.sources++
	return c.sources - 1
}

func (c *remote) addSink(im streamImage, p Pattern, o SinkOptions) int {
	c.later(call{Kind: callAddSink, Stream: im, Pattern: p, Sink: o})
	c.sinks++
	return c.sinks - 1
}

func (c *remote) get(port int, words []uint64) {
	copy(words, c.ask(call{Kind: callGet, N: port, Words: words}).Words)
}

func (c *remote) run(r engineRequest) RunResult { return c.ask(call{Kind: callRun, Request: r}).Result }

// status is the last one known where the other process has gone.
func (c *remote) status() engineStatus {
	if a := c.ask(call{Kind: callStatus}); c.err == nil {
		c.last = a.Status
	}
	return c.last
}

func (c *remote) state() []uint64 { return c.ask(call{Kind: callState}).Words }

func (c *remote) pending(source int) int { return c.ask(call{Kind: callPending, N: source}).N }

func (c *remote) counts(sink int) (beats, frames uint64) {
	a := c.ask(call{Kind: callCounts, N: sink})
	if len(a.Words) < 2 {
		return 0, 0
	}
	return a.Words[0], a.Words[1]
}

func (c *remote) take(sink int) (words, cycles []uint64) {
	a := c.ask(call{Kind: callTake, N: sink})
	return a.Words, a.Cycles
}

func (c *remote) takeEvents() []uint64 { return c.ask(call{Kind: callTakeEvents}).Words }

func (c *remote) problem() error {
	if c.err != nil {
		return fmt.Errorf("sim: the process that runs the design: %w", c.err)
	}
	return nil
}

func (c *remote) close() error {
	c.status()
	err := errors.Join(c.problem(), c.end())
	c.err = cmp.Or(c.err, io.ErrClosedPipe)
	return err
}

// Serve runs a design's generated code for the process at the other end of r
// and w, until r ends. It is the main function of what Generated builds.
func Serve(r io.Reader, w io.Writer, step, init StepFunc) error {
	c := newWire(r, w)
	var s start
	if err := c.receive(&s, nil); err != nil {
		return fmt.Errorf("sim: serve: %w", err)
	}
	m := newMachine(s.Image, step, s.Seed)
	init(m.s)
	for {
		calls, err := c.receiveCalls()
		if errors.Is(err, io.EOF) {
			return nil
		}
		for _, k := range calls {
			if a, ok := m.serve(k); ok && err == nil {
				err = c.sendAnswer(a)
			}
		}
		if err != nil {
			return fmt.Errorf("sim: serve: %w", err)
		}
	}
}

// serve does one call; ok says whether there is an answer.
func (m *machine) serve(k call) (a answer, ok bool) {
	switch k.Kind {
	case callSet:
		m.set(k.N, k.Words)
	case callSetReset:
		m.setReset(k.N, k.Flag)
	case callPush:
		m.push(k.N, k.Words)
	case callSetPattern:
		m.setPattern(k.Flag, k.N, k.Pattern)
	case callAddSource:
		m.addSource(k.Stream, k.Pattern)
	case callAddSink:
		m.addSink(k.Stream, k.Pattern, k.Sink)
	case callGet:
		a.Words = k.Words
		m.get(k.N, a.Words)
	case callRun:
		a.Result = m.run(k.Request)
	case callStatus:
		a.Status = m.status()
	case callState:
		a.Words = m.state()
	case callPending:
		a.N = m.pending(k.N)
	case callCounts:
		beats, frames := m.counts(k.N)
		a.Words = []uint64{beats, frames}
	case callTake:
		a.Words, a.Cycles = m.take(k.N)
	case callTakeEvents:
		a.Words = m.takeEvents()
	}
	return a, k.Kind >= callGet
}
