package pingpong

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"gornic/verbs"
)

// Options are those of a run; both ends have to agree on Size, Messages and MTU.
type Options struct {
	Server   bool       // the other end begins
	IPv4     netip.Addr // of this end
	PeerMAC  verbs.MAC
	Size     int       // bytes of a message
	Messages int       // each way
	MTU      verbs.MTU // the path's
	// Now tells the time; nil: the clock.
	Now func() time.Duration
}

// Result is what a run measured.
type Result struct {
	Messages int // each way
	Bytes    int64
	Took     time.Duration
}

// String is the result as ibv_rc_pingpong prints it.
func (r Result) String() string {
	seconds := r.Took.Seconds()
	return fmt.Sprintf("%d bytes in %.2f seconds = %.2f Mbit/sec\n%d iters in %.2f seconds = %.2f usec/iter",
		r.Bytes, seconds, float64(r.Bytes)*8/1e6/seconds, r.Messages, seconds, seconds*1e6/float64(r.Messages))
}

// depth is how many receives are posted.
const depth = 8

// An end is the queue pair of this side.
type end struct {
	o                Options
	cq               *verbs.CQ
	qp               *verbs.QP
	device           *verbs.Device
	outgoing, coming *verbs.MR
}

// Run runs against the other end of wire, which is ibv_rc_pingpong or Run itself.
func Run(ctx context.Context, d *verbs.Device, wire io.ReadWriter, o Options) (Result, error) {
	if o.Size < 1 || o.Messages < 1 {
		return Result{}, fmt.Errorf("pingpong: %d messages of %d bytes", o.Messages, o.Size)
	}
	if o.Now == nil {
		start := time.Now()
		o.Now = func() time.Duration { return time.Since(start) }
	}
	e := &end{o: o, device: d}
	if err := e.open(ctx); err != nil {
		return Result{}, err
	}
	const psn = 0x1000
	own := address{e.qp.QPN(), psn, netip.AddrFrom16(o.IPv4.As16())}
	err := tell(wire, o.Server, own, func(peer address) error { return e.connect(ctx, psn, peer) })
	if err != nil {
		return Result{}, fmt.Errorf("pingpong: %w", err)
	}
	start := o.Now()
	if err := e.play(ctx); err != nil {
		return Result{}, err
	}
	return Result{o.Messages, 2 * int64(o.Size) * int64(o.Messages), o.Now() - start}, nil
}

func (e *end) open(ctx context.Context) error {
	pd, err := e.device.AllocPD()
	if err != nil {
		return err
	}
	for _, mr := range []**verbs.MR{&e.outgoing, &e.coming} {
		buffer, err := e.device.AllocBuffer(uint64(e.o.Size), 64)
		if err != nil {
			return err
		}
		if *mr, err = pd.RegMR(ctx, buffer.Addr(), buffer.Size(), verbs.AccessLocalWrite); err != nil {
			return err
		}
	}
	if e.cq, err = e.device.CreateCQ(ctx, verbs.CQInitAttr{Entries: 2 * depth}); err != nil {
		return err
	}
	e.qp, err = pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.cq, RecvCQ: e.cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: depth, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	return err
}

// connect uses the timers of ibv_rc_pingpong, and posts all receives.
func (e *end) connect(ctx context.Context, psn uint32, peer address) error {
	err := e.qp.Connect(ctx, verbs.QPAttr{
		Port: 1, PathMTU: e.o.MTU, AH: verbs.AHAttr{Src: e.o.IPv4, Dst: peer.gid, DstMAC: e.o.PeerMAC},
		DestQPN: peer.qpn, SQPSN: psn, RQPSN: peer.psn, MaxRDAtomic: 1, MaxDestRDAtomic: 1,
		MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	})
	for range depth {
		if err == nil {
			err = e.receive(ctx)
		}
	}
	return err
}

func (e *end) receive(ctx context.Context) error {
	return e.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{e.coming.SGE(0, uint32(e.o.Size))}})
}

func (e *end) send(ctx context.Context) error {
	return e.qp.PostSend(ctx, verbs.SendWR{
		Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{e.outgoing.SGE(0, uint32(e.o.Size))},
	})
}

// play sends a message when that before it has been sent and one has come, as ibv_rc_pingpong does.
func (e *end) play(ctx context.Context) error {
	posted, sent, received := 0, 0, 0
	for sent < e.o.Messages || received < e.o.Messages {
		answers := received
		if !e.o.Server {
			answers++ // a client begins
		}
		if posted < e.o.Messages && posted == sent && posted < answers {
			if err := e.send(ctx); err != nil {
				return err
			}
			posted++
		}
		wc, err := e.poll(ctx)
		if err != nil {
			return err
		}
		for _, c := range wc {
			if c.Status != verbs.StatusSuccess {
				return fmt.Errorf("pingpong: after %d messages: %v", received, c.Status)
			}
			if c.Opcode != verbs.WCRecv {
				sent++
				continue
			}
			received++
			if err := e.receive(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// poll takes what has completed, and waits a little where nothing has.
func (e *end) poll(ctx context.Context) ([]verbs.WC, error) {
	wc := make([]verbs.WC, 2*depth)
	n, err := e.cq.Poll(ctx, wc)
	if err == nil && n == 0 {
		err = e.device.Wait(ctx)
	}
	return wc[:n], errors.Join(err, ctx.Err())
}
