package verbs

import (
	"context"
	"fmt"

	"gornic/format"
)

// RecvWR is a work request of the receive queue (ibv_recv_wr).
type RecvWR struct {
	WRID uint64 // returned in the completion
	SGL  []SGE  // where the message goes
}

// PostRecv appends work requests to the receive queue, in order, and rings its
// doorbell once (ibv_post_recv). It is possible in every state but RESET. Errors
// are those of [QP.PostSend].
func (q *QP) PostRecv(ctx context.Context, wrs ...RecvWR) error {
	encode := func(b []byte, i int) ([]byte, error) { return q.appendRecv(b, &wrs[i]) }
	return q.post(ctx, posting{ring: &q.rq, queue: "receive", state: q.recvState, n: len(wrs), encode: encode})
}

// PostRawRecv posts receive WQEs as they are, as [QP.PostRawSend] does.
func (q *QP) PostRawRecv(ctx context.Context, wqes ...[]byte) error {
	encode := func(b []byte, i int) ([]byte, error) { return append(b, wqes[i]...), nil }
	return q.post(ctx, posting{ring: &q.rq, queue: "receive", state: q.recvState, n: len(wqes), encode: encode})
}

func (q *QP) recvState() error {
	if q.attr.State == QPReset {
		return fmt.Errorf("%w: %v", ErrState, q.attr.State)
	}
	return nil
}

// appendRecv appends the WQE of a receive work request to b.
func (q *QP) appendRecv(b []byte, wr *RecvWR) ([]byte, error) {
	if len(wr.SGL) > q.cap.MaxRecvSGE {
		return b, invalid("%d SGEs, at most %d", len(wr.SGL), q.cap.MaxRecvSGE)
	}
	b, err := format.AppendHost(b, format.RecvControl[uint64]{WRID: wr.WRID, NumSGE: uint64(len(wr.SGL))})
	if err != nil {
		return b, err
	}
	return appendSGL(b, wr.SGL)
}
