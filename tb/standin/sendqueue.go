package standin

import (
	"encoding/binary"
	"fmt"

	"gornic/format"
	"gornic/tb/frames/talk"
)

const (
	sendLog         = 4 // log2 of the WQEs of a send queue
	mostOutstanding = 8 // messages that wait for an answer
)

// sendQueue is a queue pair of a station, ready to send.
type sendQueue struct {
	*station
	c      *talk.Conversation
	cq     *ring
	sq, rq uint64 // bus addresses
	posted uint16
	want   []*job // that have to complete, in order
	done   uint64 // that have
}

// retries are how long a queue pair waits for an answer, and how often it sends again.
type retries struct{ timeout, count, notReady uint64 }

// noTimer waits for ever, and sends again what is asked for.
var noTimer = retries{count: 7, notReady: 7}

// newSendQueue makes the requester of a conversation, whose first request is known.
func newSendQueue(s *station, c *talk.Conversation, first *talk.Request, r retries) (*sendQueue, error) {
	q := &sendQueue{station: s, c: c}
	var err error
	if q.cq, err = s.newRing(sendLog+1, format.Size[format.CQE[uint64]]()); err != nil {
		return nil, err
	}
	if q.sq, err = s.zeros(format.WQEBytesMin<<sendLog, 4096); err != nil {
		return nil, err
	}
	if q.rq, err = s.zeros(4096, 4096); err != nil {
		return nil, err
	}
	if err := command(s, format.CmdCreateCQ, format.CreateCQ[uint64]{LogSize: sendLog + 1, Base: q.cq.base}); err != nil {
		return nil, err
	}
	if err := command(s, format.CmdCreateQP, format.CreateQP[uint64]{
		QPN: uint64(c.Peer), PD: domain, SQLogSize: sendLog, SQBase: q.sq, RQBase: q.rq,
	}); err != nil {
		return nil, err
	}
	return q, q.connect(first, r)
}

// connect takes the queue pair to RTS, with as many READs and atomics as the device has.
func (q *sendQueue) connect(first *talk.Request, r retries) error {
	m := format.ModifyQP[uint64]{
		QPN: uint64(q.c.Peer), Port: 1, DestQPN: uint64(q.c.QPN), PathMTU: mtuCode(q.c.PathMTU), AV: addressOf(first.Path),
		SQPSN: uint64(first.PSN()), Timeout: r.timeout, RetryCnt: r.count, RNRRetry: r.notReady, MinRNR: 1,
	}
	const (
		toInit = format.AttrState | format.AttrPKeyIndex | format.AttrPort | format.AttrAccess
		toRTR  = format.AttrState | format.AttrAV | format.AttrPathMTU | format.AttrDestQPN | format.AttrRQPSN | format.AttrMaxDestRD | format.AttrMinRNR
		toRTS  = format.AttrState | format.AttrSQPSN | format.AttrMaxRD | format.AttrRetryCnt | format.AttrRNRRetry | format.AttrTimeout
	)
	for _, step := range []struct {
		to   format.QPState
		mask uint64
	}{{format.QPInit, toInit}, {format.QPRTR, toRTR}} {
		m.State, m.Mask = uint64(step.to), step.mask
		if err := command(q.station, format.CmdModifyQP, m); err != nil {
			return err
		}
	}
	m.State, m.Mask = uint64(format.QPRTS), toRTS
	var err error
	for m.MaxRD = mostReads; m.MaxRD > 0; m.MaxRD /= 2 {
		if err = command(q.station, format.CmdModifyQP, m); err == nil {
			break
		}
	}
	return err
}

// encode makes a WQE of a message.
func (a *asker) encode(c format.SendControl[uint64], j *job) ([]byte, error) {
	if j.bytes > 0 {
		c.NumSGE = 1
	}
	b, err := format.AppendHost(nil, c)
	if err == nil && j.message.Kind == talk.Atomic {
		h := j.requests[0].AtomicETH
		b, err = format.AppendHost(b, format.AtomicOperands[uint64]{SwapOrAdd: h.SwapAdd, Compare: h.Compare})
	}
	if err == nil && j.bytes > 0 {
		b, err = format.AppendHost(b, format.SGE[uint64]{
			Addr: a.local.va + uint64(j.offset), Length: uint64(j.bytes), LKey: uint64(a.local.key),
		})
	}
	return b, err
}

// post posts a WQE.
func (q *sendQueue) post(b []byte, err error) error {
	if err != nil {
		return err
	}
	slot := make([]byte, format.WQEBytesMin)
	copy(slot, b)
	if err := q.memory.Write(q.sq+uint64(q.posted)%(1<<sendLog)*format.WQEBytesMin, slot); err != nil {
		return err
	}
	q.posted++
	return q.doorbell(format.DoorbellSQ, q.posted, q.c.Peer)
}

// outstanding is how many messages wait for an answer.
func (q *sendQueue) outstanding() int { return len(q.want) }

// next waits for a frame of the NIC.
func (q *sendQueue) next() ([]byte, error) {
	for cycles := 0; ; cycles += slice {
		if frame, ok := q.nic.Send(); ok {
			return frame, nil
		}
		if cycles > patience {
			return nil, fmt.Errorf("the NIC sent nothing in %d cycles", patience)
		}
		if err := q.nic.Run(slice); err != nil {
			return nil, err
		}
	}
}

// complete waits until all that was posted has completed, as it has to.
func (q *sendQueue) complete() error {
	for cycles := 0; len(q.want) > 0; cycles += slice {
		if err := q.poll(); err != nil {
			return err
		}
		if len(q.want) > 0 && cycles > patience {
			return fmt.Errorf("%d completions did not come in %d cycles", len(q.want), patience)
		}
		if err := q.nic.Run(slice); err != nil {
			return err
		}
	}
	if frame, ok := q.nic.Send(); ok {
		return fmt.Errorf("the NIC sends %x, which nothing asks for", frame)
	}
	return q.doorbell(format.DoorbellCQ, q.cq.consumed, 0)
}

func (q *sendQueue) poll() error {
	all, err := take[format.CQE[uint64]](q.station, q.cq)
	if err != nil {
		return err
	}
	for _, e := range all {
		if len(q.want) == 0 {
			return fmt.Errorf("a completion that nothing asks for: %+v", e)
		}
		j := q.want[0]
		n := 0
		if j.message.Answers() && j.status == format.StatusSuccess {
			n = j.bytes
		}
		if e.WRID != q.done || format.Status(e.Status) != j.status || e.QPN != uint64(q.c.Peer) || e.Queue != 0 || e.ByteLen != uint64(n) {
			return fmt.Errorf("completion %+v (%v), expected identifier %d, %v, %d bytes", e, format.Status(e.Status), q.done, j.status, n)
		}
		q.want, q.done = q.want[1:], q.done+1
	}
	return nil
}

// close ends the queue pair.
func (q *sendQueue) close() error {
	if err := command(q.station, format.CmdDestroyQP, format.QueueRef[uint64]{Number: uint64(q.c.Peer)}); err != nil {
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

func wordOf(x uint64) []byte { return binary.LittleEndian.AppendUint64(nil, x) }
