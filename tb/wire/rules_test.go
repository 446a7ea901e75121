package wire_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
	"gornic/tb/wire"
)

// crossed lets A send packets over a wire with rules, and returns what became of each, and what B got.
func crossed(t *testing.T, faults wire.Faults, packets ...[]byte) (actions []wire.Action, got [][]byte) {
	t.Helper()
	a, b := &endpoint{out: packets}, &endpoint{}
	_, err := wire.NewLink(a, b, faults, func(c wire.Crossing) { actions = append(actions, c.Action) }).Run(context.Background(), 1000)
	require.NoError(t, err)
	return actions, b.in
}

// The second ATOMIC_ACK, whatever is between; and the same rule again counts for itself.
func TestNth(t *testing.T) {
	op := format.OpAtomicAck
	drop := wire.Rule{Action: wire.Drop, Rate: wire.Million, Opcode: &op, Nth: 2}
	third := drop
	third.Action, third.Nth = wire.Duplicate, 3
	ack, other := packet(t, op, 1), packet(t, format.OpSendOnly, 1)
	actions, got := crossed(t, wire.Faults{Rules: []wire.Rule{third, drop}}, other, ack, other, ack, other, ack, ack)
	require.Equal(t, []wire.Action{wire.Pass, wire.Pass, wire.Pass, wire.Drop, wire.Pass, wire.Duplicate, wire.Pass}, actions)
	require.Len(t, got, 7)
	require.Equal(t, wire.Pass, wire.Faults{Rules: []wire.Rule{drop}}.Decide(wire.Packet{Opcode: op}), "not without a link")
}

// A PSN of any queue pair, and one direction alone.
func TestOneOfAll(t *testing.T) {
	psn := wire.Faults{Rules: []wire.Rule{{Action: wire.Drop, Rate: wire.Million, Only: &wire.Packet{PSN: 2}}}}
	actions, _ := crossed(t, psn, packet(t, format.OpSendOnly, 1), packet(t, format.OpSendOnly, 2))
	require.Equal(t, []wire.Action{wire.Pass, wire.Drop}, actions)
	for sender, want := range map[wire.Sender]wire.Action{wire.Either: wire.Drop, wire.FromA: wire.Drop, wire.FromB: wire.Pass} {
		actions, _ = crossed(t, wire.Faults{Rules: []wire.Rule{{Action: wire.Drop, Rate: wire.Million, Sender: sender}}}, packet(t, format.OpSendOnly, 1))
		require.Equal(t, []wire.Action{want}, actions)
	}
}

// A window of frames bounds who overtakes.
func TestWindow(t *testing.T) {
	for seed := range uint64(50) {
		var packets [][]byte
		for i := range uint64(10) {
			packets = append(packets, packet(t, format.OpSendOnly, i))
		}
		first := wire.Rule{Action: wire.Delay, Rate: wire.Million, Only: &wire.Packet{PSN: 0}, Frames: 2}
		_, got := crossed(t, wire.Faults{Seed: seed, Rules: []wire.Rule{first}}, packets...)
		require.Len(t, got, 10)
		require.True(t, bytes.Equal(got[1], packets[0]) || bytes.Equal(got[2], packets[0]))
	}
}

// With a clock a delay in time is over when it is over, whoever sends meanwhile; an outage loses
// everything, what is no packet of ours, too.
func TestTime(t *testing.T) {
	now := time.Duration(0)
	a, b := &endpoint{}, &endpoint{}
	link := wire.NewLink(a, b, wire.Faults{
		Rules:   []wire.Rule{{Action: wire.Delay, Rate: wire.Million, Only: &wire.Packet{PSN: 0}, For: 20 * time.Microsecond}},
		Outages: []wire.Outage{{At: 30 * time.Microsecond, For: 10 * time.Microsecond}},
	})
	link.Clock = func() time.Duration { return now }
	send := func(frame []byte) int {
		a.out = append(a.out, frame)
		link.Step()
		return len(b.in)
	}
	require.Equal(t, 0, send(packet(t, format.OpSendOnly, 0)))
	require.Equal(t, 1, link.Held())
	for i := range uint64(20) {
		require.Equal(t, int(i)+1, send(packet(t, format.OpSendOnly, 1+i)), "no matter how many overtake it")
	}
	for now < 20*time.Microsecond && link.Held() > 0 {
		now += time.Microsecond
		link.Step()
	}
	require.Len(t, b.in, 21)
	now = 30 * time.Microsecond
	require.Equal(t, 21, send([]byte("not RoCE")))
	require.Equal(t, 21, send(packet(t, format.OpSendOnly, 30)))
	now = 40 * time.Microsecond
	require.Equal(t, 22, send([]byte("not RoCE")))
	link.SetFaults(wire.Faults{})
	require.Equal(t, 23, send(packet(t, format.OpSendOnly, 0)))
}

// With a clock, who waits to be overtaken does not do so for ever.
func TestPatience(t *testing.T) {
	now := time.Duration(0)
	a, b := &endpoint{out: [][]byte{packet(t, format.OpSendOnly, 0)}}, &endpoint{}
	link := wire.NewLink(a, b, wire.Faults{Rules: []wire.Rule{{Action: wire.Delay, Rate: wire.Million}}})
	link.Clock = func() time.Duration { return now }
	link.Step()
	require.Zero(t, link.Step())
	require.Empty(t, b.in)
	now = 5 * time.Microsecond
	require.Equal(t, 1, link.Step())
	require.Len(t, b.in, 1)
}

// What is damaged anywhere differs in one to three bits, or is shorter; a mark is no damage to who takes part.
func TestDamage(t *testing.T) {
	g := frames.NewGenerator(7)
	kinds := map[format.Reason]int{}
	for i := range uint64(3000) {
		frame := g.Good().Data
		if golden.Receive(frame, false).Descriptor.CNP != 0 {
			continue
		}
		all := func(a wire.Action) []byte {
			before := bytes.Clone(frame)
			_, got := crossed(t, wire.Faults{Seed: i, Rules: []wire.Rule{{Action: a, Rate: wire.Million}}}, frame)
			require.Equal(t, before, frame)
			require.Len(t, got, 1)
			return got[0]
		}
		flipped := all(wire.Flip)
		require.Len(t, flipped, len(frame))
		require.LessOrEqual(t, bits(frame, flipped), 3)
		kinds[golden.Receive(flipped, false).Reason]++
		short := all(wire.Truncate)
		require.NotEmpty(t, short)
		require.Equal(t, frame[:len(short)], short)
		require.Less(t, len(short), len(frame))
		before, after := golden.Receive(frame, false), golden.Receive(all(wire.Mark), false)
		require.Equal(t, before.Reason, after.Reason)
		require.Equal(t, before.Payload, after.Payload)
	}
	require.Greater(t, kinds[format.ReasonICRC], 1000)
	require.Greater(t, kinds[format.ReasonOK], 20, "bits that nobody looks at")
	require.Greater(t, len(kinds), 8)
}

func bits(a, b []byte) int {
	n := 0
	for i := range a {
		for x := a[i] ^ b[i]; x != 0; x &= x - 1 {
			n++
		}
	}
	return n
}

// Who says ECT is marked with CE; nobody else is.
func TestMark(t *testing.T) {
	for ecn, want := range []uint64{0, 3, 3, 3} {
		for _, v6 := range []uint64{0, 1} {
			for _, vlan := range []uint64{0, 1} {
				frame, err := frames.Build(format.TxDescriptor[uint64]{
					Opcode: uint64(format.OpSendOnly), PKey: format.PKeyDefault, DestQP: 7, IPv6: v6, VLAN: vlan, TrafficClass: 0xA8 | uint64(ecn),
				}, nil)
				require.NoError(t, err)
				actions, got := crossed(t, wire.Faults{Rules: []wire.Rule{{Action: wire.Mark, Rate: wire.Million}}}, frame)
				r := golden.Receive(got[0], false)
				require.Equal(t, format.ReasonOK, r.Reason)
				require.EqualValues(t, want, r.Descriptor.TrafficClass&3, "IPv6 %d, VLAN %d, ECN %d", v6, vlan, ecn)
				require.Equal(t, want != uint64(ecn), actions[0] == wire.Mark)
			}
		}
	}
}

// With a latency frames arrive later, in their order, each as long after it was sent.
func TestLatency(t *testing.T) {
	now := time.Duration(0)
	a, b := &endpoint{}, &endpoint{}
	link := wire.NewLink(a, b, wire.Faults{})
	link.Clock, link.Latency = func() time.Duration { return now }, 10*time.Microsecond
	for i := range uint64(20) {
		if i < 5 {
			a.out = append(a.out, packet(t, format.OpSendOnly, i))
		}
		link.Step()
		require.Len(t, b.in, min(max(int(i)-9, 0), 5))
		now += time.Microsecond
	}
	require.Zero(t, link.Held())
	for i := range uint64(5) {
		require.Equal(t, packet(t, format.OpSendOnly, i), b.in[i])
	}
}
