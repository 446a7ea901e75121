package main

import (
	"context"
	"errors"
	"fmt"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// A built is the core of a configuration, ready to be simulated.
type built struct {
	config    configs.Config
	design    *hdl.Design
	io        *core.IO
	simulator sim.Simulator
	idle      *rig // hosts that have nothing to do, to be used again
}

func buildCore(config configs.Config, s sim.Simulator) (*built, error) {
	design, io, err := rtl.Build(config)
	return &built{config: config, design: design, io: io, simulator: s}, err
}

// open returns hosts that are like a setting, and have nothing to do.
func (b *built) open(ctx context.Context, s setting) (*rig, error) {
	if r := b.idle; r != nil && r.setting == s {
		b.idle = nil
		return r, nil
	}
	if err := b.close(); err != nil {
		return nil, err
	}
	return openRig(ctx, b, s)
}

// leave gives hosts back: to be used again, or not.
func (b *built) leave(r *rig, idle bool) error {
	if !idle {
		return r.lab.Close()
	}
	b.idle = r
	return nil
}

// close ends the hosts that are idle.
func (b *built) close() error {
	r := b.idle
	if r == nil {
		return nil
	}
	b.idle = nil
	return r.lab.Close()
}

// beatBytes is the width of the wire.
func (b *built) beatBytes() int { return b.config.DataWidth / 8 }

// A setting is what two hosts have to be like.
type setting struct {
	sides   [2]rtl.Kind
	qps     int
	depth   int // work requests in each queue, a power of two
	inline  int // bytes of inline data that send queues are made for
	latency int // cycles of host memory
}

// Where data lies in the buffer of each host: sources first, then what peers write to.
const (
	sinkOffset  = 1 << 20
	bufferBytes = 2 << 20
)

// A rig is two hosts on a wire with connections between them, and a record of what
// crosses it.
type rig struct {
	*built
	setting setting
	lab     *rtl.Lab
	parties [2]*party
	lines   [2]line // by wire.Direction
}

// A party is a host with its ends of the connections.
type party struct {
	*rtl.Host
	device *verbs.Device
	pd     *verbs.PD
	mr     *verbs.MR
	cq     *verbs.CQ
	qps    []*verbs.QP
}

// openRig puts the hosts up. A cycle is a turn, so that the wire knows each frame's.
func openRig(ctx context.Context, b *built, s setting) (*rig, error) {
	r := &rig{built: b, setting: s}
	for i := range r.lines {
		r.lines[i] = newLine(b.beatBytes())
	}
	lab, err := rtl.NewLab(b.design, b.io, rtl.Options{
		Config: b.config, Sides: s.sides, Seed: 1, Taps: []wire.Tap{r.tap}, Slice: 1,
		NIC: rtl.NICOptions{Simulator: b.simulator, AXI: axi.Options{LatencyMin: s.latency, LatencyMax: s.latency}},
	})
	if err != nil {
		return nil, err
	}
	r.lab = lab
	if err := r.connect(ctx, s); err != nil {
		return nil, closing(err, lab.Close)
	}
	return r, nil
}

// tap notes when a frame has left its NIC: its last beat was taken in the cycle before.
func (r *rig) tap(c wire.Crossing) {
	r.lines[c.Direction].see(r.lab.Cycle()-1, c)
}

// forget forgets the frames that crossed the wire, but not how far they are acknowledged.
func (r *rig) forget() {
	for i := range r.lines {
		r.lines[i].forget()
	}
}

func (r *rig) connect(ctx context.Context, s setting) error {
	for i, h := range []*rtl.Host{r.lab.A, r.lab.B} {
		r.parties[i] = &party{Host: h}
	}
	for _, p := range r.parties {
		if err := p.open(ctx, s); err != nil {
			return err
		}
	}
	for i, p := range r.parties {
		if err := p.connect(ctx, r.parties[1-i], r.config); err != nil {
			return err
		}
	}
	return nil
}

func (p *party) open(ctx context.Context, s setting) (err error) {
	if p.device, err = verbs.Open(ctx, p.Host, verbs.Config{MAC: p.MAC}); err != nil {
		return err
	}
	if p.pd, err = p.device.AllocPD(); err != nil {
		return err
	}
	buffer, err := p.device.AllocBuffer(bufferBytes, bufferBytes)
	if err != nil {
		return err
	}
	if p.mr, err = p.pd.RegMR(ctx, buffer.Addr(), buffer.Size(), remoteAccess|verbs.AccessLocalWrite); err != nil {
		return err
	}
	if p.cq, err = p.device.CreateCQ(ctx, verbs.CQInitAttr{Entries: 2*s.qps*s.depth + 1}); err != nil {
		return err
	}
	for range s.qps {
		qp, err := p.pd.CreateQP(ctx, verbs.QPInitAttr{
			SendCQ: p.cq, RecvCQ: p.cq, SigAll: true,
			Cap: verbs.QPCap{MaxSendWR: s.depth, MaxRecvWR: s.depth, MaxSendSGE: 1, MaxRecvSGE: 1, MaxInline: s.inline},
		})
		if err != nil {
			return err
		}
		p.qps = append(p.qps, qp)
	}
	return nil
}

// remoteAccess is what peers may do.
const remoteAccess = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic

// connect connects all queue pairs, with as many READs and atomics at once as the core has.
func (p *party) connect(ctx context.Context, peer *party, c configs.Config) error {
	pathMTU, err := verbs.MTUOf(c.PathMTU)
	if err != nil {
		return err
	}
	for i, qp := range p.qps {
		err := qp.Connect(ctx, verbs.QPAttr{
			Access: remoteAccess, Port: 1, PathMTU: pathMTU, DestQPN: peer.qps[i].QPN(),
			AH:          verbs.AHAttr{Src: p.IPv4, Dst: peer.IPv4, DstMAC: peer.MAC},
			MaxRDAtomic: uint8(c.Reads), MaxDestRDAtomic: uint8(c.Reads), MinRNRTimer: 1, RetryCnt: 7, RNRRetry: 7,
		})
		if err != nil {
			return fmt.Errorf("queue pair %d: %w", i, err)
		}
	}
	return nil
}

// unhealthy are counters that stay 0 while nothing goes wrong.
var unhealthy = []format.Counter{
	format.CntRxFull, format.CntRxRefused, format.CntRxBadQP, format.CntRxDuplicate, format.CntRxAhead, format.CntTxNAKs, format.CntBusErrors,
}

// healthy tells why what was measured is not worth anything.
func (r *rig) healthy(ctx context.Context) error {
	for i, p := range r.parties {
		if n := p.Core(); n != nil && n.Pauses() > 0 {
			return fmt.Errorf("host %d: frames that were sent have %d cycles without a beat inside", i, n.Pauses())
		}
		for _, c := range unhealthy {
			n, err := p.device.Counter(ctx, c)
			if err != nil {
				return err
			}
			if n > 0 {
				return fmt.Errorf("host %d counts %v %d", i, c, n)
			}
		}
	}
	return nil
}

// closing is err with what closing finds.
func closing(err error, close func() error) error { return errors.Join(err, close()) }
