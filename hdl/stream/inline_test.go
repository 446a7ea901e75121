package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

type inlineIO struct {
	In   hdl.Stream[hdl.Bits] `hdl:"in"`
	Open hdl.Bits             `hdl:"in" w:"1"`
	Out  hdl.Stream[hdl.Bits] `hdl:"out"`
}

func inline(body func(*hdl.Module, *inlineIO)) hdl.Def[inlineIO] {
	return hdl.Def[inlineIO]{
		Name: "inline",
		IO:   inlineIO{In: hdl.StreamOf(hdl.W(8)), Out: hdl.StreamOf(hdl.W(8))},
		Body: body,
	}
}

func TestMapAndFilter(t *testing.T) {
	d, io := build(t, inline(func(m *hdl.Module, io *inlineIO) {
		even := stream.Filter(m, "even", io.In, io.In.Data.Bit(0).Not())
		hdl.Connect(io.Out, stream.Map(stream.ForwardSlice(m, "u_slice", even), func(x hdl.Bits) hdl.Bits { return x.Not() }))
		m.Unused(io.Open)
	}))
	eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
		s.Reset(2)
		var want []uint64
		for _, v := range numbers(t, 200, 8) {
			in.Send(v)
			if v%2 == 0 {
				want = append(want, ^v&0xff)
			}
		}
		s.Await(5000, in.Drained())
		s.Await(100, out.Beats(len(want)))
		got, _ := payloads(out)
		require.Equal(t, want, got)
	})
}

func gate() hdl.Def[inlineIO] {
	return inline(func(m *hdl.Module, io *inlineIO) {
		hdl.Connect(io.Out, stream.Gate(m, "gated", io.In, io.Open))
	})
}

func TestGate(t *testing.T) {
	d, io := build(t, gate())
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(2)
	in.Send(1, 2, 3)
	s.Run(5)
	require.Zero(t, out.Count())
	s.Set(io.Open, 1)
	s.Await(10, out.Beats(3))
	require.NoError(t, s.Close())
}

// A gate that shuts in front of a waiting payload breaks the rule of streams.
func TestGateThatShutsTooEarly(t *testing.T) {
	d, io := build(t, gate())
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	in := sim.NewSource(s, io.In, sim.Pattern{})
	s.Reset(2)
	in.Send(1)
	s.Set(io.Open, 1)
	s.Run(3)
	require.NoError(t, s.Err())
	s.Set(io.Open, 0)
	s.Run(3)
	require.ErrorContains(t, s.Err(), "gated_valid_holds")
}

// A step with two effects: each is taken when its taker likes, once, and the next
// step begins when both have been.
func TestOffer(t *testing.T) {
	type offerIO struct {
		In  hdl.Stream[hdl.Bits] `hdl:"in"`
		Out hdl.Stream[hdl.Bits] `hdl:"out"`
		Not hdl.Stream[hdl.Bits] `hdl:"out"`
	}
	byteStream := hdl.StreamOf(hdl.W(8))
	d, io := build(t, hdl.Def[offerIO]{
		Name: "offers",
		IO:   offerIO{In: byteStream, Out: byteStream, Not: byteStream},
		Body: func(m *hdl.Module, io *offerIO) {
			owesOut, owesNot, held := m.Reg("owes_out", 1, 0), m.Reg("owes_not", 1, 0), m.RegN("held", 8)
			waits := stream.Offer(m, io.Out, owesOut, held).Or(stream.Offer(m, io.Not, owesNot, held.Not()))
			io.In.Ready.Set(waits.Not())
			m.If(io.In.Fire(), func() {
				held.Set(io.In.Data)
				owesOut.SetK(1)
				owesNot.Set(io.In.Data.Bit(0))
			})
			stream.AssertSource(m, "out", io.Out)
			stream.AssertSource(m, "not", io.Not)
		},
	})
	eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out, not := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out), sim.NewSink(s, io.Not, tr.in)
		s.Reset(2)
		all := numbers(t, 200, 8)
		var odd []uint64
		for _, v := range all {
			in.Send(v)
			if v%2 == 1 {
				odd = append(odd, ^v&0xff)
			}
		}
		s.Await(5000, in.Drained())
		s.Await(100, out.Beats(len(all)))
		s.Run(100)
		got, _ := payloads(out)
		require.Equal(t, all, got)
		got, _ = payloads(not)
		require.Equal(t, odd, got)
	})
}

func TestDiscard(t *testing.T) {
	d, io := build(t, inline(func(m *hdl.Module, io *inlineIO) {
		outs := stream.Fork(m, "u_fork", io.In, 2)
		stream.Discard(m, outs[0])
		hdl.Connect(io.Out, outs[1])
		m.Unused(io.Open)
	}))
	eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
		s.Reset(2)
		in.Send(anys(numbers(t, 50, 8))...)
		s.Await(2000, out.Beats(50))
	})
}
