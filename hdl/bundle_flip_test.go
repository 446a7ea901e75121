package hdl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
)

type flipPort struct {
	Ask    hdl.Stream[hdl.Bits] `hdl:"out"`
	Answer hdl.Stream[hdl.Bits] `hdl:"in"`
}

type flipIO struct {
	Sides []flipPort `hdl:"flip"`
}

// A port struct of a client, in a slice, is the server's turned over once.
func TestFlipOfSlice(t *testing.T) {
	one := flipPort{Ask: hdl.StreamOf(hdl.W(4)), Answer: hdl.StreamOf(hdl.W(4))}
	_, _, err := hdl.Build(hdl.Def[flipIO]{
		Name: "server",
		IO:   flipIO{Sides: []flipPort{one, one}},
		Body: func(_ *hdl.Module, io *flipIO) {
			for _, s := range io.Sides {
				hdl.Connect(s.Answer, s.Ask)
			}
		},
	})
	require.NoError(t, err)
}
