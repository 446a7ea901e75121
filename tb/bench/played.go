package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gornic/configs"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
	"gornic/verbs"
)

// A played is what a workload took in one direction.
type played struct {
	Direction string  `json:"direction"`
	Packets   int     `json:"packets"` // requests
	Beats     int     `json:"beats"`   // of requests and acknowledgements
	Cycles    uint64  `json:"cycles"`  // from the first frame to the end of the last
	Wire      float64 `json:"wire"`    // percent of the cycles with a beat
}

// playFile plays a workload file between two cores and prints what it took.
func playFile(ctx context.Context, o options, w io.Writer) error {
	work, err := workload.Load(o.work)
	if err != nil {
		return err
	}
	name := o.config
	if name == "" {
		name = configNames[0]
	}
	b, err := openConfig(ctx, o, name)
	if err != nil {
		return err
	}
	report, lines, err := playWork(ctx, b, work, o.seed)
	if err != nil {
		return err
	}
	return o.printPlayed(w, b.config, work, report, lines)
}

// playWork plays a workload; hosts answer at once.
func playWork(ctx context.Context, b *built, work workload.Workload, seed uint64) (report play.Report, lines [2]line, err error) {
	if n := work.Connections(); n > b.config.QPs || n > b.config.CQs {
		return report, lines, fmt.Errorf("workload %s has %d queue pairs, configuration %s no more than %d", work.Name, n, b.config.Name, min(b.config.QPs, b.config.CQs))
	}
	r := &rig{built: b, lines: [2]line{newLine(b.beatBytes()), newLine(b.beatBytes())}}
	r.lab, err = rtl.NewLab(b.design, b.io, rtl.Options{
		Config: b.config, Seed: seed, Faults: work.Faults(seed), Taps: []wire.Tap{r.tap}, Slice: 1, Wait: 64,
		NIC: rtl.NICOptions{Simulator: b.simulator},
	})
	if err != nil {
		return report, lines, err
	}
	defer func() { err = closing(err, r.lab.Close) }()
	var hosts [2]play.Host
	for i, h := range []*rtl.Host{r.lab.A, r.lab.B} {
		device, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC})
		if err != nil {
			return report, lines, fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
		hosts[i] = play.Host{Device: device, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6}
	}
	report, err = play.Run(ctx, work, hosts, play.Options{Seed: seed, Now: r.lab.Cycle, Ready: true, Patience: patience})
	return report, r.lines, err
}

// patience is how many waits in vain, of some 32 cycles each, end a workload.
const patience = 20_000

// took is what the frames of a direction took; false if there were none.
func (l *line) took(d wire.Direction) (played, bool) {
	if len(l.sent) == 0 {
		return played{}, false
	}
	first, last := l.sent[0], l.sent[len(l.sent)-1]
	cycles := last.cycle - first.cycle + uint64(first.beats)
	return played{
		Direction: d.String(), Packets: l.requests.packets, Beats: last.beats, Cycles: cycles,
		Wire: 100 * float64(last.beats) / float64(cycles),
	}, true
}

func (o options) printPlayed(w io.Writer, c configs.Config, work workload.Workload, report play.Report, lines [2]line) error {
	var errs []error
	if !o.json {
		_, err := fmt.Fprintf(w, "workload %s, configuration %s, seed %d: %d messages, %d bytes, %d completions\n\n%-8s %9s %9s %9s %14s %8s\n",
			work.Name, c.Name, o.seed, report.Messages, report.Bytes, report.Completions, "", "packets", "beats", "cycles", "cycles/packet", "wire")
		errs = append(errs, err)
	}
	for d := range lines {
		p, any := lines[d].took(wire.Direction(d))
		if !any {
			continue
		}
		if o.json {
			errs = append(errs, json.NewEncoder(w).Encode(p))
			continue
		}
		perPacket := ""
		if p.Packets > 0 {
			perPacket = fmt.Sprintf("%.2f", float64(p.Cycles)/float64(p.Packets))
		}
		_, err := fmt.Fprintf(w, "%-8s %9d %9d %9d %14s %6.1f %%\n", p.Direction, p.Packets, p.Beats, p.Cycles, perPacket, p.Wire)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
