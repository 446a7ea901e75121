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

	Bind BindMWWR // of WRBindMW
	Reg  RegMRWR  // of WRRegMR
}

// BindMWWR binds a memory window of type 2 to a piece of a region (bind_mw of
// ibv_send_wr).
type BindMWWR struct {
	MW   *MW
	RKey uint32 // its new key: IncRKey of the one it has
	Info MWBindInfo
}

// RegMRWR registers what a region for fast registration was mapped to
// (ib_reg_wr).
type RegMRWR struct {
	MR     *FastMR
	Key    uint32 // its new key, of which the tag alone may be another
	Access Access
}

// sendRule is what a send operation takes.
type sendRule struct {
	inline bool // may have inline data
	sges   int  // exactly so many SGEs, anySGEs: up to what the queue has
	remote bool // RemoteAddr and RKey
	imm    bool // Imm
	inv    bool // InvalidateRKey
	atomic bool // CompareAdd and Swap
	bind   bool // Bind
	reg    bool // Reg
}

// changesKey tells whether it is a work request on a key, which makes no packet.
func (r sendRule) changesKey() bool { return r.bind || r.reg || r.inv && !r.inline }

const anySGEs = -1

var sendRules = map[Opcode]sendRule{
	WRWrite:    {inline: true, sges: anySGEs, remote: true},
	WRWriteImm: {inline: true, sges: anySGEs, remote: true, imm: true},
	WRSend:     {inline: true, sges: anySGEs},
	WRSendImm:  {inline: true, sges: anySGEs, imm: true},
	WRSendInv:  {inline: true, sges: anySGEs, inv: true},
	WRRead:     {sges: anySGEs, remote: true},
	WRCompSwap: {sges: 1, remote: true, atomic: true},
	WRFetchAdd: {sges: 1, remote: true, atomic: true},
	WRLocalInv: {inv: true},
	WRBindMW:   {bind: true},
	WRRegMR:    {reg: true},
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
	encode := func(b []byte, i int) ([]byte, error) {
		if wrs[i].Opcode == WRBindMW {
			if err := wrs[i].Bind.checkType2(); err != nil {
				return b, err
			}
		}
		return q.appendSend(b, &wrs[i])
	}
	posted := func(i int) { wrs[i].posted() }
	return q.post(ctx, posting{ring: &q.sq, queue: "send", state: q.sendState, n: len(wrs), encode: encode, posted: posted})
}

// posted notes the key that the work request makes good.
func (wr *SendWR) posted() {
	switch wr.Opcode {
	case WRBindMW:
		wr.Bind.posted()
	case WRRegMR:
		wr.Reg.posted()
	}
}

// PostRawSend posts send WQEs as they are, unchecked, for tests of devices. None
// is longer than a slot of the queue; the rest of its slot is zero.
func (q *QP) PostRawSend(ctx context.Context, wqes ...[]byte) error {
	encode := func(b []byte, i int) ([]byte, error) { return append(b, wqes[i]...), nil }
	return q.post(ctx, posting{ring: &q.sq, queue: "send", state: q.sendState, n: len(wqes), encode: encode})
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
	if b, err = appendOperands(b, wr, rule); err != nil {
		return b, err
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
	case rule.atomic && !q.pd.d.attr.Atomics, rule.changesKey() && !q.pd.d.attr.KeyRequests:
		return rule, fmt.Errorf("%w by this device: %v", ErrUnsupported, wr.Opcode)
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
	case rule.bind:
		return rule, wr.Bind.check(q.pd.d)
	case rule.reg:
		return rule, wr.Reg.check(q.pd.d)
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
	switch {
	case rule.remote:
		c.RemoteAddr, c.RKey = wr.RemoteAddr, uint64(wr.RKey)
	case rule.bind:
		c.RemoteAddr, c.RKey = wr.Bind.Info.Addr, uint64(wr.Bind.RKey)
	case rule.reg:
		c.RemoteAddr, c.RKey = wr.Reg.MR.mapping.Addr, uint64(wr.Reg.Key)
	}
	return c
}

// appendOperands appends what stands between the control part of a WQE and its
// SGEs.
func appendOperands(b []byte, wr *SendWR, rule sendRule) ([]byte, error) {
	switch {
	case rule.atomic:
		return format.AppendHost(b, atomicOperands(wr))
	case rule.bind:
		return format.AppendHost(b, wr.Bind.operands())
	case rule.reg:
		return format.AppendHost(b, wr.Reg.operands())
	}
	return b, nil
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
