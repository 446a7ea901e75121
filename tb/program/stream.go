package program

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"gornic/verbs"
)

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

// responses are what a READ or atomic brings.
func (r *racer) responses(m Message) []packet {
	var all []packet
	data, mtu := bytes.Clone(r.owner.side.areas[m.Sink.Region].holds(m.Sink)), r.MTU.Bytes()
	for from := 0; from < len(data); from += mtu {
		all = append(all, packet{writes: r.user.side.place(m.Source, from, data[from:min(from+mtu, len(data))])})
	}
	return all
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
