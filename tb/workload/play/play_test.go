package play_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden/lab"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
	"gornic/verbs"
)

var ctx = context.Background()

// run plays a workload between two reference NICs.
func run(t testing.TB, w workload.Workload, seed uint64, taps ...wire.Tap) (play.Report, error) {
	t.Helper()
	watch := monitor.New()
	l, err := lab.New(lab.Options{Seed: seed, Faults: w.Faults(seed), Taps: append(taps, watch.Tap)})
	require.NoError(t, err)
	var hosts [2]play.Host
	for i, b := range []*lab.Bus{l.A, l.B} {
		d, err := verbs.Open(ctx, b, verbs.Config{MAC: b.MAC})
		require.NoError(t, err)
		hosts[i] = play.Host{Device: d, MAC: b.MAC, IPv4: b.IPv4, IPv6: b.IPv6}
	}
	report, err := play.Run(ctx, w, hosts, play.Options{Seed: seed, Watch: watch})
	if err != nil {
		return report, err
	}
	for _, h := range hosts {
		err = errors.Join(err, h.Device.Close(ctx))
	}
	return report, errors.Join(err, l.CheckGuards())
}

// Every workload that comes with gornic.
func TestWorkloads(t *testing.T) {
	for _, name := range workload.Names() {
		t.Run(name, func(t *testing.T) {
			w, err := workload.Load(name)
			require.NoError(t, err)
			lost := 0
			report, err := run(t, w, 1, func(c wire.Crossing) {
				if c.Action != wire.Pass {
					lost++
				}
			})
			require.NoError(t, err)
			require.Equal(t, w.Messages*w.Connections()*len(w.Direction.Senders()), report.Messages)
			require.Equal(t, len(w.Rules) > 0, lost > 0)
		})
	}
}

// Random verbs programs: 1 to 16 queue pairs, both directions, all operations,
// sizes, MTUs and lists, over good wires and bad ones.
func TestRandomWorkloads(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			_, err := run(t, workload.Random(seed, workload.Limits{Faults: true}), seed)
			require.NoError(t, err)
		})
	}
}

// eager is a host whose device works with every register write.
type eager struct{ *lab.Bus }

func (e eager) WriteRegister(ctx context.Context, offset, value uint32) error {
	if err := e.Bus.WriteRegister(ctx, offset, value); err != nil {
		return err
	}
	return e.Wait(ctx)
}

// Receivers that are always ready send no RNR NAK; Attr has the last word.
func TestReady(t *testing.T) {
	for _, ready := range []bool{false, true} {
		w := one(workload.Operations{SendImm: 1})
		w.Messages = 200
		w.QueuePairs[0].Depth = 2
		l, err := lab.New(lab.Options{})
		require.NoError(t, err)
		var hosts [2]play.Host
		for i, b := range []*lab.Bus{l.A, l.B} {
			d, err := verbs.Open(ctx, eager{b}, verbs.Config{MAC: b.MAC})
			require.NoError(t, err)
			hosts[i] = play.Host{Device: d, MAC: b.MAC, IPv4: b.IPv4, IPv6: b.IPv6}
		}
		asked := 0
		_, err = play.Run(ctx, w, hosts, play.Options{Ready: ready, Attr: func(a *verbs.QPAttr) { asked++; a.MinRNRTimer = 3 }})
		require.NoError(t, err)
		require.Equal(t, 2, asked)
		require.Equal(t, ready, l.B.NIC.Counter(format.CntTxNAKs) == 0)
	}
}

// counting is a host that counts the doorbells of send queues.
type counting struct {
	*lab.Bus
	rung *int
}

func (c counting) WriteRegister(ctx context.Context, offset, value uint32) error {
	if offset >= format.DoorbellBase && offset%format.DoorbellPageBytes == format.DoorbellSQ {
		*c.rung++
	}
	return c.Bus.WriteRegister(ctx, offset, value)
}

// Work requests are posted in batches, with a doorbell each.
func TestDoorbells(t *testing.T) {
	for batch, want := range map[int]int{1: 64, 4: 16, 64: 1} {
		l, err := lab.New(lab.Options{})
		require.NoError(t, err)
		rung := 0
		a, err := verbs.Open(ctx, counting{l.A, &rung}, verbs.Config{MAC: l.A.MAC})
		require.NoError(t, err)
		b, err := verbs.Open(ctx, l.B, verbs.Config{MAC: l.B.MAC})
		require.NoError(t, err)
		w := one(workload.Operations{Write: 1})
		w.Messages, w.Batch = 64, workload.Range{Min: batch, Max: batch}
		w.QueuePairs[0].Depth = 64
		_, err = play.Run(ctx, w, [2]play.Host{
			{Device: a, MAC: l.A.MAC, IPv4: l.A.IPv4}, {Device: b, MAC: l.B.MAC, IPv4: l.B.IPv4},
		}, play.Options{})
		require.NoError(t, err)
		require.Equal(t, want, rung, "batches of %d", batch)
	}
}

// A packet that broke a rule is told before what came of it.
func TestTellsWireFirst(t *testing.T) {
	watch := monitor.New()
	watch.Tap(wire.Crossing{Number: 5, RoCE: true, Frame: make([]byte, 60), Packet: wire.Packet{QP: 99}})
	dead := one(workload.Operations{Write: 1})
	err := meddled(t, dead, play.Options{Watch: watch}, func(uint64, []byte) {})
	require.ErrorContains(t, err, "frame 5, a to b")
	dead.Rules = []wire.Rule{{Action: wire.Drop, Rate: wire.Million}}
	err = meddled(t, dead, play.Options{Watch: watch}, func(uint64, []byte) {})
	require.Regexp(t, "frame 5, a to b.*; then .*RETRY_EXC_ERR", err.Error())
}

// meddler is a host whose memory reads are changed.
type meddler struct {
	*lab.Bus
	change func(addr uint64, b []byte)
}

func (m meddler) ReadMemory(ctx context.Context, addr uint64, b []byte) error {
	err := m.Bus.ReadMemory(ctx, addr, b)
	m.change(addr, b)
	return err
}

// meddled plays a workload whose receiver, host B, reads memory through change.
func meddled(t *testing.T, w workload.Workload, o play.Options, change func(addr uint64, b []byte)) error {
	t.Helper()
	l, err := lab.New(lab.Options{Faults: w.Faults(1)})
	require.NoError(t, err)
	b, err := verbs.Open(ctx, meddler{l.B, change}, verbs.Config{MAC: l.B.MAC})
	require.NoError(t, err)
	a, err := verbs.Open(ctx, l.A, verbs.Config{MAC: l.A.MAC})
	require.NoError(t, err)
	_, err = play.Run(ctx, w, [2]play.Host{
		{Device: a, MAC: l.A.MAC, IPv4: l.A.IPv4, IPv6: l.A.IPv6}, {Device: b, MAC: l.B.MAC, IPv4: l.B.IPv4, IPv6: l.B.IPv6},
	}, o)
	return err
}

// one is a workload of one message of 1000 bytes from A to B.
func one(op workload.Operations) workload.Workload {
	return workload.Workload{
		Name: "one", Messages: 1, Signaled: 100, Operations: op, Batch: workload.Range{Min: 1, Max: 1},
		Sizes:      workload.Sizes{List: []int{1000}},
		QueuePairs: []workload.QueuePairs{{Count: 1, PathMTU: 256, IP: 4, SendSGEs: 1, RecvSGEs: 1, Depth: 1}},
	}
}

// What is not as it should be is found, and told in words that lead there.
func TestFinds(t *testing.T) {
	none := func(uint64, []byte) {}
	long := func(_ uint64, b []byte) {
		if len(b) >= 1000 {
			b[0] ^= 0x10
		}
	}
	completion := func(_ uint64, b []byte) {
		if len(b) >= 32 && len(b) < 1000 && b[8] == 0xE8 { // byte_len 1000
			b[8]++
		}
	}
	word := func(_ uint64, b []byte) {
		if len(b) == 8 {
			b[5] ^= 0x10
		}
	}
	back := func(o workload.Operations) workload.Workload {
		w := one(o)
		w.Direction, w.QueuePairs[0].Reads = workload.BToA, 1
		return w
	}
	key := func(_ uint64, b []byte) {
		if len(b) >= 32 && len(b) < 1000 && b[8] == 0xE8 {
			b[12] ^= 1
		}
	}
	dead := one(workload.Operations{Write: 1})
	dead.Rules = []wire.Rule{{Action: wire.Drop, Rate: wire.Million}}
	late := one(workload.Operations{Write: 1})
	late.Arrival = workload.Arrival{Kind: workload.Every, Cycles: 50}
	for _, c := range []struct {
		name   string
		w      workload.Workload
		o      play.Options
		change func(uint64, []byte)
		want   string
	}{
		{"nothing wrong", one(workload.Operations{Write: 1}), play.Options{}, none, ""},
		{"a byte of a WRITE", one(workload.Operations{Write: 1}), play.Options{Seed: 4}, long, "workload one, seed 4: host b, queue pair 0 (QPN 0x40): the sink of WRITEs: byte 0 is"},
		{"a byte of a SEND", one(workload.Operations{Send: 1}), play.Options{}, long, "request 0, SEND of 1000 bytes: byte 0 is"},
		{"a byte of a READ", back(workload.Operations{Read: 1}), play.Options{}, long, "request 0, RDMA_READ of 1000 bytes: byte 0 is"},
		{"what an atomic found", back(workload.Operations{FetchAdd: 1}), play.Options{}, word, "request 0, ATOMIC_FETCH_AND_ADD of 8 bytes: byte 5 is"},
		{"a key that was invalidated", one(workload.Operations{SendInv: 1}), play.Options{}, key, "request 0, SEND_WITH_INV of 1000 bytes: completion {WRID:0 Status:SUCCESS Opcode:RECV Vendor:none ByteLen:1000 Imm:0 InvalidatedRKey:"},
		{"a completion", one(workload.Operations{Send: 1}), play.Options{}, completion, "request 0, SEND of 1000 bytes: completion {WRID:0 Status:SUCCESS Opcode:RECV Vendor:none ByteLen:1001"},
		{"a dead wire", dead, play.Options{}, none, "host a, queue pair 0 (QPN 0x40): request 0, RDMA_WRITE of 1000 bytes: completion {WRID:0 Status:RETRY_EXC_ERR"},
		{"work that never comes", late, play.Options{Now: func() uint64 { return 49 }, Patience: 20}, none, "nothing happens any more: host a, queue pair 0 (QPN 0x40) has posted 0 of 1 sends"},
	} {
		err := meddled(t, c.w, c.o, c.change)
		if c.want == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, c.want, c.name)
	}
}

// Four thousand bytes a message over a wire between two reference NICs.
func ExampleRun() {
	w, err := workload.Load("bulk")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := lab.New(lab.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var hosts [2]play.Host
	for i, b := range []*lab.Bus{l.A, l.B} {
		device, err := verbs.Open(ctx, b, verbs.Config{MAC: b.MAC})
		if err != nil {
			fmt.Println(err)
			return
		}
		hosts[i] = play.Host{Device: device, MAC: b.MAC, IPv4: b.IPv4, IPv6: b.IPv6}
	}
	report, err := play.Run(ctx, w, hosts, play.Options{Seed: 1})
	fmt.Printf("%+v %v\n", report, err)
	// Output:
	// {Messages:1000 Bytes:4096000 Completions:253} <nil>
}
