package main

import (
	"bytes"
	"context"
	"fmt"

	"gornic/verbs"
)

// flow is one direction of the bystander's connection: WRITEs and SENDs in turn, two at a
// time, each of them checked.
type flow struct {
	from, to *faultEnd
	posted   int // messages
	acked    int // completed at the sender
	received int // SENDs completed at the receiver
	awaits   int // receive work requests posted there
	stopped  bool
}

const (
	window     = 2
	flowBytes  = 300
	flowSource = 0x000 // in the buffer, of each flow's sender
	flowSink   = 0x1000
	flowSlots  = 0x2000 // receive buffers
	flowSlot   = 0x200
)

// bystanders makes the connection that talks in both directions.
func (r *faultRig) bystanders(ctx context.Context, seed uint64) error {
	var ends [2]*faultEnd
	for i := range ends {
		var err error
		if ends[i], err = r.newBystander(ctx, side(i)); err != nil {
			return err
		}
		if err := ends[i].fill(ctx, seed+1); err != nil {
			return err
		}
		ends[i].may(flowSink, faultBuffer-flowSink)
	}
	if err := r.connect(ctx, ends, 1); err != nil {
		return err
	}
	for i, e := range ends {
		r.flows = append(r.flows, &flow{from: e, to: ends[1-i]})
	}
	return nil
}

// pump takes the completions that have come, and keeps the bystanders busy.
func (r *faultRig) pump(ctx context.Context) error {
	for _, e := range r.ends {
		for _, cq := range []*verbs.CQ{e.sendCQ, e.recvCQ} {
			if r.polls(cq) {
				if err := r.poll(ctx, e, cq); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range r.flows {
		if err := r.poll(ctx, f.from, f.from.sendCQ); err != nil {
			return err
		}
	}
	for _, f := range r.flows {
		if err := f.check(); err != nil {
			return fmt.Errorf("bystander: %w", err)
		}
		if err := f.post(ctx); err != nil {
			return fmt.Errorf("bystander: %w", err)
		}
	}
	return r.err
}

// polls tells that a completion queue is polled as it fills.
func (r *faultRig) polls(cq *verbs.CQ) bool {
	for i, e := range r.ends {
		if cq == e.sendCQ && r.f.cqs.send[i] != 0 || cq == e.recvCQ && r.f.cqs.recv[i] != 0 {
			return false
		}
	}
	return true
}

// poll files the completions of a queue with the end that they are of.
func (r *faultRig) poll(ctx context.Context, e *faultEnd, cq *verbs.CQ) error {
	var wc [4]verbs.WC
	for {
		n, err := cq.Poll(ctx, wc[:])
		if n == 0 || err != nil {
			return err
		}
		for _, w := range wc[:n] {
			if w.QPN != e.qp.QPN() {
				return fmt.Errorf("completion %+v, expected one of QP %#x", w, e.qp.QPN())
			}
			if w.Recv {
				e.received = append(e.received, w)
			} else {
				e.sent = append(e.sent, w)
			}
		}
	}
}

// Message k of a flow is a WRITE if k is even.
func isSend(k int) bool { return k%2 == 1 }

// Where message k comes from and goes to.
func source(k int) int { return flowSource + k%7*0x140 }
func sink(k int) int {
	if isSend(k) {
		return flowSlots + k/2%4*flowSlot
	}
	return flowSink + k%4*flowSlot
}

// check looks at the completions of a flow, and at what has arrived.
func (f *flow) check() error {
	for ; f.acked < len(f.from.sent); f.acked++ {
		w := f.from.sent[f.acked]
		if w.Err() != nil || w.WRID != uint64(f.acked) {
			return fmt.Errorf("%v to %v, message %d: completion %+v", f.from.side, f.to.side, f.acked, w)
		}
		if err := f.arrived(f.acked); err != nil {
			return err
		}
	}
	for ; f.received < len(f.to.received); f.received++ {
		w := f.to.received[f.received]
		if w.Err() != nil || w.WRID != uint64(f.received) || w.ByteLen != flowBytes {
			return fmt.Errorf("%v to %v, SEND %d: completion %+v", f.from.side, f.to.side, f.received, w)
		}
	}
	return nil
}

// arrived compares message k with what was sent.
func (f *flow) arrived(k int) error {
	got, want := f.to.bytes(sink(k), flowBytes), f.from.bytes(source(k), flowBytes)
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%v to %v, message %d: memory differs from what was sent", f.from.side, f.to.side, k)
	}
	return nil
}

// post keeps messages on the way, and receive work requests ahead of them.
func (f *flow) post(ctx context.Context) error {
	for ; f.awaits < f.received+4; f.awaits++ {
		at := flowSlots + f.awaits%4*flowSlot
		wr := verbs.RecvWR{WRID: uint64(f.awaits), SGL: []verbs.SGE{f.to.mr.SGE(uint64(at), flowSlot)}}
		if err := f.to.qp.PostRecv(ctx, wr); err != nil {
			return err
		}
	}
	for ; !f.stopped && f.posted < f.acked+window; f.posted++ {
		wr := verbs.SendWR{
			WRID: uint64(f.posted), Opcode: verbs.WRWrite, Flags: verbs.SendSignaled,
			SGL:        []verbs.SGE{f.from.mr.SGE(uint64(source(f.posted)), flowBytes)},
			RemoteAddr: f.to.mr.Addr() + uint64(sink(f.posted)), RKey: f.to.mr.RKey(),
		}
		if isSend(f.posted) {
			wr.Opcode = verbs.WRSend
		}
		if err := f.from.qp.PostSend(ctx, wr); err != nil {
			return err
		}
	}
	return nil
}

// settleFault is how many cycles a device has, when all is done, to do what it should not.
const settleFault = 600

// more is how many messages of each flow have to end after the fault.
const more = 2

// goOn lets each bystander do more, and then come to rest.
func (r *faultRig) goOn(ctx context.Context) error {
	var enough []int
	for _, f := range r.flows {
		enough = append(enough, f.acked+window+more) // those on the way may have passed the fault
	}
	err := r.until(ctx, func(context.Context) (bool, error) {
		for i, f := range r.flows {
			f.stopped = f.acked >= enough[i]
			if f.posted > f.acked || !f.stopped {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return r.lab.Run(settleFault)
}
