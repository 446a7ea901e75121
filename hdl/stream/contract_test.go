package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

type contractIO struct {
	In stream.Frame `hdl:"in"`
}

// watched is a module that says that its input keeps the rules of frames.
func watched(width int) hdl.Def[contractIO] {
	return hdl.Def[contractIO]{
		Name: "watched",
		IO:   contractIO{In: stream.FrameOf(width)},
		Body: func(m *hdl.Module, io *contractIO) {
			stream.AssertFrame(m, "in", io.In)
			stream.Discard(m, io.In)
		},
	}
}

// raw is a beat with all that a test can get wrong.
type raw struct {
	Data, Keep uint64
	Last, Err  bool
}

func TestFrameContract(t *testing.T) {
	d, io := build(t, watched(32))
	for _, c := range []struct {
		name  string
		beats []raw
		broke string
	}{
		{"good", []raw{{1, 0xf, false, false}, {2, 0x3, true, true}, {3, 1, true, false}}, ""},
		{"no bytes", []raw{{1, 0, true, false}}, "in_keep_nonzero"},
		{"not from byte 0", []raw{{1, 0xe, true, false}}, "in_keep_nonzero"},
		{"hole", []raw{{1, 0xb, true, false}}, "in_keep_contiguous"},
		{"short beat inside", []raw{{1, 0x7, false, false}}, "in_keep_full"},
		{"early err", []raw{{1, 0xf, false, true}}, "in_err_at_last"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := sim.New(d, sim.Options{})
			require.NoError(t, err)
			in := sim.NewSource(s, io.In, sim.Pattern{})
			s.Reset(2)
			in.Send(anys(c.beats)...)
			s.Run(10)
			requireBroken(t, s, c.broke)
		})
	}
}

// requireBroken expects the failure of a property, or none.
func requireBroken(t *testing.T, s *sim.Sim, property string) {
	t.Helper()
	if property == "" {
		require.NoError(t, s.Close())
		return
	}
	require.ErrorContains(t, s.Close(), property)
}

type heldIO struct {
	In   hdl.Stream[hdl.Bits] `hdl:"in"`
	Stop hdl.Bits             `hdl:"in" w:"1"`
}

func TestSourceContract(t *testing.T) {
	d, io := build(t, hdl.Def[heldIO]{
		Name: "held",
		IO:   heldIO{In: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *heldIO) {
			stream.AssertSource(m, "in", io.In)
			io.In.Ready.Set(io.Stop.Not())
			m.Unused(io.In.Valid, io.In.Data)
		},
	})
	for _, c := range []struct {
		name        string
		stop        uint64
		valid, data uint64 // of the second cycle
		broke       string
	}{
		{"holds", 1, 1, 5, ""},
		{"valid falls", 1, 0, 5, "in_valid_holds"},
		{"data changes", 1, 1, 6, "in_data_holds"},
		{"taken", 0, 0, 6, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := sim.New(d, sim.Options{})
			require.NoError(t, err)
			s.Reset(2)
			s.Set(io.Stop, c.stop)
			s.Set(io.In.Valid, 1)
			s.Set(io.In.Data, 5)
			s.Step()
			s.Set(io.In.Valid, c.valid)
			s.Set(io.In.Data, c.data)
			s.Run(2)
			requireBroken(t, s, c.broke)
		})
	}
}
