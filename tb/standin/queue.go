package standin

import (
	"math/rand/v2"

	"gornic/format"
	"gornic/tb/frames/talk"
)

const (
	domain     = 7 // protection domain of everything
	recvLog    = 6 // log2 of the WQEs of a receive queue
	recvStride = 1 // slots of 128 bytes
	cqLog      = recvLog + 1
	wqeBytes   = format.WQEBytesMin << recvStride
	mostReads  = 16 // READs and atomics that a queue pair may have unanswered, where the device has so many
	peerRights = uint64(format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic)
	wrongKey   = 0x55AA // added to a key: one that nobody has
)

// queuePair is a queue pair of a station, ready to receive.
type queuePair struct {
	*station
	c      *talk.Conversation
	cq     *ring
	sq, rq uint64 // bus addresses
	posted uint16 // receive WQEs, since the last reset
	reads  int    // READs and atomics that may wait for their answers
}

func newQueuePair(s *station, c *talk.Conversation) (*queuePair, error) {
	q := &queuePair{station: s, c: c}
	var err error
	if q.cq, err = s.newRing(cqLog, format.Size[format.CQE[uint64]]()); err != nil {
		return nil, err
	}
	if q.sq, err = s.zeros(4096, 4096); err != nil {
		return nil, err
	}
	if q.rq, err = s.zeros(wqeBytes<<recvLog, 4096); err != nil {
		return nil, err
	}
	if err := command(s, format.CmdCreateCQ, format.CreateCQ[uint64]{LogSize: cqLog, Base: q.cq.base}); err != nil {
		return nil, err
	}
	return q, command(s, format.CmdCreateQP, format.CreateQP[uint64]{
		QPN: uint64(c.QPN), PD: domain, RQLogSize: recvLog, RQLogStride: recvStride, SQBase: q.sq, RQBase: q.rq,
	})
}

// connect makes the queue pair expect a PSN.
func (q *queuePair) connect(psn talk.PSN) error {
	q.posted = 0
	access := peerRights &^ uint64(q.c.NoAccess)
	if err := command(q.station, format.CmdModifyQP, format.ModifyQP[uint64]{
		QPN: uint64(q.c.QPN), State: uint64(format.QPInit), Port: 1, Access: access,
		Mask: format.AttrState | format.AttrPKeyIndex | format.AttrPort | format.AttrAccess,
	}); err != nil {
		return err
	}
	var err error
	for q.reads = mostReads; q.reads > 0; q.reads /= 2 { // as many as the device has
		err = command(q.station, format.CmdModifyQP, format.ModifyQP[uint64]{
			QPN: uint64(q.c.QPN), State: uint64(format.QPRTR),
			Mask: format.AttrState | format.AttrAV | format.AttrPathMTU | format.AttrDestQPN | format.AttrRQPSN |
				format.AttrMaxDestRD | format.AttrMinRNR,
			DestQPN: uint64(q.c.Peer), PathMTU: mtuCode(q.c.PathMTU), RQPSN: uint64(psn), MinRNR: uint64(q.c.MinRNR), AV: addressOf(q.c.Path),
			MaxDestRD: uint64(q.reads),
		})
		if err == nil {
			break
		}
	}
	return err
}

// reset ends what the queue pair was about, and makes it expect a PSN.
func (q *queuePair) reset(psn talk.PSN) error {
	if err := command(q.station, format.CmdModifyQP, format.ModifyQP[uint64]{
		QPN: uint64(q.c.QPN), State: uint64(format.QPReset), Mask: format.AttrState,
	}); err != nil {
		return err
	}
	return q.connect(psn)
}

func (q *queuePair) destroy() error {
	if err := command(q.station, format.CmdDestroyQP, format.QueueRef[uint64]{Number: uint64(q.c.QPN)}); err != nil {
		return err
	}
	if err := command(q.station, format.CmdDestroyCQ, format.QueueRef[uint64]{}); err != nil {
		return err
	}
	for _, addr := range []uint64{q.cq.base, q.sq, q.rq} {
		if err := q.memory.Free(addr); err != nil {
			return err
		}
	}
	return nil
}

// post posts a receive WQE.
func (q *queuePair) post(id uint64, list []format.SGE[uint64]) error {
	b, err := format.AppendHost(nil, format.RecvControl[uint64]{WRID: id, NumSGE: uint64(len(list))})
	for _, e := range list {
		if err == nil {
			b, err = format.AppendHost(b, e)
		}
	}
	if err != nil {
		return err
	}
	slot := make([]byte, wqeBytes)
	copy(slot, b)
	if err := q.memory.Write(q.rq+uint64(q.posted)%(1<<recvLog)*wqeBytes, slot); err != nil {
		return err
	}
	q.posted++
	return q.doorbell(format.DoorbellRQ, q.posted, q.c.QPN)
}

// arm asks for an event with the next solicited completion.
func (q *queuePair) arm() error { return q.doorbell(format.DoorbellArmSolicited, q.cq.consumed, 0) }

func mtuCode(bytes int) uint64 {
	code := uint64(format.MTU256)
	for 128<<code < bytes {
		code++
	}
	return code
}

// addressOf is the address vector that makes packets travel a path.
func addressOf(p talk.Path) format.AV[uint64] {
	v := format.AV[uint64]{
		DstMAC: p.DstMAC, HopLimit: uint64(p.HopLimit), TrafficClass: uint64(p.TrafficClass), SrcPort: uint64(p.SrcPort),
	}
	v.SrcHi, v.SrcLo = words(p.Src.AsSlice())
	v.DstHi, v.DstLo = words(p.Dst.AsSlice())
	if p.Src.Is6() {
		v.IPv6, v.FlowLabel = 1, uint64(p.FlowLabel)
	}
	if p.VLAN {
		v.VLAN, v.TCI = 1, uint64(p.TCI)
	}
	return v
}

// words are the two halves of an IP address as a number.
func words(address []byte) (hi, lo uint64) {
	for _, b := range address {
		hi, lo = hi<<8|lo>>56, lo<<8|uint64(b)
	}
	return hi, lo
}

// pieces cuts n bytes into up to most parts, each at least one byte.
func pieces(r *rand.Rand, n, most int) []int {
	var parts []int
	for n > 0 {
		part := n
		if len(parts) < most-1 && n > 1 && r.IntN(3) > 0 {
			part = 1 + r.IntN(n)
		}
		parts, n = append(parts, part), n-part
	}
	return parts
}
