package program

import (
	"context"
	"errors"
	"fmt"

	"gornic/format"
	"gornic/verbs"
)

// checkFailures judges what has come of offences and races, and that nothing else has failed.
func (g *game) checkFailures(ctx context.Context) error {
	for i := range g.sides {
		s := &g.sides[i]
		events, err := s.Device.PollAsync(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			if !g.takeEvent(s, e) {
				return fmt.Errorf("host %s: event %v, which nobody expects", s.name, e)
			}
		}
	}
	for _, e := range g.ends {
		if err := e.checkRefusal(); err != nil {
			return err
		}
	}
	if err := g.trials.judge(ctx); err != nil {
		return err
	}
	for _, x := range g.races {
		if err := x.judge(ctx); err != nil {
			return fmt.Errorf("%v: %w", x.Race, err)
		}
	}
	return nil
}

// takeEvent gives an event to the end whose offence it is for, or to the racer whose owner's queue pair it is of.
func (g *game) takeEvent(s *side, e verbs.AsyncEvent) bool {
	for _, o := range g.ends {
		if o.peer.side == s && o.takeRefusal(e) {
			return true
		}
	}
	if g.trials.takeEvent(s, e) {
		return true
	}
	for _, x := range g.races {
		for _, r := range x.racers {
			if s == x.owner && e.QP == r.owner.qp && e.Type == verbs.EventQPAccessErr && e.Vendor == format.VendorKeyUnknown {
				r.events = append(r.events, e)
				return true
			}
		}
	}
	return false
}

func (x *race) judge(ctx context.Context) error {
	for n, p := range x.sinks() {
		if x.after == nil {
			break
		}
		now, err := x.lent.area.read(ctx, x.lent.area.lead+p.Offset, p.Length)
		if err != nil {
			return err
		}
		if i := firstDifference(now, x.after[n]); i >= 0 {
			return fmt.Errorf("byte %d of the region was %#02x when the end of the key had completed, and is %#02x", p.Offset+i, x.after[n][i], now[i])
		}
	}
	if err := x.judgeOwn(); err != nil {
		return err
	}
	for n, r := range x.racers {
		if err := x.judgeRacer(ctx, r); err != nil {
			return fmt.Errorf("racer %d, %v, %v: %w", n, r.user, r.owner, err)
		}
		x.g.trace.Races.count(r)
	}
	return nil
}

// judgeOwn: the owner's work requests succeed, but those whose queue pair was refused what it asked for with the
// key that ends are flushed.
func (x *race) judgeOwn() error {
	flushed := false
	poster := x.racers[x.Poster]
	for i, c := range x.own {
		want := verbs.WC{WRID: lateID(i), QPN: poster.owner.qp.QPN(), WQEIndex: uint16(i), Opcode: c.Opcode}
		flushed = flushed || c.Status != verbs.StatusSuccess
		if flushed {
			want.Status, want.Opcode = verbs.StatusFlush, 0
		}
		if c != want || flushed && !poster.failed() {
			return fmt.Errorf("the owner's work request %d: completion %+v, expected %+v", i, c, want)
		}
	}
	return nil
}

// judgeRacer finds where a racer was cut off: completions, events, and the memory of both hosts have to say the same.
func (x *race) judgeRacer(ctx context.Context, r *racer) error {
	refused, err := r.judgeSends()
	if err != nil {
		return err
	}
	if refused >= 0 && r.Second {
		return fmt.Errorf("message %d is refused, and its key is good: %+v", refused, r.sends[refused])
	}
	if err := r.judgeBrought(ctx, refused); err != nil {
		return err
	}
	stream := r.stream()
	low, high := r.bounds(stream, refused)
	var errs []error
	for c := low; c <= high; c++ {
		err := r.fits(ctx, stream, c, refused)
		if err == nil {
			r.refused, r.inMid = refused >= 0, c > 0 && c < len(stream) && !stream[c-1].last
			return settle(ctx, stream)
		}
		if len(errs) < 3 {
			errs = append(errs, fmt.Errorf("not %d packets: %w", c, err))
		}
	}
	which := "no message is refused"
	if refused >= 0 {
		which = fmt.Sprintf("message %d is refused", refused)
	}
	return fmt.Errorf("%s, so %d to %d packets of %d were executed, none of which is true: %w", which, low, high, len(stream), errors.Join(errs...))
}

// judgeSends returns the message that was refused, -1 for none: those before it succeed, those behind it are flushed.
func (r *racer) judgeSends() (int, error) {
	refused := -1
	for i, c := range r.sends {
		m := r.user.Messages[i]
		want := verbs.WC{WRID: sendID(i), QPN: r.user.qp.QPN(), WQEIndex: uint16(i)}
		switch {
		case refused >= 0:
			want.Status = verbs.StatusFlush
		case c.Status == verbs.StatusRemAccess && (m.Lent != noLoan && m.Op != verbs.WRSendInv):
			want.Status, want.Vendor = verbs.StatusRemAccess, format.VendorNAK
			refused = i
		default:
			want.Opcode = completion(m.Op)
			if hasResponse(m.Op) {
				want.ByteLen = uint32(m.Length)
			}
		}
		if c != want {
			return refused, fmt.Errorf("message %d, %v of %d bytes: completion %+v, expected %+v", i, m.Op, m.Length, c, want)
		}
	}
	state := verbs.QPRTS
	if refused >= 0 {
		state = verbs.QPError
	}
	for _, e := range []*end{r.user, r.owner} {
		if got := e.qp.State(); got != state {
			return refused, fmt.Errorf("%v is in %v, expected %v", e, got, state)
		}
	}
	return refused, nil
}

// bounds are the cuts that the completions allow: how many packets were executed.
func (r *racer) bounds(stream []packet, refused int) (low, high int) {
	all := len(stream)
	if refused < 0 {
		return all, all
	}
	for low < all && stream[low].message < refused {
		low++
	}
	if r.user.Messages[refused].Op == verbs.WRRead { // requests behind it may be executed before its data is read
		return low, all
	}
	for high = low; !stream[high].last; high++ {
	}
	return low, high
}

// fits tells why the packets before a cut are not those that were executed.
func (r *racer) fits(ctx context.Context, stream []packet, c int, refused int) error {
	if err := agree(ctx, stream, c); err != nil {
		return err
	}
	return r.fitReceives(stream, c, refused)
}
