package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"gornic/configs"
	verilator "gornic/sim-verilator"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// An isolation is a measurement of what a queue pair in trouble takes from the others, which write as fast as the wire goes: what they
// send in a time, against what they send when it is idle.
type isolation struct {
	config configs.Config
	named  string
	sim    string
	cycles int
	bench  *bench
}

// trouble is what a queue pair meets.
type trouble struct {
	name string
	post func(s station, peer station) verbs.SendWR
	// attr makes of the attributes of a good connection those of one that meets it.
	attr func(a *verbs.QPAttr)
}

// nobody is the number of a queue pair that there is not.
const nobody = 0xFFFF00

// troubles are no trouble first, to compare with.
func (m *isolation) troubles() []trouble {
	write := func(s, peer station) verbs.SendWR { return s.write(peer, stationBytes) }
	send := func(s, peer station) verbs.SendWR {
		wr := s.write(peer, stationBytes)
		wr.Opcode, wr.RemoteAddr, wr.RKey = verbs.WRSend, 0, 0
		return wr
	}
	timeout := uint8(1)
	for 8*(m.config.AckTick<<timeout) < 2*m.cycles { // so that it does not give up before the end
		timeout++
	}
	return []trouble{
		{"idle", nil, func(*verbs.QPAttr) {}},
		{"RNR wait: nobody posts a receive", send, func(a *verbs.QPAttr) { a.MinRNRTimer = 12 }},
		{"short RNR waits", send, func(a *verbs.QPAttr) { a.MinRNRTimer = 1 }},
		{"retries: nobody answers", write, func(a *verbs.QPAttr) { a.DestQPN, a.Timeout = nobody, timeout }},
	}
}

func runIsolation(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	m := isolation{}
	flags := flag.NewFlagSet("soak isolation", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&m.named, "config", "tiny", "`CONFIG` of the core")
	flags.StringVar(&m.sim, "sim", verilator.Simulator.Name, "simulator of cores: verilator or `native`")
	flags.IntVar(&m.cycles, "cycles", 400_000, "`NUMBER` of cycles of a measurement")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := m.run(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	return 0
}

func (m *isolation) run(ctx context.Context, stdout io.Writer) error {
	var err error
	if m.config, err = configs.Load(m.named); err != nil {
		return err
	}
	m.config.RxBuffer, m.config.RxPackets = max(m.config.RxBuffer, 32<<10), max(m.config.RxPackets, 64)
	if m.bench, err = newBench(ctx, options{config: m.config, sim: m.sim}); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%-34s %12s %12s %10s\n", "one queue pair", "others, beats", "its beats", "they lost")
	var idle traffic
	var errs []error
	for i, x := range m.troubles() {
		t, err := m.measure(ctx, x)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		if i == 0 {
			idle = t
		}
		lost := idle.lost(t)
		fmt.Fprintf(stdout, "%-34s %13d %12d %9.2f%%\n", x.name, t.others, t.troubled, 100*lost)
		if lost > mostLost {
			errs = append(errs, fmt.Errorf("%s: the others lose %.2f %% beyond the beats of that queue pair, more than %.0f %%", x.name, 100*lost, 100*mostLost))
		}
	}
	return errors.Join(errs...)
}

// mostLost is what others may lose of their rate, beyond the beats that a queue pair in trouble sends itself.
const mostLost = 0.01

// traffic is what host A has sent, in beats.
type traffic struct{ others, troubled int }

// lost is the share of their rate that others have lost against another measurement, beyond what the wire carried in their place.
func (idle traffic) lost(t traffic) float64 {
	room := idle.others - (t.troubled - idle.troubled)
	return 1 - float64(t.others)/float64(room)
}

// streams is how many WRITEs each of the others keeps on its way.
const streams = 4

// measure has all but one queue pair of host A write to host B, while the other is in trouble.
func (m *isolation) measure(ctx context.Context, x trouble) (t traffic, err error) {
	var qpn uint32 // where the one in trouble sends to
	counting := false
	count := func(c wire.Crossing) {
		beats := (len(c.Frame) + m.config.DataWidth/8 - 1) / (m.config.DataWidth / 8)
		switch {
		case !counting || c.Direction != wire.AToB:
		case c.Packet.QP == qpn:
			t.troubled += beats
		default:
			t.others += beats
		}
	}
	l, err := rtl.NewLab(m.bench.design, m.bench.io, rtl.Options{
		Config: m.config, Seed: 1, Slice: 16, Wait: 128, Taps: []wire.Tap{count}, NIC: rtl.NICOptions{Simulator: m.bench.opens, NoChecks: true},
	})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	c, err := m.crowd(ctx, l, x)
	if err != nil {
		return t, err
	}
	qpn = c.troubled
	for _, phase := range []int{m.cycles / 10, m.cycles} { // until it is as it stays, and then to count
		counting = phase == m.cycles
		for end := l.Cycle() + uint64(phase); l.Cycle() < end; {
			if err := c.turn(ctx); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// crowd is the queue pairs of host A.
type crowd struct {
	a, b     station
	others   []queuePair
	onTheWay []int
	troubled uint32 // where the one in trouble sends to
}

// othersMost is how many queue pairs write beside the one in trouble.
const othersMost = 7

func (m *isolation) crowd(ctx context.Context, l *rtl.Lab, x trouble) (*crowd, error) {
	c := &crowd{}
	var err error
	if c.a, err = newStation(ctx, l.A); err != nil {
		return nil, err
	}
	if c.b, err = newStation(ctx, l.B); err != nil {
		return nil, err
	}
	for range min(othersMost, m.config.QPs-1) {
		qp, _, err := c.connect(ctx, func(*verbs.QPAttr) {})
		if err != nil {
			return nil, err
		}
		c.others = append(c.others, qp)
	}
	c.onTheWay = make([]int, len(c.others))
	qp, to, err := c.connect(ctx, x.attr)
	if err != nil {
		return nil, err
	}
	if c.troubled = to; x.post == nil {
		return c, nil
	}
	return c, qp.PostSend(ctx, x.post(c.a, c.b))
}

// connect makes a queue pair of either host and connects them. The receiver's RNR timer, too, is that of the attributes.
func (c *crowd) connect(ctx context.Context, change func(*verbs.QPAttr)) (queuePair, uint32, error) {
	qp, err := c.a.queuePair(ctx, streams)
	if err != nil {
		return qp, 0, err
	}
	peer, err := c.b.queuePair(ctx, streams)
	if err != nil {
		return qp, 0, err
	}
	here, there := c.a.attr(c.b, peer.QPN()), c.b.attr(c.a, qp.QPN())
	change(&here)
	there.MinRNRTimer = here.MinRNRTimer
	return qp, here.DestQPN, errors.Join(peer.Connect(ctx, there), qp.Connect(ctx, here))
}

// turn has the others post what they have room for, and waits.
func (c *crowd) turn(ctx context.Context) error {
	wc := make([]verbs.WC, streams)
	for i, q := range c.others {
		n, err := q.cq.Poll(ctx, wc)
		if err != nil {
			return err
		}
		for _, done := range wc[:n] {
			if done.Status != verbs.StatusSuccess {
				return fmt.Errorf("a WRITE of queue pair %d fails with %v", i, done.Status)
			}
		}
		var wrs []verbs.SendWR
		for c.onTheWay[i] -= n; c.onTheWay[i] < streams; c.onTheWay[i]++ {
			wrs = append(wrs, c.a.write(c.b, stationBytes))
		}
		if len(wrs) == 0 {
			continue
		}
		if err := q.PostSend(ctx, wrs...); err != nil {
			return err
		}
	}
	return c.a.device.Wait(ctx)
}
