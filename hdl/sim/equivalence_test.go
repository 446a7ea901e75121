package sim

import (
	"fmt"
	"math/big"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/slow"
	"gornic/hdl/sim/randnet"

	"pgregory.net/rapid"
)

// pair runs a backend and the plain evaluator side by side.
type pair struct {
	d      *ir.Design
	fast   Backend
	slow   *slow.Sim
	resets map[*ir.Clock]bool
	events []Event // those that the plain evaluator has seen in the last instant
}

func newPair(d *ir.Design, fast Backend) (*pair, error) {
	var failed error
	load := func(m *ir.Module, name string, index int) *big.Int {
		path := join(m.Path, name)
		if index >= 0 {
			path += fmt.Sprintf("[%d]", index)
		}
		words, err := fast.Peek(path)
		if err != nil {
			failed = err
		}
		return toBig(words)
	}
	return &pair{d: d, fast: fast, slow: slow.New(d, load), resets: map[*ir.Clock]bool{}}, failed
}

func toBig(words []uint64) *big.Int { return ir.Const{Width: 64 * len(words), Words: words}.Big() }

// drive sets random inputs and resets.
func (p *pair) drive(state *uint64) {
	for _, s := range p.d.Top.Signals {
		if s.Kind != ir.Input {
			continue
		}
		words := make([]uint64, ir.WordCount(s.Width))
		for i := range words {
			words[i] = SplitMix64(state)
			if SplitMix64(state)%4 == 0 {
				words[i] = 0
			}
		}
		words[len(words)-1] &= lowMask(s.Width - 64*(len(words)-1))
		p.fast.Set(s, words)
		p.slow.Set(s, toBig(words))
	}
	for _, c := range p.d.Top.Clocks {
		high := SplitMix64(state)%8 == 0
		p.fast.SetReset(c, high)
		p.slow.SetReset(c, high)
		p.resets[c] = high
	}
}

// compare checks the outputs, and with deep every signal and memory word.
func (p *pair) compare(deep bool) error {
	for _, s := range p.d.Top.Signals {
		if s.Kind != ir.Output {
			continue
		}
		words := make([]uint64, ir.WordCount(s.Width))
		p.fast.Get(s, words)
		if want := p.slow.Get(s); toBig(words).Cmp(want) != 0 {
			return fmt.Errorf("output %s is %x, want %x", s.Name, toBig(words), want)
		}
	}
	if !deep {
		return nil
	}
	for _, m := range p.d.All {
		for _, s := range m.Signals {
			words, err := p.fast.Peek(join(m.Path, s.Name))
			if err != nil {
				return err
			}
			if want := p.slow.Get(s); toBig(words).Cmp(want) != 0 {
				return fmt.Errorf("%s %s is %x, want %x", s.Kind, join(m.Path, s.Name), toBig(words), want)
			}
		}
	}
	return nil
}

// edge runs the next instant in both.
func (p *pair) edge() {
	before := map[*ir.Clock]uint64{}
	for _, c := range p.d.Top.Clocks {
		before[c] = p.fast.Cycle(c)
	}
	p.fast.Run(RunRequest{Until: nextTime(p.fast, p.d)})
	p.events = p.seen(before)
	var rising []*ir.Clock
	for _, c := range p.d.Top.Clocks {
		if p.fast.Cycle(c) != before[c] {
			rising = append(rising, c)
		}
	}
	p.slow.Edge(rising...)
}

// seen returns the events of the plain evaluator, which has not run the edges
// that the other one has just run; before has the cycles before them.
func (p *pair) seen(before map[*ir.Clock]uint64) []Event {
	var list []Event
	for _, e := range Events(p.d) {
		clock := RootClock(e.Module, e.Clock)
		if p.fast.Cycle(clock) == before[clock] || p.resets[clock] || p.slow.Value(e.When).Sign() == 0 {
			continue
		}
		got := Event{Cycle: before[clock], Time: p.fast.Time(), Path: e.Module.Path, Name: e.Name, Fields: []EventValue{}}
		for _, f := range e.Fields {
			v := EventValue{Name: f.Name, Value: p.slow.Value(f.Value).Uint64()}
			if f.Enum != nil && v.Value < 2 {
				v.Text = f.Enum.Values[v.Value].Name
			}
			got.Fields = append(got.Fields, v)
		}
		list = append(list, got)
	}
	return list
}

// compareEvents checks the events of the last instant.
func (p *pair) compareEvents() error {
	if got := p.fast.Events(); !reflect.DeepEqual(got, p.events) {
		return fmt.Errorf("events %v, want %v", got, p.events)
	}
	return nil
}

var testTimings = map[string]Timing{"": {Period: 10}, "b": {Period: 6, Phase: 2}}

// nextTime is the instant after the present one that has an edge.
func nextTime(b Backend, d *ir.Design) uint64 {
	at := ^uint64(0)
	for _, c := range d.Top.Clocks {
		t := testTimings[c.Name]
		at = min(at, t.FirstEdge()+t.Period*b.Cycle(c))
	}
	return at
}

func (p *pair) run(t *rapid.T, cycles int) {
	state := rapid.Uint64().Draw(t, "stimulus")
	for cycle := range cycles {
		p.drive(&state)
		if err := p.compare(cycle%4 == 0); err != nil {
			t.Fatalf("cycle %d: %v", cycle, err)
		}
		p.edge()
		if err := p.compareEvents(); err != nil {
			t.Fatalf("cycle %d: %v", cycle, err)
		}
	}
	if err := p.compare(true); err != nil {
		t.Fatalf("at the end: %v", err)
	}
}

func TestBytecodeMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := randnet.Design(t, randnet.Options{Clocks: rapid.IntRange(1, 2).Draw(t, "clocks")})
		fast, err := Native(d, Options{Seed: 7, Clocks: testTimings, Interpret: true, Events: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPair(d, fast)
		if err != nil {
			t.Fatal(err)
		}
		p.run(t, 20)
	})
}

// Each design is compiled and run in a process of its own, which takes a
// second: a few large ones.
func TestGeneratedMatchesReference(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: compiles several programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: no go command")
	}
	designs := rapid.Custom(func(t *rapid.T) *ir.Design {
		return randnet.Design(t, randnet.Options{Clocks: rapid.IntRange(1, 2).Draw(t, "clocks")})
	})
	for seed := range 5 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := designs.Example(seed)
			open := Generated(t.Context(), filepath.Join("..", "..", "build", "gogen"))
			fast, err := open(d, Options{Seed: 7, Clocks: testTimings, Events: true})
			if err != nil {
				t.Fatal(err)
			}
			p, err := newPair(d, fast)
			if err != nil {
				t.Fatal(err)
			}
			state := uint64(seed)
			for cycle := range 100 {
				p.drive(&state)
				if err := p.compare(cycle%20 == 0); err != nil {
					t.Fatalf("cycle %d: %v", cycle, err)
				}
				p.edge()
				if err := p.compareEvents(); err != nil {
					t.Fatalf("cycle %d: %v", cycle, err)
				}
			}
			if err := fast.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
