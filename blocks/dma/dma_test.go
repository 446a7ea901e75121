package dma_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dma"
	"gornic/blocks/link"
	"gornic/hdl"
)

func TestBuilds(t *testing.T) {
	_, _, err := hdl.Build(dma.Def(dma.Params{Sizes: link.Sizes{DataWidth: 64}, Reads: 6, Writes: 4}))
	require.NoError(t, err)
}
