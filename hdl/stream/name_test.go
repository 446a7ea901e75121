package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/stream"
)

type request struct {
	Opcode hdl.Bits `w:"8"`
	Addr   hdl.Bits
	Tag    struct{ Index, Epoch hdl.Bits }
}

type sideband struct {
	stream.Beat
	QPN hdl.Bits `w:"24"`
}

// Names hold what the ports depend on: the payload's type, and the widths that
// the type leaves open.
func TestModuleNames(t *testing.T) {
	r := request{Addr: hdl.W(12)}
	r.Tag.Index, r.Tag.Epoch = hdl.W(3), hdl.W(5)
	require.Equal(t, "slice_bits_8", stream.SliceDef(hdl.W(8)).Name)
	require.Equal(t, "slice_beat_64_8", stream.SliceDef(stream.BeatOf(64)).Name)
	require.Equal(t, "fifo_stream_test_request_12_index_3_epoch_5_x16", stream.FIFODef(r, 16).Name)
	require.Equal(t, "slice_stream_test_sideband_64_8", stream.SliceDef(sideband{Beat: stream.BeatOf(64)}).Name)
	require.Equal(t, "join_pair_beat_16_2_stream_test_request_12_index_3_epoch_5", stream.JoinDef(stream.BeatOf(16), r).Name)
	require.Equal(t, "slice_bundle_a_4_b", stream.SliceDef(struct {
		A hdl.Bits
		B hdl.Bits `w:"1"`
	}{A: hdl.W(4)}).Name)
}

type twoIO struct {
	A    hdl.Stream[request]  `hdl:"in"`
	B    hdl.Stream[hdl.Bits] `hdl:"in"`
	C    hdl.Stream[hdl.Bits] `hdl:"in"`
	OutA hdl.Stream[request]  `hdl:"out"`
	OutB hdl.Stream[hdl.Bits] `hdl:"out"`
	OutC hdl.Stream[hdl.Bits] `hdl:"out"`
}

// Parts of different payloads live in one design; those of one payload are one
// module.
func TestOneModuleForOnePayload(t *testing.T) {
	r := request{Addr: hdl.W(12)}
	r.Tag.Index, r.Tag.Epoch = hdl.W(3), hdl.W(5)
	d, _ := build(t, hdl.Def[twoIO]{
		Name: "two",
		IO: twoIO{
			A: hdl.StreamOf(r), OutA: hdl.StreamOf(r),
			B: hdl.StreamOf(hdl.W(4)), OutB: hdl.StreamOf(hdl.W(4)), C: hdl.StreamOf(hdl.W(4)), OutC: hdl.StreamOf(hdl.W(4)),
		},
		Body: func(m *hdl.Module, io *twoIO) {
			hdl.Connect(io.OutA, stream.FIFO(m, "u_a", io.A, 4))
			hdl.Connect(io.OutB, stream.FIFO(m, "u_b", io.B, 4))
			hdl.Connect(io.OutC, stream.FIFO(m, "u_c", io.C, 4))
		},
	})
	require.Len(t, d.All, 4)
	require.Len(t, d.Modules, 3)
}

func TestPayloadWithABeatInsideIsFramed(t *testing.T) {
	_, framed := any(sideband{}).(stream.Framed)
	require.True(t, framed)
}
