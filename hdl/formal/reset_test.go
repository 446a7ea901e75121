package formal_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/formal"
)

// With one reset all that can happen happens as soon as with many.
func TestOneReset(t *testing.T) {
	needABC(t)
	for name, prove := range map[string]func(context.Context, *hdl.Design, formal.Options) (*formal.Result, error){
		"z3": formal.Prove, "bits": formal.ProveBits,
	} {
		t.Run(name, func(t *testing.T) {
			for depth, want := range map[int]formal.Status{5: formal.Passed, 6: formal.Failed} {
				r, err := prove(t.Context(), build(t, counter(4, 4)), formal.Options{Depth: depth, OneReset: true, NoCovers: true, Dir: t.TempDir()})
				require.NoError(t, err)
				require.Equal(t, want, r.Bounded.Status, "%d cycles", depth)
				if r.Bounded.Trace != nil {
					require.Equal(t, []string{"1", "0", "0", "0", "0", "0"}, texts(t, r.Bounded.Trace, "rst"))
				}
			}
		})
	}
}
