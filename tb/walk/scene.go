package walk

import (
	"context"
	"errors"
	"fmt"

	"gornic/tb/wire"
	"gornic/verbs"
)

// script is a play to be played.
type script struct {
	name  string
	psn   uint32 // of the first request that B expects
	skips uint32 // packets that A has sent, and nobody saw
	reads uint8  // READs that may be outstanding; 0: agreedReads
	run   func(ctx context.Context, c *scene) error
}

// play is a play that was played: what was seen, and what the checks have to know.
type play struct {
	name    string
	log     Log
	cycles  uint64
	a, b    party
	regions map[string]region
	message []byte // that A sent
}

// party is the numbers of one end.
type party struct {
	qp             uint64 // index
	qpn            uint64
	sendCQ, recvCQ uint64
}

// region is a registered buffer.
type region struct{ addr, size, key uint64 }

// scene is a play while it is played: a connection between fresh queue pairs.
type scene struct {
	*stage
	play    *play
	ends    [2]*end
	buffers []*verbs.Buffer

	lentBuffer *verbs.Buffer // of walks that lend
}

// end is what one host has of the connection.
type end struct {
	sendCQ, recvCQ *verbs.CQ
	qp             *verbs.QP
	windows        []*verbs.MW
	regions        []*verbs.MR
}

// perform plays one script.
func (s *stage) perform(ctx context.Context, p script) (*play, error) {
	c := &scene{stage: s, play: &play{name: p.name, regions: map[string]region{}}}
	for i := range c.ends {
		if err := c.make(ctx, i); err != nil {
			return nil, fmt.Errorf("host %s: %w", sides[i], err)
		}
	}
	if err := c.connect(ctx, p); err != nil {
		return nil, err
	}
	s.begin()
	start := s.lab.Cycle()
	if err := p.run(ctx, c); err != nil {
		return nil, fmt.Errorf("cycle %d: %w", s.lab.Cycle(), err)
	}
	c.play.log, c.play.cycles = s.log(), s.lab.Cycle()-start
	return c.play, c.tearDown(ctx)
}

// Numbers of a connection.
const (
	entries     = 4
	sges        = 2
	rnrTimer    = 12
	agreedReads = 2
)

func (c *scene) make(ctx context.Context, i int) error {
	d, e := c.devices[i], &end{}
	c.ends[i] = e
	var err error
	for _, cq := range []**verbs.CQ{&e.sendCQ, &e.recvCQ} {
		if *cq, err = d.CreateCQ(ctx, verbs.CQInitAttr{Entries: entries}); err != nil {
			return err
		}
	}
	e.qp, err = c.pds[i].CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.sendCQ, RecvCQ: e.recvCQ, Cap: verbs.QPCap{MaxSendWR: entries, MaxRecvWR: entries, MaxSendSGE: sges, MaxRecvSGE: sges},
	})
	return err
}

func (c *scene) connect(ctx context.Context, p script) error {
	reads := p.reads
	if reads == 0 {
		reads = agreedReads
	}
	for i, e := range c.ends {
		own, peer := c.hosts[i], c.hosts[1-i]
		first := [2]uint32{p.psn + p.skips, p.psn}
		err := e.qp.Connect(ctx, verbs.QPAttr{
			Access: verbs.AccessRemoteWrite | verbs.AccessRemoteRead, MaxRDAtomic: reads, MaxDestRDAtomic: reads,
			Port: 1, AH: verbs.AHAttr{Src: own.IPv4, Dst: peer.IPv4, DstMAC: peer.MAC}, PathMTU: verbs.MTU4096,
			DestQPN: c.ends[1-i].qp.QPN(), SQPSN: first[i], RQPSN: p.psn, MinRNRTimer: rnrTimer, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
		})
		if err != nil {
			return fmt.Errorf("host %s: %w", sides[i], err)
		}
		index := e.qp.QPN() & uint32(c.devices[i].Attr().MaxQP-1)
		*[2]*party{&c.play.a, &c.play.b}[i] = party{
			qp: uint64(index), qpn: uint64(e.qp.QPN()), sendCQ: uint64(e.sendCQ.Number()), recvCQ: uint64(e.recvCQ.Number()),
		}
	}
	return nil
}

// beat is the alignment of buffers: that of the widest bus.
const beat = 64

// region makes a registered buffer with a name of its own on a host; key 0 is any.
func (c *scene) region(ctx context.Context, side int, name string, size uint64, access verbs.Access, key uint32) (*verbs.MR, error) {
	b, err := c.buffer(side, size)
	if err != nil {
		return nil, err
	}
	mr, err := c.pds[side].CreateMR(ctx, verbs.MRInitAttr{Addr: b.Addr(), Length: size, Access: access, Bus: b.Addr(), Key: key})
	if err != nil {
		return nil, err
	}
	c.ends[side].regions = append(c.ends[side].regions, mr)
	c.called(side, name, region{addr: b.Addr(), size: size, key: uint64(mr.LKey())})
	return mr, nil
}

// buffer makes a buffer on a host.
func (c *scene) buffer(side int, size uint64) (*verbs.Buffer, error) {
	b, err := c.devices[side].AllocBuffer(size, beat)
	if err == nil {
		c.buffers = append(c.buffers, b)
	}
	return b, err
}

// called gives a region its name.
func (c *scene) called(side int, name string, r region) {
	c.play.regions[name] = r
	c.hosts[side].name(place{name, r.addr, r.size})
}

// words makes a message.
func (c *scene) words(size int) []byte {
	c.play.message = make([]byte, size)
	for i := range c.play.message {
		c.play.message[i] = byte(wire.Hash(uint64(i)))
	}
	return c.play.message
}

// source makes the buffer that A sends from, and fills it.
func (c *scene) source(ctx context.Context, size int) (verbs.SGE, error) {
	words := c.words(size)
	mr, err := c.region(ctx, 0, "source", uint64(size), 0, 0)
	if err != nil {
		return verbs.SGE{}, err
	}
	return mr.SGE(0, uint32(size)), c.hosts[0].Write(mr.Addr(), words)
}

// post posts receive work requests at B, and lets it read them.
func (c *scene) post(ctx context.Context, wrs ...verbs.RecvWR) error {
	if err := c.ends[1].qp.PostRecv(ctx, wrs...); err != nil {
		return err
	}
	return c.settle(ctx)
}

// receive posts n receive work requests at B, each with a buffer of its own for a packet.
func (c *scene) receive(ctx context.Context, n int) error {
	var wrs []verbs.RecvWR
	for i := range n {
		mr, err := c.region(ctx, 1, fmt.Sprintf("receive buffer %d", i), PathMTU, verbs.AccessLocalWrite, 0)
		if err != nil {
			return err
		}
		wrs = append(wrs, verbs.RecvWR{WRID: recvID + uint64(i), SGL: []verbs.SGE{mr.SGE(0, PathMTU)}})
	}
	return c.post(ctx, wrs...)
}

// send posts work requests at A, and lets everything come to an end.
func (c *scene) send(ctx context.Context, wrs ...verbs.SendWR) error { return c.does(ctx, 0, wrs...) }

// does posts work requests to the send queue of a host, and lets everything come to an end.
func (c *scene) does(ctx context.Context, side int, wrs ...verbs.SendWR) error {
	if err := c.ends[side].qp.PostSend(ctx, wrs...); err != nil {
		return err
	}
	return c.settle(ctx)
}

// arm arms B's receive CQ.
func (c *scene) arm(ctx context.Context) error {
	if err := c.ends[1].recvCQ.ReqNotify(ctx, false); err != nil {
		return err
	}
	return c.settle(ctx)
}

// states notes in which state both queue pairs are.
func (c *scene) states(ctx context.Context) error {
	for i, e := range c.ends {
		status, err := e.qp.Status(ctx)
		if err != nil {
			return err
		}
		c.hosts[i].note("queries state", val("state", status.State))
	}
	return nil
}

// snapshot notes what B's receive queue and its CQ hold, and how far its receive queue
// has come.
func (c *scene) snapshot(ctx context.Context) error {
	b := c.hosts[1]
	b.holds(recvQueue)
	b.holds(recvCQ)
	status, err := c.ends[1].qp.Status(ctx)
	if err == nil {
		b.note("queries QP", val("rq_consumer", status.RQConsumer))
	}
	return err
}

// tearDown destroys what the play made.
func (c *scene) tearDown(ctx context.Context) error {
	var errs []error
	for i, e := range c.ends {
		errs = append(errs, e.qp.Destroy(ctx), e.sendCQ.Destroy(ctx), e.recvCQ.Destroy(ctx))
		for _, w := range e.windows {
			errs = append(errs, w.Dealloc(ctx))
		}
		for _, mr := range e.regions {
			errs = append(errs, mr.Dereg(ctx))
		}
		c.hosts[i].forget()
	}
	for _, b := range c.buffers {
		errs = append(errs, b.Free())
	}
	return errors.Join(errs...)
}
