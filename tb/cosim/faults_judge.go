package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// nak is a negative acknowledgement on the wire.
type nak struct {
	direction wire.Direction
	qpn, psn  uint32
	syndrome  uint64
}

// tap has every frame checked, and notes NAKs.
func (r *faultRig) tap(c wire.Crossing) {
	if !r.f.injected {
		r.watch.Tap(c) // which knows nothing of packets that nobody sent
	}
	p := golden.Receive(c.Frame, false)
	if p.BTH == nil {
		return
	}
	if r.onRequest != nil && c.Packet.QP == r.ends[sideB].qp.QPN() && c.Packet.PSN == r.psn && !c.Packet.Response {
		r.onRequest()
		r.onRequest = nil
	}
	if op := format.Opcode(p.Descriptor.Opcode); op != format.OpAcknowledge {
		if c.Direction == wire.BToA && c.Packet.Response && c.Packet.QP == r.ends[sideA].qp.QPN() {
			r.answers[op]++
		}
		return
	}
	h, _ := format.ExtHeaderOf[format.AETH[uint64]](p.Descriptor.Ext, format.OpAcknowledge, format.ExtAETH)
	if h.Syndrome >= format.SyndromeRNR {
		r.naks = append(r.naks, nak{c.Direction, c.Packet.QP, c.Packet.PSN, h.Syndrome})
	}
}

// check is a hook that looks at what a device does to memory: it touches nothing that
// is not there, and writes to nothing that it may not.
func (h *faultHost) check(r *faultRig) func(host.Access) {
	return func(a host.Access) {
		switch {
		case r.err != nil || a.Source != host.Device:
		case errors.Is(a.Err, host.ErrUnmapped):
			r.err = fmt.Errorf("the device of %v accesses %d bytes at %#x, where there is no memory (write: %v)", h.MAC, len(a.Data), a.Addr, a.Write)
		case a.Write && a.Err == nil && !h.mayWrite(a.Addr, uint64(len(a.Data))):
			r.err = fmt.Errorf("the device of %v writes %d bytes to %#x, to which it may not", h.MAC, len(a.Data), a.Addr)
		}
	}
}

func (h *faultHost) mayWrite(addr, size uint64) bool {
	return h.commands || slices.ContainsFunc(h.allowed, func(p piece) bool { return addr >= p.addr && addr+size <= p.addr+p.size })
}

// same compares a piece of the buffer of e with that of another.
func (e *faultEnd) same(other *faultEnd, at, n int) error {
	if !bytes.Equal(e.bytes(at, n), other.bytes(at, n)) {
		return fmt.Errorf("%d bytes at offset %#x of host %v differ from those of host %v", n, at, e.side, other.side)
	}
	return nil
}

// judge looks at everything when all is done.
func (r *faultRig) judge(ctx context.Context) error {
	if err := r.pump(ctx); err != nil {
		return err
	}
	for _, e := range r.ends {
		for _, cq := range []*verbs.CQ{e.sendCQ, e.recvCQ} {
			if err := r.poll(ctx, e, cq); err != nil {
				return err
			}
		}
	}
	var errs []error
	for i, e := range r.ends {
		errs = append(errs, r.judgeEnd(ctx, e), r.judgeEvents(ctx, side(i)))
	}
	for _, f := range r.flows {
		errs = append(errs, f.lives(ctx))
	}
	errs = append(errs, r.judgeWire(), r.judgeDoorbells(ctx), r.watch.Err(), r.err, r.lab.CheckGuards(), r.pauses())
	return errors.Join(errs...)
}

// judgeEnd compares completions and state of one end of the connection of the fault.
func (r *faultRig) judgeEnd(ctx context.Context, e *faultEnd) error {
	s, err := e.qp.Status(ctx)
	if err != nil {
		return err
	}
	want := verbs.QPRTS
	if r.f.want.dead[e.side] {
		want = verbs.QPError
	}
	var errs []error
	if n := len(e.wantSent); r.f.want.unsure && e.side == sideA && len(e.sent) > n {
		e.wantSent = append(e.wantSent, wanted{wrid: wrFault})
	}
	if n := len(e.wantReceived); r.f.want.late && e.side == sideB && want == verbs.QPRTS && len(e.received) > n {
		e.wantReceived = append(e.wantReceived, wanted{wrid: wrRecv + uint64(n)})
	}
	if e.side == sideB && r.f.want.late && want == verbs.QPError && e.next < len(e.received) && e.received[e.next].Err() == nil {
		e.wantReceived[e.next].completion = completion{} // the SEND behind was done before
	}
	if s.State != want {
		errs = append(errs, fmt.Errorf("host %v: the queue pair is in %v, expected %v", e.side, s.State, want))
	}
	return errors.Join(append(errs,
		compareCompletions(fmt.Sprintf("host %v, send queue", e.side), e.sent, e.wantSent),
		compareCompletions(fmt.Sprintf("host %v, receive queue", e.side), e.received, e.wantReceived))...)
}

func compareCompletions(queue string, got []verbs.WC, want []wanted) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("%s: %d completions, expected %v next", queue, len(got), want[i])
		case i >= len(want):
			return fmt.Errorf("%s: completion %d is %+v, expected no more than %d", queue, i, got[i], i)
		}
		g, w := got[i], want[i]
		if w.unread {
			w.wrid = 0
		}
		if g.WRID != w.wrid || g.Status != w.status || g.Vendor != w.vendor {
			return fmt.Errorf("%s: completion %d has wr_id %#x, status %v, vendor code %d; expected %v", queue, i, g.WRID, g.Status, g.Vendor, w)
		}
	}
	return nil
}

// judgeEvents compares the asynchronous events of a host, in any order.
func (r *faultRig) judgeEvents(ctx context.Context, s side) error {
	got, err := r.hosts[s].dev.PollAsync(ctx)
	if err != nil {
		return err
	}
	if s == sideA {
		got = append(r.seen, got...)
	}
	e := r.ends[s]
	rest := slices.Clone(r.f.want.events[s])
	for _, g := range got {
		i := slices.Index(rest, event{g.Type, g.Vendor})
		object := g.QP == e.qp
		if g.Type == verbs.EventCQErr {
			object = g.CQ == e.sendCQ && r.f.cqs.send[s] != 0 || g.CQ == e.recvCQ && r.f.cqs.recv[s] != 0 || g.CQ == r.failing(e)
		}
		if i < 0 || !object {
			return fmt.Errorf("host %v: event %v; expected %v", s, g, r.f.want.events[s])
		}
		rest = slices.Delete(rest, i, i+1)
	}
	if len(rest) > 0 {
		return fmt.Errorf("host %v: events %v did not come; %v did", s, rest, got)
	}
	return nil
}

// failing is the completion queue of an end that the fault is about.
func (r *faultRig) failing(e *faultEnd) *verbs.CQ {
	switch {
	case e.side == sideA && r.f.want.lost[0]:
		return e.sendCQ
	case e.side == sideB && r.f.want.lost[1]:
		return e.recvCQ
	}
	return nil
}

// lives checks that a bystander's queue pair is as good as ever.
func (f *flow) lives(ctx context.Context) error {
	s, err := f.from.qp.Status(ctx)
	if err == nil && s.State != verbs.QPRTS {
		err = fmt.Errorf("the bystander of host %v is in %v, expected RTS", f.from.side, s.State)
	}
	return err
}

// judgeWire compares the NAKs: one for a fault that the responder finds, with the PSN
// of the packet that has it.
func (r *faultRig) judgeWire() error {
	var want []nak
	if r.f.want.nak != 0 {
		want = []nak{{wire.BToA, r.ends[sideA].qp.QPN(), (r.psn + uint32(r.f.want.nakAt)) & (1<<24 - 1), r.f.want.nak}}
	}
	if !slices.Equal(r.naks, want) {
		return fmt.Errorf("NAKs %+v, expected %+v", r.naks, want)
	}
	return nil
}

// judgeDoorbells compares how many doorbells were refused.
func (r *faultRig) judgeDoorbells(ctx context.Context) error {
	for i, want := range [2]uint32{sideA: r.f.want.refused} {
		got, err := r.hosts[i].dev.Counter(ctx, format.CntBadDoorbell)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("host %v refused %d doorbells, expected %d", side(i), got, want)
		}
	}
	return nil
}

// pauses checks that no frame had one inside.
func (r *faultRig) pauses() error {
	for i, h := range []*rtl.Host{r.lab.A, r.lab.B} {
		if nic := h.Core(); nic != nil && nic.Pauses() > 0 {
			return fmt.Errorf("host %v: frames that were sent have %d cycles without a beat inside, expected none", side(i), nic.Pauses())
		}
	}
	return nil
}
