package standin

import (
	"math/rand/v2"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// A buffer is a receive WQE for one message.
type buffer struct {
	id    uint64
	list  []format.SGE[uint64]
	parts []part
}

// A part of a buffer is n bytes at an offset of the region of all buffers.
type part struct{ offset, n int }

// plan is the receive WQEs of a conversation, in the order in which its requests take
// them, and the size of the region that holds their buffers.
type plan struct {
	random *rand.Rand
	key    uint32
	size   int
	takers map[*talk.Request]*buffer
	of     map[*talk.Message]*buffer
}

// takes tells that a request takes a receive WQE, or would have.
func takes(r *talk.Request) bool {
	if r.Message == nil || r.Fate != talk.Done && (r.Fate != talk.Refused || r.Cause == talk.NotReady) {
		return false
	}
	switch r.Message.Kind {
	case talk.Write:
		return r.Has(format.ExtImmDt)
	case talk.Send:
		return r.Info().Start
	}
	return false
}

func newPlan(c *talk.Conversation, key uint32, random *rand.Rand) *plan {
	p := &plan{random: random, key: key, takers: map[*talk.Request]*buffer{}, of: map[*talk.Message]*buffer{}}
	refused := map[*talk.Message]*talk.Request{}
	for _, r := range c.Requests() {
		if r.Fate == talk.Refused && r.Cause != talk.NotReady && r.Message != nil {
			refused[r.Message] = r
		}
	}
	for _, r := range c.Requests() {
		if takes(r) {
			b := p.buffer(r.Message, refused[r.Message])
			b.id = random.Uint64()
			p.takers[r], p.of[r.Message] = b, b
		}
	}
	return p
}

// buffer plans the buffer of a message, which has no byte to spare. Where the message is
// refused, it is such that it has to be.
func (p *plan) buffer(m *talk.Message, refused *talk.Request) *buffer {
	b := &buffer{}
	n, bad := len(m.Payload), 0
	switch {
	case m.Kind == talk.Write: // its list is not looked at
		n, bad = 0, 8
	case refused == nil:
	case refused.Cause == talk.TooLong:
		n = refused.Offset + len(refused.Payload) - 1
	case refused.Cause == talk.LocalFault:
		n, bad = refused.Offset, len(refused.Payload)
	default:
		n += len(refused.Payload)
	}
	for _, size := range pieces(p.random, n, format.RecvSGEs(recvStride)-1) {
		p.size += p.random.IntN(9) // bytes between, which nobody may touch
		b.parts = append(b.parts, part{p.size, size})
		p.size += size
	}
	if bad > 0 || n == 0 && p.random.IntN(2) == 0 {
		b.list = append(b.list, format.SGE[uint64]{Addr: p.random.Uint64() >> 1, Length: uint64(bad), LKey: uint64(p.key ^ wrongKey)})
	}
	return b
}

// place completes the lists, now that the region is known.
func (p *plan) place(r *region) {
	for _, b := range p.takers {
		var list []format.SGE[uint64]
		for _, part := range b.parts {
			list = append(list, format.SGE[uint64]{Addr: r.va + uint64(part.offset), Length: uint64(part.n), LKey: uint64(r.key)})
		}
		b.list = append(list, b.list...)
	}
}

// put tells that payload has to be at an offset of a message.
func (b *buffer) put(r *region, offset int, payload []byte) {
	for _, part := range b.parts {
		n := min(part.n-offset, len(payload))
		if n <= 0 {
			offset = max(offset-part.n, 0)
			continue
		}
		r.put(part.offset+offset, payload[:n])
		offset, payload = 0, payload[n:]
	}
}
