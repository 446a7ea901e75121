package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/cycle/calibrate/hops"
	"gornic/cycle/calibrate/record"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/rtl"
)

// measured are the hops of the smallest core, with something done to it first.
func measured(t *testing.T, change func(*hdl.Design) error) []hops.Measured {
	t.Helper()
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	p, err := record.Prepare(t.Context(), config, sim.NativeSimulator, record.Streams, func(c configs.Config) (*hdl.Design, *core.IO, error) {
		design, io, err := rtl.Build(c)
		if err == nil && change != nil {
			err = change(design)
		}
		return design, io, err
	})
	require.NoError(t, err)
	all, err := measureHops(t.Context(), p)
	require.NoError(t, err)
	return all
}

// recordedHops are those that `make calibrate` measured.
func recordedHops(t *testing.T) map[string]int {
	t.Helper()
	text, err := testdata.ReadFile(hopFile("tiny"))
	require.NoError(t, err)
	all, err := hops.Parse(text)
	require.NoError(t, err)
	return all
}

// Every block of the RTL takes as many cycles as it took when it was recorded.
func TestBlocksTakeWhatIsRecorded(t *testing.T) {
	for _, m := range hops.Compare(recordedHops(t), measured(t, nil)) {
		t.Errorf("%v: run `make calibrate`", m)
	}
}

// A block that takes a cycle longer is named, and no other.
func TestLongerBlockIsNamed(t *testing.T) {
	was := recordedHops(t)
	for _, x := range []struct{ block, instance, stream string }{
		{"translate_tx", "u_gather", "piece"},
		{"psncheck", "u_readmatch", "packet"},
		{"scheduler", "u_requester", "grant"},
		{"ackqueue", "u_transmit", "ack"},
	} {
		t.Run(x.block, func(t *testing.T) {
			t.Parallel()
			found := hops.Compare(was, measured(t, func(d *hdl.Design) error { return delay(d, x.instance, x.stream) }))
			require.NotEmpty(t, found)
			for _, m := range found {
				require.Equal(t, x.block, m.Block, "%v", m)
				require.Equal(t, m.Was+1, m.Is, "%v", m)
			}
		})
	}
}
