package hdltest_test

import (
	"bytes"
	"testing"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFrames(t *testing.T) {
	design, io, err := hdl.Build(stream.SliceDef(stream.BeatOf(32)))
	require.NoError(t, err)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	frames := hdltest.NewFrames(out)
	s.Reset(1)
	long := bytes.Repeat([]byte{7}, 41)
	hdltest.SendFrame(in, []byte("four"))
	hdltest.SendBadFrame(in, long)
	s.Await(50, out.Beats(6))
	first := frames.Take()
	require.Len(t, first, 1, "the second frame has not ended")
	assert.Equal(t, hdltest.Frame{Data: []byte("four"), First: first[0].First, Last: first[0].First}, first[0])
	s.Await(50, out.Frames(2))
	second := frames.Take()
	require.Len(t, second, 1)
	assert.Equal(t, long, second[0].Data)
	assert.True(t, second[0].Err)
	assert.EqualValues(t, 10, second[0].Last-second[0].First, "11 beats, one a cycle")
	require.NoError(t, s.Close())
}
