package verilator

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/sim/randnet"
	"gornic/tools/toolset"
)

// linkIO passes a word on to the next part of a chain.
type linkIO struct {
	Go      hdl.Bits `hdl:"in" w:"1"`
	Word    hdl.Bits `hdl:"in" w:"16"`
	OutGo   hdl.Bits `hdl:"out" w:"1"`
	OutWord hdl.Bits `hdl:"out" w:"16"`
}

// links are parts that would show if they rested an edge too early or too long, each for a reason of its own.
func links() []hdl.Def[linkIO] {
	return []hdl.Def[linkIO]{
		{Name: "link_delay", Body: delay}, {Name: "link_queue", Body: queue}, {Name: "link_tally", Body: tally},
		{Name: "link_timer", Body: timer}, {Name: "link_reread", Body: reread}, {Name: "link_lanes", Body: lanes},
		{Name: "link_nested", Body: nested},
	}
}

// delay has a register that goes on changing after those before it have settled.
func delay(m *hdl.Module, io *linkIO) {
	first, third := m.Reg("first", 16, 0), m.Reg("third", 16, 0)
	second, valid := m.Reg("second", 1, 0), m.Reg("valid", 1, 0)
	first.Set(io.Word)
	third.Set(first.Not())
	second.Set(io.Go)
	valid.Set(second)
	io.OutGo.Set(valid)
	io.OutWord.Set(third)
	m.Cover("same", first.Eq(third.Not()))
	m.Event("differs", first.Ne(third.Not()), hdl.Field("first", first))
}

// queue holds words in a memory, and lets one out in 8 cycles.
func queue(m *hdl.Module, io *linkIO) {
	words := m.LUTRAM("words", 8, 16)
	head, tail, pace := m.Reg("head", 4, 0), m.Reg("tail", 4, 0), m.Reg("pace", 3, 0)
	some := head.Ne(tail)
	room := head.Slice(2, 0).Ne(tail.Slice(2, 0)).Or(some.Not())
	push := io.Go.And(room)
	pop := some.And(pace.Is(7))
	words.Write(tail.Slice(2, 0), push, io.Word)
	m.If(push, func() { tail.Set(tail.AddK(1)) })
	m.If(pop, func() { head.Set(head.AddK(1)) })
	m.If(some, func() { pace.Set(pace.AddK(1)) })
	io.OutGo.Set(pop)
	io.OutWord.Set(hdl.Mux(some, words.At(head.Slice(2, 0)), hdl.K(16, 0)))
	m.Assert("fits", tail.Sub(head).LeK(8))
	m.Cover("full", room.Not())
	before := m.PastReset("tail_before", tail, 0)
	m.Assert("steps", tail.Sub(before).LtK(2))
}

// tally counts in a memory, where nothing else changes while a word is the same: its register shows one bit of the count.
func tally(m *hdl.Module, io *linkIO) {
	counts := m.LUTRAM("counts", 4, 16)
	known := m.Reg("known", 4, 0)
	at := io.Word.Slice(1, 0)
	count := hdl.Mux(known.Shr(at).Bit(0), counts.At(at), hdl.K(16, 0))
	counts.Write(at, io.Go, count.AddK(1))
	m.If(io.Go, func() { known.Set(known.Or(hdl.K(4, 1).Shl(at))) })
	shown := m.Reg("shown", 1, 0)
	shown.Set(count.Bit(3))
	io.OutGo.Set(shown)
	io.OutWord.Set(io.Word)
	m.Cover("shown", shown)
	m.Cover("quiet", io.Go.Not())
}

// timer wakes by itself: 100 cycles after a word it passes it on.
func timer(m *hdl.Module, io *linkIO) {
	left, word := m.Reg("left", 7, 0), m.Reg("kept", 16, 0)
	running := left.Any()
	m.If(running, func() { left.Set(left.SubK(1)) }).ElseIf(io.Go, func() {
		left.Set(hdl.K(7, 100))
		word.Set(io.Word)
	})
	io.OutGo.Set(left.Is(1))
	io.OutWord.Set(word)
	m.Cover("idle", running.Not())
	m.Event("rings", left.Is(1), hdl.Field("word", word))
}

// reread reads again and again what may have just been written.
func reread(m *hdl.Module, io *linkIO) {
	words := m.RAM("words", 4, 16, hdl.ReadNew)
	known, read := m.Reg("known", 4, 0), m.Reg("read", 1, 0)
	at := io.Word.Slice(3, 2)
	words.Write(at, io.Go, io.Word)
	m.If(io.Go, func() { known.Set(known.Or(hdl.K(4, 1).Shl(at))) })
	from := io.Word.Slice(1, 0)
	read.Set(known.Shr(from).Bit(0).Or(io.Go.And(at.Eq(from))))
	data := words.Read("data", from, hdl.K(1, 1))
	last := m.Reg("last", 16, 0)
	m.If(read, func() { last.Set(data) })
	io.OutGo.Set(read.And(last.Ne(data)))
	io.OutWord.Set(last)
}

// lanes writes a byte of a word at a time, and shows words that it has written whole.
func lanes(m *hdl.Module, io *linkIO) {
	words := m.LaneRAM("words", 2, 16, 8, hdl.ReadOld)
	known, read := m.Reg("known", 4, 0), m.Reg("read", 1, 0)
	at, lane := io.Word.Bit(0), io.Word.Bit(1)
	words.WriteLanes(at, io.Go, hdl.Cat(lane, lane.Not()), io.Word)
	m.If(io.Go, func() { known.Set(known.Or(hdl.K(4, 1).Shl(io.Word.Slice(1, 0)))) })
	read.Set(known.All())
	data := words.Read("data", at, hdl.K(1, 1))
	io.OutGo.Set(io.Go)
	io.OutWord.Set(hdl.Mux(read, data, hdl.K(16, 0x55)))
}

// nested has its state further down.
func nested(m *hdl.Module, io *linkIO) {
	inner := hdl.Instance(m, "u_inner", hdl.Def[linkIO]{Name: "link_inner", Body: timer})
	outer := hdl.Instance(m, "u_outer", hdl.Def[linkIO]{Name: "link_outer", Body: queue})
	inner.Go.Set(io.Go)
	inner.Word.Set(io.Word)
	outer.Go.Set(inner.OutGo.Or(io.Go))
	outer.Word.Set(inner.OutWord.Xor(io.Word))
	io.OutGo.Set(outer.OutGo)
	io.OutWord.Set(outer.OutWord)
	m.Cover("both", inner.OutGo.And(outer.OutGo))
}

// chain puts n parts one after the other; the input goes to each third of them, too.
func chain(n int) hdl.Def[linkIO] {
	return hdl.Def[linkIO]{Name: fmt.Sprintf("link_chain_%d", n), Body: func(m *hdl.Module, io *linkIO) {
		kinds := links()
		valid, word := io.Go, io.Word
		parity := hdl.K(16, 0)
		for i := range n {
			part := hdl.Instance(m, fmt.Sprintf("u_part_%d", i), kinds[i%len(kinds)])
			part.Go.Set(valid)
			part.Word.Set(word)
			valid, word = part.OutGo, part.OutWord
			parity = parity.Xor(word)
			if i%3 == 2 {
				valid, word = valid.Or(io.Go), word.Xor(io.Word)
			}
		}
		io.OutGo.Set(valid)
		io.OutWord.Set(parity)
	}}
}

const chainParts = 3 * 7

func needVerilator(t testing.TB) {
	t.Helper()
	toolset.Need(t, toolset.Verilator)
	toolset.Need(t, toolset.CXX)
}

// Parts that rest make no difference: outputs, events and covers are those of the native simulator in each cycle, with long
// pauses in the input and a reset now and then.
func TestPartsAtRestSameAsNative(t *testing.T) {
	needVerilator(t)
	d, _, err := hdl.Build(chain(chainParts))
	require.NoError(t, err)
	require.Len(t, partsOf(d), chainParts)
	for name, o := range map[string]sim.Options{
		"properties": {}, "events": {Events: true}, "none": {NoChecks: true}, "only events": {NoChecks: true, Events: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := sameInBoth(t, d, o, 20_000)
			require.Less(t, a.evaluated, a.edges*3/4, "parts do not rest")
		})
	}
}

// Where nothing happens no part is evaluated, until an input changes.
func TestAllPartsRest(t *testing.T) {
	needVerilator(t)
	d, io, err := hdl.Build(chain(chainParts))
	require.NoError(t, err)
	opened, err := Open(d, sim.Options{})
	require.NoError(t, err)
	b := opened.(*backend)
	defer func() { require.NoError(t, b.Close()) }()
	run := func(edges uint64) uint64 {
		before := b.partActivity()
		b.Run(sim.RunRequest{Clock: d.Top.Clocks[0], Edges: edges})
		after := b.partActivity()
		require.Equal(t, edges*chainParts, after.edges-before.edges)
		return after.evaluated - before.evaluated
	}
	run(10)
	b.SetReset(d.Top.Clocks[0], false)
	require.NotZero(t, run(1000))
	require.Zero(t, run(1000))
	b.Set(io.Word.Signal(), []uint64{1})
	require.NotZero(t, run(200))
	require.Zero(t, run(1000))
	b.SetReset(d.Top.Clocks[0], true)
	require.EqualValues(t, chainParts, run(1))
}

// Random designs as parts. Most seeds draw a shift by a constant of more than 32 bits somewhere, which Verilator refuses.
func TestRandomPartsSameAsNative(t *testing.T) {
	needVerilator(t)
	for _, seed := range []int{1, 7} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := randomParts(seed*partsWorth, partsWorth)
			require.NotEmpty(t, partsOf(d))
			a := sameInBoth(t, d, sim.Options{Events: true, Seed: uint64(seed)}, 4_000)
			require.Less(t, a.evaluated, a.edges)
		})
	}
}

// randomParts has n random designs side by side in one; inputs of the same place and width are one.
func randomParts(seed, n int) *ir.Design {
	top := &ir.Module{Name: "random_parts", Body: &ir.Block{}, Ghost: &ir.Block{}}
	top.Clocks = []*ir.Clock{{Clk: "clk", Rst: "rst", Module: top}}
	d := &ir.Design{Top: top, All: []*ir.Module{top}}
	designs := rapid.Custom(func(t *rapid.T) *ir.Design { return randnet.Design(t, randnet.Options{Clocks: 1, Reset: true}) })
	for i := range n {
		addPart(d, designs.Example(seed+i), fmt.Sprintf("u_part_%d", i))
	}
	d.Modules = append(d.Modules, top)
	return d
}

// addPart makes a design an instance of another one's top.
func addPart(d, part *ir.Design, name string) {
	for _, m := range part.All {
		m.Name = name + "_" + m.Name
		m.Path = joined(name, m.Path)
		if m.Parent == nil {
			m.Path = name
		}
	}
	part.Top.Parent = d.Top
	inst := &ir.Instance{Name: name, Module: part.Top, Parent: d.Top, Clocks: map[*ir.Clock]*ir.Clock{part.Top.Clocks[0]: d.Top.Clocks[0]}}
	for _, p := range topPorts(part) {
		addPort(d.Top, inst, p)
	}
	d.Top.Instances = append(d.Top.Instances, inst)
	d.All = append(d.All, part.All...)
	d.Modules = append(d.Modules, part.Modules...)
}

// addPort connects a port of an instance to one of the top.
func addPort(top *ir.Module, inst *ir.Instance, p *ir.Signal) {
	own := &ir.Signal{Name: inst.Name + "_" + p.Name, Width: p.Width, Kind: ir.ChildInput, Module: top, Instance: inst, Port: p}
	target, source := own, sharedInput(top, p)
	if p.Kind == ir.Output {
		own.Kind = ir.ChildOutput
		target = &ir.Signal{Name: inst.Name + "_to_" + p.Name, Width: p.Width, Kind: ir.Output, Module: top}
		source = own
		top.Signals = append(top.Signals, target)
	}
	top.Signals = append(top.Signals, own)
	inst.Ports = append(inst.Ports, own)
	value := &ir.Node{Op: ir.OpSignal, Width: p.Width, Signal: source, Module: top}
	top.Body.Stmts = append(top.Body.Stmts, &ir.Assign{Target: target, Value: value})
}

// sharedInput finds or makes the input of the top for an input of a part.
func sharedInput(top *ir.Module, p *ir.Signal) *ir.Signal {
	name := fmt.Sprintf("%s_%d", p.Name, p.Width)
	for _, s := range top.Signals {
		if s.Name == name {
			return s
		}
	}
	if p.Kind != ir.Input {
		return nil
	}
	s := &ir.Signal{Name: name, Width: p.Width, Kind: ir.Input, Module: top}
	top.Signals = append(top.Signals, s)
	return s
}

// sameInBoth runs a design in both simulators under input that pauses, compares what they show in each cycle, and tells how
// busy the parts were.
func sameInBoth(t *testing.T, d *ir.Design, o sim.Options, cycles int) partActivity {
	t.Helper()
	native, err := sim.Native(d, o)
	require.NoError(t, err)
	verilated, err := Open(d, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, verilated.Close()) }()
	both := []sim.Backend{native, verilated}
	clock := d.Top.Clocks[0]
	state := o.Seed + 1
	pause, reset := 0, 5
	for cycle := range cycles {
		if pause--; pause < 0 {
			setInputs(both, d, &state)
			pause = pauseOf(&state)
		}
		if reset--; reset < 0 && sim.SplitMix64(&state)%1024 == 0 {
			reset = int(sim.SplitMix64(&state) % 4)
		}
		for _, b := range both {
			b.SetReset(clock, reset >= 0)
			b.Run(sim.RunRequest{Clock: clock, Edges: 1})
		}
		requireSame(t, d, native, verilated, cycle)
	}
	require.NoError(t, errorOf(native))
	return verilated.(*backend).partActivity()
}

// pauseOf is mostly short, so that parts are caught half asleep, and sometimes so long that all is done.
func pauseOf(state *uint64) int {
	switch r := sim.SplitMix64(state); r % 8 {
	case 0:
		return int(r >> 8 % 400)
	case 1, 2:
		return int(r >> 8 % 30)
	default:
		return int(r >> 8 % 3)
	}
}

func errorOf(b sim.Backend) error {
	if f := b.Failure(); f != nil {
		return f
	}
	return nil
}

func setInputs(both []sim.Backend, d *ir.Design, state *uint64) {
	for _, s := range topPorts(d) {
		if s.Kind != ir.Input {
			continue
		}
		words := make([]uint64, ir.WordCount(s.Width))
		for i := range words {
			words[i] = sim.SplitMix64(state)
		}
		if r := s.Width % 64; r != 0 {
			words[len(words)-1] &= 1<<r - 1
		}
		for _, b := range both {
			b.Set(s, words)
		}
	}
}

func requireSame(t *testing.T, d *ir.Design, native, verilated sim.Backend, cycle int) {
	t.Helper()
	for _, s := range topPorts(d) {
		want, got := make([]uint64, ir.WordCount(s.Width)), make([]uint64, ir.WordCount(s.Width))
		native.Get(s, want)
		verilated.Get(s, got)
		require.Equal(t, want, got, "cycle %d: %s", cycle, s.Name)
	}
	require.Equal(t, native.Events(), verilated.Events(), "cycle %d", cycle)
	if cycle%37 == 0 { // so that parts at rest have several cycles to count
		require.Equal(t, native.CoverCounts(), verilated.CoverCounts(), "cycle %d", cycle)
	}
	require.Equal(t, errorOf(native), errorOf(verilated), "cycle %d", cycle)
}
