package frames

import (
	"math/rand/v2"

	"gornic/format"
)

// Generator makes frames at random; the same seed gives the same frames.
type Generator struct {
	r *rand.Rand
	// MaxPayload bounds the payload of good packets, in bytes. NewGenerator sets
	// it to the largest MTU, 4096.
	MaxPayload int
	// MaxFrame bounds the frames that are too long for RoCEv2, in bytes.
	// NewGenerator sets it to 65,535.
	MaxFrame int
}

// Sample is a frame with the way it was made: "good", the name of a mutation or
// of a foreign protocol. The kind does not say what the verdict has to be: a
// flipped bit may hit a field that nobody checks.
type Sample struct {
	Kind string
	Data []byte
}

// NewGenerator returns a generator that starts from a seed.
func NewGenerator(seed uint64) *Generator {
	return &Generator{
		r:          rand.New(rand.NewPCG(seed, 0x676F726E6963)),
		MaxPayload: format.MTUMax,
		MaxFrame:   65535,
	}
}

// Next returns a frame: half of them good, two in five good frames with one
// mutation, the others foreign.
func (g *Generator) Next() Sample {
	switch p := g.r.IntN(10); {
	case p < 5:
		return g.Good()
	case p < 9:
		return g.Mutated()
	}
	return g.Foreign()
}

// Good returns a frame that a receiver has to accept.
func (g *Generator) Good() Sample {
	for {
		d, payload := g.Packet()
		if frame, err := Build(d, payload); err == nil {
			return Sample{"good", frame}
		}
	}
}

// Packet returns the descriptor and the payload of a packet that a receiver has
// to accept: any opcode, IPv4 or IPv6, with or without a tag, any length that
// the opcode allows.
func (g *Generator) Packet() (format.TxDescriptor[uint64], []byte) {
	info := g.opcode()
	payload := g.bytes(g.payloadLen(info.Payload))
	d := format.TxDescriptor[uint64]{
		DstMAC:       g.bits(48),
		SrcMAC:       g.bits(48),
		VLAN:         g.oneIn(3),
		IPv6:         g.oneIn(2),
		TrafficClass: g.bits(8),
		HopLimit:     g.bits(8),
		SrcPort:      g.sourcePort(),
		UDPChecksum:  g.oneIn(4) * g.bits(16),
		Opcode:       uint64(info.Code),
		SE:           g.oneIn(4),
		MigReq:       g.oneIn(2),
		PadCnt:       uint64(-len(payload)) & 3,
		PKey:         format.PKeyDefault,
		FECN:         g.oneIn(8),
		BECN:         g.oneIn(8),
		DestQP:       g.queuePair(),
		AckReq:       g.oneIn(2),
		PSN:          g.bits(24),
		PayloadLen:   uint64(len(payload)),
	}
	if d.VLAN != 0 {
		d.TCI = g.bits(16)
	}
	if g.oneIn(16) == 1 {
		d.PKey &= format.PKeyMask // a limited member
	}
	g.addresses(&d)
	for i := range info.ExtBytes() / 4 {
		d.Ext[i] = g.bits(32)
	}
	return d, payload
}

func (g *Generator) addresses(d *format.TxDescriptor[uint64]) {
	if d.IPv6 == 0 {
		d.SrcLo, d.DstLo = g.bits(32), g.bits(32)
		d.IPID, d.DF = g.bits(16), g.oneIn(2)
		return
	}
	d.SrcHi, d.SrcLo = g.bits(64), g.bits(64)
	d.DstHi, d.DstLo = g.bits(64), g.bits(64)
	d.FlowLabel = g.bits(20)
}

// opcode picks from the table, now and then an undefined one.
func (g *Generator) opcode() format.OpInfo {
	if g.oneIn(16) == 1 {
		undefined := []format.Opcode{0x15, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F}
		info, _ := format.Lookup(pick(g, undefined))
		return info
	}
	return pick(g, format.Opcodes())
}

// payloadLen picks a length that the rule allows: mostly short, at times a whole
// MTU or anything.
func (g *Generator) payloadLen(rule format.PayloadRule) int {
	n := 0
	switch g.r.IntN(10) {
	case 0:
		n = g.r.IntN(format.MTUMax + 1)
	case 1:
		n = g.mtu()
	case 2, 3, 4:
		n = g.r.IntN(300)
	default:
		n = g.r.IntN(24)
	}
	switch rule {
	case format.PayloadNone:
		n = 0
	case format.PayloadFull:
		n = g.mtu()
	case format.PayloadSome:
		n = max(n, 1)
	case format.PayloadSixteen:
		n = 16
	}
	return min(n, g.MaxPayload)
}

func (g *Generator) mtu() int { return pick(g, []int{256, 256, 256, 512, 512, 1024, 2048, 4096}) }

// sourcePort is one of the range, now and then 0, as in the CNPs of some NICs.
func (g *Generator) sourcePort() uint64 {
	if g.oneIn(16) == 1 {
		return 0
	}
	return 0xC000 | g.bits(14)
}

// queuePair is any number but 0 and 1.
func (g *Generator) queuePair() uint64 {
	if g.oneIn(2) == 1 {
		return 2 + g.bits(8)
	}
	return max(2, g.bits(24))
}

// bits returns n random bits.
func (g *Generator) bits(n int) uint64 { return g.r.Uint64() >> (64 - n) }

// oneIn returns 1 once in n times, else 0.
func (g *Generator) oneIn(n int) uint64 {
	if g.r.IntN(n) == 0 {
		return 1
	}
	return 0
}

func (g *Generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.r.Uint32())
	}
	return b
}

func pick[T any](g *Generator, from []T) T { return from[g.r.IntN(len(from))] }
