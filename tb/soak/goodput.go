package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	verilator "gornic/sim-verilator"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// A goodput is a measurement of what is left of the rate of one queue pair on a wire that loses packets: WRITEs of one packet, of
// which so many are on their way at once, over a wire that is so long that they take all of its time.
//
// Who goes back to a lost packet sends all that was on its way again: of W packets on their way and a loss of p, (1-p)/(1-p+pW) of what is sent is
// new (go-back-N, as in any textbook).
type goodput struct {
	config  configs.Config
	named   string
	golden  bool
	sim     string
	packets int
	file    string
	bench   *bench
}

// windows and losses are what is measured; a loss is in packets of a million.
var (
	windows = []int{2, 4, 8, 16, 32}
	losses  = []int{1000, 2000, 5000, 10000}
)

// farOff is how far a measurement may be from theory.
const farOff = 0.1

// point is a measurement.
type point struct {
	window, loss int
	rate         float64 // of that without losses
}

// theory is what go-back-N leaves of the rate.
func (p point) theory() float64 {
	loss := float64(p.loss) / wire.Million
	return (1 - loss) / (1 - loss + loss*float64(p.window))
}

func runGoodput(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	g := goodput{}
	flags := flag.NewFlagSet("soak goodput", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&g.named, "config", "tiny", "`CONFIG` of the core, but for its replay entries")
	flags.BoolVar(&g.golden, "golden", false, "references at both ends")
	flags.StringVar(&g.sim, "sim", verilator.Simulator.Name, "simulator of cores: verilator or `native`")
	flags.IntVar(&g.packets, "packets", 20000, "`NUMBER` of packets of a measurement of the largest window; smaller ones have as much time")
	flags.StringVar(&g.file, "o", "build/goodput.svg", "`FILE` of the plot")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := g.run(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	return 0
}

func (g *goodput) run(ctx context.Context, stdout io.Writer) error {
	var err error
	if g.config, err = configs.Load(g.named); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(g.file), 0o755); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	g.config.Replay = max(g.config.Replay, windows[len(windows)-1])
	g.config.RxBuffer, g.config.RxPackets = max(g.config.RxBuffer, 32<<10), max(g.config.RxPackets, 64)
	if g.bench, err = newBench(ctx, options{config: g.config, golden: g.golden, sim: g.sim}); err != nil {
		return err
	}
	points, err := g.measureAll(ctx, stdout)
	if err != nil {
		return err
	}
	if err := os.WriteFile(g.file, chart(points), 0o644); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	fmt.Fprintf(stdout, "plot: %s\n", g.file)
	return far(points)
}

// measureAll measures each window with each loss, against the same without losses, and prints them.
func (g *goodput) measureAll(ctx context.Context, w io.Writer) ([]point, error) {
	var all []point
	fmt.Fprintf(w, "%8s %8s %10s %10s %8s\n", "window", "loss", "goodput", "theory", "off by")
	for _, window := range windows {
		packets := max(1, g.packets*window/windows[len(windows)-1])
		whole, err := measure(ctx, g.bench.design, g.bench.io, g.lab(0), window, packets)
		if err != nil {
			return all, fmt.Errorf("window %d, no loss: %w", window, err)
		}
		for _, loss := range losses {
			cycles, err := measure(ctx, g.bench.design, g.bench.io, g.lab(loss), window, packets)
			if err != nil {
				return all, fmt.Errorf("window %d, loss %d in a million: %w", window, loss, err)
			}
			p := point{window, loss, float64(whole) / float64(cycles)}
			all = append(all, p)
			fmt.Fprintf(w, "%8d %7.2f%% %9.2f%% %9.2f%% %+7.1f%%\n", p.window, float64(p.loss)/1e4, 100*p.rate, 100*p.theory(), 100*(p.rate/p.theory()-1))
		}
	}
	return all, nil
}

// far tells which points are far from theory.
func far(points []point) error {
	var errs []error
	for _, p := range points {
		if math.Abs(p.rate/p.theory()-1) > farOff {
			errs = append(errs, fmt.Errorf("window %d, loss %.2f %%: goodput %.2f %%, more than %.0f %% from %.2f %%", p.window, float64(p.loss)/1e4, 100*p.rate, 100*farOff, 100*p.theory()))
		}
	}
	return errors.Join(errs...)
}

// oneWay is how long the wire is, in cycles: two of it are as long as 32 packets of 256 bytes at 8 bytes a cycle.
const oneWay = 800

func (g *goodput) lab(loss int) rtl.Options {
	kind := rtl.Core
	if g.golden {
		kind = rtl.Reference
	}
	o := rtl.Options{
		Config: g.config, Sides: [2]rtl.Kind{kind, kind}, Seed: 1, Slice: 8, Wait: 64, NIC: rtl.NICOptions{Simulator: g.bench.opens, NoChecks: true},
	}
	if loss > 0 {
		o.Faults = wire.Faults{Seed: 1, Rules: []wire.Rule{{Action: wire.Drop, Class: wire.Requests, Rate: loss}}}
	}
	return o
}

// goodputBytes are those of a message: one packet at any path MTU.
const goodputBytes = 256

// measure returns how many cycles it takes to write so many packets, of which window are on their way.
func measure(ctx context.Context, design *hdl.Design, io *core.IO, o rtl.Options, window, packets int) (cycles uint64, err error) {
	l, err := rtl.NewLab(design, io, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	s, err := newStream(ctx, l, o.Config, window)
	if err != nil {
		return 0, err
	}
	l.Link.Latency = oneWay * rtl.Cycle
	if err := s.write(ctx, packets/10); err != nil { // until the wire is full
		return 0, err
	}
	start := l.Cycle()
	if err := s.write(ctx, packets); err != nil {
		return 0, err
	}
	return l.Cycle() - start, nil
}

// stream is a queue pair of host A that keeps a number of WRITEs on their way to host B.
type stream struct {
	queuePair
	device   *verbs.Device
	wr       verbs.SendWR
	window   int
	onTheWay int
}

// goodputTimeout is the code of an ACK timeout that is the least that is longer than it takes to and fro, and as long again.
func goodputTimeout(c configs.Config) uint8 {
	code := uint8(1)
	for c.AckTick<<code < 5*oneWay {
		code++
	}
	return code
}

func newStream(ctx context.Context, l *rtl.Lab, c configs.Config, window int) (*stream, error) {
	var ends [2]station
	hosts := []*rtl.Host{l.A, l.B}
	var qps [2]queuePair
	for i, h := range hosts {
		var err error
		if ends[i], err = newStation(ctx, h); err != nil {
			return nil, err
		}
		if qps[i], err = ends[i].queuePair(ctx, window); err != nil {
			return nil, err
		}
	}
	for i := range ends {
		attr := ends[i].attr(ends[1-i], qps[1-i].QPN())
		attr.Timeout = goodputTimeout(c)
		if err := qps[i].Connect(ctx, attr); err != nil {
			return nil, err
		}
	}
	return &stream{queuePair: qps[0], device: ends[0].device, wr: ends[0].write(ends[1], goodputBytes), window: window}, nil
}

// goodputPatience is how many waits in vain are too many.
const goodputPatience = 10000

// write writes so many packets more.
func (s *stream) write(ctx context.Context, packets int) error {
	wc := make([]verbs.WC, s.window)
	idle := 0
	for done := 0; done < packets; {
		var wrs []verbs.SendWR
		for ; s.onTheWay < s.window; s.onTheWay++ {
			wrs = append(wrs, s.wr)
		}
		if len(wrs) > 0 {
			if err := s.PostSend(ctx, wrs...); err != nil {
				return err
			}
		}
		n, err := s.cq.Poll(ctx, wc)
		if err != nil {
			return err
		}
		for _, c := range wc[:n] {
			if c.Status != verbs.StatusSuccess {
				return fmt.Errorf("a WRITE fails with %v", c.Status)
			}
		}
		done, s.onTheWay = done+n, s.onTheWay-n
		if idle++; n > 0 {
			idle = 0
		}
		if idle > goodputPatience {
			return fmt.Errorf("nothing happens any more after %d packets", done)
		}
		if n == 0 {
			if err := s.device.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
