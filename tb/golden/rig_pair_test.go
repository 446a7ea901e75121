package golden_test

import (
	"context"
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
)

// pair is two stations on a wire.
type pair struct {
	t     testing.TB
	a, b  *station
	link  *wire.Link
	log   []wire.Crossing
	watch *monitor.Monitor
}

func newPair(t testing.TB, faults wire.Faults) *pair {
	t.Helper()
	config := golden.DefaultConfig()
	p := &pair{t: t, a: newStation(t, 1, config), b: newStation(t, 2, config), watch: monitor.New()}
	p.watch.Payloads = true
	p.link = wire.NewLink(p.a.nic, p.b.nic, faults, p.watch.Tap, func(c wire.Crossing) { p.log = append(p.log, c) })
	return p
}

// qps connects two queue pairs of one kind.
func (p *pair) qps(c qpConfig) (a, b *qp) {
	p.t.Helper()
	a, b = p.a.newQP(c), p.b.newQP(c)
	connect(a, b)
	p.watch.Add(monitor.Connection{
		QPN: [2]uint32{uint32(a.number), uint32(b.number)}, PSN: [2]uint32{uint32(c.psn), uint32(c.psn)}, PathMTU: 128 << a.c.mtu,
	})
	return a, b
}

// run lets the wire carry what there is.
func (p *pair) run() {
	p.t.Helper()
	_, err := p.link.Run(context.Background(), 100000)
	require.NoError(p.t, err)
	require.NoError(p.t, p.watch.Err())
	require.NoError(p.t, p.a.mem.CheckGuards())
	require.NoError(p.t, p.b.mem.CheckGuards())
}

// wireLog is what crossed the wire, as words.
func (p *pair) wireLog() []string {
	p.t.Helper()
	var all []string
	for _, c := range p.log {
		all = append(all, c.Direction.String()[:1]+": "+packetWords(p.t, c.Frame))
	}
	return all
}

// packetWords tells a packet: opcode, PSN, what it carries.
func packetWords(t testing.TB, frame []byte) string {
	t.Helper()
	r := golden.Receive(frame, false)
	require.Equal(t, format.ReasonOK, r.Reason)
	d := r.Descriptor
	op := format.Opcode(d.Opcode)
	s := fmt.Sprintf("%v %#x", op, d.PSN)
	if h, ok := format.ExtHeaderOf[format.AETH[uint64]](d.Ext, op, format.ExtAETH); ok {
		s += fmt.Sprintf(" %#x msn %d", h.Syndrome, h.MSN)
	}
	if h, ok := format.ExtHeaderOf[format.RETH[uint64]](d.Ext, op, format.ExtRETH); ok {
		s += fmt.Sprintf(" dma %d", h.DMALen)
	}
	if h, ok := format.ExtHeaderOf[format.ImmDt[uint64]](d.Ext, op, format.ExtImmDt); ok {
		s += fmt.Sprintf(" imm %08x", h.Imm)
	}
	if h, ok := format.ExtHeaderOf[format.AtomicETH[uint64]](d.Ext, op, format.ExtAtomicETH); ok {
		s += fmt.Sprintf(" %d %d", h.SwapAdd, h.Compare)
	}
	if h, ok := format.ExtHeaderOf[format.AtomicAckETH[uint64]](d.Ext, op, format.ExtAtomicAckETH); ok {
		s += fmt.Sprintf(" was %d", h.Original)
	}
	if h, ok := format.ExtHeaderOf[format.IETH[uint64]](d.Ext, op, format.ExtIETH); ok {
		s += fmt.Sprintf(" inv %x", h.RKey)
	}
	if len(r.Payload) > 0 {
		s += fmt.Sprintf(" %d bytes", len(r.Payload))
	}
	if d.SE != 0 {
		s += " SE"
	}
	if d.AckReq != 0 {
		s += " A"
	}
	return s
}

// brief is a CQE in words: wr_id, status, opcode, bytes, immediate in the order
// of the wire; of an error only what has a meaning.
func brief(all []format.CQE[uint64]) []string {
	var out []string
	for _, e := range all {
		s := fmt.Sprintf("%d %v", e.WRID, format.Status(e.Status))
		if format.Status(e.Status) == format.StatusSuccess {
			s += fmt.Sprintf(" %v %d", format.WCOpcode(e.Opcode), e.ByteLen)
			if e.Flags&format.WCFlagWithImm != 0 {
				s += fmt.Sprintf(" imm %08x", bits.ReverseBytes32(uint32(e.Imm)))
			}
			if e.Flags&format.WCFlagWithInv != 0 {
				s += fmt.Sprintf(" inv %x", e.Imm)
			}
		} else {
			s += fmt.Sprintf(" (%v)", format.VendorCode(e.Vendor))
		}
		out = append(out, s)
	}
	return out
}
