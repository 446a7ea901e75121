package stream_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/check"
	"gornic/hdl/stream"
)

// requireOneClash fails unless a design whose author calls body has one
// finding, in this file, that says want.
func requireOneClash(t *testing.T, want string, body func(m *hdl.Module, io *clashIO)) {
	t.Helper()
	_, _, err := hdl.Build(hdl.Def[clashIO]{
		Name: "clashes", IO: clashIO{In: stream.FrameOf(64), Out: stream.FrameOf(64)}, Body: body,
	})
	var all check.Findings
	require.True(t, errors.As(err, &all), "%v", err)
	require.Len(t, all, 1, "%v", err)
	require.ErrorIs(t, err, check.Clash)
	require.Regexp(t, `hdl/stream/clash_test.go:\d+: clashes: `+want, err.Error())
	require.NotContains(t, err.Error(), "used at")
}

type clashIO struct {
	In     stream.Frame `hdl:"in"`
	Out    stream.Frame `hdl:"out"`
	Tokens hdl.Bits     `hdl:"out" w:"4"`
}

func TestInstanceNamedLikeAPort(t *testing.T) {
	requireOneClash(t, `instance tokens: the name is taken by output tokens \(hdl/stream/clash_test.go:\d+\)`,
		func(m *hdl.Module, io *clashIO) {
			io.Tokens.SetK(0)
			hdl.Connect(io.Out, stream.FIFO(m, "tokens", io.In, 4))
		})
}

func TestTwoInstancesOfOneName(t *testing.T) {
	requireOneClash(t, `instance u_queue: the name is taken by instance u_queue \(hdl/stream/clash_test.go:\d+\)`,
		func(m *hdl.Module, io *clashIO) {
			io.Tokens.SetK(0)
			first := stream.FIFO(m, "u_queue", io.In, 4)
			hdl.Connect(io.Out, stream.BlockFIFO(m, "u_queue", first, 8))
		})
}

func TestTwoBundlesOfOneName(t *testing.T) {
	requireOneClash(t, `wire beats_valid: the name is taken by wire beats_valid`,
		func(m *hdl.Module, io *clashIO) {
			io.Tokens.SetK(0)
			first := hdl.NewStream(m, "beats", stream.BeatOf(64))
			second := hdl.NewStream(m, "beats", stream.BeatOf(64))
			hdl.Connect(first, io.In)
			hdl.Connect(second, first)
			hdl.Connect(io.Out, second)
		})
}
