package golden_test

import (
	"gornic/format"
)

// qpConfig is how a test wants its queue pairs.
type qpConfig struct {
	mtu        uint64 // format.MTU256 and others; 0: MTU256
	ipv6       bool
	logSize    uint64 // of both rings; 0: defaultSize
	logStride  uint64
	sigAll     uint64
	congestion uint64
	access     uint64 // 0: allAccess
	psn        uint64 // first PSN in both directions
	retry      uint64
	rnrRetry   uint64
	timeout    uint64
	minRNR     uint64
	noReads    bool           // no READs and atomics as requester
	destReads  uint64         // as responder; 0: 4; none: none
	state      format.QPState // 0: RTS
	cq, recvCQ *cq            // nil: their own
}

// qp is a queue pair of a station.
type qp struct {
	s            *station
	number       uint64
	c            qpConfig
	sq, rq       uint64 // bus addresses
	posted, recv uint16 // producer indices
	sendCQ       *cq
	recvCQ       *cq
}

func (s *station) newQP(c qpConfig) *qp {
	s.t.Helper()
	if c.mtu == 0 {
		c.mtu = format.MTU256
	}
	if c.logSize == 0 {
		c.logSize = defaultSize
	}
	if c.access == 0 {
		c.access = allAccess
	}
	switch c.destReads {
	case 0:
		c.destReads = 4
	case none:
		c.destReads = 0
	}
	if c.state == 0 {
		c.state = format.QPRTS
	}
	q := &qp{s: s, c: c, number: 0xA50002 + s.qps, sendCQ: c.cq, recvCQ: c.recvCQ}
	s.qps++
	if q.sendCQ == nil {
		q.sendCQ = s.newCQ(6)
	}
	if q.recvCQ == nil {
		q.recvCQ = s.newCQ(6)
	}
	q.sq, q.rq = s.zeros(64<<(c.logSize+c.logStride), 4096), s.zeros(64<<(c.logSize+c.logStride), 4096)
	s.must(format.CmdCreateQP, format.CreateQP[uint64]{
		QPN: q.number, SigAll: c.sigAll, Congestion: c.congestion, PD: testPD, SendCQ: q.sendCQ.number, RecvCQ: q.recvCQ.number, Page: testPage,
		SQLogSize: c.logSize, SQLogStride: c.logStride, RQLogSize: c.logSize, RQLogStride: c.logStride, SQBase: q.sq, RQBase: q.rq,
	})
	return q
}

// connect takes both ends of a connection to the state that they want.
func connect(a, b *qp) {
	a.connect(b.number, b.s.mac, b.s.ip)
	b.connect(a.number, a.s.mac, a.s.ip)
}

func (q *qp) connect(peer, mac uint64, ip [2]uint64) {
	q.s.t.Helper()
	q.s.must(format.CmdModifyQP, q.toInit())
	if q.c.state >= format.QPRTR {
		q.s.must(format.CmdModifyQP, q.toRTR(peer, mac, ip))
	}
	if q.c.state >= format.QPRTS {
		q.s.must(format.CmdModifyQP, q.toRTS())
	}
}

func (q *qp) toInit() format.ModifyQP[uint64] {
	return format.ModifyQP[uint64]{
		QPN: q.number, State: uint64(format.QPInit), Mask: format.AttrState | format.AttrPKeyIndex | format.AttrPort | format.AttrAccess,
		Port: 1, Access: q.c.access,
	}
}

func (q *qp) toRTR(peer, mac uint64, ip [2]uint64) format.ModifyQP[uint64] {
	return format.ModifyQP[uint64]{
		QPN: q.number, State: uint64(format.QPRTR),
		Mask: format.AttrState | format.AttrAV | format.AttrPathMTU | format.AttrDestQPN | format.AttrRQPSN |
			format.AttrMaxDestRD | format.AttrMinRNR,
		DestQPN: peer, PathMTU: q.c.mtu, RQPSN: q.c.psn, MinRNR: q.c.minRNR, MaxDestRD: q.c.destReads, AV: q.av(peer, mac, ip),
	}
}

// av is the way to a peer: over VLAN 5 with IPv6.
func (q *qp) av(peer, mac uint64, ip [2]uint64) format.AV[uint64] {
	v := format.AV[uint64]{
		DstMAC: mac, HopLimit: 64, TrafficClass: 2,
		SrcPort: uint64(format.SourcePort(uint32(q.number), uint32(peer))),
		SrcLo:   0x0A000000 | q.s.ip[1], DstLo: 0x0A000000 | ip[1],
	}
	if q.c.ipv6 {
		v.IPv6, v.VLAN, v.TCI, v.FlowLabel = 1, 1, 5, uint64(format.QPFlowLabel(uint32(q.number), uint32(peer)))
		v.SrcHi, v.SrcLo, v.DstHi, v.DstLo = q.s.ip[0], q.s.ip[1], ip[0], ip[1]
	}
	return v
}

func (q *qp) toRTS() format.ModifyQP[uint64] {
	reads := uint64(4)
	if q.c.noReads {
		reads = 0
	}
	return format.ModifyQP[uint64]{
		QPN: q.number, State: uint64(format.QPRTS),
		Mask:  format.AttrState | format.AttrSQPSN | format.AttrMaxRD | format.AttrRetryCnt | format.AttrRNRRetry | format.AttrTimeout,
		SQPSN: q.c.psn, RetryCnt: q.c.retry, RNRRetry: q.c.rnrRetry, Timeout: q.c.timeout, MaxRD: reads,
	}
}

// modify changes the state alone.
func (q *qp) modify(to format.QPState) {
	q.s.t.Helper()
	q.s.must(format.CmdModifyQP, format.ModifyQP[uint64]{QPN: q.number, State: uint64(to), Mask: format.AttrState})
}

func (q *qp) query() format.QPStatus[uint64] {
	q.s.t.Helper()
	q.s.must(format.CmdQueryQP, format.QueueRef[uint64]{Number: q.number})
	return mailbox[format.QPStatus[uint64]](q.s)
}

func (q *qp) state() format.QPState { return format.QPState(q.query().State) }
