package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/formal"
	"gornic/hdl/stream"
)

func TestProofs(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: proofs take a minute")
	}
	for _, p := range stream.Proofs() {
		t.Run(p.Name, func(t *testing.T) {
			d, err := p.Build()
			require.NoError(t, err)
			formal.Check(t, d, formal.Options{Depth: p.Depth, Induction: p.Induction})
		})
	}
}
