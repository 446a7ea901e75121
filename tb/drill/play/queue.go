package play

import (
	"context"

	"gornic/format"
	"gornic/tb/drill/packet"
	"gornic/tb/drill/script"
	"gornic/verbs"
)

// queuePair is a queue pair of the case, and what came of it that no step has looked at.
type queuePair struct {
	*script.QP
	qp     *verbs.QP // nil: destroyed
	cqs    [2]*verbs.CQ
	attr   verbs.QPAttr
	number uint32 // its last QPN
	next   uint32 // PSN of the peer's next request
	sent   [3][]*frame
	cqes   [2][]verbs.WC
	events []verbs.AsyncEvent
	armed  [2]int // completion events that came
}

// pairs are the queue pairs there are, in the order of the case: what is done with each takes time.
func (p *player) pairs() []*queuePair {
	var all []*queuePair
	for i := range p.c.QPs {
		if q := p.qps[p.c.QPs[i].Name]; q != nil {
			all = append(all, q)
		}
	}
	return all
}

const sendQueue, recvQueue = 0, 1

func queueOf(recv bool) int {
	if recv {
		return recvQueue
	}
	return sendQueue
}

// streamOf is the stream of a packet that the NIC sent.
func streamOf(op format.Opcode) script.Stream {
	switch {
	case op == format.OpCNP:
		return script.CNPs
	case packet.IsResponse(op):
		return script.Responses
	}
	return script.Requests
}

// createQP makes a queue pair and takes it to the state of its definition.
func (p *player) createQP(ctx context.Context, q *queuePair) error {
	var err error
	for i, entries := range []int{q.SendCQE, q.RecvCQE} {
		if q.cqs[i], err = p.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: entries}); err != nil {
			return err
		}
	}
	pd, err := p.pd(q.PD)
	if err != nil {
		return err
	}
	if q.qp, err = pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: q.cqs[sendQueue], RecvCQ: q.cqs[recvQueue], Cap: q.Cap, SigAll: q.SigAll, Congestion: q.Congestion, QPN: q.QPN}); err != nil {
		return err
	}
	q.number = q.qp.QPN()
	q.attr = p.attributes(q.QP)
	q.next = q.attr.RQPSN
	return p.moveTo(ctx, q, q.State)
}

// attributes are those of the definition, with the path.
func (p *player) attributes(q *script.QP) verbs.QPAttr {
	a := q.Attr
	if !q.ReadsOut {
		a.MaxRDAtomic = uint8(p.config.Reads)
	}
	if !q.ReadsIn {
		a.MaxDestRDAtomic = uint8(p.config.Reads)
	}
	a.AH = verbs.AHAttr{
		Src: host4, Dst: peer4, DstMAC: peerMAC, VLAN: q.Path.VLAN, TrafficClass: q.Path.TrafficClass, HopLimit: q.Path.HopLimit,
		FlowLabel: q.Path.FlowLabel, SrcPort: q.Path.SrcPort,
	}
	if q.Path.IPv6 {
		a.AH.Src, a.AH.Dst = host6, peer6
	}
	return a
}

// masks are the attributes of the steps of a connection.
var masks = map[verbs.QPState]verbs.AttrMask{verbs.QPInit: verbs.AttrsInit, verbs.QPRTR: verbs.AttrsRTR, verbs.QPRTS: verbs.AttrsRTS}

// moveTo takes a queue pair to a state: from RESET on through those between.
func (p *player) moveTo(ctx context.Context, q *queuePair, to verbs.QPState) error {
	modify := func(s verbs.QPState, mask verbs.AttrMask) error {
		q.attr.State = s
		return q.qp.Modify(ctx, q.attr, mask|verbs.AttrState)
	}
	connecting := to == verbs.QPInit || to == verbs.QPRTR || to == verbs.QPRTS || to == verbs.QPSQD
	for s := q.qp.State() + 1; connecting && s <= min(to, verbs.QPRTS); s++ {
		if err := modify(s, masks[s]); err != nil {
			return err
		}
	}
	if q.qp.State() == to {
		return nil
	}
	return modify(to, 0)
}

// destroy ends a queue pair with its completion queues.
func (q *queuePair) destroy(ctx context.Context) error {
	if err := q.qp.Destroy(ctx); err != nil {
		return err
	}
	q.qp = nil
	for _, cq := range q.cqs {
		if err := cq.Destroy(ctx); err != nil {
			return err
		}
	}
	q.cqes, q.events, q.armed = [2][]verbs.WC{}, nil, [2]int{}
	return nil
}
