package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"time"

	"gornic/blocks/dcqcn"
	"gornic/configs"
	"gornic/format"
	verilator "gornic/sim-verilator"
	"gornic/tb/frames/talk"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// A congestion is a measurement of two cores on a wire whose routers mark packets: the receiver notifies the sender, which
// slows down, and recovers when no more are marked. What the sender does is held against the algorithm (dcqcn.Flow), which is
// told of the same packets and notifications at the same times.
type congestion struct {
	config configs.Config
	named  string
	sim    string
	cycles int
	bench  *bench
}

// episode is one way to be congested.
type episode struct {
	name     string
	control  bool // queue pairs have congestion control
	reads    bool // host B answers READs; else host A writes
	marked   int  // packets in a million, in the marked time
	lost     int  // packets in a million, behind it
	from, to int  // the marked time, in thousandths of all
	gap      uint64
	oneWay   uint64 // cycles that the wire takes
	stays    bool   // it ends before the queue pair can have recovered
}

// episodes are what is measured.
var episodes = []episode{
	{name: "no control, all marked", marked: wire.Million, to: 1000, gap: 16},
	{name: "WRITEs, marked for a while", control: true, marked: wire.Million, from: 200, to: 203, gap: 64},
	{name: "WRITEs, marked for a while, and losses", control: true, marked: wire.Million, lost: 80_000, from: 200, to: 210, gap: 64, oneWay: 1600},
	{name: "WRITEs, some marked all the time", control: true, marked: 30_000, to: 1000, gap: 4},
	{name: "READ responses, marked for a while", control: true, reads: true, marked: wire.Million, from: 200, to: 203, gap: 64},
}

func runCongestion(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	m := congestion{}
	flags := flag.NewFlagSet("soak congestion", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&m.named, "config", "tiny", "`CONFIG` of the core, but for its replay entries")
	flags.StringVar(&m.sim, "sim", verilator.Simulator.Name, "simulator of cores: verilator or `native`")
	flags.IntVar(&m.cycles, "cycles", 300_000, "`NUMBER` of cycles of a measurement")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := m.run(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	return 0
}

func (m *congestion) run(ctx context.Context, stdout io.Writer) error {
	var err error
	if m.config, err = configs.Load(m.named); err != nil {
		return err
	}
	m.prepare()
	if m.bench, err = newBench(ctx, options{config: m.config, sim: m.sim}); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%-40s %9s %9s %9s %9s %6s %6s %9s %9s %9s %6s\n",
		"", "packets", "again", "marked", "CNPs", "gap", "cuts", "Mb/s", "slowed", "allowed", "early")
	var errs []error
	for _, e := range episodes {
		f, err := m.measure(ctx, e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		fmt.Fprintf(stdout, "%-40s %v\n", e.name, f)
		if err := f.judge(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.name, err))
		}
	}
	return errors.Join(errs...)
}

// prepare gives the configuration room for a whole window.
func (m *congestion) prepare() {
	m.config.Replay = max(m.config.Replay, 32)
	m.config.RxBuffer, m.config.RxPackets = max(m.config.RxBuffer, 32<<10), max(m.config.RxPackets, 64)
}

// timeReset is how many ticks lie between two increases: twenty times as many as ConnectX has, so that a rate is there for a while.
const timeReset = 5860

// leastShare is the part of the line rate that a queue pair keeps.
const leastShare = 6

// settings are the defaults, but for what an episode has otherwise.
func (m *congestion) settings(e episode) format.Congestion[uint64] {
	line := min(1<<18-1, max(1, uint64(m.config.DataWidth)*m.tick()*1000/1024))
	s := format.CongestionDefaults(line)
	s.CNPGap, s.TimeReset, s.MinRate = e.gap, timeReset, line/leastShare
	s.G, s.AlphaTime = 1023, 64 // alpha hardly falls: each cut takes nearly half. Few updates are made fast: no CNP waits for them, and meets another
	return s
}

// tick is cycles of a tick of congestion control.
func (m *congestion) tick() uint64 { return max(1, uint64(m.config.AckTick)/4) }

// flow is what is seen of the packets whose rate counts, and of the notifications for them, and what the algorithm makes of it.
type flow struct {
	episode  episode
	tick     uint64
	settings format.Congestion[uint64]
	model    dcqcn.Flow
	data     wire.Direction

	begun, now                uint64 // cycles
	packets, again            int
	marked, cnps              int
	newest                    talk.PSN
	lastCNP, leastGap         uint64   // of CNPs as they leave, in cycles
	bytes                     uint64   // with headers
	low                       uint64   // cycle since which the rate is so low that the pace shows; 0: it is not
	slowedSince               uint64   // cycle, 0: it is not slowed down so far that it shows
	slowed                    uint64   // cycles in which it was
	allowed                   float64  // cycles that the packets of that time take at their rates
	next, burst               float64  // when the next packet is due, and how many packets one came too early at most
	coming                    []uint64 // when the sender has the notifications on their way
	slowedBytes               uint64
	modelCuts, cuts, sentCNPs uint32  // by the algorithm, and by the core
	whole                     float64 // Mb/s of what is sent before the first notification
	floor, last               float64 // the least rate of the algorithm, and that in the end
}

// shows is the share of the line rate below which the pace is what decides when packets leave.
const shows = 0.5

// headerBytes is what a packet costs besides its payload (package dcqcn).
const headerBytes = 64

// see takes a frame as it is sent.
func (f *flow) see(c wire.Crossing, now uint64) {
	for len(f.coming) > 0 && f.coming[0] <= now {
		f.advance(f.coming[0])
		f.notified()
		f.coming = f.coming[1:]
	}
	f.advance(now)
	switch p, ok := talk.Parse(c.Number, c.Frame); {
	case !ok:
	case p.Op == format.OpCNP && c.Direction != f.data:
		f.cnp()
	case c.Direction != f.data || p.Op == format.OpCNP || f.episode.reads != p.Responds() || p.Op == format.OpAcknowledge:
	default:
		f.packet(c, &p)
	}
}

// advance lets time pass.
func (f *flow) advance(now uint64) {
	f.now = now
	f.model.Advance(f.settings, int64((now-f.begun)/f.tick))
	f.mind()
}

// cnp is a notification for the sender, as it leaves.
func (f *flow) cnp() {
	if f.cnps++; f.cnps == 1 {
		f.whole = mbps(f.bytes, f.now-f.begun, f.tick)
	} else {
		f.leastGap = min(f.leastGap, f.now-f.lastCNP)
	}
	f.lastCNP = f.now
	f.coming = append(f.coming, f.now+f.episode.oneWay)
}

// notified is the sender's end of a notification.
func (f *flow) notified() {
	if f.episode.control && f.model.CNP(f.settings) {
		f.modelCuts++
		f.stop()
		f.low = f.now
	}
	f.floor = min(f.floor, f.rate())
	f.mind()
}

// packet is one whose rate counts.
func (f *flow) packet(c wire.Crossing, p *talk.Packet) {
	bytes := uint64(len(p.Payload)) + headerBytes
	f.packets++
	if f.packets > 1 && p.PSN().Behind(f.newest) <= 0 {
		f.again++
	} else {
		f.newest = p.PSN()
	}
	if c.Action == wire.Mark {
		f.marked++
	}
	f.bytes += bytes
	if f.slowedSince > 0 {
		takes := dcqcn.Wait(float64(bytes), f.rate()) * float64(f.tick)
		f.allowed += takes
		f.slowedBytes += bytes
		ahead := max(f.next-float64(f.now), 0)
		f.burst = max(f.burst, ahead/takes)
		f.next = float64(f.now) + ahead + takes
	}
	f.model.Sent(f.settings, bytes)
}

// rate is that of the algorithm, in Mb/s.
func (f *flow) rate() float64 {
	if !f.model.Slowed {
		return float64(f.settings.LineRate)
	}
	return float64(f.model.Rate)
}

// settling is how many cycles behind a cut do not count: what had been given away before it leaves as fast as the wire goes, and is
// paid for then.
const settling = 4000

// mind begins and ends the time in which the pace shows.
func (f *flow) mind() {
	f.last = f.rate()
	low := f.model.Slowed && f.rate() < shows*float64(f.settings.LineRate)
	switch {
	case !low:
		f.stop()
		f.low = 0
	case f.low == 0:
		f.low = f.now
	case f.now-f.low > settling && f.slowedSince == 0:
		f.slowedSince = f.now
	}
}

// stop ends the time in which the pace shows.
func (f *flow) stop() {
	if f.slowedSince > 0 {
		f.slowed += f.now - f.slowedSince
		f.slowedSince = 0
	}
}

// mbps is a rate in Mb/s.
func mbps(bytes, cycles, tick uint64) float64 {
	return float64(bytes) * 8 * float64(tick) / (float64(max(cycles, 1)) * 1.024)
}

// end is that of the measurement.
func (f *flow) end(now uint64) {
	f.now = now
	f.stop()
	if f.cnps == 0 {
		f.whole = mbps(f.bytes, now-f.begun, f.tick)
	}
}

func (f *flow) String() string {
	gap := "-"
	if f.cnps > 1 {
		gap = fmt.Sprint(f.leastGap / f.tick)
	}
	slowed, allowed := "-", "-"
	if f.slowed > 0 {
		slowed = fmt.Sprintf("%.1f", mbps(f.slowedBytes, f.slowed, f.tick))
		allowed = fmt.Sprintf("%.1f", mbps(f.slowedBytes, uint64(f.allowed), f.tick))
	}
	return fmt.Sprintf("%9d %9d %9d %9d %6s %6d %9.1f %9s %9s %6.1f", f.packets, f.again, f.marked, f.cnps, gap, f.cuts, f.whole, slowed, allowed, f.burst)
}

const (
	farFromModel = 0.07 // share of a time that packets may take more or less than the algorithm says
	mostEarly    = 3    // packets of a queue pair may be on their way when it is told to wait
	smallest     = 4    // packets that do not count
)

// judge compares what was seen with the algorithm.
func (f *flow) judge() error {
	e := f.episode
	switch {
	case f.marked == 0:
		return errors.New("no packet was marked")
	case !e.control && (f.cnps > 0 || f.cuts > 0 || f.sentCNPs > 0):
		return fmt.Errorf("%d CNPs and %d cuts, of queue pairs that have no congestion control", f.cnps, f.cuts)
	case !e.control:
		return nil
	case f.cnps < 2 || f.slowed == 0:
		return fmt.Errorf("%d CNPs, slowed down for %d cycles: nothing to see", f.cnps, f.slowed)
	case uint32(f.cnps) != f.sentCNPs:
		return fmt.Errorf("%d CNPs on the wire, and %d counted", f.cnps, f.sentCNPs)
	case f.leastGap+slack < e.gap*f.tick:
		return fmt.Errorf("%d cycles between two CNPs, expected %d at least", f.leastGap, e.gap*f.tick)
	case e.gap > f.settings.Monitor+1 && f.cuts != f.modelCuts, f.cuts > uint32(f.cnps):
		return fmt.Errorf("%d cuts, expected %d", f.cuts, f.modelCuts)
	case e.to < 500 && !e.stays && f.last < recovered*f.whole:
		return fmt.Errorf("%.0f Mb/s in the end: it has not recovered", f.last)
	}
	wait := f.allowed / float64(f.slowed)
	least, most := 1-farFromModel, 1+farFromModel
	if e.lost > 0 { // while a lost packet is not missed, nothing is sent
		least = 0.5
	}
	if f.burst > mostEarly {
		return fmt.Errorf("%.1f packets left before it was their time", f.burst)
	}
	if extra := smallest * f.allowed / math.Max(1, float64(f.slowedBytes)/float64(256+headerBytes)) / float64(f.slowed); wait < least-extra || wait > most+extra {
		return fmt.Errorf("in %d cycles in which it was slowed down it sent what takes %.0f at its rates", f.slowed, f.allowed)
	}
	return nil
}

// recovered is the share of its rate that a queue pair has to have again in the end.
const recovered = 0.9

// slack is how many cycles lie between the moment at which a frame is seen and the one at which it left at most.
const slack = 64

// measure has the queue pair send for all the time.
func (m *congestion) measure(ctx context.Context, e episode) (f *flow, err error) {
	f = &flow{episode: e, tick: m.tick(), leastGap: math.MaxInt64, floor: math.Inf(1)}
	if e.reads {
		f.data = wire.BToA
	}
	f.settings = m.settings(e)
	var l *rtl.Lab
	faults := func(marked, lost int) wire.Faults {
		sender := wire.FromA
		if e.reads {
			sender = wire.FromB
		}
		x := wire.Faults{Seed: 1}
		if lost > 0 {
			x.Rules = append(x.Rules, wire.Rule{Action: wire.Drop, Sender: sender, Rate: lost})
		}
		if marked > 0 {
			x.Rules = append(x.Rules, wire.Rule{Action: wire.Mark, Sender: sender, Rate: marked})
		}
		return x
	}
	l, err = rtl.NewLab(m.bench.design, m.bench.io, rtl.Options{
		Config: m.config, Seed: 1, Slice: 16, Wait: 64, Faults: faults(0, 0), NIC: rtl.NICOptions{Simulator: m.bench.opens, NoChecks: true},
		Taps: []wire.Tap{func(c wire.Crossing) {
			if f.begun > 0 {
				f.see(c, l.Cycle())
			}
		}},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	l.Link.Latency = time.Duration(e.oneWay) * rtl.Cycle
	s, err := m.stream(ctx, l, e)
	if err != nil {
		return nil, err
	}
	f.begun = l.Cycle()
	at := func(thousandth int) uint64 { return f.begun + uint64(m.cycles)*uint64(thousandth)/1000 }
	for _, phase := range []struct {
		end          uint64
		marked, lost int
	}{{at(e.from), 0, 0}, {at(e.to), e.marked, 0}, {at(1000), 0, e.lost}} {
		l.Link.SetFaults(faults(phase.marked, phase.lost))
		for l.Cycle() < phase.end {
			if err := s.turn(ctx); err != nil {
				return nil, err
			}
		}
	}
	f.end(l.Cycle())
	return f, m.count(ctx, f, s)
}

// count reads what the sender and the receiver have counted.
func (m *congestion) count(ctx context.Context, f *flow, s *busy) error {
	sender, receiver := s.ends[0].device, s.ends[1].device
	if f.episode.reads {
		sender, receiver = receiver, sender
	}
	var errs [2]error
	f.cuts, errs[0] = sender.Counter(ctx, format.CntCNPHandled)
	f.sentCNPs, errs[1] = receiver.Counter(ctx, format.CntCNPSent)
	return errors.Join(errs[0], errs[1])
}

// busy is a queue pair that never runs out of work.
type busy struct {
	queuePair
	ends     [2]station
	wr       verbs.SendWR
	onTheWay int
}

// depth is how many work requests it keeps.
const depth = 16

// longTimeout is how many cycles an ACK timeout has at least: more than the slowest queue pair takes for a packet, to and fro.
const longTimeout = 8000

// ect0 is the traffic class of packets that routers may mark.
const ect0 = 2

func (m *congestion) stream(ctx context.Context, l *rtl.Lab, e episode) (*busy, error) {
	s := &busy{}
	var qps [2]queuePair
	for i, h := range []*rtl.Host{l.A, l.B} {
		var err error
		if s.ends[i], err = newStation(ctx, h); err != nil {
			return nil, err
		}
		if qps[i], err = s.ends[i].queuePairWith(ctx, verbs.QPInitAttr{Congestion: e.control}, depth); err != nil {
			return nil, err
		}
		for k, v := range m.settings(e).Fields() {
			if err := h.WriteRegister(ctx, format.RegCongestion+4*uint32(k), uint32(v)); err != nil {
				return nil, err
			}
		}
	}
	for i := range s.ends {
		attr := s.ends[i].attr(s.ends[1-i], qps[1-i].QPN())
		attr.AH.TrafficClass = ect0
		attr.Access |= verbs.AccessRemoteRead
		attr.MaxRDAtomic, attr.MaxDestRDAtomic = uint8(m.config.Reads), uint8(m.config.Reads)
		for attr.Timeout = 1; m.config.AckTick<<attr.Timeout < longTimeout; {
			attr.Timeout++
		}
		if err := qps[i].Connect(ctx, attr); err != nil {
			return nil, err
		}
	}
	s.queuePair, s.wr = qps[0], s.ends[0].write(s.ends[1], 1024)
	if e.reads {
		s.wr.Opcode = verbs.WRRead
	}
	return s, nil
}

// turn posts what there is room for, and waits.
func (s *busy) turn(ctx context.Context) error {
	wc := make([]verbs.WC, depth)
	n, err := s.cq.Poll(ctx, wc)
	if err != nil {
		return err
	}
	for _, c := range wc[:n] {
		if c.Status != verbs.StatusSuccess {
			return fmt.Errorf("a work request fails with %v", c.Status)
		}
	}
	var wrs []verbs.SendWR
	for s.onTheWay -= n; s.onTheWay < depth; s.onTheWay++ {
		wrs = append(wrs, s.wr)
	}
	if len(wrs) > 0 {
		if err := s.PostSend(ctx, wrs...); err != nil {
			return err
		}
	}
	return s.ends[0].device.Wait(ctx)
}
