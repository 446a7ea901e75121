package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

type needIO struct {
	In   hdl.Stream[stream.Pair[hdl.Bits, hdl.Bits]] `hdl:"in"` // credits that it takes, payload
	Give hdl.Stream[hdl.Bits]                        `hdl:"in"`
	Out  hdl.Stream[hdl.Bits]                        `hdl:"out"`
	Left hdl.Bits                                    `hdl:"out"`
}

// counted is a credit counter with Need and Give as streams, for a test to
// drive.
func counted(limit, bits int) hdl.Def[needIO] {
	return hdl.Def[needIO]{
		Name: "counted",
		IO: needIO{
			In: hdl.StreamOf(stream.Pair[hdl.Bits, hdl.Bits]{A: hdl.W(bits), B: hdl.W(8)}), Give: hdl.StreamOf(hdl.W(bits)),
			Out: hdl.StreamOf(hdl.W(8)), Left: hdl.W(4),
		},
		Body: func(m *hdl.Module, io *needIO) {
			c := hdl.Instance(m, "u_credit", stream.CreditDef(hdl.W(8), stream.CreditOptions{Max: limit, NeedBits: bits, GiveBits: bits}))
			hdl.Connect(c.In, stream.Map(io.In, func(p stream.Pair[hdl.Bits, hdl.Bits]) hdl.Bits { return p.B }))
			c.Need.Set(io.In.Data.A)
			c.Give.Set(hdl.Mux(io.Give.Valid, io.Give.Data, hdl.K(bits, 0)))
			io.Give.Ready.SetK(1)
			hdl.Connect(io.Out, c.Out)
			io.Left.Set(c.Left)
		},
	}
}

// A payload waits for its credits, and they come back.
func TestCredit(t *testing.T) {
	d, io := build(t, counted(10, 3))
	hdltest.EachSim(t, d, func(t *testing.T, s *sim.Sim) {
		in, give, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSource(s, io.Give, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
		s.Reset(2)
		require.Equal(t, uint64(10), s.Get(io.Left))
		for i, need := range []int{7, 3, 0, 5} {
			in.Send(stream.Pair[int, int]{A: need, B: i})
		}
		s.Run(10)
		require.Equal(t, uint64(3), out.Count(), "the last one needs 5")
		require.Equal(t, uint64(0), s.Get(io.Left))
		give.Send(4)
		s.Run(10)
		require.Equal(t, uint64(3), out.Count(), "4 are not enough")
		give.Send(3)
		s.Run(10)
		require.Equal(t, uint64(4), out.Count())
		require.Equal(t, uint64(2), s.Get(io.Left))
		got, _ := payloads(out)
		require.Equal(t, []uint64{0, 1, 2, 3}, got)
	})
}

// Giving back what was not taken is a mistake of the surroundings, which
// simulation reports.
func TestCreditThatWasNotTaken(t *testing.T) {
	d, io := build(t, counted(10, 3))
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	give := sim.NewSource(s, io.Give, sim.Pattern{})
	s.Reset(2)
	give.Send(1)
	s.Run(10)
	require.ErrorContains(t, s.Err(), "u_credit.give_was_taken")
}

type loopIO struct {
	In  hdl.Stream[hdl.Bits] `hdl:"in"`
	Out hdl.Stream[hdl.Bits] `hdl:"out"`
}

// loop is a FIFO at the end of a way without ready that a credit counter
// guards; its own assertions say that the FIFO always has room.
func loop(depth, way int) hdl.Def[loopIO] {
	return hdl.Def[loopIO]{
		Name: "loop",
		IO:   loopIO{In: hdl.StreamOf(hdl.W(16)), Out: hdl.StreamOf(hdl.W(16))},
		Body: func(m *hdl.Module, io *loopIO) {
			give := m.Wire("give", 1)
			out := stream.Credit(m, "u_credit", io.In, depth, give)
			out.Ready.SetK(1)
			far := hdl.NewStream(m, "far", hdl.W(16))
			back := io.Out.Fire()
			valid, data := out.Valid, out.Data
			for i := range way {
				valid = later(m, "valid", i, valid)
				data = later(m, "data", i, data)
				back = later(m, "back", i, back)
			}
			give.Set(back)
			far.Valid.Set(valid)
			far.Data.Set(data)
			hdl.Connect(io.Out, stream.FIFO(m, "u_fifo", far, depth))
			m.Assert("room", valid.Not().Or(far.Ready))
			m.Unused(far.Ready)
		},
	}
}

func later(m *hdl.Module, name string, i int, x hdl.Bits) hdl.Bits {
	r := m.Reg(name+"_"+string(rune('a'+i)), x.Width(), 0)
	r.Set(x)
	return r
}

func TestCreditLoop(t *testing.T) {
	const depth, way = 8, 3
	d, io := build(t, loop(depth, way))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
		s.Reset(2)
		want := numbers(t, 300, 16)
		in.Send(anys(want)...)
		s.Await(10000, out.Beats(len(want)))
		got, cycles := payloads(out)
		require.Equal(t, want, got)
		if tr.name == "full speed" {
			requireFullRate(t, cycles, way+1) // 8 credits cover the way there, the FIFO and the way back
		}
	})
}
