package standin

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// RetryReport is what [Station.Retry] compared.
type RetryReport struct {
	Conversations int
	Messages      int // that the NIC was given as work
	Requests      int // frames that it sent
	Again         int // of them for the second time or more
	Expired       int // of these when a timer had expired
	Answers       int // of the capture, that it was given
	NAKs          int // of them
	Failed        int // messages that were refused, or given up
}

// Add adds two reports.
func (r *RetryReport) Add(o RetryReport) {
	r.Conversations += o.Conversations
	r.Messages += o.Messages
	r.Requests += o.Requests
	r.Again += o.Again
	r.Expired += o.Expired
	r.Answers += o.Answers
	r.NAKs += o.NAKs
	r.Failed += o.Failed
}

func (r RetryReport) String() string {
	return fmt.Sprintf("%d conversations, %d messages in %d requests, %d of them sent again, %d when a timer had expired; %d answers, %d of them NAKs; %d messages failed",
		r.Conversations, r.Messages, r.Requests, r.Again, r.Expired, r.Answers, r.NAKs, r.Failed)
}

// Retry puts the NIC in the place of the requester of a conversation in which packets were lost or refused: it is given the
// work that made the requests, and the answers in the order of the capture, and has to send what the requester sent, the first
// time and each time again, in that order and byte by byte but for an AckReq in the middle of a message. What a timer
// or an RNR NAK delays may not come before its time. tick is how many of the NIC's cycles 4.096 us take: the capture's own timers
// are longer than a simulation, so the queue pair has a short one. Work that no answer of the capture ends fails, when
// the retries that the capture shows are used up.
//
// A message is sent without a pause: what the capture has of it behind an answer to its beginning, the NIC sends
// before it. What a requester cannot have been, as it sent what none sends, is left out from there; a conversation without losses
// altogether ([Station.Ask] plays it). The error is the first difference.
func (s *Station) Retry(ctx context.Context, c *talk.Conversation, tick int) (RetryReport, error) {
	x := newScript(c)
	if x.again+x.naks == 0 || len(x.jobs) == 0 {
		return RetryReport{}, nil
	}
	r := &retrier{tick: uint64(tick)}
	r.timer(x)
	var err error
	if r.asker, err = s.newAskerOf(c, x.jobs, x.retries); err == nil {
		r.report = RetryReport{Conversations: 1}
		err = r.play(ctx, x)
	}
	if err != nil {
		return RetryReport{}, fmt.Errorf("QP %#x, which asks %#x: %w", c.Peer, c.QPN, err)
	}
	return r.report, nil
}

// retrier is a requester to which packets get lost.
type retrier struct {
	*asker
	tick    uint64 // cycles
	timeout uint64 // cycles of the ACK timer; 0: there is none
	frames  []sentFrame
	now     uint64 // cycles
	moved   uint64 // when something came or left last
	wait    uint64 // cycles that the RNR NAK asks for that came last, if nothing was sent since; 0: none
	report  RetryReport
}

// sentFrame is a frame of the NIC.
type sentFrame struct {
	data []byte
	at   uint64 // cycle, or up to a slice before
}

// leastTimeout is how long the ACK timer is at least, in cycles: all answers of a capture are taken in less.
const leastTimeout = 4 * 1024

// timer sets a timer, if one has to expire.
func (r *retrier) timer(x *script) {
	if !x.timers {
		return
	}
	code := uint64(1)
	for r.tick<<code < leastTimeout {
		code++
	}
	x.retries.timeout, r.timeout = code, r.tick<<code
}

func (r *retrier) play(ctx context.Context, x *script) error {
	for _, m := range x.moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.move(m); err != nil {
			return err
		}
	}
	if err := r.until("all completions", func() bool { return len(r.want) == 0 }); err != nil {
		return err
	}
	if err := r.run(settling + int(4*r.timeout)); err != nil {
		return err
	}
	if len(r.frames) > 0 {
		return fmt.Errorf("the NIC sends %x, which nothing asks for", r.frames[0].data)
	}
	if err := r.checkState(); err != nil {
		return err
	}
	return r.end()
}

func (r *retrier) move(m move) error {
	switch {
	case m.work != nil:
		id := uint64(r.report.Messages)
		r.report.Messages++
		if m.work.status != format.StatusSuccess {
			r.report.Failed++
		}
		r.want = append(r.want, m.work)
		return r.post(r.wqe(m.work, id))
	case m.send != nil:
		if err := r.sends(m); err != nil {
			return fmt.Errorf("frame %d, %v, PSN %#x: %w", m.send.Number, m.send.Op, m.send.PSN(), err)
		}
		return nil
	}
	return r.give(m.answer)
}

// sends waits for a request.
func (r *retrier) sends(m move) error {
	if err := r.until("a request", func() bool { return len(r.frames) > 0 }); err != nil {
		return err
	}
	f := r.frames[0]
	r.frames = r.frames[1:]
	if err := sameRequest(f.data, m.send); err != nil {
		return err
	}
	r.report.Requests++
	waited := f.at - min(f.at, r.moved)
	switch {
	case m.why == asked && r.wait > 0 && waited < r.wait:
		return fmt.Errorf("%d cycles after an RNR NAK that asks for %d", waited, r.wait)
	case m.why == asked && r.wait == 0 && r.timeout > 0 && waited >= r.timeout:
		return fmt.Errorf("%d cycles after it was asked for: a timer has expired, of %d", waited, r.timeout)
	case m.why == expired && waited < r.timeout:
		return fmt.Errorf("%d cycles after anything has happened, and the timer has %d", waited, r.timeout)
	}
	if m.why != fresh {
		r.report.Again++
	}
	if m.why == expired {
		r.report.Expired++
	}
	r.moved, r.wait = max(r.moved, f.at), 0
	return nil
}

// give gives the NIC an answer.
func (r *retrier) give(p *talk.Packet) error {
	r.report.Answers++
	if err := r.brings(p); err != nil {
		return err
	}
	r.nic.Receive(p.Data)
	r.moved, r.wait = r.now, 0
	if p.Op == format.OpAcknowledge && p.AETH.Syndrome >= format.SyndromeRNR {
		r.report.NAKs++
		if p.AETH.Syndrome&^0x1F == format.SyndromeRNR {
			r.wait = notReadyTicks[p.AETH.Syndrome&0x1F] * 10_000 * r.tick / 4096
		}
	}
	return r.run(len(p.Data) / bytesACycle)
}

// brings puts what an answer brings where it belongs.
func (r *retrier) brings(p *talk.Packet) error {
	if !p.Responds() {
		return nil
	}
	for _, j := range r.jobs {
		n := p.PSN().Behind(j.message.PSN)
		switch {
		case n < 0 || !j.message.Answers() || n*r.c.PathMTU >= max(j.bytes, 1):
		case j.message.Kind == talk.Atomic:
			r.local.put(j.offset, wordOf(p.AtomicAck.Original))
			return nil
		default:
			r.local.put(j.offset+n*r.c.PathMTU, p.Payload)
			return nil
		}
	}
	return fmt.Errorf("frame %d, %v of PSN %#x, which no message has", p.Number, p.Op, p.PSN())
}

// notReadyTicks are the waits of RNR timer codes, in 10 us (protocol section 1.6).
var notReadyTicks = [32]uint64{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// until runs the NIC until done; as long as all its timers may take.
func (r *retrier) until(what string, done func() bool) error {
	from, most := r.now, patience+r.wait+16*4*r.timeout
	for !done() {
		if r.now-from > most {
			return fmt.Errorf("%s did not come in %d cycles", what, most)
		}
		if err := r.run(slice); err != nil {
			return err
		}
	}
	return nil
}

// run runs the NIC, and takes what it sends and completes.
func (r *retrier) run(cycles int) error {
	for ; cycles > 0; cycles -= slice {
		n := min(cycles, slice)
		if err := r.nic.Run(n); err != nil {
			return err
		}
		r.now += uint64(n)
		for frame, ok := r.nic.Send(); ok; frame, ok = r.nic.Send() {
			r.frames = append(r.frames, sentFrame{frame, r.now})
		}
		if err := r.poll(); err != nil {
			return err
		}
	}
	return nil
}

// checkState compares the state of the queue pair with what its last message came to.
func (r *retrier) checkState() error {
	got, err := r.query(r.c.Peer)
	if err != nil {
		return err
	}
	want := format.QPRTS
	if r.jobs[len(r.jobs)-1].status != format.StatusSuccess {
		want = format.QPError
	}
	if s := format.QPState(got.State); s != want {
		return fmt.Errorf("the queue pair is in state %v, expected %v", s, want)
	}
	return nil
}
