package play

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/drill/script"
	"gornic/tb/host"
	"gornic/tb/rtl"
	"gornic/tb/wire"
)

// Names of simulators: what a case may be played on.
const (
	Golden    = "golden"
	Native    = "native"
	Verilator = "verilator"
)

// Simulators returns the names of all.
func Simulators() []string { return []string{Golden, Native, Verilator} }

// Options of a [Bench].
type Options struct {
	Simulator string     // Golden, Native or Verilator
	Config    string     // configuration of cases that name none: a name or a file; empty: tiny with some more
	Seed      uint64     // of cases that have none; 0: 1
	Taps      []wire.Tap // see each frame
	Trace     func(line int, text string)
}

// Bench plays cases on one kind of NIC. It builds a core for each configuration that a case asks for. Cases may be
// played by several goroutines.
type Bench struct {
	o Options

	mu    sync.Mutex
	cores map[configs.Config]*builtCore

	simulator sim.Simulator // that prepares each core once; from the first case on
}

// builtCore is an elaborated core.
type builtCore struct {
	once   sync.Once
	design *hdl.Design
	io     *core.IO
	err    error
}

// NewBench returns a bench.
func NewBench(o Options) *Bench {
	if o.Seed == 0 {
		o.Seed = 1
	}
	return &Bench{o: o, cores: map[configs.Config]*builtCore{}}
}

// usual is what the configuration of cases that name none has other than tiny: few of everything, but
// what most cases need.
var usual = map[string]string{
	"path_mtu": "4096", "rx_buffer": "16384", "rx_packets": "32", "qps": "8", "cqs": "16", "reads": "4",
}

// ConfigOf is the configuration that a case is played in: the one that it names or the bench's, with
// the fields that the case sets.
func (b *Bench) ConfigOf(c *script.Case) (configs.Config, error) {
	name, set := cmp.Or(c.Config, b.o.Config), map[string]string{}
	if name == "" {
		name = "tiny"
		maps.Copy(set, usual)
	}
	maps.Copy(set, c.Set)
	base, err := configs.Load(name)
	if err != nil {
		return base, err
	}
	var text strings.Builder
	for _, f := range configs.Fields() {
		value, given := set[f.Name]
		if !given {
			value = fmt.Sprint(f.Value(base))
		}
		fmt.Fprintf(&text, "%s: %s\n", f.Name, value)
	}
	return configs.Parse(c.File+": config", []byte(text.String()))
}

// open makes the NIC for a case.
func (b *Bench) open(ctx context.Context, config configs.Config, memory *host.Memory, c *script.Case, seed uint64) (device, error) {
	if b.o.Simulator == Golden {
		return newReference(config, memory), nil
	}
	built, err := b.core(config)
	if err != nil {
		return nil, err
	}
	return rtl.NewNIC(built.design, built.io, memory, rtl.NICOptions{
		Simulator: b.prepared(ctx), Seed: seed, Wire: c.Pauses, AXI: axi.Options{LatencyMax: 20, Reorder: true, Strict: true},
	})
}

// prepared is the simulator, which prepares each core once: as long as the first context lasts that asks.
func (b *Bench) prepared(ctx context.Context) sim.Simulator {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.simulator.Open == nil {
		simulator := sim.NativeSimulator
		if b.o.Simulator == Verilator {
			simulator = verilator.Simulator
		}
		b.simulator = simulator.Cached(ctx)
	}
	return b.simulator
}

func (b *Bench) core(config configs.Config) (*builtCore, error) {
	config.Name = "drill"
	b.mu.Lock()
	built := b.cores[config]
	if built == nil {
		built = &builtCore{}
		b.cores[config] = built
	}
	b.mu.Unlock()
	built.once.Do(func() { built.design, built.io, built.err = rtl.Build(config) })
	return built, built.err
}
