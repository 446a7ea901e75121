package verbs

import (
	"context"
	"fmt"

	"gornic/format"
)

// SGE is a piece of a memory region (ibv_sge).
type SGE struct {
	Addr   uint64 // virtual address
	Length uint32 // bytes
	LKey   uint32
}

// SendWR is a work request of the send queue (ibv_send_wr). What an Opcode does
// not need is ignored.
type SendWR struct {
	WRID   uint64 // returned in the completion
	Opcode Opcode
	Flags  SendFlags
	SGL    []SGE  // the local side: source of SEND and WRITE, destination of READ and atomics
	Inline []byte // with SendInline: the payload, in place of SGL

	Imm            uint32 // of WRSendImm and WRWriteImm, sent most significant byte first
	InvalidateRKey uint32 // of WRSendInv and WRLocalInv

	RemoteAddr uint64 // of WRITE, READ and atomics
	RKey       uint32
	CompareAdd uint64 // of atomics: what is compared, or the addend
	Swap       uint64 // of WRCompSwap: the new value
}

// sendRule is what a send operation takes.
type sendRule struct {
	inline   bool // may have inline data
	sges     int  // exactly so many SGEs, anySGEs: up to what the queue has
	remote   bool // RemoteAddr and RKey
	imm      bool // Imm
	inv      bool // InvalidateRKey
	operands bool // CompareAdd and Swap
}

const anySGEs = -1

var sendRules = map[Opcode]sendRule{
	WRWrite:    {inline: true, sges: anySGEs, remote: true},
	WRWriteImm: {inline: true, sges: anySGEs, remote: true, imm: true},
	WRSend:     {inline: true, sges: anySGEs},
	WRSendImm:  {inline: true, sges: anySGEs, imm: true},
	WRSendInv:  {inline: true, sges: anySGEs, inv: true},
	WRRead:     {sges: anySGEs, remote: true},
	WRCompSwap: {sges: 1, remote: true, operands: true},
	WRFetchAdd: {sges: 1, remote: true, operands: true},
	WRLocalInv: {inv: true},
}

// PostSend appends work requests to the send queue, in order, and rings its
// doorbell once (ibv_post_send). The queue pair must be in RTS, SQD or ERR. The
// payload of the SGEs belongs to the device until the completion.
//
// An error is a [*BadWR] that names the first request that was not posted; it
// wraps [ErrFull], [ErrInvalid], [ErrState] or [ErrUnsupported]. Another error
// tells that all are posted, but the doorbell may not have reached the device; it
// is rung again with the next request.
func (q *QP) PostSend(ctx context.Context, wrs ...SendWR) error {
	encode := func(b []byte, i int) ([]byte, error) { return q.appendSend(b, &wrs[i]) }
	return q.post(ctx, &q.sq, "send", q.sendState, len(wrs), encode)
}

// PostRawSend posts send WQEs as they are, unchecked, for tests of devices. None
// is longer than a slot of the queue; the rest of its slot is zero.
func (q *QP) PostRawSend(ctx context.Context, wqes ...[]byte) error {
	encode := func(b []byte, i int) ([]byte, error) { return append(b, wqes[i]...), nil }
	return q.post(ctx, &q.sq, "send", q.sendState, len(wqes), encode)
}

func (q *QP) sendState() error {
	switch q.attr.State {
	case QPRTS, QPSQD, QPError:
		return nil
	}
	return fmt.Errorf("%w: %v", ErrState, q.attr.State)
}

// appendSend appends the WQE of a send work request to b.
func (q *QP) appendSend(b []byte, wr *SendWR) ([]byte, error) {
	rule, err := q.checkSend(wr)
	if err != nil {
		return b, err
	}
	if b, err = format.AppendHost(b, sendControl(wr, rule)); err != nil {
		return b, err
	}
	if rule.operands {
		if b, err = format.AppendHost(b, atomicOperands(wr)); err != nil {
			return b, err
		}
	}
	if wr.Flags&SendInline != 0 {
		return append(b, wr.Inline...), nil
	}
	return appendSGL(b, wr.SGL)
}

func (q *QP) checkSend(wr *SendWR) (sendRule, error) {
	rule, ok := sendRules[wr.Opcode]
	inline := wr.Flags&SendInline != 0
	switch {
	case !ok:
		return rule, fmt.Errorf("%w: %v", ErrUnsupported, wr.Opcode)
	case wr.Flags&^sendFlags != 0:
		return rule, invalid("send flags %#x", wr.Flags)
	case inline && !rule.inline:
		return rule, invalid("%v with inline data", wr.Opcode)
	case inline && len(wr.SGL) > 0:
		return rule, invalid("inline data and SGEs")
	case !inline && len(wr.Inline) > 0:
		return rule, invalid("inline data without SendInline")
	case len(wr.Inline) > q.cap.MaxInline:
		return rule, invalid("%d bytes of inline data, at most %d", len(wr.Inline), q.cap.MaxInline)
	case rule.sges != anySGEs && len(wr.SGL) != rule.sges:
		return rule, invalid("%v with %d SGEs, want %d", wr.Opcode, len(wr.SGL), rule.sges)
	case len(wr.SGL) > q.cap.MaxSendSGE:
		return rule, invalid("%d SGEs, at most %d", len(wr.SGL), q.cap.MaxSendSGE)
	}
	return rule, nil
}

func sendControl(wr *SendWR, rule sendRule) format.SendControl[uint64] {
	c := format.SendControl[uint64]{
		Opcode: uint64(wr.Opcode), Flags: uint64(wr.Flags), NumSGE: uint64(len(wr.SGL)), InlineLen: uint64(len(wr.Inline)), WRID: wr.WRID,
	}
	switch {
	case rule.imm:
		c.Imm = uint64(immediate(wr.Imm))
	case rule.inv:
		c.Imm = uint64(wr.InvalidateRKey)
	}
	if rule.remote {
		c.RemoteAddr, c.RKey = wr.RemoteAddr, uint64(wr.RKey)
	}
	return c
}

func atomicOperands(wr *SendWR) format.AtomicOperands[uint64] {
	if wr.Opcode == WRFetchAdd {
		return format.AtomicOperands[uint64]{SwapOrAdd: wr.CompareAdd}
	}
	return format.AtomicOperands[uint64]{SwapOrAdd: wr.Swap, Compare: wr.CompareAdd}
}

func appendSGL(b []byte, sgl []SGE) ([]byte, error) {
	var err error
	for _, s := range sgl {
		b, err = format.AppendHost(b, format.SGE[uint64]{Addr: s.Addr, Length: uint64(s.Length), LKey: uint64(s.LKey)})
		if err != nil {
			return b, err
		}
	}
	return b, nil
}
