package main

import (
	"context"

	"gornic/tb/rtl"
	"gornic/verbs"
)

// station is a host of a measurement: a device and a buffer that its peer may write to.
type station struct {
	host   *rtl.Host
	device *verbs.Device
	pd     *verbs.PD
	mr     *verbs.MR
}

// stationBytes are those of its buffer.
const stationBytes = 4096

func newStation(ctx context.Context, h *rtl.Host) (station, error) {
	s := station{host: h}
	var err error
	if s.device, err = verbs.Open(ctx, h, verbs.Config{MAC: h.MAC}); err != nil {
		return s, err
	}
	if s.pd, err = s.device.AllocPD(); err != nil {
		return s, err
	}
	buf, err := s.device.AllocBuffer(stationBytes, stationBytes)
	if err != nil {
		return s, err
	}
	s.mr, err = s.pd.RegMR(ctx, buf.Addr(), buf.Size(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite|verbs.AccessRemoteRead)
	return s, err
}

// queuePair is a queue pair with a CQ of its own.
type queuePair struct {
	*verbs.QP
	cq *verbs.CQ
}

// queuePair makes one with room for depth work requests.
func (s station) queuePair(ctx context.Context, depth int) (queuePair, error) {
	return s.queuePairWith(ctx, verbs.QPInitAttr{}, depth)
}

// queuePairWith makes one of other attributes, too.
func (s station) queuePairWith(ctx context.Context, attr verbs.QPInitAttr, depth int) (queuePair, error) {
	cq, err := s.device.CreateCQ(ctx, verbs.CQInitAttr{Entries: 2 * depth})
	if err != nil {
		return queuePair{}, err
	}
	attr.SendCQ, attr.RecvCQ, attr.Cap = cq, cq, verbs.QPCap{MaxSendWR: depth, MaxRecvWR: 1}
	qp, err := s.pd.CreateQP(ctx, attr)
	return queuePair{qp, cq}, err
}

// attr connects a queue pair of a station to one of another, with all retries and a path MTU of 256 bytes.
func (s station) attr(peer station, qpn uint32) verbs.QPAttr {
	return verbs.QPAttr{
		Access: verbs.AccessRemoteWrite, Port: 1, PathMTU: verbs.MTU256, DestQPN: qpn,
		AH:      verbs.AHAttr{Src: s.host.IPv4, Dst: peer.host.IPv4, DstMAC: peer.host.MAC},
		Timeout: 14, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 1,
	}
}

// write is a WRITE from a station to another.
func (s station) write(peer station, bytes uint32) verbs.SendWR {
	return verbs.SendWR{
		Opcode: verbs.WRWrite, Flags: verbs.SendSignaled, SGL: []verbs.SGE{s.mr.SGE(0, bytes)}, RemoteAddr: peer.mr.Addr(), RKey: peer.mr.RKey(),
	}
}
