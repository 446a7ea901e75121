package stream_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

// move is a stream.Move in numbers.
type move struct{ Skip, Length, To int }

// realigned is what a realigner makes of a frame; ok is false for what it marks
// as bad.
func realigned(frame []byte, m move) (data []byte, ok bool) {
	if m.Skip+m.Length > len(frame) {
		return nil, false
	}
	return append(make([]byte, m.To), frame[m.Skip:m.Skip+m.Length]...), true
}

func TestRealign(t *testing.T) {
	for _, o := range []stream.RealignOptions{
		{Width: 16, LengthBits: 8},
		{Width: 64, LengthBits: 16},
		{Width: 64, LengthBits: 16, Granule: 4, Phase: 2},
		{Width: 64, LengthBits: 16, Granule: 8, Phase: 5},
		{Width: 128, LengthBits: 16},
		{Width: 512, LengthBits: 16, Granule: 4, Phase: 2},
		{Width: 512, LengthBits: 16},
	} {
		def := stream.RealignDef(o)
		t.Run(def.Name, func(t *testing.T) {
			d, io := build(t, def)
			run := eachTraffic
			if o.Width == 64 && o.Granule == 4 || o.Width == 512 && o.Granule == 0 {
				run = onBoth
			}
			run(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
				in, moves, out := sim.NewSource(s, io.In, tr.in), sim.NewSource(s, io.Move, tr.in), sim.NewSink(s, io.Out, tr.out)
				s.Reset(2)
				c := newRealignCheck(t, o)
				for range 200 {
					c.send(in, moves)
				}
				c.require(s, out)
			})
		})
	}
}

// realignCheck sends random frames with random moves and knows what leaves.
type realignCheck struct {
	t    *testing.T
	o    stream.RealignOptions
	r    *rand.Rand
	want []hdltest.Frame
}

func newRealignCheck(t *testing.T, o stream.RealignOptions) *realignCheck {
	return &realignCheck{t: t, o: o, r: rng(t)}
}

// send sends one frame: mostly good, some bad, some too short for their move.
func (c *realignCheck) send(in, moves *sim.Source) {
	size := c.o.Width / 8
	frame := make([]byte, 1+c.r.IntN(6*size))
	for i := range frame {
		frame[i] = byte(c.r.Uint32())
	}
	m := c.randomMove(len(frame))
	bad := c.r.IntN(8) == 0
	moves.Send(m)
	if bad {
		hdltest.SendBadFrame(in, frame)
	} else {
		hdltest.SendFrame(in, frame)
	}
	if m.Length == 0 {
		return
	}
	data, ok := realigned(frame, m)
	c.want = append(c.want, hdltest.Frame{Data: data, Err: bad || !ok})
}

func (c *realignCheck) randomMove(length int) move {
	size := c.o.Width / 8
	m := move{Skip: c.r.IntN(length), To: c.r.IntN(size)}
	if g := max(c.o.Granule, 1); g > 1 {
		m.To = (m.To/g*g + m.Skip + c.o.Phase) % size
		if (m.To-m.Skip-c.o.Phase)%g != 0 {
			c.t.Fatal("the move breaks the granule")
		}
	}
	switch c.r.IntN(8) {
	case 0: // nothing
	case 1: // to the end
		m.Length = length - m.Skip
	case 2: // past the end
		m.Length = length - m.Skip + 1 + c.r.IntN(3*size)
	case 3: // all of it past the end
		m.Skip += (length + c.r.IntN(2*size)) / size * size
		m.Length = 1 + c.r.IntN(2*size)
	default:
		m.Length = 1 + c.r.IntN(length-m.Skip)
	}
	return m
}

func (c *realignCheck) require(s *sim.Sim, out *sim.Sink) {
	c.t.Helper()
	s.Await(100000, out.Frames(len(c.want)))
	s.Run(20)
	require.NoError(c.t, s.Err())
	got := hdltest.TakeFrames(out)
	require.Len(c.t, got, len(c.want))
	for i, f := range got {
		require.Equal(c.t, c.want[i].Err, f.Err, "frame %d", i)
		if !f.Err {
			require.Equal(c.t, c.want[i].Data, f.Data, "frame %d", i)
		}
	}
}

func TestExtract(t *testing.T) {
	const size = 8
	d, io := build(t, stream.ExtractDef(stream.RealignOptions{Width: 8 * size, LengthBits: 16}))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, cuts, out := sim.NewSource(s, io.In, tr.in), sim.NewSource(s, io.Cut, tr.in), sim.NewSink(s, io.Out, tr.out)
		s.Reset(2)
		frames := randomFrames(t, 200, 100)
		r := rng(t)
		var want [][]byte
		for _, f := range frames {
			skip := r.IntN(len(f))
			length := 1 + r.IntN(len(f)-skip)
			cuts.Send(stream.Pair[int, int]{A: skip, B: length})
			hdltest.SendFrame(in, f)
			want = append(want, f[skip:skip+length])
		}
		s.Await(50000, out.Frames(len(want)))
		for i, f := range hdltest.TakeFrames(out) {
			require.Equal(t, want[i], f.Data)
			require.False(t, f.Err)
		}
	})
}

// Frames that do not become longer go through at a beat every cycle: for every
// offset and length, back to back.
func TestRealignRate(t *testing.T) {
	const size = 8
	d, io := build(t, stream.RealignDef(stream.RealignOptions{Width: 8 * size, LengthBits: 16}))
	for _, c := range []struct {
		name  string
		frame int
		move  move
	}{
		{"headers off minimum frames", 64, move{Skip: 54, Length: 6}},
		{"headers off", 120, move{Skip: 58, Length: 58}},
		{"one byte down", 16, move{Skip: 1, Length: 15}},
		{"one beat", 8, move{Skip: 3, Length: 5}},
		{"one beat up", 8, move{Skip: 0, Length: 3, To: 5}},
		{"nothing moves", 24, move{Skip: 0, Length: 24}},
		{"up with room", 24, move{Skip: 0, Length: 20, To: 4}},
		{"two beats to one", 16, move{Skip: 6, Length: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := sim.New(d, sim.Options{})
			require.NoError(t, err)
			in, moves, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSource(s, io.Move, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
			s.Reset(2)
			const n = 50
			for range n {
				hdltest.SendFrame(in, make([]byte, c.frame))
				moves.Send(c.move)
			}
			s.Await(2000, in.Drained())
			beats := (c.frame + size - 1) / size
			require.Equal(t, uint64(firstCycle+1+n*beats), s.Cycle(), "the first move takes a cycle, then a beat every cycle")
			s.Await(10, out.Frames(n))
			require.NoError(t, s.Close())
		})
	}
}
