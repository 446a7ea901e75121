package model

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"gornic/cycle/model/host"
	"gornic/cycle/model/link"
	"gornic/cycle/model/nic"
	"gornic/cycle/simkit"
	"gornic/format"
	"gornic/tb/workload"
)

// meter counts what a run does.
type meter struct {
	m        *pair
	all      int64 // messages of the workload
	messages int64
	bytes    int64
	measured int64 // messages behind the warm-up
	first    int64 // cycle of the first doorbell, or of the end of the warm-up
	last     int64
	rung     bool
	qps      []QP
	latency  distribution
	events   []Event
	failed   error
	told     int64
	trace    *simkit.Trace // nil: none
}

func newMeter(m *pair) *meter {
	senders := int64(len(m.w.Direction.Senders()))
	t := &meter{m: m, all: int64(m.w.Messages) * int64(m.w.Connections()) * senders * int64(m.c.Link.Senders)}
	t.qps = make([]QP, (m.c.Link.Senders+1)*m.w.Connections()*m.c.Link.Senders)
	for i := range t.qps {
		t.qps[i] = QP{Node: i / (m.w.Connections() * m.c.Link.Senders), QP: i % (m.w.Connections() * m.c.Link.Senders), First: -1}
	}
	return t
}

func (t *meter) qp(node, qp int) *QP { return &t.qps[node*t.m.w.Connections()*t.m.c.Link.Senders+qp] }

// rang hears of doorbells.
func (t *meter) rang(node int) func(int64, int, bool, uint32) {
	return func(cycle int64, qp int, recv bool, last uint32) {
		kind := Doorbell
		if recv {
			kind = RecvDoorbell
		} else {
			if !t.rung {
				t.rung, t.first = true, cycle
			}
			if q := t.qp(node, qp); q.First < 0 {
				q.First = cycle
			}
		}
		t.event(Event{Cycle: cycle, Node: node, Kind: kind, QP: qp, WQE: int(last)})
	}
}

// done hears of completions.
func (t *meter) done(node int) func(host.Completion) {
	return func(c host.Completion) {
		if c.Recv {
			t.stopWhenOver()
			return
		}
		if c.Status != format.StatusSuccess && t.failed == nil {
			t.failed = fmt.Errorf("host %d, queue pair %d: a work request failed with %v", node, c.QP, c.Status)
			t.m.e.Stop()
		}
		q := t.qp(node, c.QP)
		q.Messages += c.Messages
		q.Bytes += c.Bytes
		q.Last = t.m.e.Now()
		q.MeanLatency += float64(c.Latency)
		q.WorstLatency = max(q.WorstLatency, c.Latency)
		t.messages += c.Messages
		t.last = q.Last
		if t.trace != nil {
			t.trace.Task("message", fmt.Sprintf("QP %d", c.QP), fmt.Sprintf("Host[%d]", node), q.Last-c.Latency, q.Last)
		}
		if t.messages > t.m.o.Warmup {
			t.measured += c.Messages
			t.bytes += c.Bytes
			t.latency.add(c.Latency)
		} else {
			t.first = q.Last
		}
		t.stopWhenOver()
		if t.m.o.Progress != nil && t.messages-t.told >= 1<<12 {
			t.told = t.messages
			t.m.o.Progress(t.messages, t.all)
		}
	}
}

// stopWhenOver ends the run behind the last completion: timers that still run would have nothing to do.
func (t *meter) stopWhenOver() {
	if t.messages < t.all {
		return
	}
	for _, h := range t.m.hosts {
		if h.Left() {
			return
		}
	}
	t.m.e.Stop()
}

func (t *meter) event(e Event) {
	if t.m.o.Events {
		t.events = append(t.events, e)
	}
	if t.m.o.Log != nil {
		fmt.Fprintf(t.m.o.Log, "%8d node %d %-13v qp %d wqe %d psn %d %v %d\n", e.Cycle, e.Node, e.Kind, e.QP, e.WQE, e.PSN, format.Opcode(e.Opcode), e.Bytes)
	}
}

func (t *meter) wanted() bool { return t.m.o.Events || t.m.o.Log != nil }

// log hears of what happens at a core's ports, nil if nobody wants to know.
func (t *meter) log(node int) func(nic.Event) {
	if !t.wanted() {
		return nil
	}
	return func(e nic.Event) {
		x := Event{Cycle: e.Cycle, Node: node, QP: int(e.QP), WQE: int(e.WQE)}
		switch e.Kind {
		case nic.WQERead:
			x.Kind = WQERead
			t.event(x)
		case nic.Completed:
			if x.Kind = CQE; e.Recv {
				x.Kind = RecvCQE
			}
			t.event(x)
		case nic.FrameOut:
			t.frame(node, e.Frame, FirstOut, LastOut)
		}
	}
}

func (t *meter) frame(node int, f *link.Frame, first, last EventKind) {
	x := Event{Cycle: f.First, Node: node, Kind: first, QP: int(f.QP), WQE: int(f.WQE), PSN: f.PSN, Opcode: uint8(f.Op), Bytes: int(f.Length)}
	if f.Op == format.OpAcknowledge && first == FirstOut {
		x.Kind = AckOut
	}
	t.event(x)
	x.Cycle, x.Kind = f.Last, last
	t.event(x)
}

// arrival hears of frames that reach a core.
func (t *meter) arrival() func(int, *link.Frame) {
	if !t.wanted() {
		return nil
	}
	return func(to int, f *link.Frame) { t.frame(to, f, FirstIn, LastIn) }
}

// run runs a pair until all messages have completed.
func (m *pair) run(ctx context.Context) (*Result, error) {
	if m.o.Trace != "" {
		t, err := m.e.Trace(m.o.Trace, m.o.From, m.o.To)
		if err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		m.meter.trace = t
		r, err := m.play(ctx)
		return r, errors.Join(err, t.Close())
	}
	return m.play(ctx)
}

// play runs it, and traces it where that is asked for.
func (m *pair) play(ctx context.Context) (*Result, error) {
	for _, h := range m.hosts {
		h.Start()
	}
	if err := m.e.RunContext(ctx); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if m.meter.failed != nil {
		return nil, fmt.Errorf("model: cycle %d: %w", m.e.Now(), m.meter.failed)
	}
	for i, h := range m.hosts {
		if h.Left() {
			return nil, fmt.Errorf("model: host %d has work left in cycle %d, and nothing happens any more (%d of %d messages completed): %w",
				i, m.e.Now(), m.meter.messages, m.meter.all, errors.New(m.e.Stuck()))
		}
	}
	return m.result(), nil
}

func (m *pair) result() *Result {
	t := m.meter
	r := &Result{
		Cycles: t.last - t.first, Messages: t.measured, Bytes: t.bytes, ClockMHz: m.c.ClockMHz, Latency: t.latency.result(),
		Events: t.events, Steps: m.e.Steps(),
	}
	for _, q := range t.qps {
		if q.First < 0 && q.Messages == 0 {
			continue
		}
		s := m.nics[q.Node].QP(q.QP)
		q.Packets, q.Resent, q.Retries, q.CNPs, q.RNRs = s.Packets, s.Resent, s.Retries, s.CNPs, s.RNRs
		if n := t.signaled(q); n > 0 {
			q.MeanLatency /= float64(n)
		}
		r.QPs = append(r.QPs, q)
	}
	for i, n := range m.nics {
		m.node(r, i, n)
	}
	sort.SliceStable(r.Events, func(i, j int) bool { return r.Events[i].Cycle < r.Events[j].Cycle })
	r.Bottleneck = m.bottleneck(r)
	return r
}

// signaled is how many CQEs a queue pair has had.
func (t *meter) signaled(q QP) int64 {
	if t.m.w.Signaled == 100 {
		return q.Messages
	}
	n := int64(0)
	queue := t.m.w.Queue(t.m.seedOf(q.QP), sideOf(q.Node), q.QP%t.m.connections())
	for x, ok := queue.Next(); ok; x, ok = queue.Next() {
		if x.Signaled {
			n++
		}
	}
	return n
}

func sideOf(node int) workload.Side {
	if node == 1 {
		return workload.B
	}
	return workload.A
}

func (m *pair) node(r *Result, i int, n *nic.NIC) {
	s := n.Stats
	x := Node{
		TxPackets: s.TxPackets, TxBeats: s.TxBeats, RxPackets: s.RxPackets, RxBeats: s.RxBeats, Lost: m.wire.Stats[i].Lost, Marked: m.wire.Stats[i].Marked,
		ReadBeats: s.ReadBeats, WriteBeats: s.WriteBeats, Doorbells: s.Doorbells, CQEs: s.CQEs, Dropped: s.Dropped,
	}
	r.Nodes = append(r.Nodes, x)
	n.Each(func(name string, c *simkit.Component) {
		busy, idle, waited := c.Use.Total(m.e.Now())
		b := Block{Node: i, Name: name, Items: c.Use.Items, Busy: busy, Starved: idle}
		for _, w := range waited {
			b.Stalled = append(b.Stalled, Stall{By: w.For, Cycles: w.Cycles})
		}
		r.Blocks = append(r.Blocks, b)
	})
	r.Caches = append(r.Caches,
		CacheUse{i, "context", s.ContextHits, s.ContextMisses}, CacheUse{i, "key", s.KeyHits, s.KeyMisses},
		CacheUse{i, "translate_tx", s.LineHits[0], s.LineMisses[0]}, CacheUse{i, "translate_rx", s.LineHits[1], s.LineMisses[1]},
		CacheUse{i, "wqe", s.WQEHits, s.WQEMisses})
}
