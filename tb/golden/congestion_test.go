package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
)

// cnpTick is the unit of times of congestion control.
const cnpTick = golden.DefaultTick / 4

// congested is a queue pair that has congestion control.
func congested(t *testing.T) *target {
	s := newStation(t, 9, golden.DefaultConfig())
	q := &target{qp: s.newQP(qpConfig{psn: startPSN, congestion: 1}), peer: peerQPN}
	q.connect(peerQPN, 0x0200000000FF, peerIP())
	q.buf = s.region(bufSize, format.AccessLocalWrite)
	return q
}

// from is a SEND of the peer that a router has marked, or not.
func from(psn uint64, ecn uint64) packetSpec {
	return packetSpec{op: format.OpSendOnly, psn: psn, patch: func(d *format.TxDescriptor[uint64]) { d.TrafficClass = 0xA8 | ecn }}
}

// A marked packet draws a CNP, whatever becomes of it, and another one when the gap is over; one that is not draws none.
func TestCNP(t *testing.T) {
	q := congested(t)
	kinds := func(p packetSpec) (all []format.Opcode) {
		q.s.nic.Receive(q.frame(p))
		for _, f := range q.frames() {
			r := golden.Receive(f, false)
			if all = append(all, format.Opcode(r.Descriptor.Opcode)); r.Descriptor.CNP != 0 {
				require.EqualValues(t, peerQPN, r.Descriptor.DestQP)
				require.EqualValues(t, 0xC2, r.Descriptor.TrafficClass)
				require.EqualValues(t, 1, r.Descriptor.BECN)
				require.Zero(t, r.Descriptor.PSN)
				require.Equal(t, make([]byte, 16), f[len(f)-20:len(f)-4])
			}
		}
		return all
	}
	const nak, cnp = format.OpAcknowledge, format.OpCNP
	require.Equal(t, []format.Opcode{nak}, kinds(from(9, 2)))
	require.Equal(t, []format.Opcode{cnp}, kinds(from(8, 3)), "of a packet that is dropped, too")
	require.Empty(t, kinds(from(7, 3)))
	q.s.nic.Tick(4*cnpTick - 1)
	require.Empty(t, kinds(from(7, 3)))
	q.s.nic.Tick(1)
	require.Equal(t, []format.Opcode{cnp}, kinds(from(7, 3)))
	q.s.nic.WriteRegister(format.RegCongestion, 0)
	require.Equal(t, []format.Opcode{cnp}, kinds(from(7, 3)))
	require.Empty(t, kinds(from(7, 1)))
	require.Equal(t, uint32(5), q.s.nic.Counter(format.CntECNMarked))
	require.Equal(t, uint32(3), q.s.nic.Counter(format.CntCNPSent))
}

// A CNP of the peer counts as a cut, but not two within the time of one; a queue pair without congestion control ignores it, and sends none.
func TestCNPReceived(t *testing.T) {
	q := congested(t)
	cnp := packetSpec{op: format.OpCNP, size: 16}
	for range 3 {
		require.Empty(t, q.inject(cnp))
	}
	q.s.nic.Tick(4 * cnpTick)
	require.Empty(t, q.inject(cnp))
	require.Equal(t, uint32(2), q.s.nic.Counter(format.CntCNPHandled))
	require.Zero(t, q.s.nic.Counter(format.CntCNPIgnored))

	plain, _ := newTarget(t, qpConfig{})
	require.Empty(t, plain.inject(cnp))
	require.Len(t, plain.inject(from(1, 3)), 1, "a NAK")
	require.Equal(t, uint32(1), plain.s.nic.Counter(format.CntCNPIgnored))
	require.Equal(t, uint32(1), plain.s.nic.Counter(format.CntECNMarked))
	require.Zero(t, plain.s.nic.Counter(format.CntCNPSent))
}

func TestCNPRegisters(t *testing.T) {
	q := congested(t)
	for i, want := range format.CongestionDefaults(1<<18 - 1).Fields() {
		at := format.RegCongestion + 4*uint32(i)
		require.EqualValues(t, want, q.s.nic.ReadRegister(at))
		q.s.nic.WriteRegister(at, 0xFFFFFFFF)
		require.NotZero(t, q.s.nic.ReadRegister(at))
		require.Less(t, q.s.nic.ReadRegister(at), uint32(1<<18))
	}
	require.Zero(t, q.s.nic.ReadRegister(format.RegCongestion+4*17))
}
