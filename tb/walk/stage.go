package walk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// Options say how a walk is walked.
type Options struct {
	Config    configs.Config // made larger where it has not enough for a walk: [Room]
	Simulator sim.Simulator  // the zero value: the native one
	Seed      uint64
	Progress  func(done float64) // nil, or told how far the plays are, from 0 to 1
	Tap       wire.Tap           // nil, or shown what crosses the wire
	// Build elaborates the core, such as [rtl.Cores.Build] or one that puts a defect into it;
	// nil: [rtl.Build].
	Build func(configs.Config) (*hdl.Design, *core.IO, error)
}

// PathMTU is that of every walk, in bytes.
const PathMTU = 4096

// Room is a configuration with room for the packets of a walk, and what that changed: "" for
// nothing.
func Room(c configs.Config) (configs.Config, string) {
	var changed []string
	for _, f := range []struct {
		name  string
		at    *int
		least int
	}{
		{"path_mtu", &c.PathMTU, PathMTU}, {"rx_buffer", &c.RxBuffer, 8 * PathMTU}, {"rx_packets", &c.RxPackets, 16},
	} {
		if *f.at < f.least {
			changed = append(changed, fmt.Sprintf("%s %d", f.name, f.least))
			*f.at = f.least
		}
	}
	return c, strings.Join(changed, ", ")
}

// hostLatency is how many cycles the memory of both hosts takes: enough to see what
// waits for it.
const hostLatency = 60

// stage is two hosts with cores, on a wire, all watched.
type stage struct {
	lab     *rtl.Lab
	hosts   [2]*watched
	devices [2]*verbs.Device
	pds     [2]*verbs.PD
	lent    *verbs.FastMR // of walks that lend
	outside []Seen        // by hosts and wire
	inside  []Seen        // by hardware
}

func openStage(ctx context.Context, o Options) (*stage, error) {
	config, _ := Room(o.Config)
	build := o.Build
	if build == nil {
		build = rtl.Build
	}
	design, io, err := build(config)
	if err != nil {
		return nil, err
	}
	s := &stage{}
	if err := s.open(ctx, design, io, config, o); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stage) open(ctx context.Context, design *hdl.Design, io *core.IO, config configs.Config, o Options) error {
	var err error
	taps := []wire.Tap{s.tap}
	if o.Tap != nil {
		taps = append(taps, o.Tap)
	}
	s.lab, err = rtl.NewLab(design, io, rtl.Options{
		Config: config, Seed: o.Seed, Slice: 1, Wait: hostLatency, Taps: taps,
		NIC: rtl.NICOptions{Simulator: o.Simulator, Events: true, AXI: axi.Options{LatencyMin: hostLatency, LatencyMax: hostLatency}},
	})
	if err != nil {
		return err
	}
	for i, h := range []*rtl.Host{s.lab.A, s.lab.B} {
		s.hosts[i] = watch(h, sides[i], &s.outside)
		if s.devices[i], err = verbs.Open(ctx, s.hosts[i], verbs.Config{MAC: h.MAC}); err != nil {
			return fmt.Errorf("host %s: %w", sides[i], err)
		}
		if s.pds[i], err = s.devices[i].AllocPD(); err != nil {
			return fmt.Errorf("host %s: %w", sides[i], err)
		}
	}
	return nil
}

// sides are the places of the hosts.
var sides = [2]Where{A, B}

func (s *stage) close() error {
	if s.lab == nil {
		return nil
	}
	return s.lab.Close()
}

func (s *stage) tap(c wire.Crossing) {
	if c.RoCE {
		s.outside = append(s.outside, crossing(c, s.lab.Cycle()))
	}
}

// begin forgets what was seen.
func (s *stage) begin() {
	s.collect()
	s.outside, s.inside = nil, nil
}

// collect takes the events of both cores, and tells whether there were some.
func (s *stage) collect() bool {
	some := false
	for i, h := range s.hosts {
		for _, e := range h.Core().Events() {
			s.inside = append(s.inside, hardware(sides[i], e))
			some = true
		}
	}
	return some
}

// log is what was seen since begin.
func (s *stage) log() Log {
	s.collect()
	for i := range s.outside {
		describe(&s.outside[i])
	}
	return newLog(s.outside, s.inside)
}

const (
	quiet    = 1024    // cycles without an event are so many when all is done: the longest packet takes half of it
	patience = 100_000 // cycles until then, at most
)

// settle runs until nothing happens any more.
func (s *stage) settle(ctx context.Context) error {
	for cycles := 0; cycles < patience; cycles += quiet {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := len(s.outside)
		if err := s.lab.Run(quiet); err != nil {
			return err
		}
		if !s.collect() && len(s.outside) == before {
			return nil
		}
	}
	return fmt.Errorf("still at work after %d cycles", patience)
}

// perform plays the plays of a walk.
func perform(ctx context.Context, w Walk, o Options) (plays map[string]*play, err error) {
	s, err := openStage(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if w.lends {
		if err := s.prepareLent(ctx); err != nil {
			return nil, err
		}
	}
	plays = map[string]*play{}
	for i, p := range w.plays {
		if plays[p.name], err = s.perform(ctx, p); err != nil {
			return nil, fmt.Errorf("play %q: %w", p.name, err)
		}
		if o.Progress != nil {
			o.Progress(float64(i+1) / float64(len(w.plays)))
		}
	}
	return plays, s.lab.CheckGuards()
}
