package dcqcn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dcqcn"
	"gornic/blocks/link"
	"gornic/hdl"
)

func params(bits, tick int) dcqcn.Params {
	return dcqcn.Params{Sizes: link.Sizes{QPBits: bits}, Tick: tick, Askers: 2}
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(16, 65535).Validate())
	require.NoError(t, params(1, 1).Validate())
	for _, p := range []dcqcn.Params{params(0, 1), params(17, 1), params(4, 0), params(4, 65536), {Sizes: link.Sizes{QPBits: 4}, Tick: 1}} {
		require.Error(t, p.Validate())
		_, _, err := hdl.Build(dcqcn.Def(p))
		require.Error(t, err)
	}
}
