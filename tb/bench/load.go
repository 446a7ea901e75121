package main

import (
	"context"
	"errors"
	"fmt"

	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// A way is what the core that is measured does.
type way string

// Ways. The peer of one that only sends or only receives is the reference, which
// takes no time: it offers a frame whenever the wire is free.
const (
	sends    way = "send"
	receives way = "receive"
	both     way = "both" // at once, and so does its peer, which is another core
)

func (w way) sides() [2]rtl.Kind {
	switch w {
	case sends:
		return [2]rtl.Kind{rtl.Core, rtl.Reference}
	case receives:
		return [2]rtl.Kind{rtl.Reference, rtl.Core}
	}
	return [2]rtl.Kind{rtl.Core, rtl.Core}
}

// directions are those in which messages go.
func (w way) directions() []wire.Direction {
	if w == both {
		return []wire.Direction{wire.AToB, wire.BToA}
	}
	return []wire.Direction{wire.AToB}
}

// A load is messages of one kind, as fast as they go. Each message has its
// completion, and the middle of it is looked at.
type load struct {
	way   way
	op    verbs.Opcode
	bytes int // of a message
	qps   int
}

func (l load) name() string {
	return fmt.Sprintf("%s/%s/%d/%d", l.way, opName(l.op), l.bytes, l.qps)
}

// opName is an operation as protocols write it.
func opName(op verbs.Opcode) string {
	if op == verbs.WRSend {
		return "SEND"
	}
	return "WRITE"
}

const (
	settleCycles = 1000 // from the last doorbell to the first cycle that counts
	leastWindow  = 4000 // cycles that count
	ringCycles   = 16   // that a doorbell takes, at most
)

// packets is how many a message is.
func (l load) packets(mtu int) int { return max(1, (l.bytes+mtu-1)/mtu) }

// window is how many cycles count: no less than a few messages, since a long one is
// acknowledged as a whole.
func (l load) window(b *built) int { return max(leastWindow, 3*l.bytes/b.beatBytes()) }

// count is how many messages of each queue pair keep the wire busy until the end.
func (l load) count(b *built) int {
	const leastHeaders = 58 // bytes of a SEND without payload
	packets := l.packets(b.config.PathMTU)
	beats := (l.bytes + packets*leastHeaders) / b.beatBytes()
	cycles := settleCycles + l.window(b) + 2*l.qps*ringCycles + 10*beats
	return cycles/(max(beats, 1)*l.qps) + 2
}

// setting is what hosts need for the load, and for the others of its way and queue pairs.
func (l load) setting(b *built) setting {
	shortest := l
	shortest.bytes = 0
	return setting{sides: l.way.sides(), qps: l.qps, depth: powerOfTwo(max(l.count(b), shortest.count(b)) + 1)}
}

// measure measures a load.
func (l load) measure(ctx context.Context, b *built) (result row, err error) {
	r, err := b.open(ctx, l.setting(b))
	if err != nil {
		return row{}, err
	}
	defer func() { err = closing(err, func() error { return b.leave(r, err == nil && l.bytes <= drainedBytes) }) }()
	if err := l.warm(ctx, r); err != nil {
		return row{}, fmt.Errorf("the first messages: %w", err)
	}
	f := feed{load: l, rig: r, count: l.count(b)}
	if err := f.start(ctx); err != nil {
		return row{}, err
	}
	begin, window := r.lab.Cycle()+settleCycles, l.window(b)
	if err := f.run(ctx, settleCycles+window); err != nil {
		return row{}, err
	}
	if result, err = l.judge(r, begin, begin+uint64(window)); err != nil {
		return row{}, err
	}
	if l.bytes <= drainedBytes {
		err = f.drain(ctx)
	}
	return result, errors.Join(err, r.healthy(ctx))
}

// drainedBytes is the length of messages up to which hosts are used again, when all messages are done.
const drainedBytes = 4096

// warm sends a short message over each queue pair, so that everything is cached, and forgets it.
func (l load) warm(ctx context.Context, r *rig) error {
	l.bytes = min(l.bytes, 64)
	f := feed{load: l, rig: r, count: 1}
	if err := f.start(ctx); err != nil {
		return err
	}
	if err := f.drain(ctx); err != nil {
		return err
	}
	r.forget()
	return nil
}

func (l load) message(from, to *party) verbs.SendWR {
	return verbs.SendWR{
		Opcode: l.op, SGL: []verbs.SGE{from.mr.SGE(0, uint32(l.bytes))},
		RemoteAddr: to.mr.Addr() + sinkOffset, RKey: to.mr.RKey(),
	}
}

// judge is the rate in a window, the lower one of two directions: of what was sent, by
// when frames left; of what was received, by when its acknowledgements did.
func (l load) judge(r *rig, begin, end uint64) (row, error) {
	worst := row{What: string(l.way), Operation: opName(l.op), Bytes: l.bytes, QPs: l.qps}
	for _, d := range l.way.directions() {
		line, marks := &r.lines[d], r.lines[d].sent
		if l.way == receives {
			marks = r.lines[1-d].acked
		}
		first, last := between(marks, begin, end)
		if last.packets <= first.packets {
			return row{}, errors.New("no message went in the time that was looked at")
		}
		cycles, packets := float64(last.cycle-first.cycle), float64(last.packets-first.packets)
		beats := float64(last.beats - first.beats)
		if l.way == receives {
			beats = packets * line.perRequest()
		}
		if share := 100 * beats / cycles; worst.Cycles == 0 || share < worst.Wire {
			n := float64(l.packets(r.config.PathMTU))
			worst.Cycles, worst.Beats, worst.Wire = cycles/packets*n, line.perRequest()*n, share
		}
	}
	return worst, nil
}
