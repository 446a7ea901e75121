package hdl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/check"
)

type unusedIO struct {
	In struct {
		A, B hdl.Bits    `w:"4"`
		C    [2]hdl.Bits `w:"1"`
	} `hdl:"in"`
	Out hdl.Bits `hdl:"out" w:"4"`
}

func unused(body func(m *hdl.Module, io *unusedIO)) error {
	_, _, err := hdl.Build(hdl.Def[unusedIO]{Name: "unused", Body: func(m *hdl.Module, io *unusedIO) {
		io.Out.Set(io.In.A)
		body(m, io)
	}})
	return err
}

func TestUnusedBut(t *testing.T) {
	require.NoError(t, unused(func(m *hdl.Module, io *unusedIO) { hdl.UnusedBut(m, io.In, io.In.A) }))

	// What is listed has to be read.
	err := unused(func(m *hdl.Module, io *unusedIO) { hdl.UnusedBut(m, io.In, io.In.A, io.In.C[1]) })
	require.ErrorIs(t, err, check.Unread)
	require.ErrorContains(t, err, "in_c_1 is never read")

	err = unused(func(m *hdl.Module, io *unusedIO) { hdl.UnusedBut(m, io.In, io.Out) })
	require.ErrorIs(t, err, check.Misuse)
	require.ErrorContains(t, err, "UnusedBut: a value of 4 bits is no field of the bundle")
}
