package netlist_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/flow"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/netlist"
	"gornic/tools/toolset"
)

// A shape is a memory as package hdl has them.
type shape struct {
	width, depth, lane int
	collide            hdl.Collision
	dual, lut          bool
}

func (s shape) String() string {
	name := fmt.Sprintf("ram_%dx%d_%d_%d", s.depth, s.width, s.lane, s.collide)
	if s.dual {
		name += "_dual"
	}
	if s.lut {
		name = fmt.Sprintf("lut_%dx%d", s.depth, s.width)
	}
	return name
}

// shapes are those of every width that a block RAM has, of several side by side and above one another, and of each policy.
func shapes() []shape {
	list := []shape{
		{width: 4, depth: 16, lut: true}, {width: 7, depth: 33, lut: true},
		{width: 1, depth: 4096}, {width: 2, depth: 4096}, {width: 3, depth: 4096}, {width: 8, depth: 2048}, {width: 9, depth: 2048},
		{width: 16, depth: 1024, lane: 8}, {width: 32, depth: 512, lane: 8}, {width: 72, depth: 512, lane: 8}, {width: 36, depth: 256, lane: 9},
		{width: 20, depth: 700, dual: true}, {width: 36, depth: 512, dual: true},
	}
	for i := range list {
		list[i].collide = hdl.Undefined
	}
	for _, policy := range []hdl.Collision{hdl.Undefined, hdl.ReadOld, hdl.ReadNew} {
		list = append(list, shape{width: 18, depth: 64, collide: policy}, shape{width: 40, depth: 600, collide: policy})
	}
	return list
}

// storeIO are the ports of a design that has all the memories side by side.
type storeIO struct {
	Write    hdl.Bits   `hdl:"in" w:"1"`
	Read     hdl.Bits   `hdl:"in" w:"1"`
	Also     hdl.Bits   `hdl:"in" w:"1"` // the other port of a dual one writes
	WriteAt  hdl.Bits   `hdl:"in" w:"12"`
	ReadAt   hdl.Bits   `hdl:"in" w:"12"`
	Data     hdl.Bits   `hdl:"in" w:"72"`
	Lanes    hdl.Bits   `hdl:"in" w:"9"`
	Sum      hdl.Bits   `hdl:"out" w:"37"`
	Product  hdl.Bits   `hdl:"out" w:"36"`
	Less     hdl.Bits   `hdl:"out" w:"1"`
	Counted  hdl.Bits   `hdl:"out" w:"20"`
	Memories []hdl.Bits `hdl:"out"`
}

func stores(list []shape) hdl.Def[storeIO] {
	io := storeIO{}
	for _, s := range list {
		n := s.width
		if s.dual {
			n *= 2
		}
		io.Memories = append(io.Memories, hdl.W(n))
	}
	return hdl.Def[storeIO]{Name: "stores", IO: io, Body: func(m *hdl.Module, io *storeIO) {
		for i, s := range list {
			io.Memories[i].Set(s.build(m, io))
		}
		counted := m.Reg("counted_up", 20, 0xfffa)
		m.If(io.Read.And(io.Write.Not()), func() { counted.Set(counted.AddK(1)) })
		io.Counted.Set(counted)
		io.Sum.Set(io.Data.Slice(35, 0).AddC(io.Data.Slice(71, 36)))
		io.Product.Set(io.Data.Slice(17, 0).Mul(io.Data.Slice(35, 18)))
		io.Less.Set(io.Data.Slice(35, 0).Lt(io.Data.Slice(71, 36)))
	}}
}

// build makes the memory. Where a collision is not defined there is none.
func (s shape) build(m *hdl.Module, io *storeIO) hdl.Bits {
	name := s.String()
	data := io.Data.Trunc(s.width)
	var memory *hdl.Memory
	switch {
	case s.lut:
		memory = m.LUTRAM(name, s.depth, s.width)
	case s.lane > 0:
		memory = m.LaneRAM(name, s.depth, s.width, s.lane, s.collide)
	default:
		memory = m.RAM(name, s.depth, s.width, s.collide)
	}
	fit := func(address hdl.Bits) hdl.Bits { return address.Trunc(memory.AddrWidth()) }
	inside := func(address hdl.Bits) hdl.Bits { return fit(address).ZExt(15).LtK(uint64(s.depth)) }
	at, from := fit(io.WriteAt), fit(io.ReadAt)
	write, read := io.Write.And(inside(io.WriteAt)), io.Read.And(inside(io.ReadAt))
	apart := at.Ne(from)
	if s.lut {
		memory.Write(at, write, data)
		return hdl.Mux(inside(io.ReadAt), memory.At(from), data.K(0))
	}
	if s.dual {
		first := memory.ReadWrite(name+"_a", at, write.Or(io.Read.And(inside(io.WriteAt))), io.Write, data)
		second := memory.ReadWrite(name+"_b", from, read.And(apart), io.Also, data.Not())
		return hdl.Cat(first, second)
	}
	if s.lane > 0 {
		memory.WriteLanes(at, write, io.Lanes.Trunc(s.width/s.lane), data)
	} else {
		memory.Write(at, write, data)
	}
	if s.collide == hdl.Undefined {
		read = read.And(write.And(apart.Not()).Not())
	}
	return memory.Read(name+"_read", from, read)
}

// TestCellsKeepTheContractOfTheirMemories compares the netlist of every kind of memory with what package hdl says of it.
func TestCellsKeepTheContractOfTheirMemories(t *testing.T) {
	toolset.Need(t, toolset.Yosys)
	toolset.Need(t, toolset.Verilator)
	design, io := hdltest.Build(t, stores(shapes()))
	n, err := flow.Netlist(t.Context(), "stores", design, flow.Options{})
	require.NoError(t, err)
	used := map[string]int{}
	for _, c := range n.Cells {
		used[c.Type]++
	}
	for _, kind := range []string{"DP16KD", "TRELLIS_DPR16X4", "CCU2C", "LUT4", "TRELLIS_FF", "MULT18X18D"} {
		require.Positive(t, used[kind], kind)
	}
	simulators, err := netlist.Prepare(t.Context(), design, n, nil)
	require.NoError(t, err)
	want, err := sim.New(design, sim.Options{Seed: 1, NoChecks: true})
	require.NoError(t, err)
	got, err := sim.Start(simulators.Original().Open, design, sim.Options{Seed: 2})
	require.NoError(t, err)
	p := &pair{want: want, got: got, io: io, random: rand.New(rand.NewPCG(1, hdltest.Seed(t)))}
	want.Reset(2)
	got.Reset(2)
	for address := range 4096 { // states are only the same where they were written
		p.cycle(1, 0, 0, uint64(address), 0, ^uint64(0))
	}
	for address := range 4096 {
		p.cycle(0, 1, 0, uint64(address)^1, uint64(address), 0)
	}
	for i := range 8000 {
		narrow := uint64(1)<<(2+p.random.IntN(11)) - 1
		at, from := p.random.Uint64()&narrow, p.random.Uint64()&narrow
		p.cycle(p.random.Uint64()&1, p.random.Uint64()&1, p.random.Uint64()&1, at, from, p.random.Uint64())
		require.NoError(t, p.compare(), "cycle %d", i)
	}
	require.NoError(t, want.Close())
	require.NoError(t, got.Close())
}

// A pair is the same design twice.
type pair struct {
	want, got *sim.Sim
	io        *storeIO
	random    *rand.Rand
}

func (p *pair) cycle(write, read, also, at, from, lanes uint64) {
	data := []uint64{p.random.Uint64(), p.random.Uint64() & 0xff}
	for _, s := range []*sim.Sim{p.want, p.got} {
		s.Set(p.io.Write, write)
		s.Set(p.io.Read, read)
		s.Set(p.io.Also, also)
		s.Set(p.io.WriteAt, at)
		s.Set(p.io.ReadAt, from)
		s.SetWords(p.io.Data, data)
		s.Set(p.io.Lanes, lanes&0x1ff)
		s.Run(1)
	}
}

// compare names the first output that differs.
func (p *pair) compare() error {
	outputs := map[string]hdl.Bits{"sum": p.io.Sum, "product": p.io.Product, "less": p.io.Less, "counted": p.io.Counted}
	for i, s := range shapes() {
		outputs[s.String()] = p.io.Memories[i]
	}
	var wrong []string
	for name, port := range outputs {
		if want, got := p.want.Big(port), p.got.Big(port); want.Cmp(got) != 0 {
			wrong = append(wrong, fmt.Sprintf("%s is %x, want %x", name, got, want))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s", strings.Join(wrong, "; "))
	}
	return nil
}
