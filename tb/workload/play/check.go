package play

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"

	"gornic/format"
	"gornic/tb/workload"
	"gornic/verbs"
)

// poll takes completions and compares each with the one that is due.
func (e *end) poll(ctx context.Context) (int, error) {
	wc := make([]verbs.WC, 16)
	n, err := e.cq.Poll(ctx, wc)
	if err != nil {
		return n, err
	}
	for _, c := range wc[:n] {
		if c.Recv {
			err = e.checkRecv(ctx, c)
		} else {
			err = e.checkSend(ctx, c)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// checkSend compares a completion with the one that is due next, and what has been brought by then.
func (e *end) checkSend(ctx context.Context, c verbs.WC) error {
	if len(e.signaled) == 0 {
		return fmt.Errorf("a completion that is not due: %+v", c)
	}
	d := e.signaled[0]
	e.signaled = e.signaled[1:]
	err := e.checkOwn(d, c)
	if err == nil {
		err = e.checkBrought(ctx, d.wqe)
	}
	return err
}

// checkOwn compares a completion of a request, or of a token's registration.
func (e *end) checkOwn(d due, c verbs.WC) error {
	if d.token != nil {
		return e.checkToken(d, c)
	}
	q := e.sends[d.request]
	want := verbs.WC{WRID: uint64(q.Number), Status: verbs.StatusSuccess, Opcode: completion(q.Op), QPN: e.qp.QPN(), WQEIndex: uint16(d.wqe)}
	if workload.HasResponse(q.Op) {
		want.ByteLen = uint32(q.Length)
	}
	return same(q, c, want)
}

// completion is the operation of a send completion.
func completion(op format.WROpcode) verbs.WCOpcode {
	switch op {
	case format.WRWrite, format.WRWriteImm:
		return verbs.WCWrite
	case format.WRRead:
		return verbs.WCRead
	case format.WRCompSwap:
		return verbs.WCCompSwap
	case format.WRFetchAdd:
		return verbs.WCFetchAdd
	}
	return verbs.WCSend
}

// checkRecv compares a receive completion, and the payload of a SEND.
func (e *end) checkRecv(ctx context.Context, c verbs.WC) error {
	if e.received == e.offered {
		return fmt.Errorf("a receive completion that is not due: %+v", c)
	}
	q := e.recvs[e.received]
	want := verbs.WC{
		WRID: uint64(q.Number), Status: verbs.StatusSuccess, Opcode: verbs.WCRecv, ByteLen: uint32(q.Length), QPN: e.qp.QPN(),
		Recv: true, WQEIndex: uint16(e.received),
	}
	if q.Op == format.WRWriteImm {
		want.Opcode = verbs.WCRecvWrite
	}
	switch q.Op {
	case format.WRSendImm, format.WRWriteImm:
		want.Flags, want.Imm = verbs.WCWithImm, bits.ReverseBytes32(q.Imm)
	case format.WRSendInv:
		want.Flags, want.InvalidatedRKey = verbs.WCWithInv, e.invalidated()
	}
	if err := same(q, c, want); err != nil {
		return err
	}
	at := e.slot(e.received)
	e.received++
	if q.Op == format.WRWriteImm {
		return nil
	}
	return e.compare(ctx, q, at)
}

func same(q workload.Request, got, want verbs.WC) error {
	if got != want {
		return fmt.Errorf("request %d, %v of %d bytes: completion %+v, expected %+v", q.Number, q.Op, q.Length, got, want)
	}
	return nil
}

// compare compares the payload of a SEND with its source.
func (e *end) compare(ctx context.Context, q workload.Request, at int) error {
	want, err := e.peer.payload(ctx, q)
	if err != nil {
		return err
	}
	got, err := e.slots.read(ctx, at, len(want))
	if err != nil {
		return err
	}
	if i := firstDifference(got, want); i >= 0 {
		return fmt.Errorf("request %d, %v of %d bytes: byte %d is %#02x, expected %#02x", q.Number, q.Op, q.Length, i, got[i], want[i])
	}
	return nil
}

// expect notes what a request to this end has to write into the sink.
func (e *end) expect(ctx context.Context, q workload.Request) error {
	if q.Op != format.WRWrite && q.Op != format.WRWriteImm {
		return nil
	}
	data, err := e.peer.payload(ctx, q)
	copy(e.image[q.Sink:], data)
	return err
}

// checkEnd checks what has to hold when all is done: the sinks, the states, and
// that nothing else happened.
func (g *game) checkEnd(ctx context.Context) error {
	for _, e := range g.ends() {
		for _, x := range []struct {
			name  string
			area  *area
			image []byte
		}{{"sink of WRITEs", e.sink, e.image}, {"slots of READs and atomics", e.landing, e.landingImage}, {"words of atomics", e.words, e.wordsImage}} {
			if err := x.area.holds(ctx, x.image); err != nil {
				return fmt.Errorf("%v: the %s: %w", e, x.name, err)
			}
		}
		status, err := e.qp.Status(ctx)
		if err != nil {
			return err
		}
		if status.State != verbs.QPRTS {
			return fmt.Errorf("%v is in %v, expected RTS", e, status.State)
		}
		if n, err := e.poll(ctx); n > 0 || err != nil {
			return fmt.Errorf("%v: %d completions too many: %w", e, n, err)
		}
	}
	for i := range g.sides {
		events, err := g.sides[i].Device.PollAsync(ctx)
		if err != nil || len(events) > 0 {
			return fmt.Errorf("host %v: events %v, expected none (%w)", workload.Side(i), events, err)
		}
	}
	return nil
}

// checkWire puts a packet that broke a rule before what came of it.
func (g *game) checkWire(err error) error {
	violation := g.o.Watch.Err()
	switch {
	case violation != nil && err != nil:
		return fmt.Errorf("%w; then %w", violation, err)
	case err != nil:
		return err
	}
	return g.o.Watch.Finish()
}

// holds compares an area with what it has to hold.
func (a *area) holds(ctx context.Context, image []byte) error {
	got, err := a.read(ctx, 0, len(image))
	if err != nil {
		return err
	}
	if i := firstDifference(got, image); i >= 0 {
		return fmt.Errorf("byte %d is %#02x, expected %#02x", i, got[i], image[i])
	}
	return nil
}

// firstDifference is where two slices of one length differ, -1 if they do not.
func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
