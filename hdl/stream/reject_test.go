package stream_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/check"
	"gornic/hdl/stream"
)

type passIO struct {
	In  stream.Frame `hdl:"in"`
	Out stream.Frame `hdl:"out"`
}

// user is a design of beats of in and out bits whose author uses a part.
func user(in, out int, body func(m *hdl.Module, io *passIO)) error {
	_, _, err := hdl.Build(hdl.Def[passIO]{
		Name: "user", IO: passIO{In: stream.FrameOf(in), Out: stream.FrameOf(out)}, Body: body,
	})
	return err
}

// part is a design whose author uses a part and gives its output on.
func part(in, out int, use func(m *hdl.Module, in stream.Frame) stream.Frame) error {
	return user(in, out, func(m *hdl.Module, io *passIO) { hdl.Connect(io.Out, use(m, io.In)) })
}

func top[IO any](def hdl.Def[IO]) error {
	_, _, err := hdl.Build(def)
	return err
}

// A parameter that cannot be is one finding, at the line of the person who
// gave it.
func TestRejectedParameters(t *testing.T) {
	fifo := func(depth int) error {
		return part(64, 64, func(m *hdl.Module, in stream.Frame) stream.Frame { return stream.FIFO(m, "u_part", in, depth) })
	}
	blockFIFO := func(depth int) error {
		return part(64, 64, func(m *hdl.Module, in stream.Frame) stream.Frame {
			return stream.BlockFIFO(m, "u_part", in, depth)
		})
	}
	frameFIFO := func(depth int) error {
		return part(64, 64, func(m *hdl.Module, in stream.Frame) stream.Frame {
			return stream.FrameFIFO(m, "u_part", in, depth)
		})
	}
	asyncFIFO := func(depth int) error {
		return part(64, 64, func(m *hdl.Module, in stream.Frame) stream.Frame {
			return stream.AsyncFIFO(m, "u_part", in, depth, m.Domain(""), m.Domain(""))
		})
	}
	resize := func(from, to int) error {
		return part(from, max(to, 8), func(m *hdl.Module, in stream.Frame) stream.Frame { return stream.Resize(m, "u_part", in, to) })
	}
	credit := func(limit, give int) error {
		return part(64, 64, func(m *hdl.Module, in stream.Frame) stream.Frame {
			return stream.Credit(m, "u_part", in, limit, hdl.K(give, 0))
		})
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"FIFO of 0":               {fifo(0), "fifo_beat_64_8_x0: a depth of 0: at least 1"},
		"FIFO of -1":              {fifo(-1), "a depth of -1: at least 1"},
		"FIFO as the top":         {top(stream.FIFODef(hdl.W(8), 0)), "a depth of 0: at least 1"},
		"block FIFO of 0":         {blockFIFO(0), "a depth of 0: at least 1"},
		"block FIFO of -1":        {blockFIFO(-1), "a depth of -1: at least 1"},
		"frame FIFO of 0":         {frameFIFO(0), "a depth of 0: a power of two from 4"},
		"frame FIFO of -1":        {frameFIFO(-1), "a depth of -1: a power of two from 4"},
		"frame FIFO of 24":        {frameFIFO(24), "a depth of 24: a power of two from 4"},
		"asynchronous FIFO of 2":  {asyncFIFO(2), "a depth of 2: a power of two from 4"},
		"asynchronous FIFO of -1": {asyncFIFO(-1), "a depth of -1: a power of two from 4"},
		"narrow":                  {resize(64, 24), "beats of 64 bits into or from beats of 24: whole bytes, and the ratio is a power of two above 1"},
		"narrow by three":         {resize(96, 32), "beats of 96 bits into or from beats of 32"},
		"narrow by nothing":       {top(stream.NarrowDef(64, 64)), "beats of 64 bits into or from beats of 64"},
		"narrow to bits":          {resize(64, 4), "beats of 64 bits into or from beats of 4"},
		"widen":                   {resize(24, 64), "beats of 64 bits into or from beats of 24"},
		"widen bits":              {top(stream.WidenDef(12, 24)), "beats of 24 bits into or from beats of 12"},
		"widen to nothing":        {top(stream.WidenDef(8, 0)), "beats of 0 bits into or from beats of 8"},
		"credits of 0":            {credit(0, 1), "0 credits: at least 1"},
		"credits of -1":           {credit(-1, 1), "-1 credits: at least 1"},
		"credits given":           {credit(2, 3), "Give has 3 bits for 2 credits: 1 to 2"},
	} {
		t.Run(name, func(t *testing.T) { requireRejected(t, c.err, c.want) })
	}
}

// requireRejected fails unless err is one finding that says want and stands in
// this file.
func requireRejected(t *testing.T, err error, want string) {
	t.Helper()
	var all check.Findings
	require.True(t, errors.As(err, &all), "%v", err)
	require.Len(t, all, 1, "%v", err)
	require.ErrorIs(t, err, check.Parameter)
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, err, "hdl/stream/reject_test.go:")
	require.NotContains(t, err.Error(), "used at", "the person's line is the first that is named")
}

func TestRejectedRealigner(t *testing.T) {
	good := stream.RealignOptions{Width: 64, LengthBits: 8}
	for name, c := range map[string]struct {
		change func(*stream.RealignOptions)
		want   string
	}{
		"width":   {func(o *stream.RealignOptions) { o.Width = 24 }, "beats of 24 bits: 8 times a power of two from 16"},
		"byte":    {func(o *stream.RealignOptions) { o.Width = 8 }, "beats of 8 bits: 8 times a power of two from 16"},
		"none":    {func(o *stream.RealignOptions) { o.Width = 0 }, "beats of 0 bits: 8 times a power of two from 16"},
		"minus":   {func(o *stream.RealignOptions) { o.Width = -64 }, "beats of -64 bits: 8 times a power of two from 16"},
		"length":  {func(o *stream.RealignOptions) { o.LengthBits = 3 }, "lengths of 3 bits: more than 3"},
		"nothing": {func(o *stream.RealignOptions) { o.LengthBits = 0 }, "lengths of 0 bits: more than 3"},
		"granule": {func(o *stream.RealignOptions) { o.Granule = 3 }, "a granule of 3: a power of two, at most 8"},
		"coarse":  {func(o *stream.RealignOptions) { o.Granule = 16 }, "a granule of 16: a power of two, at most 8"},
		"phase":   {func(o *stream.RealignOptions) { o.Granule, o.Phase = 4, 4 }, "a phase of 4: less than the granule of 4"},
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			c.change(&o)
			requireRejected(t, top(stream.RealignDef(o)), c.want)
			requireRejected(t, top(stream.ExtractDef(o)), c.want)
			requireRejected(t, part(64, 64, func(m *hdl.Module, in stream.Frame) stream.Frame {
				cut := hdl.StreamOf(stream.Cut{Skip: hdl.W(8), Length: hdl.W(8)})
				return stream.Extract(m, "u_part", in, hdl.NewWire(m, "cut", cut), o)
			}), c.want)
		})
	}
}

// Other mistakes of the person are found in the same run.
func TestARejectionHidesNoMistakesOfOthers(t *testing.T) {
	err := user(64, 64, func(m *hdl.Module, io *passIO) {
		first := stream.FIFO(m, "u_first", io.In, 0)
		hdl.Connect(io.Out, stream.FrameFIFO(m, "u_second", first, 3))
		m.Wire("narrow", 4).Set(hdl.K(5, 0))
	})
	var all check.Findings
	require.True(t, errors.As(err, &all))
	require.Len(t, all, 3)
	require.ErrorContains(t, err, "a depth of 0: at least 1")
	require.ErrorContains(t, err, "a depth of 3: a power of two from 4")
	require.ErrorContains(t, err, "cannot Set narrow")
}
