package play

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// token is a key that a SEND with invalidate of the peer ends. Then it is registered anew.
type token struct {
	mr     *verbs.FastMR
	buffer *verbs.Buffer
	key    uint32 // as it was registered last
	free   bool   // it may be registered
	good   bool   // it is, and no SEND that ends it is on its way
}

// tokenCount is how many an end has whose peer invalidates keys. It takes them in turns.
const tokenCount = 4

// newTokens makes the tokens of an end; none is good.
func (e *end) newTokens(ctx context.Context, pd *verbs.PD) error {
	const size = 64
	for range tokenCount {
		buf, err := e.buffer(size, size)
		if err != nil {
			return err
		}
		mr, err := pd.AllocFastMR(ctx, 0)
		if err != nil {
			return err
		}
		e.regions = append(e.regions, mr.MR)
		e.tokens = append(e.tokens, &token{mr: mr, buffer: buf, free: true})
	}
	return nil
}

// postTokens registers tokens, as far as there is room.
func (e *end) postTokens(ctx context.Context) error {
	for _, t := range e.tokens {
		if !t.free || e.qp.SendFree() == 0 {
			continue
		}
		if err := t.mr.Map(ctx, verbs.MRMapping{Addr: t.buffer.Addr(), Length: t.buffer.Size(), Bus: t.buffer.Addr()}); err != nil {
			return err
		}
		t.key, t.free = verbs.IncRKey(t.mr.RKey()), false
		wr := verbs.SendWR{Opcode: verbs.WRRegMR, Flags: verbs.SendSignaled, Reg: verbs.RegMRWR{MR: t.mr, Key: t.key, Access: verbs.AccessRemoteRead}}
		if err := e.qp.PostSend(ctx, wr); err != nil {
			return err
		}
		e.signaled = append(e.signaled, due{wqe: e.wqes, token: t})
		e.wqes++
	}
	return nil
}

// checkToken takes the completion of a token's registration.
func (e *end) checkToken(d due, c verbs.WC) error {
	d.token.good = true
	want := verbs.WC{Opcode: verbs.WCRegMR, QPN: e.qp.QPN(), WQEIndex: uint16(d.wqe)}
	if c != want {
		return fmt.Errorf("registration of key %#x: completion %+v, expected %+v", d.token.key, c, want)
	}
	return nil
}

// tokensGood tells that all are, as they are in the end.
func (e *end) tokensGood() bool {
	for _, t := range e.tokens {
		if !t.good {
			return false
		}
	}
	return true
}

// invalidated returns the key that the SEND with invalidate that has come has ended.
func (e *end) invalidated() uint32 {
	t := e.tokens[e.ended%tokenCount]
	e.ended++
	t.free = true
	return t.key
}
