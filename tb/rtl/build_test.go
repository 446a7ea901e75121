package rtl_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/hdl"
	"gornic/tb/rtl"
)

// Everybody gets the same core of a configuration, and another one of another; an error
// is told each time. Without a place to keep them each is new.
func TestCores(t *testing.T) {
	tiny, err := configs.Load("tiny")
	require.NoError(t, err)
	var cores rtl.Cores
	var got [4]*hdl.Design
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() { got[i], _, _ = cores.Build(tiny) })
	}
	group.Wait()
	for _, d := range got {
		require.NotNil(t, d)
		require.Same(t, got[0], d)
	}
	larger := tiny
	larger.RxPackets *= 2
	another, _, err := cores.Build(larger)
	require.NoError(t, err)
	require.NotSame(t, got[0], another)

	bad := tiny
	bad.RxPackets = 5
	for range 2 {
		_, _, err = cores.Build(bad)
		require.ErrorContains(t, err, "core in configuration tiny")
	}
	again, _, err := (*rtl.Cores)(nil).Build(tiny)
	require.NoError(t, err)
	require.NotSame(t, got[0], again)
}
