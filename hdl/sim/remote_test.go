package sim

import (
	"io"
	"testing"

	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"
	"gornic/hdl/sim/internal/vm"
	"gornic/hdl/sim/randnet"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// served runs a design as Serve does, over pipes but in this process.
func served(t *testing.T, d *ir.Design) (b *native, cut func()) {
	t.Helper()
	n, err := netlist.Lower(d, netlist.Options{})
	require.NoError(t, err)
	code := vm.Compile(n, plan.Make(n.Graph, roots(n), branchGain))
	callsR, callsW := io.Pipe()
	answersR, answersW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(callsR, answersW, code.Run, code.Init) }()
	end := func() error {
		callsW.Close()
		return <-ended
	}
	s := start{Image: newImage(n, code, Options{Clocks: testTimings}), Seed: 7}
	return newNative("served", d, &lowered{Netlist: n}, newRemote(callsW, answersR, s, end)), func() { callsR.CloseWithError(io.ErrUnexpectedEOF) }
}

func oneDesign(seed int) *ir.Design {
	return rapid.Custom(func(t *rapid.T) *ir.Design {
		return randnet.Design(t, randnet.Options{Clocks: 2})
	}).Example(seed)
}

// A machine at the other end of a pipe is the same machine.
func TestServedMatchesReference(t *testing.T) {
	for seed := range 10 {
		b, _ := served(t, oneDesign(seed))
		p, err := newPair(b.design, b)
		require.NoError(t, err)
		state := uint64(seed)
		for cycle := range 30 {
			p.drive(&state)
			require.NoError(t, p.compare(cycle%10 == 0), "seed %d, cycle %d", seed, cycle)
			p.edge()
		}
		require.NoError(t, b.Close())
	}
}

// A lost process is an error, not a hang.
func TestLostProcess(t *testing.T) {
	b, cut := served(t, oneDesign(1))
	s := &Sim{backend: b, design: b.design}
	s.Run(3)
	require.NoError(t, s.Err())
	cut()
	s.Run(1000)
	require.ErrorContains(t, s.Err(), "the process that runs the design")
	assert.EqualValues(t, 3, s.Cycle(), "the last that is known")
	assert.Error(t, s.Close())
}

func TestClosedRemote(t *testing.T) {
	b, _ := served(t, oneDesign(2))
	s := &Sim{backend: b, design: b.design}
	s.Run(3)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.NoError(t, s.Err())
	assert.EqualValues(t, 3, s.Cycle())
	assert.Len(t, b.CoverCounts(), len(b.checks))
}

func TestBulkWords(t *testing.T) {
	r, w := io.Pipe()
	from, to := newWire(r, nil), newWire(nil, w)
	want := make([]uint64, 100_003)
	state := uint64(1)
	for i := range want {
		want[i] = SplitMix64(&state)
	}
	go to.sendCalls([]call{{Kind: callPush, Words: want[:5]}, {Kind: callGet}, {Kind: callPush, Words: want}})
	got, err := from.receiveCalls()
	require.NoError(t, err)
	require.Len(t, got, 3)
	assert.Equal(t, want[:5], got[0].Words)
	assert.Empty(t, got[1].Words)
	assert.Equal(t, want, got[2].Words)
}
