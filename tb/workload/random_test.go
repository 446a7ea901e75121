package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/workload"
)

// Random workloads are what files can say, and come back from their text.
func TestRandom(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(500) {
		limits := workload.Limits{Connections: 5, PathMTU: 1024, Size: 5000, Messages: 7, Depth: 8, Faults: true}
		w := workload.Random(seed, limits)
		require.Equal(t, w, workload.Random(seed, limits))
		got, err := workload.Parse(w.Name+".yaml", w.Text())
		require.NoError(t, err, "%s", w.Text())
		require.Equal(t, w, got)
		require.LessOrEqual(t, w.Connections(), 5)
		require.LessOrEqual(t, w.Messages, 7)
		require.LessOrEqual(t, w.Sizes.Most(), 5000)
		for _, q := range w.QueuePairs {
			require.LessOrEqual(t, q.PathMTU, 1024)
			require.LessOrEqual(t, q.Depth, 8)
		}
		seen[w.Direction.String()] = true
		if len(w.Rules) > 0 {
			seen["faults"] = true
		}
	}
	require.Len(t, seen, 4)
	require.Empty(t, workload.Random(1, workload.Limits{}).Rules)
}

// The files that come with gornic come back from their text, too.
func TestText(t *testing.T) {
	for _, name := range workload.Names() {
		w := load(t, name)
		w.Arrival = workload.Arrival{Kind: workload.Every, Cycles: 9}
		got, err := workload.Parse(name+".yaml", w.Text())
		require.NoError(t, err)
		require.Equal(t, w, got)
	}
}
