package standin

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
	"gornic/tb/host"
)

// Options of [Play].
type Options struct {
	Seed uint64
	// Burst gives the NIC requests back to back without waiting for acknowledgements, until
	// they have so many bytes together. 0: it is given a request when
	// what the capture's requester had seen before it has been answered, and those without
	// an answer between them at 4 bytes a cycle.
	Burst int
}

// Report is what was compared.
type Report struct {
	Requests    int // frames that the NIC was given
	Messages    int // that were carried out
	LeftOut     int // messages that were stepped over
	Answers     int // of the NIC
	Captured    int // answers of the capture that have their counterpart
	NAKs        int // of them
	Completions int
	Lenient     int // requests that the capture's responder took, refused otherwise, or refused again, against the protocol
}

// Add adds two reports.
func (r *Report) Add(o Report) {
	r.Requests += o.Requests
	r.Messages += o.Messages
	r.LeftOut += o.LeftOut
	r.Answers += o.Answers
	r.Captured += o.Captured
	r.NAKs += o.NAKs
	r.Completions += o.Completions
	r.Lenient += o.Lenient
}

func (r Report) String() string {
	text := fmt.Sprintf("%d requests, %d messages; %d answers for %d, %d of them NAKs; %d completions",
		r.Requests, r.Messages, r.Answers, r.Captured, r.NAKs, r.Completions)
	if r.LeftOut > 0 {
		text += fmt.Sprintf("; %d messages left out", r.LeftOut)
	}
	if r.Lenient > 0 {
		text += fmt.Sprintf("; %d requests judged as the protocol says, not as in the capture", r.Lenient)
	}
	return text
}

// Station is a host with a NIC that plays responders of one capture.
type Station struct {
	*station
	keys map[uint32]bool // that the capture names
}

// NewStation opens a NIC that has just come out of reset, for conversations of a capture.
// The NIC's memory is that of the host.
func NewStation(nic NIC, memory *host.Memory, all []*talk.Conversation) (*Station, error) {
	keys, highest := keysOf(all), uint32(1)
	for k := range keys {
		highest = max(highest, k>>format.KeyTagBits)
	}
	s, err := newStation(nic, memory, min(logOf(int(highest)+2), format.KeyIndexBits))
	if err != nil {
		return nil, fmt.Errorf("standin: %w", err)
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if err := s.clearKey(k); err != nil {
			return nil, fmt.Errorf("standin: %w", err)
		}
	}
	return &Station{s, keys}, nil
}

// freeKey is one that the capture does not name.
func (s *Station) freeKey() (uint32, error) {
	key := uint32(0xC5)
	for taken := true; taken; {
		taken = false
		for k := range s.keys {
			if k>>format.KeyTagBits == key>>format.KeyTagBits {
				taken, key = true, key+1<<format.KeyTagBits
			}
		}
	}
	return key, s.clearKey(key)
}

// Play plays a conversation. The error is the first difference.
func (s *Station) Play(ctx context.Context, c *talk.Conversation, o Options) (Report, error) {
	p, err := s.newPlayer(c, o)
	if err == nil {
		err = p.play(ctx)
	}
	if err != nil {
		return Report{}, fmt.Errorf("QP %#x, asked by %#x: %w", c.QPN, c.Peer, err)
	}
	return p.report, nil
}
