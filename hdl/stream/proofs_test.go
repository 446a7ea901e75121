package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/formal"
	"gornic/hdl/stream"
)

// All proofs are run by `make formal`; the quick ones here show that they still
// can be.
func TestQuickProofs(t *testing.T) {
	quick := map[string]bool{"slice_bits_3": true, "fifo_bits_2_x3": true, "fork_bits_2_x3": true, "round_robin_bits_2_x3": true}
	for _, p := range stream.Proofs() {
		if !quick[p.Name] {
			continue
		}
		delete(quick, p.Name)
		t.Run(p.Name, func(t *testing.T) {
			d, err := p.Build()
			require.NoError(t, err)
			formal.Check(t, d, formal.Options{Depth: p.Depth, Induction: p.Induction})
		})
	}
	require.Empty(t, quick, "proofs that are not in the list")
}

// Every design of the list builds, and has assertions to prove.
func TestProofsBuild(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range stream.Proofs() {
		d, err := p.Build()
		require.NoError(t, err)
		require.Equal(t, p.Name, d.Top.Name)
		require.NotEmpty(t, d.Top.Checks)
		require.False(t, seen[p.Name], "%s is there twice", p.Name)
		seen[p.Name] = true
	}
}

// The block of the package's example is proved for every length of time.
func TestPacerProof(t *testing.T) {
	d, _ := build(t, Pacer(2, 3))
	formal.Check(t, d, formal.Options{Depth: 10, Induction: 2})
}
