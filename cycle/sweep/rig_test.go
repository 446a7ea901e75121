package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/cycle/config"
	"gornic/cycle/model"
)

const file = `nic: dc
workload: small
sweep:
  grid:
    workload.sizes: [64, 256, 1024]
    host.latency: {log2: [1, 8]}
`

// planOf makes the points of a file.
func planOf(t *testing.T, text string) *Plan {
	t.Helper()
	f, err := config.Parse("e.yaml", []byte(text))
	require.NoError(t, err)
	p, err := NewPlan(t.Context(), f, nil)
	require.NoError(t, err)
	return p
}

// fake is in the place of the model: what it measures depends on the point alone. Messages of 666 bytes fail, and those of 13
// bytes make it panic.
func fake(_ context.Context, e config.Experiment, progress func(done, all int64)) (*model.Result, error) {
	size := e.Workload.Sizes.List[0]
	switch size {
	case 666:
		return nil, errors.New("stuck: queue pair 3 waits for nobody")
	case 13:
		panic("bad luck")
	}
	progress(1, 2)
	return &model.Result{
		Cycles: int64(size * (1 + e.Model.Host.Latency)), Messages: 100, Bytes: int64(100 * size), ClockMHz: 250, Bottleneck: "the host",
		Latency: model.Latency{Count: 100, P50: int64(10 * e.Model.Host.Latency), P99: 200, P999: 300, Max: 400},
		QPs:     []model.QP{{Messages: 50, Bytes: int64(50 * size), Last: 10}, {Messages: 50, Bytes: int64(50 * size), Last: 10}},
	}, nil
}

func runnerOf(t *testing.T, p *Plan, dir string) *Runner {
	t.Helper()
	s, err := Open(dir)
	require.NoError(t, err)
	return &Runner{Plan: p, Store: s, Shard: Whole, Jobs: 2, run: fake}
}

// contents are the files of a folder, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(text)
		return err
	}))
	return all
}
