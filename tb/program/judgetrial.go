package program

import (
	"context"
	"errors"
	"fmt"

	"gornic/format"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// judge judges all rounds, when nothing is on its way any more.
func (t *trials) judge(ctx context.Context) error {
	for _, x := range t.all {
		for n, r := range x.rounds {
			for i := range r.ends {
				if err := t.judgeLane(ctx, r, i); err != nil {
					return fmt.Errorf("trial %d, round %d (%v), messages of host %s: %w%s", x.number, n, r.Round, "ab"[i:i+1], err, r.left())
				}
			}
		}
	}
	return nil
}

// lane is the messages of one end of a round, as a racer has them.
func (r *tried) lane(from int) *racer {
	return &racer{Racer: Racer{Connection: r.Connection}, user: r.ends[from].end, owner: r.ends[1-from].end}
}

// judgeLane finds where the messages of an end were cut off: completions and the memory of both hosts have to say the same.
func (t *trials) judgeLane(ctx context.Context, r *tried, from int) error {
	user, owner, lane := r.ends[from], r.ends[1-from], r.lane(from)
	if err := user.judgeUntouched(ctx); err != nil {
		return err
	}
	done, err := t.judgeTriedSends(ctx, r, from)
	if err != nil {
		return err
	}
	executed, err := lane.judgeTriedReads(ctx, user, from, done)
	if err != nil {
		return err
	}
	stream := lane.stream()
	if err := r.Broken.blur(ctx, stream, from); err != nil {
		return err
	}
	low, high := 0, 0
	for low < len(stream) && stream[low].message < max(done, executed) {
		low++
	}
	for high < len(stream) && stream[high].message < user.posted && !r.Broken.unsent(r, from, stream[high].message) {
		high++
	}
	var errs []error
	for c := low; c <= high; c++ {
		err := errors.Join(agree(ctx, stream, c), owner.fitTried(lane.received(stream[:c]), r.Broken.reach(r, from)))
		if err == nil {
			if !r.Fresh {
				t.g.trace.Trials.count(user, c > 0 && c < len(stream) && !stream[c-1].last)
			}
			return settle(ctx, stream)
		}
		if len(errs) < 3 {
			errs = append(errs, fmt.Errorf("not %d packets: %w", c, err))
		}
	}
	return fmt.Errorf("%d messages have completed and %d were posted, so %d to %d packets of %d were executed, none of which is true: %w",
		done, user.posted, low, high, len(stream), errors.Join(errs...))
}

// judgeTriedSends returns how many messages have succeeded: one behind them may have failed, for a reason that there was, and then
// all others are flushed.
func (t *trials) judgeTriedSends(ctx context.Context, r *tried, from int) (int, error) {
	e := r.ends[from]
	done := 0
	for i, c := range e.sends {
		m := e.Messages[i]
		want := verbs.WC{WRID: sendID(i), QPN: e.qp.QPN(), WQEIndex: uint16(i)}
		switch {
		case i > done:
			want.Status = verbs.StatusFlush
		case r.Broken.mayFail(r, from, i, c):
			want.Status, want.Vendor = c.Status, c.Vendor
		case c.Status == verbs.StatusRetryExceeded || c.Status == verbs.StatusRNRExceeded:
			want.Status = c.Status
			if err := t.mayFail(ctx, r, from, i, c.Status); err != nil {
				return done, err
			}
		default:
			done++
			if err := errors.Join(t.mayGoOn(r, from, i), r.Broken.mayNotSucceed(from, i)); err != nil {
				return done, err
			}
			want.Opcode = completion(m.Op)
			if hasResponse(m.Op) {
				want.ByteLen = uint32(m.Length)
			}
		}
		if c != want {
			return done, fmt.Errorf("message %d, %v of %d bytes: completion %+v, expected %+v", i, m.Op, m.Length, c, want)
		}
	}
	return done, nil
}

// mayFail tells why a message may not fail: a packet of it has to have been sent again, or refused for want of a receive, as often as its
// queue pair has retries (protocol section 4.6).
func (t *trials) mayFail(ctx context.Context, r *tried, from, message int, status verbs.WCStatus) error {
	e := r.ends[from]
	if r.Fresh {
		return fmt.Errorf("message %d: %v, on a wire that loses nothing", message, status)
	}
	if t.g.o.Watch == nil {
		return nil
	}
	full, err := e.side.Device.Counter(ctx, format.CntRxFull)
	if err != nil || full > 0 { // who has no room for an answer has not heard it, though the wire brought it
		return err
	}
	tries := t.tries(e, from, message)
	switch {
	case status == verbs.StatusRetryExceeded && tries.Resent < int(e.RetryCnt):
		return fmt.Errorf("message %d: %v with %d retries, and none of its packets was sent again more than %d times when it was the oldest", message, status, e.RetryCnt, tries.Resent)
	case status == verbs.StatusRNRExceeded && (e.RNRRetry == forever || tries.NotReady <= int(e.RNRRetry)):
		return fmt.Errorf("message %d: %v with %d retries, and none of its packets was refused more than %d times for want of a receive", message, status, e.RNRRetry, tries.NotReady)
	}
	return nil
}

// tries is how often packets of a message had to be sent again.
func (t *trials) tries(e *triedEnd, from, message int) monitor.Tries {
	first := e.PSN
	for _, m := range e.Messages[:message] {
		first = psnAfter(first, e.c.packets(m))
	}
	return t.g.o.Watch.Tries(wire.Direction(from), e.peer.qp.QPN(), first, e.c.packets(e.Messages[message]))
}

// inFlight is how often a packet may be seen again for a reason that there was before it became the oldest, or a NAK
// for it that its sender has not heard of yet.
const inFlight = 2

// mayGoOn tells why a message may not succeed: its queue pair had to give up before.
func (t *trials) mayGoOn(r *tried, from, message int) error {
	if t.g.o.Watch == nil {
		return nil
	}
	e := r.ends[from]
	tries := t.tries(e, from, message)
	switch {
	case e.RNRRetry != forever && tries.Waits > int(e.RNRRetry)+inFlight:
		return fmt.Errorf("message %d succeeds with %d RNR retries, and a packet of it was refused %d times for want of a receive", message, e.RNRRetry, tries.Waits)
	case tries.Resent > int(e.RetryCnt)+tries.Waits+inFlight:
		return fmt.Errorf("message %d succeeds with %d retries, and a packet of it was sent again %d times when it was the oldest, %d of them after an RNR NAK",
			message, e.RetryCnt, tries.Resent, tries.Waits)
	}
	return nil
}

// judgeTriedReads: what has succeeded has brought all. What has not may have brought some of its packets, if its queue pair
// failed or went before they were in memory: a timer may expire while responses are on their way there, those to messages
// behind the one that fails, too. They come in order, so one brings nothing before all before it have come. It returns how
// many messages have been executed, since they have brought something.
func (r *racer) judgeTriedReads(ctx context.Context, user *triedEnd, from, done int) (int, error) {
	executed, open := 0, user.quit || user.failed()
	for i, m := range r.user.Messages {
		if !hasResponse(m.Op) {
			continue
		}
		responses := r.responses(m)
		if b := user.round.Broken; b.of(from, i) {
			if err := settle(ctx, responses); err != nil {
				return executed, err
			}
			continue
		}
		low, high := 0, 0
		switch {
		case i < done:
			low, high = len(responses), len(responses)
		case i < user.posted && open:
			high = len(responses)
		}
		least, most, err := brought(ctx, responses, low, high)
		if err != nil {
			return executed, fmt.Errorf("message %d, %v of %d bytes, has not brought %d to %d packets: %w", i, m.Op, m.Length, low, high, err)
		}
		if least > 0 {
			executed = i + 1
		}
		open = open && most == len(responses)
		if err := settle(ctx, responses); err != nil {
			return executed, err
		}
	}
	return executed, nil
}

// brought tells how many packets have brought what they bring, from low to high: at least, and at most, as they may bring what was
// there before.
func brought(ctx context.Context, responses []packet, low, high int) (least, most int, err error) {
	least = -1
	for c := low; c <= high; c++ {
		e := agree(ctx, responses, c)
		switch {
		case e != nil:
			err = e
		case least < 0:
			least, most = c, c
		default:
			most = c
		}
	}
	if least < 0 {
		return 0, 0, err
	}
	return least, most, nil
}

// fitTried compares the completions of receives with those that a cut makes. The last of these may have gone with the queue pair, if
// nobody waited for them; one in ERR has flushed what was left before it went. What a message from broken on would have used is not
// received: it fails, or is flushed; but behind a READ or atomic, which is answered later, it may be.
func (e *triedEnd) fitTried(want []verbs.WC, broken reach) error {
	r := &racer{owner: e.end}
	if e.failed() && !e.quit && len(e.receives) != e.offered {
		return fmt.Errorf("%d receives have completed, expected %d", len(e.receives), e.offered)
	}
	flushed := false
	for i, c := range e.receives {
		due := r.failedReceive(i, verbs.StatusFlush, format.VendorNone)
		switch message := e.Receives[i].Message; {
		case c.Status == verbs.StatusLocProt && message == broken.message && !broken.answer && !flushed:
			due.Status, due.Vendor = c.Status, format.VendorBusWrite
			flushed = true
		case c.Status == verbs.StatusFlush && e.failed():
			if flushed = true; i < len(want) && message < broken.message && !e.quit {
				return fmt.Errorf("receive %d is flushed, and its message was executed", i)
			}
		case i < len(want) && (message < broken.message || broken.answer) && !flushed:
			due = want[i]
		default:
			return fmt.Errorf("receive %d: completion %+v is not due", i, c)
		}
		if c != due {
			return fmt.Errorf("receive %d: completion %+v, expected %+v", i, c, due)
		}
	}
	return nil
}
