package model

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/tb/workload"
)

// config is the pair of a configuration, by name.
func config(t testing.TB, name string) Config {
	nic, err := configs.Named(name)
	require.NoError(t, err)
	return Default(nic)
}

// parse reads a workload.
func parse(t testing.TB, text string, args ...any) workload.Workload {
	w, err := workload.Parse("test.yaml", fmt.Appendf(nil, text, args...))
	require.NoError(t, err)
	return w
}

// load is messages of one size over some queue pairs.
func load(t testing.TB, op string, size, qps, messages, mtu int) workload.Workload {
	return parse(t, `
direction: a_to_b
messages: %d
queue_pairs: [{count: %d, path_mtu: %d, ip: 4, send_sges: 2, recv_sges: 3, depth: 1024, reads: 16}]
operations: {%s: 1}
sizes: %d
batch: 32
`, messages, qps, mtu, op, size)
}

// Every workload that comes with gornic runs to its end, where all of it is modelled.
func TestWorkloads(t *testing.T) {
	for _, name := range workload.Names() {
		t.Run(name, func(t *testing.T) {
			w, err := workload.Load(name)
			require.NoError(t, err)
			c := config(t, "dc")
			if err := c.Validate(w); err != nil {
				require.ErrorAs(t, err, new(Unsupported))
				t.Skipf("%v", err)
			}
			r, err := Run(t.Context(), c, w, Options{Seed: 1})
			require.NoError(t, err)
			require.Equal(t, int64(w.Messages*w.Connections()*len(w.Direction.Senders())), r.Messages)
			t.Logf("%d messages in %d cycles, %d steps: %s", r.Messages, r.Cycles, r.Steps, r.Bottleneck)
		})
	}
}
