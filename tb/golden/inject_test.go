package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// target is a queue pair whose peer is the test itself, which builds the peer's
// packets one by one.
type target struct {
	*qp
	peer uint64 // QPN of the test
	va   uint64 // of its region
	key  uint32
	buf  region // of receive WQEs
}

const (
	peerQPN  = 0x123456
	startPSN = 100
	bufSize  = 1024
)

// newTarget makes a queue pair with a region that is open to its peer, of 1024
// bytes, and one for receive WQEs.
func newTarget(t testing.TB, c qpConfig) (*target, region) {
	t.Helper()
	if c.psn == 0 {
		c.psn = startPSN
	}
	s := newStation(t, 9, golden.DefaultConfig())
	q := &target{qp: s.newQP(c), peer: peerQPN}
	q.connect(peerQPN, 0x0200000000FF, peerIP())
	open := s.region(bufSize, allAccess)
	q.va, q.key = open.va, open.key
	q.buf = s.region(bufSize, format.AccessLocalWrite)
	return q, open
}

func peerIP() [2]uint64 { return [2]uint64{0xFE80 << 48, 0xFF} }

// packetSpec is a packet of the peer.
type packetSpec struct {
	op    format.Opcode
	psn   uint64 // behind startPSN
	size  int    // bytes of payload
	seed  int    // of the payload
	a, se uint64 // AckReq, SE
	va    uint64 // RETH
	key   uint32
	dma   uint64
	imm   uint64
	aeth  uint64 // syndrome and MSN
	swap  uint64 // AtomicETH; va and key, too
	cmp   uint64
	value uint64 // AtomicAckETH
	inv   uint32 // IETH
	pad   uint64 // added to the right one
	patch func(*format.TxDescriptor[uint64])
}

// frame builds it.
func (q *target) frame(p packetSpec) []byte {
	t := q.s.t
	t.Helper()
	d := format.TxDescriptor[uint64]{
		DstMAC: q.s.mac, SrcMAC: 0x0200000000FF, HopLimit: 64, DF: 1, SrcPort: 0xC001,
		SrcLo: 0x0A000000 | peerIP()[1], DstLo: 0x0A000000 | q.s.ip[1],
		Opcode: uint64(p.op), PKey: format.PKeyDefault, DestQP: q.number, PSN: (q.c.psn + p.psn) & 0xFFFFFF,
		AckReq: p.a, SE: p.se, PadCnt: (uint64(-p.size) + p.pad) & 3,
	}
	info, _ := format.Lookup(p.op)
	if at, ok := info.ExtOffset(format.ExtRETH); ok {
		copy(d.Ext[at/4:], []uint64{p.va >> 32, p.va & 0xFFFFFFFF, uint64(p.key), p.dma})
	}
	if at, ok := info.ExtOffset(format.ExtImmDt); ok {
		d.Ext[at/4] = p.imm
	}
	if at, ok := info.ExtOffset(format.ExtAETH); ok {
		d.Ext[at/4] = p.aeth
	}
	if at, ok := info.ExtOffset(format.ExtAtomicETH); ok {
		copy(d.Ext[at/4:], []uint64{
			p.va >> 32, p.va & 0xFFFFFFFF, uint64(p.key), p.swap >> 32, p.swap & 0xFFFFFFFF, p.cmp >> 32, p.cmp & 0xFFFFFFFF,
		})
	}
	if at, ok := info.ExtOffset(format.ExtAtomicAckETH); ok {
		copy(d.Ext[at/4:], []uint64{p.value >> 32, p.value & 0xFFFFFFFF})
	}
	if at, ok := info.ExtOffset(format.ExtIETH); ok {
		d.Ext[at/4] = uint64(p.inv)
	}
	if p.patch != nil {
		p.patch(&d)
	}
	b, err := frames.Build(d, noise(p.seed, p.size))
	require.NoError(t, err)
	return b
}

// inject gives packets to the NIC and returns what it sends then, as words.
func (q *target) inject(all ...packetSpec) []string {
	q.s.t.Helper()
	var out []string
	for _, p := range all {
		q.s.nic.Receive(q.frame(p))
	}
	for f, ok := q.s.nic.Send(); ok; f, ok = q.s.nic.Send() {
		out = append(out, packetWords(q.s.t, f))
	}
	return out
}
