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
	switch op {
	case verbs.WRSend:
		return "SEND"
	case verbs.WRRead:
		return "READ"
	case verbs.WRFetchAdd:
		return "FETCH_ADD"
	case verbs.WRCompSwap:
		return "CMP_SWAP"
	}
	return "WRITE"
}

func (l load) isAtomic() bool { return l.op == verbs.WRFetchAdd || l.op == verbs.WRCompSwap }

// fetches tells that messages bring something back.
func (l load) fetches() bool { return l.op == verbs.WRRead || l.isAtomic() }

const (
	settleCycles = 1000 // from the last doorbell to the first cycle that counts
	leastWindow  = 4000 // cycles that count
	ringCycles   = 16   // that a doorbell takes, at most
)

// packets is how many a message is.
func (l load) packets(mtu int) int { return max(1, (l.bytes+mtu-1)/mtu) }

// window is how many cycles count: no less than a few messages, since a long one is
// acknowledged as a whole; what READs bring is seen packet by packet.
func (l load) window(b *built) int {
	if l.fetches() {
		return leastWindow
	}
	return max(leastWindow, 3*l.bytes/b.beatBytes())
}

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
	if err := f.run(ctx, settleCycles); err != nil {
		return row{}, err
	}
	to := r.parties[1]
	if l.fetches() {
		to = r.parties[0]
	}
	w := view{begin: r.lab.Cycle(), stored: to.stored()}
	if err := f.run(ctx, l.window(b)); err != nil {
		return row{}, err
	}
	w.end, w.stored = r.lab.Cycle(), to.stored()-w.stored
	if result, err = l.judge(r, w); err != nil {
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

// message is a message of queue pair i. Atomics of each have a word of their own.
func (l load) message(from, to *party, i int) verbs.SendWR {
	wr := verbs.SendWR{
		Opcode: l.op, SGL: []verbs.SGE{from.mr.SGE(0, uint32(l.bytes))},
		RemoteAddr: to.mr.Addr() + sinkOffset, RKey: to.mr.RKey(),
	}
	if l.fetches() {
		wr.SGL, wr.RemoteAddr = []verbs.SGE{from.mr.SGE(sinkOffset, uint32(l.bytes))}, to.mr.Addr()
	}
	if l.isAtomic() {
		at := uint64(i * wordsApart)
		wr.SGL[0].Addr += at
		wr.RemoteAddr += at
		wr.CompareAdd = 1
	}
	return wr
}

const (
	wordBytes  = 8  // of an atomic
	wordsApart = 64 // bytes
)

// A view is what went on from one cycle to another.
type view struct {
	begin, end uint64
	stored     uint64 // bytes that came to the memory of who gets the data
}

// stored is how many bytes have come to the memory of a core's host.
func (p *party) stored() uint64 {
	if n := p.Core(); n != nil {
		return n.Memory().Counters().Writes.Bytes
	}
	return 0
}

// judge is the rate in a view, the lower one of two directions.
func (l load) judge(r *rig, v view) (row, error) {
	worst := row{What: string(l.way), Operation: opName(l.op), Bytes: l.bytes, QPs: l.qps}
	n := float64(l.packets(r.config.PathMTU))
	for _, d := range l.way.directions() {
		went, perPacket := l.went, r.lines[d].perRequest
		if l.fetches() {
			went, perPacket = l.fetched, r.lines[1-d].perAnswer
		}
		packets, beats, cycles := went(r, d, v)
		if packets == 0 {
			return row{}, errors.New("no message went in the time that was looked at")
		}
		if share := 100 * beats / cycles; worst.Cycles == 0 || share < worst.Wire {
			worst.Cycles, worst.Beats, worst.Wire = cycles/packets*n, perPacket()*n, share
		}
	}
	return worst, nil
}

// went is how many packets went in how many cycles: of what was sent, by when frames left; of what was received, by when
// its acknowledgements left, which come for each packet, or else by what has come to memory.
func (l load) went(r *rig, d wire.Direction, v view) (packets, beats, cycles float64) {
	line := &r.lines[d]
	if mtu := r.config.PathMTU; l.way == receives && l.bytes > mtu {
		packets = float64(v.stored) / float64(mtu)
		return packets, packets * line.perRequest(), float64(v.end - v.begin)
	}
	marks := line.sent
	if l.way == receives {
		marks = r.lines[1-d].acked
	}
	first, last := between(marks, v.begin, v.end)
	if last.packets <= first.packets {
		return 0, 0, 0
	}
	packets, beats, cycles = float64(last.packets-first.packets), float64(last.beats-first.beats), float64(last.cycle-first.cycle)
	if l.way == receives {
		beats = packets * line.perRequest()
	}
	return packets, beats, cycles
}

// fetched is how many packets of responses went in how many cycles, to messages of a direction. They are counted as a core
// sends them; where the reference does, which is never late, by the requests for more, or by what has come to memory.
func (l load) fetched(r *rig, d wire.Direction, v view) (packets, beats, cycles float64) {
	answers := &r.lines[1-d]
	if mtu := r.config.PathMTU; l.way == sends && l.bytes >= mtu {
		packets = float64(v.stored) / float64(mtu)
		return packets, packets * answers.perAnswer(), float64(v.end - v.begin)
	}
	if l.way == sends {
		first, last := between(r.lines[d].sent, v.begin, v.end)
		packets, cycles = float64(last.packets-first.packets), float64(last.cycle-first.cycle)
		return packets, packets * answers.perAnswer(), cycles
	}
	first, last := between(answers.sent, v.begin, v.end)
	return float64(last.answers - first.answers), float64(last.beats - first.beats), float64(last.cycle - first.cycle)
}
