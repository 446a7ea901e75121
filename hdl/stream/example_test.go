package stream_test

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

// PacerIO is the ports of a pacer.
type PacerIO struct {
	In  hdl.Stream[hdl.Bits] `hdl:"in"`
	Out hdl.Stream[hdl.Bits] `hdl:"out"`
}

// Pacer lets a payload pass, and then none for the next idle cycles.
func Pacer(width, idle int) hdl.Def[PacerIO] {
	return hdl.Def[PacerIO]{
		Name: fmt.Sprintf("pacer_%d_x%d", width, idle),
		Doc:  "Lets a payload pass, and then none for some cycles.",
		IO:   PacerIO{In: hdl.StreamOf(hdl.W(width)), Out: hdl.StreamOf(hdl.W(width))},
		Body: func(m *hdl.Module, io *PacerIO) {
			left := m.Reg("left", 8, 0) // cycles until the next may pass
			m.If(left.Any(), func() { left.Set(left.SubK(1)) })
			m.If(io.Out.Fire(), func() { left.SetK(uint64(idle)) })
			hdl.Connect(io.Out, stream.Gate(m, "gated", io.In, left.None()))

			// Properties: the rules of streams, and what a pacer is for.
			stream.AssumeSource(m, "in", io.In)
			stream.AssertSource(m, "out", io.Out)
			since := hdl.Bits{} // cycles since the last payload, up to a limit
			m.Ghost(func() {
				since = m.Reg("since", 8, uint64(idle))
				m.If(since.LtK(uint64(idle)), func() { since.Set(since.AddK(1)) })
				m.If(io.Out.Fire(), func() { since.SetK(0) })
			})
			m.Assert("paced", io.Out.Fire().Not().Or(since.Is(uint64(idle))))
			m.Assert("counters_agree", since.Add(left).Is(uint64(idle))) // makes the proof inductive
			m.Cover("passes", io.Out.Fire())
		},
	}
}

// A block of one's own, from the design to a run: [formal.Check] in a test
// proves its properties, hdltest.EachSim runs it in both simulators.
func Example() {
	design, io, err := hdl.Build(Pacer(8, 3))
	if err != nil {
		fmt.Println(err) // every mistake, with its line
		return
	}
	s, err := sim.New(design, sim.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := sim.NewSource(s, io.In, sim.Pattern{})                                       // full speed
	out := sim.NewSink(s, io.Out, sim.Pattern{Kind: sim.Random, Percent: 90, Seed: 1}) // with pauses
	s.Reset(2)
	in.Send(10, 20, 30)
	s.Await(100, out.Beats(3))
	fmt.Println(sim.Received[uint64](out), s.Close())
	// Output: [10 20 30] <nil>
}

type mergeIO struct {
	A    stream.Frame `hdl:"in"`
	B    stream.Frame `hdl:"in"`
	Out  stream.Frame `hdl:"out"`
	From hdl.Bits     `hdl:"out" w:"1"`
}

// Two streams of frames are merged in turns; each input has a FIFO that drops
// bad frames.
func ExampleRoundRobin() {
	design, io, err := hdl.Build(hdl.Def[mergeIO]{
		Name: "merge",
		IO:   mergeIO{A: stream.FrameOf(32), B: stream.FrameOf(32), Out: stream.FrameOf(32)},
		Body: func(m *hdl.Module, io *mergeIO) {
			a := stream.FrameFIFO(m, "u_a", io.A, 16)
			b := stream.FrameFIFO(m, "u_b", io.B, 16)
			out, from := stream.RoundRobin(m, "u_merge", a, b)
			hdl.Connect(io.Out, out)
			io.From.Set(from)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sim.New(design, sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := sim.NewSource(s, io.A, sim.Pattern{}), sim.NewSource(s, io.B, sim.Pattern{})
	out := sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(2)
	hdltest.SendFrame(a, []byte("first of a"))
	hdltest.SendBadFrame(a, []byte("a bad one"))
	hdltest.SendFrame(a, []byte("second of a"))
	hdltest.SendFrame(b, []byte("first of b"))
	hdltest.SendFrame(b, []byte("second of b"))
	s.Await(100, out.Frames(4))
	for _, f := range hdltest.TakeFrames(out) {
		fmt.Printf("%s\n", f.Data)
	}
	fmt.Println(s.Close())
	// Output:
	// first of a
	// first of b
	// second of a
	// second of b
	// <nil>
}

type stripIO struct {
	In  stream.Frame           `hdl:"in"`
	Cut hdl.Stream[stream.Cut] `hdl:"in"`
	Out stream.Frame           `hdl:"out"`
}

// A header is cut off: bytes 5 to 15 of the frame come to byte 0.
func ExampleExtract() {
	options := stream.RealignOptions{Width: 64, LengthBits: 16}
	cut := stream.Cut{Skip: hdl.W(16), Length: hdl.W(16)}
	design, io, err := hdl.Build(hdl.Def[stripIO]{
		Name: "strip",
		IO:   stripIO{In: stream.FrameOf(64), Cut: hdl.StreamOf(cut), Out: stream.FrameOf(64)},
		Body: func(m *hdl.Module, io *stripIO) {
			hdl.Connect(io.Out, stream.Extract(m, "u_extract", io.In, io.Cut, options))
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sim.New(design, sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, cuts, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSource(s, io.Cut, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(2)
	cuts.Send(struct{ Skip, Length int }{5, 11})
	hdltest.SendFrame(in, []byte("head:the payload and a trailer"))
	s.Await(100, out.Frames(1))
	fmt.Printf("%s %v\n", hdltest.TakeFrames(out)[0].Data, s.Close())
	// Output: the payload <nil>
}
