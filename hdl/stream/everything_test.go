package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	"gornic/hdl/verilog/lint"
)

type everythingIO struct {
	In   stream.Frame            `hdl:"in" clock:"core"`
	Cut  hdl.Stream[stream.Cut]  `hdl:"in" clock:"core"`
	Move hdl.Stream[stream.Move] `hdl:"in" clock:"core"`
	Out  stream.Frame            `hdl:"out" clock:"line"`
	Tick hdl.Bits                `hdl:"out" w:"1" clock:"line"`
}

// everything sends frames through an instance of every part, one behind the
// other: what it does to a frame is a cut and a move.
func everything() hdl.Def[everythingIO] {
	options := stream.RealignOptions{Width: 64, LengthBits: 12}
	return hdl.Def[everythingIO]{
		Name: "everything",
		IO: everythingIO{
			In: stream.FrameOf(64), Out: stream.FrameOf(64),
			Cut:  hdl.StreamOf(stream.Cut{Skip: hdl.W(12), Length: hdl.W(12)}),
			Move: hdl.StreamOf(stream.Move{Skip: hdl.W(12), Length: hdl.W(12), To: hdl.W(3)}),
		},
		Body: func(m *hdl.Module, io *everythingIO) {
			core, line := m.Domain("core"), m.Domain("line")
			m.In(core, func() {
				s := stream.Slice(m, "u_slice", io.In)
				s = stream.Widen(m, "u_widen", stream.Narrow(m, "u_narrow", s, 16), 64)
				s = stream.FrameFIFO(m, "u_frames", s, 64)
				s = stream.Extract(m, "u_extract", s, io.Cut, options)
				s = stream.Realign(m, "u_realign", s, io.Move, options)
				s = stream.BlockFIFO(m, "u_block", s, 9)
				s = apart(m, s)
				s = paired(m, s)
				m.In(line, func() { hdl.Connect(io.Out, stream.AsyncFIFO(m, "u_cross", s, 8, core, line)) })
				io.Tick.Set(stream.Pulse(m, "u_pulse", s.Valid.And(s.Ready).And(s.Data.Last), core, line))
			})
		},
	}
}

// apart sends frames over two ways by their length and merges them in the
// order in which they came.
func apart(m *hdl.Module, s stream.Frame) stream.Frame {
	way := m.Reg("way", 1, 0) // in turns
	m.If(s.Fire().And(s.Data.Last), func() { way.Set(way.Not()) })
	ways := stream.Demux(m, "u_demux", s, way, 2)
	order := hdl.NewStream(m, "order", hdl.W(1))
	turn := m.Reg("turn", 1, 0)
	m.If(order.Fire(), func() { turn.Set(turn.Not()) })
	order.Valid.SetK(1)
	order.Data.Set(turn)
	return stream.Mux(m, "u_mux", []stream.Frame{stream.FIFO(m, "u_lut", ways[0], 4), stream.ForwardSlice(m, "u_forward", ways[1])}, order)
}

// paired makes two copies of each beat, pairs them again, drops one, and sends the
// other through arbiters and a credit counter.
func paired(m *hdl.Module, s stream.Frame) stream.Frame {
	copies := stream.Broadcast(m, "u_copies", s, 2)
	pairs := stream.Join(m, "u_pairs", copies[0], copies[1])
	s = stream.Map(pairs, func(p stream.Pair[stream.Beat, stream.Beat]) stream.Beat { return p.A })
	m.Unused(hdl.Pack(pairs.Data.B))
	none := hdl.NewStream(m, "none", s.Data)
	none.Valid.SetK(0)
	hdl.Set(none.Data, s.Data)
	m.Unused(none.Ready)
	s, from := stream.RoundRobin(m, "u_turns", s, none)
	more := hdl.NewStream(m, "more", s.Data)
	more.Valid.SetK(0)
	hdl.Set(more.Data, s.Data)
	m.Unused(more.Ready, from)
	s, from = stream.Priority(m, "u_first", more, s)
	m.Unused(from)
	back := m.Wire("back", 1)
	s = stream.Credit(m, "u_credit", s, 4, back)
	back.Set(s.Fire())
	return s
}

func TestEverything(t *testing.T) {
	d, io := build(t, everything())
	lint.Check(t, d)
	o := sim.Options{Seed: hdltest.Seed(t), Clocks: map[string]sim.Timing{"core": {Period: 8000}, "line": {Period: 6400}}}
	for _, tr := range traffics(hdltest.Seed(t)) {
		t.Run(tr.name, func(t *testing.T) {
			hdltest.EachSimWith(t, d, o, func(t *testing.T, s *sim.Sim) {
				in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
				cuts, moves := sim.NewSource(s, io.Cut, tr.in), sim.NewSource(s, io.Move, tr.in)
				s.Reset(4)
				r := rng(t)
				var want [][]byte
				for _, f := range randomFrames(t, 100, 200) {
					if r.IntN(5) == 0 {
						hdltest.SendBadFrame(in, f) // dropped on the way
						continue
					}
					cut := stream.Pair[int, int]{A: r.IntN(len(f))}
					cut.B = 1 + r.IntN(len(f)-cut.A)
					f = sendCut(in, cuts, f, cut)
					m := move{Skip: r.IntN(len(f)), To: r.IntN(8)}
					m.Length = 1 + r.IntN(len(f)-m.Skip)
					moves.Send(m)
					moved, _ := realigned(f, m)
					want = append(want, moved)
				}
				s.Await(100000, out.Frames(len(want)))
				require.NoError(t, s.Err())
				for i, f := range hdltest.TakeFrames(out) {
					require.Equal(t, want[i], f.Data)
					require.False(t, f.Err)
				}
			})
		})
	}
}

// sendCut sends a frame and its cut and returns what is left of it.
func sendCut(in, cuts *sim.Source, frame []byte, cut stream.Pair[int, int]) []byte {
	cuts.Send(cut)
	hdltest.SendFrame(in, frame)
	return frame[cut.A : cut.A+cut.B]
}
