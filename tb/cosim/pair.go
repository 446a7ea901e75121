package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"gornic/format"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
	"gornic/verbs"
)

// A pair is two hosts on a wire with a workload to play.
type pair struct {
	env     *Env
	work    workload.Workload
	lab     *rtl.Lab
	watch   *monitor.Monitor
	capture *capture // nil: nobody asked for it

	packets, expected int // requests that crossed the wire for the first time, and shall
}

// openPair puts the hosts up. Host memory answers late and out of order, and pauses,
// as the seed decides.
func openPair(env *Env, sides [2]rtl.Kind, w workload.Workload) (*pair, error) {
	var err error
	p := &pair{env: env, work: w, watch: monitor.New(), expected: packets(w, env.Seed)}
	taps := []wire.Tap{p.watch.Tap, p.count, env.counts(sides)}
	if env.Tap != nil {
		taps = append(taps, env.Tap)
	}
	if env.Pcap != "" {
		if p.capture, err = newCapture(env.Pcap); err != nil {
			return nil, err
		}
		taps = append(taps, p.capture.Tap)
	}
	p.lab, err = newLab(env, rtl.Options{
		Config: env.Config, Sides: sides, Seed: env.Seed, Faults: w.Faults(env.Seed), Taps: taps,
		NIC: rtl.NICOptions{
			Simulator: env.Simulator, Waves: env.Waves, Pauses: 10,
			AXI: axi.Options{LatencyMax: 40, Reorder: true, Pauses: 10, Strict: true},
		},
	})
	if err != nil {
		return nil, errors.Join(err, p.capture.close())
	}
	return p, nil
}

// packets is how many request packets the messages of a workload are.
func packets(w workload.Workload, seed uint64) int {
	total := 0
	for q := range w.Requests(seed) {
		total += q.Packets(w.Connection(q.QP).PathMTU)
	}
	return total
}

// count is a tap that tells how far the work is.
func (p *pair) count(c wire.Crossing) {
	if c.RoCE && !c.Packet.Response && c.Packet.Attempt == 0 && !c.Late {
		p.packets++
		p.env.Progress(min(1, float64(p.packets)/float64(p.expected)))
	}
}

// settle is how many cycles a NIC has, when all work is done, to do what it should not.
const settle = 2000

// play opens the devices, plays, and checks what only the whole lab can tell.
func (p *pair) play(ctx context.Context) error {
	var hosts [2]play.Host
	for i, h := range []*rtl.Host{p.lab.A, p.lab.B} {
		d, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC})
		if err != nil {
			return fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
		hosts[i] = play.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6}
	}
	report, err := play.Run(ctx, p.work, hosts, play.Options{
		Seed: p.env.Seed, Now: p.lab.Cycle, Ready: true, Watch: p.watch, Patience: patience(p.work),
		Attr: func(a *verbs.QPAttr) { a.Timeout = ackTimeout },
	})
	if err != nil {
		return fmt.Errorf("cycle %d: %w%s", p.lab.Cycle(), err, counters(ctx, p.lab))
	}
	if err := p.end(ctx, hosts); err != nil {
		return err
	}
	p.env.Note("%d messages, %d bytes in %d packets, %d completions; %d cycles",
		report.Messages, report.Bytes, p.packets, report.Completions, p.lab.Cycle())
	return nil
}

// counters are those of both NICs that are not 0, as far as they can be read.
func counters(ctx context.Context, l *rtl.Lab) string {
	text := ""
	for i, h := range []*rtl.Host{l.A, l.B} {
		text += fmt.Sprintf("\nhost %v counts", workload.Side(i))
		for c := range format.Counter(format.CounterCount) {
			if v, err := h.ReadRegister(ctx, format.RegCounters+4*uint32(c)); err == nil && v != 0 {
				text += fmt.Sprintf(" %v %d", c, v)
			}
		}
	}
	return text
}

// ackTimeout is the local ACK timeout code of every queue pair: 65,000 cycles, much
// more than an answer takes.
const ackTimeout = 6

// patience is how many waits in vain are too many, where a wait is a thousand cycles
// on the average: a message and its answer take a few, with faults on the wire an ACK
// timeout or three, and then there is the longest time in which no work arrives.
func patience(w workload.Workload) int {
	waits := 30 + w.Arrival.Cycles/50
	if len(w.Rules) > 0 {
		waits += 300
	}
	return waits
}

// end closes the devices and checks that they left everything else alone.
func (p *pair) end(ctx context.Context, hosts [2]play.Host) error {
	for i, h := range hosts {
		if err := h.Device.Close(ctx); err != nil {
			return fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
	}
	if err := p.lab.Run(settle); err != nil {
		return err
	}
	for i, h := range []*rtl.Host{p.lab.A, p.lab.B} {
		if nic := h.Core(); nic != nil && nic.Pauses() > 0 {
			return fmt.Errorf("host %v: frames that were sent have %d cycles without a beat inside, expected none", workload.Side(i), nic.Pauses())
		}
	}
	return errors.Join(p.watch.Finish(), p.lab.CheckGuards())
}

func (p *pair) close() error { return errors.Join(p.lab.Close(), p.capture.close()) }

// A capture is a file of what crosses the wire.
type capture struct {
	*wire.Pcap
	file   *os.File
	buffer *bufio.Writer
}

func newCapture(path string) (*capture, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	c := &capture{file: file, buffer: bufio.NewWriter(file)}
	if c.Pcap, err = wire.NewPcap(c.buffer); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return c, nil
}

func (c *capture) close() error {
	if c == nil {
		return nil
	}
	return errors.Join(c.Err(), c.buffer.Flush(), c.file.Close())
}
