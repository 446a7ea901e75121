package walk

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
)

func TestWalks(t *testing.T) {
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	for _, w := range All() {
		r, err := Run(context.Background(), w, Options{Config: c, Seed: 1})
		require.NoError(t, err)
		for _, f := range r.Facts {
			t.Logf("%s.%d %v %d %s\n", r.Walk, f.Step, f.OK, f.Cycle, f.Fact)
			for _, l := range f.Lines {
				t.Log("     ", l)
			}
			if f.Err != nil {
				t.Error("     ", f.Err)
			}
		}
	}
}
