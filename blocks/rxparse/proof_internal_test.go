package rxparse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/formal"
)

// Every design of the data's proofs builds, has properties, and has the signals
// that its broken copies break.
func TestDataProofsBuild(t *testing.T) {
	for _, p := range dataProofs(Params{DataWidth: 64}) {
		require.NotEmpty(t, p.Faults, p.Name)
		for _, f := range p.Faults {
			d, err := p.Build()
			require.NoError(t, err)
			require.Equal(t, p.Name, d.Top.Name)
			require.NotEmpty(t, d.Top.Checks)
			require.NoError(t, formal.Break(d, f))
		}
	}
}
