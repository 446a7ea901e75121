package sim

import (
	"encoding/binary"
	"encoding/gob"
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
)

type call struct {
	Kind    callKind
	N       int // port, domain or model
	Words   rawWords
	Flag    bool // a reset is high; a model is a sink
	Stream  streamImage
	Pattern Pattern
	Sink    SinkOptions
	Request engineRequest
}

type answer struct {
	Words, Cycles rawWords
	N             int
	Result        RunResult
	Status        engineStatus
}

// rawWords are words that travel as bytes, which is much faster than gob's way
// with numbers.
type rawWords []uint64

// GobEncode implements gob.GobEncoder.
func (w rawWords) GobEncode() ([]byte, error) {
	b := make([]byte, 8*len(w))
	for i, x := range w {
		binary.LittleEndian.PutUint64(b[8*i:], x)
	}
	return b, nil
}

// GobDecode implements gob.GobDecoder.
func (w *rawWords) GobDecode(b []byte) error {
	*w = make(rawWords, len(b)/8)
	for i := range *w {
		(*w)[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return nil
}

// start is the first message to the other process.
type start struct {
	Image *image
	Seed  uint64
}

// remote is an engine at the other end of a pipe.
type remote struct {
	to      *gob.Encoder
	from    *gob.Decoder
	waiting []call
	sources int
	sinks   int
	err     error
	end     func() error
}

func newRemote(w io.Writer, r io.Reader, s start, end func() error) *remote {
	c := &remote{to: gob.NewEncoder(w), from: gob.NewDecoder(r), end: end}
	c.err = c.to.Encode(s)
	return c
}

func (c *remote) later(k call) { c.waiting = append(c.waiting, k) }

func (c *remote) ask(k call) (a answer) {
	a.Result.Stop = -1
	if c.err != nil {
		return a
	}
	c.later(k)
	c.err = c.to.Encode(c.waiting)
	c.waiting = nil
	if c.err == nil {
		c.err = c.from.Decode(&a)
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

func (c *remote) status() engineStatus { return c.ask(call{Kind: callStatus}).Status }

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

func (c *remote) close() error { return errors.Join(c.err, c.end()) }

// Serve runs a design's generated code for the process at the other end of r
// and w, until r ends. It is the main function of what Generated builds.
func Serve(r io.Reader, w io.Writer, step, init StepFunc) error {
	from, to := gob.NewDecoder(r), gob.NewEncoder(w)
	var s start
	if err := from.Decode(&s); err != nil {
		return fmt.Errorf("sim: serve: %w", err)
	}
	m := newMachine(s.Image, step, s.Seed)
	init(m.s)
	for {
		var calls []call
		if err := from.Decode(&calls); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("sim: serve: %w", err)
		}
		for _, k := range calls {
			a, ok := m.serve(k)
			if !ok {
				continue
			}
			if err := to.Encode(a); err != nil {
				return fmt.Errorf("sim: serve: %w", err)
			}
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
	}
	return a, k.Kind >= callGet
}
