package main

import (
	"context"
	"errors"
	"fmt"

	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// A trip is the way of one message between idle hosts.
type trip struct {
	part    part
	op      verbs.Opcode
	bytes   int
	inline  bool
	latency int // of host memory, cycles
}

// A part is what of a trip is measured.
type part string

// Parts.
const (
	toWire   part = "doorbell to first beat"
	toCQE    part = "last beat to CQE"       // of the receiver
	ackToCQE part = "acknowledgement to CQE" // of the sender
)

// words are for names.
func (p part) word() string {
	return map[part]string{toWire: "doorbell", toCQE: "arrival", ackToCQE: "acknowledgement"}[p]
}

// tripLimit is how many cycles a trip may take.
const tripLimit = 10_000

func (t trip) name() string {
	kind := opName(t.op)
	if t.inline {
		kind += "-inline"
	}
	return fmt.Sprintf("%s/%s/%d/latency-%d", t.part.word(), kind, t.bytes, t.latency)
}

// measure measures the part: from one event to the other, so that 1 is the next cycle.
func (t trip) measure(ctx context.Context, b *built) (result row, err error) {
	s := setting{sides: [2]rtl.Kind{rtl.Core, rtl.Core}, qps: 1, depth: 4, latency: t.latency}
	if t.inline {
		s.inline = t.bytes
	}
	r, err := b.open(ctx, s)
	if err != nil {
		return row{}, err
	}
	defer func() { err = closing(err, func() error { return b.leave(r, err == nil) }) }()
	for range 2 { // so that everything is cached
		if err := t.prepare(ctx, r); err != nil {
			return row{}, err
		}
		if err := t.post(ctx, r); err != nil {
			return row{}, err
		}
		if err := t.complete(ctx, r); err != nil {
			return row{}, fmt.Errorf("the first messages: %w", err)
		}
	}
	if err := t.prepare(ctx, r); err != nil {
		return row{}, err
	}
	take := t.arrive
	if t.part == toWire {
		take = t.depart
	}
	cycles, err := take(ctx, r)
	if err != nil {
		return row{}, err
	}
	op := opName(t.op)
	if t.inline {
		op += " inline"
	}
	result = row{What: string(t.part), Operation: op, Bytes: t.bytes, QPs: 1, Latency: t.latency, Cycles: float64(cycles)}
	return result, errors.Join(t.complete(ctx, r), r.healthy(ctx))
}

// depart is the time from the doorbell to the first beat: from the first cycle in which the write is offered to
// AXI4-Lite, to the one that takes the beat.
func (t trip) depart(ctx context.Context, r *rig) (uint64, error) {
	line := &r.lines[wire.AToB]
	before := line.sent[len(line.sent)-1]
	offered := r.lab.Cycle() + 1 // the driver's next cycle
	if err := t.post(ctx, r); err != nil {
		return 0, err
	}
	for {
		if last := line.sent[len(line.sent)-1]; last != before {
			first := last.cycle + 1 - uint64(last.beats-before.beats) // a frame has no gap
			return first - offered, nil
		}
		if err := r.lab.Run(1); err != nil {
			return 0, err
		}
		if r.lab.Cycle() > offered+tripLimit {
			return 0, errors.New("nothing was sent")
		}
	}
}

// arrive is the time to a CQE.
func (t trip) arrive(ctx context.Context, r *rig) (uint64, error) {
	to := r.parties[1]
	if t.part == ackToCQE {
		to = r.parties[0]
	}
	w := newWatcher(r.io, to)
	if err := t.post(ctx, r); err != nil {
		return 0, err
	}
	for begin := r.lab.Cycle(); ; {
		if w.look(); w.written > 0 {
			return w.written - w.arrived, nil
		}
		if err := r.lab.Run(1); err != nil {
			return 0, err
		}
		if r.lab.Cycle() > begin+tripLimit {
			return 0, errors.New("no CQE was written")
		}
	}
}

// prepare has the receiver ready for the message, its receive WQE read ahead, and all quiet.
func (t trip) prepare(ctx context.Context, r *rig) error {
	if t.op == verbs.WRSend {
		to := r.parties[1]
		if err := to.qps[0].PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{to.mr.SGE(sinkOffset, uint32(t.bytes))}}); err != nil {
			return err
		}
	}
	return r.lab.Run(settleCycles + 4*t.latency)
}

// complete runs until the message is done, at both ends.
func (t trip) complete(ctx context.Context, r *rig) error {
	f := feed{load: load{way: both}, rig: r, open: 1, count: 0}
	return f.drain(ctx)
}

func (t trip) post(ctx context.Context, r *rig) error {
	from, to := r.parties[0], r.parties[1]
	wr := load{op: t.op, bytes: t.bytes}.message(from, to, 0)
	if t.inline {
		wr.Flags, wr.SGL, wr.Inline = verbs.SendInline, nil, make([]byte, t.bytes)
	}
	return from.qps[0].PostSend(ctx, wr)
}
