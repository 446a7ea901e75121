package play

import (
	"context"
	"errors"
	"fmt"

	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/verbs"
)

// setUp makes and connects everything.
func (g *game) setUp(ctx context.Context) error {
	for i := range g.sides {
		s := &g.sides[i]
		pd, err := s.Device.AllocPD()
		if err != nil {
			return err
		}
		s.pd = pd
		for qp := range g.w.Connections() {
			e, err := g.newEnd(ctx, workload.Side(i), qp)
			if err != nil {
				return fmt.Errorf("host %v, queue pair %d: %w", workload.Side(i), qp, err)
			}
			s.ends = append(s.ends, e)
		}
	}
	for q := range g.w.Requests(g.o.Seed) {
		from, to := g.sides[q.From].ends[q.QP], g.sides[1-q.From].ends[q.QP]
		from.sends = append(from.sends, q)
		g.report.Bytes += int64(q.Length)
		if q.Consumes {
			to.recvs = append(to.recvs, q)
		}
	}
	for qp, a := range g.sides[0].ends {
		b := g.sides[1].ends[qp]
		a.peer, b.peer = b, a
		if err := g.connect(ctx, a); err != nil {
			return fmt.Errorf("%v: %w", a, err)
		}
		if err := g.connect(ctx, b); err != nil {
			return fmt.Errorf("%v: %w", b, err)
		}
		g.watch(a, b)
	}
	return nil
}

// watch tells the monitor of a connection.
func (g *game) watch(a, b *end) {
	if g.o.Watch == nil {
		return
	}
	g.o.Watch.Payloads = true // a source never changes
	g.o.Watch.Add(monitor.Connection{
		QPN:     [2]uint32{a.qp.QPN(), b.qp.QPN()},
		PSN:     [2]uint32{workload.FirstPSN(g.o.Seed, a.side, a.index), workload.FirstPSN(g.o.Seed, b.side, b.index)},
		PathMTU: a.c.PathMTU,
	})
}

func (g *game) newEnd(ctx context.Context, from workload.Side, qp int) (*end, error) {
	s := &g.sides[from]
	e := &end{side: from, index: qp, c: g.w.Connection(qp), host: s.Host, ready: g.o.Ready}
	var err error
	// One CQ for both queues: each completion of either, and one to be flushed.
	if e.cq, err = s.Device.CreateCQ(ctx, verbs.CQInitAttr{Entries: 2*e.c.Depth + 1}); err != nil {
		return nil, err
	}
	e.qp, err = s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: e.cq, RecvCQ: e.cq, Cap: verbs.QPCap{
		MaxSendWR: e.c.Depth, MaxRecvWR: e.c.Depth, MaxSendSGE: e.c.SendSGEs, MaxRecvSGE: e.c.RecvSGEs,
	}})
	if err != nil {
		return nil, err
	}
	if g.w.Operations.SendInv > 0 {
		if err := e.newTokens(ctx, s.pd); err != nil {
			return nil, err
		}
	}
	return e, g.newAreas(ctx, s.pd, e)
}

// newAreas makes the buffers of an end, some in scattered pages, and fills them.
func (g *game) newAreas(ctx context.Context, pd *verbs.PD, e *end) error {
	sizes := g.w.Buffers()
	e.slotBytes = sizes.Slot
	seed := func(what uint64) uint64 { return wire.Hash(g.o.Seed, uint64(e.side), uint64(e.index), what) }
	for what, a := range []struct {
		area   **area
		size   int
		access verbs.Access
	}{
		{&e.source, sizes.Source, verbs.AccessRemoteRead},
		{&e.sink, sizes.Sink, verbs.AccessLocalWrite | verbs.AccessRemoteWrite},
		{&e.slots, sizes.Slot * e.c.Depth, verbs.AccessLocalWrite},
		{&e.landing, sizes.Slot * e.c.Depth, verbs.AccessLocalWrite},
		{&e.words, sizes.Words, verbs.AccessLocalWrite | verbs.AccessRemoteAtomic},
	} {
		area, err := g.newArea(ctx, pd, e, a.size, a.access, seed(uint64(what)))
		if err != nil {
			return err
		}
		if err := area.write(ctx, 0, noise(seed(uint64(what)), 0, a.size)); err != nil {
			return err
		}
		*a.area = area
	}
	e.image, e.landingImage, e.wordsImage = noise(seed(1), 0, sizes.Sink), noise(seed(3), 0, sizes.Slot*e.c.Depth), noise(seed(4), 0, sizes.Words)
	return nil
}

// newArea makes one buffer.
func (g *game) newArea(ctx context.Context, pd *verbs.PD, e *end, size int, access verbs.Access, seed uint64) (*area, error) {
	switch g.o.Lie {
	case OnePiece:
		return e.contiguous(ctx, pd, size, pageBytes, access)
	case InPages:
		return e.paged(ctx, pd, size, access, 0, seed)
	}
	if seed>>62 == 0 {
		return e.paged(ctx, pd, size, access, seed%pageBytes&^(wordBytes-1), seed)
	}
	return e.contiguous(ctx, pd, size, wordBytes, access)
}

func (g *game) connect(ctx context.Context, e *end) error {
	ah := verbs.AHAttr{Src: e.host.IPv4, Dst: e.peer.host.IPv4, DstMAC: e.peer.host.MAC, TrafficClass: 2}
	if e.c.IP == 6 {
		ah.Src, ah.Dst = e.host.IPv6, e.peer.host.IPv6
	}
	mtu := verbs.MTU256
	for mtu.Bytes() < e.c.PathMTU {
		mtu++
	}
	attr := verbs.QPAttr{
		Access: verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic, Port: 1, AH: ah, PathMTU: mtu, DestQPN: e.peer.qp.QPN(),
		SQPSN: workload.FirstPSN(g.o.Seed, e.side, e.index), RQPSN: workload.FirstPSN(g.o.Seed, e.peer.side, e.index),
		MaxRDAtomic: uint8(e.c.Reads), MaxDestRDAtomic: uint8(e.c.Reads), MinRNRTimer: 1, Timeout: 10, RetryCnt: 7, RNRRetry: 7,
	}
	if g.o.Attr != nil {
		g.o.Attr(&attr)
	}
	return e.qp.Connect(ctx, attr)
}

// tearDown destroys what setUp made.
func (g *game) tearDown(ctx context.Context) error {
	var errs []error
	for i := range g.sides {
		for _, e := range g.sides[i].ends {
			errs = append(errs, e.qp.Destroy(ctx), e.cq.Destroy(ctx))
			for _, mr := range e.regions {
				errs = append(errs, mr.Dereg(ctx))
			}
			for _, b := range e.buffers {
				errs = append(errs, b.Free())
			}
		}
		errs = append(errs, g.sides[i].pd.Dealloc())
	}
	return errors.Join(errs...)
}
