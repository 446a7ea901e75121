package program

import (
	"bytes"
	"context"
	"encoding/binary"
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

// packet is a request packet of a racer, or a response to it. A READ is one request.
type packet struct {
	message int
	last    bool // of the message
	writes  []placed
}

// placed is bytes that a packet brings to a place.
type placed struct {
	area *area
	at   int // in the image
	data []byte
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

// stream is what the owner's memory gets from each request packet. Images have what there was before.
func (r *racer) stream() []packet {
	var all []packet
	mtu := r.MTU.Bytes()
	for i, m := range r.user.Messages {
		data, at := []byte(nil), []Piece{m.Sink}
		switch {
		case m.Op == verbs.WRRead:
		case isAtomic(m.Op):
			data = r.worked(m)
		default:
			data = r.user.payload(m)
		}
		if isSend(m.Op) {
			at = r.owner.Receives[m.Receive].Pieces
		}
		for from := 0; ; from += mtu {
			to := min(from+mtu, len(data))
			last := to == len(data)
			all = append(all, packet{i, last, r.owner.side.place(at, from, data[from:to])})
			if last {
				break
			}
		}
	}
	return all
}

// worked is what an atomic makes of its word.
func (r *racer) worked(m Message) []byte {
	compareAdd, swap := r.user.operands(m)
	old := binary.LittleEndian.Uint64(r.owner.side.areas[m.Sink.Region].holds(m.Sink))
	return binary.LittleEndian.AppendUint64(nil, after(m.Op, old, compareAdd, swap))
}

// place is where bytes go that come behind so many others into pieces.
func (s *side) place(pieces []Piece, behind int, data []byte) []placed {
	var all []placed
	for _, p := range pieces {
		if behind >= p.Length || len(data) == 0 {
			behind -= p.Length
			continue
		}
		a, n := s.areas[p.Region], min(p.Length-behind, len(data))
		all = append(all, placed{a, a.lead + p.Offset + behind, data[:n]})
		data, behind = data[n:], 0
	}
	return all
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

// fitReceives compares receives and events with a cut.
func (r *racer) fitReceives(stream []packet, c int, refused int) error {
	var want []verbs.WC
	for _, p := range stream[:c] {
		if m := r.user.Messages[p.message]; p.last && consumes(m.Op) {
			want = append(want, r.received(m, len(want)))
		}
	}
	events := 0
	if refused >= 0 {
		refusal := 0 // of a WRITE with immediate, by its last packet
		if n := len(want); n < len(r.receives) && r.receives[n].Status == verbs.StatusLocAccess {
			if c == len(stream) || !stream[c].last || r.user.Messages[stream[c].message].Op != verbs.WRWriteImm {
				return fmt.Errorf("receive %d completes with %v, and is of no WRITE that was refused", n, r.receives[n].Status)
			}
			want = append(want, r.failedReceive(n, verbs.StatusLocAccess, format.VendorKeyUnknown))
			refusal = 1
		}
		for len(want) < r.owner.offered {
			want = append(want, r.failedReceive(len(want), verbs.StatusFlush, format.VendorNone))
		}
		events = 1 - refusal
		if r.user.Messages[refused].Op == verbs.WRRead && len(r.events) <= 1 { // both may have found the key dead
			events = max(events, len(r.events))
		}
	}
	if len(r.events) != events {
		return fmt.Errorf("events %v, expected %d", r.events, events)
	}
	if len(r.receives) != len(want) {
		return fmt.Errorf("%d receives completed, expected %d", len(r.receives), len(want))
	}
	for i, c := range r.receives {
		if c != want[i] {
			return fmt.Errorf("receive %d: completion %+v, expected %+v", i, c, want[i])
		}
	}
	return nil
}

func (r *racer) received(m Message, i int) verbs.WC {
	want := verbs.WC{WRID: recvID(i), Opcode: verbs.WCRecv, ByteLen: uint32(m.Length), QPN: r.owner.qp.QPN(), Recv: true, WQEIndex: uint16(i)}
	switch m.Op {
	case verbs.WRWriteImm:
		want.Opcode = verbs.WCRecvWrite
		fallthrough
	case verbs.WRSendImm:
		want.Flags, want.Imm = verbs.WCWithImm, m.Imm
	case verbs.WRSendInv:
		want.Flags = verbs.WCWithInv
		want.InvalidatedRKey = r.key
	}
	return want
}

func (r *racer) failedReceive(i int, status verbs.WCStatus, vendor format.VendorCode) verbs.WC {
	return verbs.WC{WRID: recvID(i), Status: status, Vendor: vendor, QPN: r.owner.qp.QPN(), Recv: true, WQEIndex: uint16(i)}
}

// judgeBrought: what succeeded has brought all, a READ that was refused perhaps some packets of it, in order, but not
// the last, and what is behind it nothing.
func (r *racer) judgeBrought(ctx context.Context, refused int) error {
	for i, m := range r.user.Messages {
		if !hasResponse(m.Op) {
			continue
		}
		responses := r.responses(m)
		low, high := 0, 0
		switch {
		case refused < 0 || i < refused:
			low, high = len(responses), len(responses)
		case i == refused:
			high = len(responses) - 1
		}
		var err error
		for c := low; c <= high; c++ {
			if err = agree(ctx, responses, c); err == nil {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("message %d, %v of %d bytes, has not brought %d to %d packets: %w", i, m.Op, m.Length, low, high, err)
		}
		if err := settle(ctx, responses); err != nil {
			return err
		}
	}
	return nil
}

// responses are what a READ or atomic brings.
func (r *racer) responses(m Message) []packet {
	var all []packet
	data, mtu := bytes.Clone(r.owner.side.areas[m.Sink.Region].holds(m.Sink)), r.MTU.Bytes()
	for from := 0; from < len(data); from += mtu {
		all = append(all, packet{writes: r.user.side.place(m.Source, from, data[from:min(from+mtu, len(data))])})
	}
	return all
}

// agree compares memory with what it is if the packets before a cut have been executed, and no others.
func agree(ctx context.Context, packets []packet, c int) error {
	for i, p := range packets {
		for _, w := range p.writes {
			got, err := w.area.read(ctx, w.at, len(w.data))
			if err != nil {
				return err
			}
			want := w.data
			if i >= c {
				want = w.area.image[w.at:][:len(w.data)]
			}
			if k := firstDifference(got, want); k >= 0 {
				return fmt.Errorf("packet %d, of message %d: byte %d of a region is %#02x, expected %#02x", i, p.message, w.at-w.area.lead+k, got[k], want[k])
			}
		}
	}
	return nil
}

// settle makes images what memory is.
func settle(ctx context.Context, packets []packet) error {
	for _, p := range packets {
		for _, w := range p.writes {
			got, err := w.area.read(ctx, w.at, len(w.data))
			if err != nil {
				return err
			}
			copy(w.area.image[w.at:], got)
		}
	}
	return nil
}
