package main

import (
	"context"
	"fmt"

	nic "gornic/blocks/core"
	"gornic/configs"
	"gornic/format"
	"gornic/hdl"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// built is a core that was elaborated, if a pair has one.
type built struct {
	config configs.Config
	design *hdl.Design
	io     *nic.IO
}

func buildFor(env *Env, c configs.Config, pairs [][2]rtl.Kind) (built, error) {
	b := built{config: c}
	for _, p := range pairs {
		if p[0] == rtl.Core || p[1] == rtl.Core {
			var err error
			b.design, b.io, err = env.Built.Build(c)
			return b, err
		}
	}
	return b, nil
}

// A faultRig is two hosts with two connections: that of the fault, and a bystander
// that talks in both directions all the time.
type faultRig struct {
	f     fault
	lab   *rtl.Lab
	watch *monitor.Monitor
	naks  []nak
	// answers counts the responses of B to A's queue pair, but for acknowledgements.
	answers map[format.Opcode]int
	number  uint64 // B's before an atomic
	hosts   [2]*faultHost
	ends    [2]*faultEnd // of the connection of the fault
	flows   []*flow      // of the bystander
	work    faultyWork
	psn     uint32             // of the first packet of the message that meets the fault
	seen    []verbs.AsyncEvent // of host A, by then of a fault
	err     error              // of a hook
	// onRequest, if there is one, is called when the first request crosses the wire that
	// meets the fault.
	onRequest func()
}

// faultHost is a host, and what its device may write to.
type faultHost struct {
	*rtl.Host
	dev     *verbs.Device
	pd      *verbs.PD
	allowed []piece
	table   piece   // of keys
	allocs  []piece // since somebody asked
	// commands tells that a command runs that has the device write to its key table.
	commands bool
}

// piece is a piece of memory.
type piece struct{ addr, size uint64 }

// Alloc notes what the driver allocates.
func (h *faultHost) Alloc(size, align uint64) (uint64, error) {
	addr, err := h.Host.Alloc(size, align)
	h.allocs = append(h.allocs, piece{addr, size})
	return addr, err
}

// taken returns what was allocated since the last call.
func (h *faultHost) taken() []piece {
	all := h.allocs
	h.allocs = nil
	return all
}

// faultEnd is one end of a connection.
type faultEnd struct {
	side           side
	host           *faultHost
	buf            *verbs.Buffer
	mr             *verbs.MR
	sendCQ, recvCQ *verbs.CQ
	qp             *verbs.QP

	sq, rq, sendRing, recvRing piece

	sent, received []verbs.WC // completions so far
	wantSent       []wanted
	wantReceived   []wanted
	next           int // receive work requests posted
	sges           int // of a send work request; 0: two
}

// Places in the buffer of an end. Those that a message with a fault is about do not
// touch those of others.
const (
	faultBuffer = 16 << 10
	atGood      = 0x100  // of the WRITE before the fault
	atSlots     = 0x1000 // receive buffers, of slotBytes
	slotBytes   = 0x400
	atFault     = 0x3000 // the message that meets the fault
	atBehind    = 0x3800 // those behind it
)

func (f fault) open(ctx context.Context, env *Env, b built, sides [2]rtl.Kind) (*faultRig, error) {
	r := &faultRig{f: f, watch: monitor.New(), answers: map[format.Opcode]int{}}
	var err error
	r.lab, err = rtl.NewLab(b.design, b.io, rtl.Options{
		Config: b.config, Sides: sides, Seed: env.Seed, Taps: []wire.Tap{r.tap, env.counts(sides)}, Wait: shortWait,
		NIC: rtl.NICOptions{Simulator: env.Simulator, AXI: axi.Options{LatencyMax: 20, Reorder: true, Strict: true}},
	})
	if err != nil {
		return nil, err
	}
	return r, r.setUp(ctx, env.Seed)
}

func (r *faultRig) setUp(ctx context.Context, seed uint64) error {
	for i, h := range []*rtl.Host{r.lab.A, r.lab.B} {
		host := &faultHost{Host: h}
		r.hosts[i] = host
		var err error
		if host.dev, err = verbs.Open(ctx, host, verbs.Config{MAC: h.MAC, Events: 16}); err != nil {
			return err
		}
		taken := host.taken()
		host.table, host.allowed = taken[0], taken[1:] // the event queue
		if r.f.want.keys[i] {
			host.allowed = append(host.allowed, host.table)
		}
		if host.pd, err = host.dev.AllocPD(); err != nil {
			return err
		}
		if r.ends[i], err = r.newEnd(ctx, side(i), r.f.cqs.send[i], r.f.cqs.recv[i]); err != nil {
			return err
		}
		if err := r.ends[i].fill(ctx, seed); err != nil {
			return err
		}
	}
	if err := r.connect(ctx, r.ends, 0); err != nil {
		return err
	}
	if err := r.bystanders(ctx, seed); err != nil {
		return err
	}
	for i := range r.hosts {
		r.hosts[i].OnAccess(r.hosts[i].check(r))
	}
	return nil
}

// shortWait is how many cycles a driver waits at most: a command takes less.
const shortWait = 64

const enoughCQEs = 32

// newEnd makes an end of a connection, with a completion queue for each of its queues.
// Sizes of 0 are enough.
func (r *faultRig) newEnd(ctx context.Context, s side, sendCQEs, recvCQEs int) (e *faultEnd, err error) {
	h := r.hosts[s]
	e = &faultEnd{side: s, host: h, sges: r.f.sges}
	if err := e.newBuffer(ctx); err != nil {
		return nil, err
	}
	if e.sendCQ, e.sendRing, err = h.newCQ(ctx, sendCQEs); err != nil {
		return nil, err
	}
	if e.recvCQ, e.recvRing, err = h.newCQ(ctx, recvCQEs); err != nil {
		return nil, err
	}
	return e, e.newQP(ctx)
}

// newBystander makes an end whose queues share a completion queue.
func (r *faultRig) newBystander(ctx context.Context, s side) (e *faultEnd, err error) {
	e = &faultEnd{side: s, host: r.hosts[s]}
	if err := e.newBuffer(ctx); err != nil {
		return nil, err
	}
	if e.sendCQ, e.sendRing, err = e.host.newCQ(ctx, 0); err != nil {
		return nil, err
	}
	e.recvCQ, e.recvRing = e.sendCQ, e.sendRing
	return e, e.newQP(ctx)
}

func (e *faultEnd) newBuffer(ctx context.Context) (err error) {
	if e.buf, err = e.host.dev.AllocBuffer(faultBuffer, 64); err != nil {
		return err
	}
	e.mr, err = e.host.pd.RegMR(ctx, e.buf.Addr(), faultBuffer, allAccess|verbs.AccessMWBind)
	return err
}

func (h *faultHost) newCQ(ctx context.Context, entries int) (*verbs.CQ, piece, error) {
	if entries == 0 {
		entries = enoughCQEs
	}
	h.taken()
	cq, err := h.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: entries})
	if err != nil {
		return nil, piece{}, err
	}
	ring := h.taken()[0]
	h.allowed = append(h.allowed, ring)
	return cq, ring, nil
}

func (e *faultEnd) newQP(ctx context.Context) (err error) {
	e.host.taken()
	e.qp, err = e.host.pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.sendCQ, RecvCQ: e.recvCQ, Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: max(e.sges, 2), MaxRecvSGE: 3, MaxInline: 32},
	})
	if err != nil {
		return err
	}
	rings := e.host.taken()
	e.sq, e.rq = rings[0], rings[1]
	return nil
}

// readsAtOnce is how many READs and atomics a queue pair has on the way.
const readsAtOnce = 2

// connect connects two ends. number tells connections apart.
func (r *faultRig) connect(ctx context.Context, ends [2]*faultEnd, number int) error {
	psn := [2]uint32{0xFFFFFC - uint32(number), 7 + uint32(number)} // one of them wraps
	for i, e := range ends {
		peer := ends[1-i]
		attr := verbs.QPAttr{
			Access: allAccess &^ verbs.AccessLocalWrite, Port: 1, PathMTU: verbs.MTU256, DestQPN: peer.qp.QPN(),
			AH:    verbs.AHAttr{Src: e.host.IPv4, Dst: peer.host.IPv4, DstMAC: peer.host.MAC},
			SQPSN: psn[i], RQPSN: psn[1-i], MinRNRTimer: 1, RetryCnt: 7, RNRRetry: 7,
			MaxRDAtomic: readsAtOnce, MaxDestRDAtomic: readsAtOnce,
		}
		if r.f.attr != nil && number == 0 {
			r.f.attr(e.side, &attr)
		}
		if err := e.qp.Connect(ctx, attr); err != nil {
			return fmt.Errorf("connection %d: %w", number, err)
		}
	}
	r.watch.Add(monitor.Connection{QPN: [2]uint32{ends[0].qp.QPN(), ends[1].qp.QPN()}, PSN: psn, PathMTU: 256})
	return nil
}

// fill puts noise into the buffer of an end.
func (e *faultEnd) fill(ctx context.Context, seed uint64) error {
	b := make([]byte, faultBuffer)
	for i := range b {
		b[i] = byte(wire.Hash(seed, uint64(e.side), uint64(i)))
	}
	return e.buf.Write(ctx, 0, b)
}

// bytes are those of the buffer from an offset on.
func (e *faultEnd) bytes(at, n int) []byte { return e.host.Peek(e.buf.Addr()+uint64(at), n) }

// may lets the device write to a piece of the buffer.
func (e *faultEnd) may(at, n int) {
	e.host.allowed = append(e.host.allowed, piece{e.buf.Addr() + uint64(at), uint64(n)})
}
