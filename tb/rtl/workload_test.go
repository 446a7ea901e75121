package rtl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/rtl"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
)

// Random workloads that fit the smallest configuration.
func TestRandomWorkloads(t *testing.T) {
	limits := workload.Limits{Connections: 3, PathMTU: 256, Size: 2000, Messages: 6, Depth: 8}
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			eachLab(t, func(t *testing.T, l *rtl.Lab, watch *monitor.Monitor) {
				w := workload.Random(seed, limits)
				require.NoError(t, run(t, l, w, play.Options{Seed: seed, Watch: watch, Patience: 60}), "%s", w.Text())
				require.NoError(t, l.Close())
			})
		})
	}
}
