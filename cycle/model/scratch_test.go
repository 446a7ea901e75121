package model

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScratch(t *testing.T) {
	c := config(t, "dc")
	w := load(t, "write", 64, 1, 1, 4096)
	r, err := Run(t.Context(), c, w, Options{Seed: 1, Log: os.Stdout})
	require.NoError(t, err)
	t.Logf("%+v", r.Latency)
	for _, x := range []struct {
		op        string
		size, qps int
	}{{"write", 0, 1}, {"write", 0, 16}, {"write", 64, 1}, {"write", 64, 16}, {"write", 256, 16}, {"write", 4096, 1}, {"write", 4096, 16}, {"send", 64, 1}, {"send", 64, 16}, {"read", 64, 1}, {"read", 64, 16}, {"read", 4096, 16}, {"fetch_add", 8, 1}, {"fetch_add", 8, 16}} {
		w := load(t, x.op, x.size, x.qps, 2000/x.qps, 4096)
		r, err := Run(t.Context(), c, w, Options{Seed: 1})
		if err != nil {
			t.Logf("%+v %v", x, err)
			continue
		}
		t.Logf("%+v %.2f cycles a message, latency %v, %s", x, float64(r.Cycles)/float64(r.Messages), r.Latency.P50, r.Bottleneck)
	}
}
