package verbs

import (
	"context"
	"errors"
	"fmt"

	"gornic/format"
)

// QPCap are the sizes of a queue pair (ibv_qp_cap). The driver may give more.
type QPCap struct {
	MaxSendWR  int // work requests of the send queue
	MaxRecvWR  int // and of the receive queue
	MaxSendSGE int // SGEs of a send work request
	MaxRecvSGE int // and of a receive work request
	MaxInline  int // bytes of inline data
}

// QPInitAttr says how to make a queue pair (ibv_qp_init_attr). It is a reliable
// connection.
type QPInitAttr struct {
	SendCQ, RecvCQ *CQ // they may be the same
	Cap            QPCap
	SigAll         bool   // every send work request is signaled (sq_sig_all)
	Page           int    // doorbell page that may ring for it
	QPN            uint32 // the number it shall have; 0: the driver chooses
	// Congestion has it slow down where routers on its path say that they are congested (protocol section 7).
	Congestion bool
}

// QP is a queue pair (ibv_qp).
type QP struct {
	pd             *PD
	qpn            uint32
	sendCQ, recvCQ *CQ
	sq, rq         workRing
	cap            QPCap
	page           int
	attr           QPAttr // as last set, and the state as far as the driver knows
	dead           bool
}

// CreateQP makes a queue pair in state RESET (ibv_create_qp).
func (p *PD) CreateQP(ctx context.Context, attr QPInitAttr) (*QP, error) {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	q, err := p.createQP(ctx, attr)
	if err != nil {
		return nil, fmt.Errorf("verbs: create QP: %w", err)
	}
	return q, nil
}

func (p *PD) createQP(ctx context.Context, attr QPInitAttr) (*QP, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	if err := p.checkCQs(attr); err != nil {
		return nil, err
	}
	if err := p.d.checkPage(attr.Page); err != nil {
		return nil, err
	}
	q := &QP{pd: p, sendCQ: attr.SendCQ, recvCQ: attr.RecvCQ, page: attr.Page}
	if err := q.size(attr.Cap); err != nil {
		return nil, err
	}
	var err error
	if q.qpn, err = p.d.takeQPN(attr.QPN); err != nil {
		return nil, err
	}
	if err := q.create(ctx, attr); err != nil {
		return nil, err
	}
	p.users++
	q.sendCQ.users++
	q.recvCQ.users++
	p.d.qps[q.qpn] = q
	return q, nil
}

func (p *PD) checkCQs(attr QPInitAttr) error {
	for _, cq := range []*CQ{attr.SendCQ, attr.RecvCQ} {
		if cq == nil || cq.d != p.d {
			return invalid("a queue pair needs two CQs of its device")
		}
		if err := cq.alive(); err != nil {
			return fmt.Errorf("CQ %d: %w", cq.number, err)
		}
	}
	return nil
}

// size chooses the number and the size of the slots.
func (q *QP) size(c QPCap) error {
	for _, n := range []int{c.MaxSendWR, c.MaxRecvWR, c.MaxSendSGE, c.MaxRecvSGE, c.MaxInline} {
		if n < 0 {
			return invalid("sizes %+v", c)
		}
	}
	if max(c.MaxSendWR, c.MaxRecvWR) > 1<<logRingMax {
		return invalid("%d work requests, at most %d", max(c.MaxSendWR, c.MaxRecvWR), 1<<logRingMax)
	}
	send, recv := 0, 0 // log2 of the slots in units of the smallest
	for send <= format.LogStrideMax && (format.SendSGEs(send) < c.MaxSendSGE || format.InlineMax(send) < c.MaxInline) {
		send++
	}
	for recv <= format.LogStrideMax && format.RecvSGEs(recv) < c.MaxRecvSGE {
		recv++
	}
	if max(send, recv) > format.LogStrideMax {
		return invalid("no slot is large enough for %+v", c)
	}
	q.sq = workRing{log: logCeil(max(c.MaxSendWR, 1)), stride: format.WQEBytesMin << send}
	q.rq = workRing{log: logCeil(max(c.MaxRecvWR, 1)), stride: format.WQEBytesMin << recv}
	q.cap = QPCap{
		MaxSendWR: 1 << q.sq.log, MaxRecvWR: 1 << q.rq.log,
		MaxSendSGE: format.SendSGEs(send), MaxRecvSGE: format.RecvSGEs(recv), MaxInline: format.InlineMax(send),
	}
	return nil
}

// create makes the queues and the queue pair in the device. If it refuses, all is
// given back.
func (q *QP) create(ctx context.Context, attr QPInitAttr) error {
	d := q.pd.d
	if err := q.allocRings(); err != nil {
		d.releaseQPN(q.qpn)
		return err
	}
	c := format.CreateQP[uint64]{
		QPN: uint64(q.qpn), PD: uint64(q.pd.number), SendCQ: uint64(q.sendCQ.number), RecvCQ: uint64(q.recvCQ.number),
		Page: uint64(q.page), SQLogSize: uint64(q.sq.log), SQLogStride: q.sq.logStride(),
		RQLogSize: uint64(q.rq.log), RQLogStride: q.rq.logStride(), SQBase: q.sq.base, RQBase: q.rq.base,
	}
	c.SigAll, c.Congestion = bit(attr.SigAll), bit(attr.Congestion)
	err := run(ctx, d, format.CmdCreateQP, c)
	if refused(err) {
		d.releaseQPN(q.qpn)
		err = errors.Join(err, q.freeRings())
	}
	return err
}

func (q *QP) allocRings() error {
	bus := q.pd.d.bus
	var err error
	if q.sq.base, err = bus.Alloc(q.sq.bytes(), tableAlign); err != nil {
		return fmt.Errorf("send queue: %w", err)
	}
	if q.rq.base, err = bus.Alloc(q.rq.bytes(), tableAlign); err != nil {
		return fmt.Errorf("receive queue: %w", errors.Join(err, bus.Free(q.sq.base)))
	}
	return nil
}

func (q *QP) freeRings() error {
	return errors.Join(q.pd.d.bus.Free(q.sq.base), q.pd.d.bus.Free(q.rq.base))
}

// takeQPN returns a QPN: the one that is wanted, or one of the driver's choice,
// with a tag that its index did not have last time.
func (d *Device) takeQPN(want uint32) (uint32, error) {
	if want > max24 {
		return 0, invalid("QPN %#x has more than 24 bits", want)
	}
	if want > 0 && want < firstQPN {
		return 0, invalid("QPN %d is for management", want)
	}
	if want != 0 {
		index := want & (1<<d.logQPs - 1)
		if err := d.qpNumbers.claim(index); err != nil {
			return 0, fmt.Errorf("index of QPN %#x: %w", want, err)
		}
		d.qpTags[index] = want>>d.logQPs + 1
		return want, nil
	}
	index, err := d.qpNumbers.take()
	if err != nil {
		return 0, err
	}
	qpn := d.qpTags[index]<<d.logQPs&max24 | index
	if qpn < firstQPN {
		d.qpTags[index]++
		qpn = d.qpTags[index]<<d.logQPs&max24 | index
	}
	d.qpTags[index]++
	return qpn, nil
}

func (d *Device) releaseQPN(qpn uint32) { d.qpNumbers.release(qpn & (1<<d.logQPs - 1)) }

// QPN returns the number of the queue pair, 24 bits.
func (q *QP) QPN() uint32 { return q.qpn }

// Cap returns the sizes that the queue pair has.
func (q *QP) Cap() QPCap { return q.cap }

// SendCQ returns the CQ of the send queue.
func (q *QP) SendCQ() *CQ { return q.sendCQ }

// RecvCQ returns the CQ of the receive queue.
func (q *QP) RecvCQ() *CQ { return q.recvCQ }

// PD returns the protection domain.
func (q *QP) PD() *PD { return q.pd }

// SendFree returns how many send work requests can be posted at this moment.
func (q *QP) SendFree() int {
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	return q.sq.free()
}

// RecvFree returns how many receive work requests can be posted at this moment.
func (q *QP) RecvFree() int {
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	return q.rq.free()
}

// Destroy ends the queue pair (ibv_destroy_qp). Completions of it that were not
// polled are dropped.
func (q *QP) Destroy(ctx context.Context) error {
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	err := q.alive()
	if err == nil {
		err = q.destroy(ctx)
	}
	if err != nil {
		return fmt.Errorf("verbs: destroy QP %#x: %w", q.qpn, err)
	}
	return nil
}

func (q *QP) destroy(ctx context.Context) error {
	d := q.pd.d
	if err := run(ctx, d, format.CmdDestroyQP, format.QueueRef[uint64]{Number: uint64(q.qpn)}); err != nil {
		return err
	}
	q.dead = true
	delete(d.qps, q.qpn)
	d.releaseQPN(q.qpn)
	q.pd.users--
	q.sendCQ.users--
	q.recvCQ.users--
	return errors.Join(q.purge(ctx), q.freeRings())
}

// purge drops what is left of the queue pair in its CQs.
func (q *QP) purge(ctx context.Context) error {
	err := q.sendCQ.purge(ctx, q.qpn)
	if q.recvCQ != q.sendCQ {
		err = errors.Join(err, q.recvCQ.purge(ctx, q.qpn))
	}
	return err
}

func (q *QP) alive() error {
	if q.dead {
		return ErrDestroyed
	}
	return q.pd.d.usable()
}

// bit is a flag in a command.
func bit(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
