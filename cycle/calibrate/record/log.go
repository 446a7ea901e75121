package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gornic/blocks/core"
	"gornic/cycle/calibrate/probe"
	"gornic/cycle/model"
	"gornic/format"
	"gornic/hdl/sim"
	"gornic/tb/workload/play"
)

// log puts the record together.
func (g *game) log(report play.Report) (*Log, error) {
	l := &Log{Report: report, Cycles: g.lab.Cycle(), Streams: g.trace}
	for i := range g.trace {
		r := &reader{game: g, node: i, queues: map[uint64]*queue{}}
		if err := r.read(g.trace[i]); err != nil {
			return nil, fmt.Errorf("host %d: %w", i, err)
		}
		l.Events = append(l.Events, r.events...)
	}
	slices.SortStableFunc(l.Events, func(a, b model.Event) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Kind, b.Kind))
	})
	for _, e := range l.Events {
		if e.Kind == model.Doorbell {
			l.Begin = uint64(e.Cycle)
			break
		}
	}
	return l, nil
}

// reader turns the events of one core into those of the model.
type reader struct {
	*game
	node   int
	events []model.Event
	errs   []error

	queues  map[uint64]*queue // by index in the core
	offered bool              // a write stands at AXI4-Lite since at
	at      int64
	asked   []sim.Event // reads of send WQEs whose address has not been taken
	leaving []sim.Event // CQEs that have not been taken
	bursts  []uint64    // AXI IDs of writes whose last beat has not come
	sent    stream      // of m_axis_tx
	got     stream      // of s_axis_rx
}

// queue is what is known of a queue pair.
type queue struct {
	qp         int
	sends      counter
	reads      counter
	completed  []int // work requests whose CQE has not left
	send, recv counter
	received   []int
}

// counter makes free-running indices of 16 bits whole.
type counter struct{ last int64 }

func (c *counter) whole(index uint64) int {
	c.last += int64(int16(uint16(index) - uint16(c.last)))
	return int(c.last)
}

// stream is one port of frames.
type stream struct {
	frames []frame
	inside bool
	next   int
}

func (r *reader) read(trace []sim.Event) error {
	r.sent.frames, r.got.frames = r.wire.sent[r.node], r.wire.arrived[1-r.node]
	for _, e := range trace {
		r.see(e)
	}
	return errors.Join(r.errs...)
}

// see takes one event of the core.
func (r *reader) see(e sim.Event) {
	value := func(name string) uint64 { v, _ := e.Get(name); return v }
	switch e.Path + "." + e.Name {
	case "." + probe.LiteOffered:
		r.offer(e, value("taken") == 1, value("addr"), value("data"))
	case "u_wqefetch_sq.wqes_asked":
		r.asked = append(r.asked, e)
	case "." + probe.ReadAddress:
		if value("id") == core.ReadSQ && len(r.asked) > 0 {
			asked := r.asked[0]
			r.asked = r.asked[1:]
			r.wqeRead(e, asked)
		}
	case "u_completer.send_completes":
		q := r.queue(value("qp"))
		q.completed = append(q.completed, q.send.whole(value("wqe")))
	case "u_ackqueue.recv_completes":
		q := r.queue(value("qp"))
		q.received = append(q.received, q.recv.whole(value("wqe")))
	case "u_cqewriter.cqe_leaves":
		r.leaving = append(r.leaving, e)
	case "." + probe.WriteAddress:
		r.bursts = append(r.bursts, value("id"))
	case "." + probe.WriteLast:
		r.wrote(e)
	case "." + probe.TxBeat:
		r.beat(e, &r.sent, model.FirstOut, model.LastOut, value("last") == 1)
	case "." + probe.RxBeat:
		r.beat(e, &r.got, model.FirstIn, model.LastIn, value("last") == 1)
	}
}

func (r *reader) queue(index uint64) *queue {
	q := r.queues[index]
	if q == nil {
		q = &queue{qp: r.names.index[r.node][index]}
		r.queues[index] = q
	}
	return q
}

func (r *reader) add(e model.Event) {
	e.Node = r.node
	r.events = append(r.events, e)
}

// offer sees a write at AXI4-Lite, in each cycle in which it stands there.
func (r *reader) offer(e sim.Event, taken bool, offset, data uint64) {
	if !r.offered {
		r.at = int64(e.Cycle)
	}
	r.offered = !taken
	if !taken || offset < format.DoorbellBase || offset%format.DoorbellPageBytes != format.DoorbellSQ {
		return
	}
	q := r.queue(data & 0xFFFF & uint64(r.names.qps-1))
	r.add(model.Event{Cycle: r.at, Kind: model.Doorbell, QP: q.qp, WQE: q.sends.whole(data>>16) - 1})
}

func (r *reader) wqeRead(e, asked sim.Event) {
	index, _ := asked.Get("qp")
	first, _ := asked.Get("first")
	q := r.queue(index)
	r.add(model.Event{Cycle: int64(e.Cycle), Kind: model.WQERead, QP: q.qp, WQE: q.reads.whole(first)})
}

// wrote sees the last beat of a write.
func (r *reader) wrote(e sim.Event) {
	if len(r.bursts) == 0 {
		r.errs = append(r.errs, fmt.Errorf("cycle %d: data before its address", e.Cycle))
		return
	}
	id := r.bursts[0]
	r.bursts = r.bursts[1:]
	if id != core.WriteCQEs {
		return
	}
	if len(r.leaving) == 0 {
		r.errs = append(r.errs, fmt.Errorf("cycle %d: a CQE that did not leave cqewriter", e.Cycle))
		return
	}
	left := r.leaving[0]
	r.leaving = r.leaving[1:]
	qpn, _ := left.Get("qpn")
	kind, _ := left.Get("queue")
	q := r.queue(qpn & uint64(r.names.qps-1))
	from, what := &q.completed, model.CQE
	if kind == receiveQueue {
		from, what = &q.received, model.RecvCQE
	}
	if len(*from) == 0 {
		r.errs = append(r.errs, fmt.Errorf("cycle %d: a CQE of queue pair %d that nobody completed", e.Cycle, q.qp))
		return
	}
	r.add(model.Event{Cycle: int64(e.Cycle), Kind: what, QP: q.qp, WQE: (*from)[0]})
	*from = (*from)[1:]
}

// receiveQueue is a receive queue where a completion tells which of the two it is of.
const receiveQueue = 1

// beat sees a beat of a frame.
func (r *reader) beat(e sim.Event, s *stream, first, last model.EventKind, ends bool) {
	begins := !s.inside
	s.inside = !ends
	if s.next >= len(s.frames) {
		r.errs = append(r.errs, fmt.Errorf("cycle %d: a beat of a frame that did not cross the wire", e.Cycle))
		return
	}
	f := s.frames[s.next]
	if ends {
		s.next++
	}
	if !f.roce {
		return
	}
	from := r.node
	if first == model.FirstIn {
		from = 1 - r.node
	}
	qp := r.names.byQPN[1-from][f.QP]
	m := model.Event{Cycle: int64(e.Cycle), QP: qp, PSN: r.names.psn(from, qp, f.PSN, f.Response), Opcode: uint8(f.Opcode), Bytes: f.bytes}
	if begins {
		m.Kind = first
		if first == model.FirstOut && f.Opcode == format.OpAcknowledge {
			m.Kind = model.AckOut
		}
		r.add(m)
	}
	if ends {
		m.Kind = last
		r.add(m)
	}
}
