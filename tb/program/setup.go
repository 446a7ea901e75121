package program

import (
	"context"
	"fmt"

	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

func (g *game) setUp(ctx context.Context) error {
	for i := range g.sides {
		s := &g.sides[i]
		if err := s.setUp(ctx, wire.Hash(g.seed, uint64(g.number), uint64(i))); err != nil {
			return fmt.Errorf("host %s: %w", s.name, err)
		}
	}
	for n := range g.act.Connections {
		if err := g.connect(ctx, n); err != nil {
			return fmt.Errorf("connection %d: %w", n, err)
		}
	}
	if err := g.newTrials(ctx); err != nil {
		return err
	}
	for n := range g.act.Races {
		if err := g.newRace(ctx, n); err != nil {
			return fmt.Errorf("race %d: %w", n, err)
		}
	}
	for i := range g.sides {
		for _, q := range g.sides[i].cqs {
			if err := q.arm(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// setUp makes everything but queue pairs, whose sizes CQs need to know.
func (s *side) setUp(ctx context.Context, seed uint64) error {
	for range s.PDs {
		pd, err := s.Device.AllocPD()
		if err != nil {
			return err
		}
		s.pds = append(s.pds, pd)
	}
	s.eqs = []*verbs.EQ{s.Device.EQ()}
	for _, q := range s.EQs {
		eq, err := s.Device.CreateEQ(ctx, verbs.EQInitAttr{Entries: q.Entries, Vector: q.Vector})
		if err != nil {
			return err
		}
		s.eqs = append(s.eqs, eq)
	}
	for i, region := range s.Regions {
		if _, err := s.newArea(ctx, region, wire.Hash(seed, uint64(i))); err != nil {
			return fmt.Errorf("region %d: %w", i, err)
		}
	}
	s.cqs = make([]*queue, len(s.CQs))
	return s.newLoans(ctx)
}

// connect makes a queue pair on either side, and connects them.
func (g *game) connect(ctx context.Context, number int) error {
	records := &[2]Record{}
	g.trace.Connections = append(g.trace.Connections, records)
	var cqs [2][2]*verbs.CQ
	for i, e := range g.act.Connections[number].Ends {
		for k, n := range []int{e.SendCQ, e.RecvCQ} {
			q, err := g.cq(ctx, i, n)
			if err != nil {
				return fmt.Errorf("host %s: %w", g.sides[i].name, err)
			}
			cqs[i][k] = q.cq
		}
	}
	pair, err := g.newPair(ctx, g.act.Connections[number], number, cqs, false)
	if err != nil {
		return err
	}
	for i, e := range pair {
		e.record = &records[i]
		e.side.byQPN[e.qp.QPN()] = e
		g.ends = append(g.ends, e)
	}
	return nil
}

// newPair makes the two ends of a connection, of which each has a CQ for either queue. fails tells that they may
// give up.
func (g *game) newPair(ctx context.Context, c Connection, number int, cqs [2][2]*verbs.CQ, fails bool) ([2]*end, error) {
	var pair [2]*end
	for i := range pair {
		e, err := g.newEnd(ctx, c, number, i, cqs[i])
		if err != nil {
			return pair, fmt.Errorf("host %s: %w", g.sides[i].name, err)
		}
		pair[i] = e
	}
	pair[0].peer, pair[1].peer = pair[1], pair[0]
	for _, e := range pair {
		if err := e.qp.Connect(ctx, e.attr()); err != nil {
			return pair, fmt.Errorf("%v: %w", e, err)
		}
	}
	if g.o.Watch != nil {
		g.o.Watch.Payloads = true // a source is renewed only when its message is done
		g.o.Watch.Add(monitor.Connection{
			QPN: [2]uint32{pair[0].qp.QPN(), pair[1].qp.QPN()}, PSN: [2]uint32{pair[0].PSN, pair[1].PSN}, PathMTU: c.MTU.Bytes(), Fails: fails,
		})
	}
	return pair, nil
}

func (g *game) newEnd(ctx context.Context, c Connection, number, host int, cqs [2]*verbs.CQ) (*end, error) {
	s := &g.sides[host]
	e := &end{End: c.Ends[host], c: c, number: number, side: s}
	var err error
	e.qp, err = s.pds[e.PD].CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: cqs[0], RecvCQ: cqs[1], Cap: e.Cap, SigAll: e.SigAll, Page: e.Page % s.Device.Attr().DoorbellPages, QPN: e.QPN,
	})
	return e, err
}

// cq returns CQ n of a host, which is made when its first queue pair is. It has room
// for what all its queue pairs may complete.
func (g *game) cq(ctx context.Context, host, n int) (*queue, error) {
	s := &g.sides[host]
	if s.cqs[n] != nil {
		return s.cqs[n], nil
	}
	entries := 0
	for _, c := range g.act.Connections {
		e := c.Ends[host]
		if e.SendCQ == n {
			entries += depthOf(e.Cap.MaxSendWR)
		}
		if e.RecvCQ == n {
			entries += depthOf(e.Cap.MaxRecvWR)
		}
	}
	a := s.CQs[n]
	cq, err := s.Device.CreateCQ(ctx, verbs.CQInitAttr{Entries: entries, EQ: s.eqs[a.EQ], Page: a.Page % s.Device.Attr().DoorbellPages})
	if err != nil {
		return nil, err
	}
	s.cqs[n] = &queue{CQ: a, cq: cq, number: n, side: s}
	return s.cqs[n], nil
}

func (e *end) attr() verbs.QPAttr {
	ah := e.Path
	ah.DstMAC, ah.Src, ah.Dst = e.peer.side.MAC, e.side.IPv4, e.peer.side.IPv4
	if e.c.IPv6 {
		ah.Src, ah.Dst = e.side.IPv6, e.peer.side.IPv6
	}
	return verbs.QPAttr{
		Access: e.Access, Port: 1, AH: ah, PathMTU: e.c.MTU, DestQPN: e.peer.qp.QPN(), SQPSN: e.PSN, RQPSN: e.peer.PSN,
		MaxRDAtomic: e.MaxRD, MaxDestRDAtomic: e.MaxDestRD, MinRNRTimer: e.MinRNRTimer, Timeout: e.Timeout, RetryCnt: e.RetryCnt, RNRRetry: e.RNRRetry,
	}
}
