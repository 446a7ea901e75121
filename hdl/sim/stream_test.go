package sim_test

import (
	"math/big"
	"strings"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func gate(p sim.Pattern, n int) string {
	g := sim.NewGate(p)
	var b strings.Builder
	for range n {
		b.WriteByte(" #"[map[bool]int{false: 0, true: 1}[g.Next()]])
	}
	return b.String()
}

// Other backends follow these to the bit, so they must never change.
func TestGate(t *testing.T) {
	for _, test := range []struct {
		name    string
		pattern sim.Pattern
		want    string
	}{
		{"always", sim.Pattern{}, "################################"},
		{"never", sim.Pattern{Kind: sim.Never}, "                                "},
		{"random", sim.Pattern{Kind: sim.Random, Percent: 30, Seed: 1}, "        #      #    ## ###  #   "},
		{"burst", sim.Pattern{Kind: sim.Burst, On: 4, Off: 6, Seed: 1}, "###   ####   ###    # ##  ###   "},
		{"periodic", sim.Pattern{Kind: sim.Periodic, On: 2, Off: 3}, "##   ##   ##   ##   ##   ##   ##"},
	} {
		assert.Equal(t, test.want, gate(test.pattern, 32), test.name)
	}
}

func TestSplitMix64(t *testing.T) {
	state := uint64(1234567) // the reference implementation's first numbers for this seed
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		assert.Equal(t, want, sim.SplitMix64(&state))
	}
}

type wideIO struct {
	In  hdl.Stream[wide] `hdl:"in"`
	Out hdl.Stream[wide] `hdl:"out"`
}

type wide struct {
	A    hdl.Bits `w:"70"`
	B    hdl.Bits `w:"3"`
	C    [2]hdl.Bits
	Last hdl.Bits `w:"1"`
}

// through is a wire with a register of occupancy, to have a clock.
func through(t *testing.T) (*sim.Sim, *wideIO) {
	t.Helper()
	proto := wide{C: [2]hdl.Bits{hdl.W(64), hdl.W(1)}}
	design, io, err := hdl.Build(hdl.Def[wideIO]{
		Name: "through", IO: wideIO{In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto)},
		Body: func(m *hdl.Module, io *wideIO) {
			hdl.Connect(io.Out, io.In)
			held := m.Past("held", io.In.Valid.And(io.In.Ready.Not()))
			m.Assert("valid_holds", held.Not().Or(io.In.Valid))
			data := m.Past("past", hdl.Pack(io.In.Data))
			m.Assert("data_holds", held.Not().Or(data.Eq(hdl.Pack(io.In.Data))))
		},
	})
	require.NoError(t, err)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	return s, io
}

type wideValue struct {
	A    []uint64
	B    uint8
	C    [2]uint64
	Last bool
}

// Payloads come out as they went in, whatever the gaps; valid and data hold.
func TestSourceToSink(t *testing.T) {
	want := []wideValue{
		{A: []uint64{1 << 63, 0x3f}, B: 5, C: [2]uint64{1<<64 - 1, 1}, Last: true},
		{A: []uint64{42, 0}, B: 2, C: [2]uint64{7, 0}},
		{A: []uint64{0, 1}, B: 7, C: [2]uint64{0, 1}, Last: true},
	}
	patterns := []sim.Pattern{
		{}, {Kind: sim.Random, Percent: 20, Seed: 4}, {Kind: sim.Burst, On: 2, Off: 9, Seed: 5}, {Kind: sim.Periodic, On: 1, Off: 2},
	}
	for _, gaps := range patterns {
		for _, pauses := range patterns {
			s, io := through(t)
			in, out := sim.NewSource(s, io.In, gaps), sim.NewSink(s, io.Out, pauses)
			s.Reset(2)
			for _, v := range want {
				in.Send(v)
			}
			assert.Equal(t, 3, in.Pending())
			s.Await(500, out.Frames(2))
			assert.Equal(t, want, sim.Received[wideValue](out))
			assert.Zero(t, in.Pending())
			assert.Empty(t, out.Take())
			assert.EqualValues(t, 3, out.Count())
			require.NoError(t, s.Close())
		}
	}
}

func TestFullSpeedCycles(t *testing.T) {
	s, io := through(t)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(2)
	in.SendWords(make([]uint64, 10*in.Ports().BeatWords()))
	s.Await(100, in.Drained())
	var cycles []uint64
	for _, b := range out.Take() {
		cycles = append(cycles, b.Cycle)
	}
	assert.Equal(t, []uint64{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, cycles, "from the cycle after the first edge that sees the queue")
}

// A queue of any length, filled while it is emptied.
func TestLongQueue(t *testing.T) {
	s, io := through(t)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(1)
	sent, got := uint64(0), uint64(0)
	for range 40 {
		for range 1000 {
			in.Send(wideValue{A: []uint64{sent}})
			sent++
		}
		s.Run(900)
		for _, v := range sim.Received[wideValue](out) {
			require.Equal(t, got, v.A[0])
			got++
		}
	}
	s.Await(5000, in.Drained())
	assert.Equal(t, sent, got+uint64(len(out.Take())))
	require.NoError(t, s.Close())
}

func TestPatternChanges(t *testing.T) {
	s, io := through(t)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{Kind: sim.Never})
	s.Reset(1)
	in.Send(wideValue{A: []uint64{1}})
	s.Run(50)
	assert.Zero(t, out.Count())
	out.SetPattern(sim.Pattern{})
	s.Await(5, out.Beats(1))
	require.NoError(t, s.Close())
}

// A sink that waits for valid never has ready high before it.
func TestWaitValid(t *testing.T) {
	s, io := through(t)
	in := sim.NewSource(s, io.In, sim.Pattern{Kind: sim.Random, Percent: 30, Seed: 9})
	ports := sim.Ports(s, io.Out.Valid, io.Out.Ready, io.Out.Data)
	out := sim.NewSinkOf(s, ports, sim.Pattern{}, sim.SinkOptions{WaitValid: true, Discard: true})
	s.Reset(1)
	for range 20 {
		in.Send(wideValue{A: []uint64{3}})
	}
	for out.Count() < 20 {
		before := s.Get(io.Out.Valid) == 1 && s.Get(io.Out.Ready) == 0
		s.Step()
		assert.Equal(t, before, s.Get(io.Out.Ready) == 1)
		require.Less(t, s.Cycle(), uint64(1000))
	}
	assert.Empty(t, out.Take(), "discarded")
	require.NoError(t, s.Close())
}

func TestSendMistakes(t *testing.T) {
	for want, payload := range map[string]any{
		"4 values for the 5 fields of stream in (a, b, c_0, c_1, last)": struct {
			A, B uint8
			C    [2]uint8
		}{},
		"Send: 9 does not fit in the 3 bits of in_b": wideValue{B: 9},
		"a string is no field":                       "text",
		"more values than the 5 fields of stream in": struct{ A [6]uint8 }{},
	} {
		s, io := through(t)
		sim.NewSource(s, io.In, sim.Pattern{}).Send(payload)
		require.ErrorContains(t, s.Err(), want)
		require.Regexp(t, `^stream_test.go:\d+: `, s.Err().Error())
	}
}

// received sends one payload through and takes it out as a U.
func received[U any](t *testing.T, v wideValue) ([]U, error) {
	t.Helper()
	s, io := through(t)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(1)
	in.Send(v)
	s.Await(10, out.Beats(1))
	require.NoError(t, s.Err())
	return sim.Received[U](out), s.Err()
}

// A value that is too small for what arrives is a mistake; nothing is cut off.
func TestReceivedFits(t *testing.T) {
	v := wideValue{A: []uint64{500, 1}, B: 5, C: [2]uint64{500, 1}}
	type fields[A, B, C any] struct {
		A    A
		B    B
		C    [2]C
		Last bool
	}
	_, err := received[fields[uint64, uint8, uint64]](t, v)
	require.ErrorContains(t, err, "Received: out_a is 18446744073709552116, which does not fit in a uint64")
	_, err = received[fields[[]uint64, uint8, uint8]](t, v)
	require.ErrorContains(t, err, "out_c_0 is 500, which does not fit in a uint8")
	_, err = received[fields[[]byte, bool, int]](t, v)
	require.ErrorContains(t, err, "out_b is 5, which does not fit in a bool")
	_, err = received[fields[[]byte, string, int]](t, v)
	require.ErrorContains(t, err, "a string is no field")
	_, err = received[struct{ A, B []byte }](t, v)
	require.ErrorContains(t, err, "2 values for the 5 fields of stream out (a, b, c_0, c_1, last)")

	got, err := received[fields[*big.Int, int8, int16]](t, v)
	require.NoError(t, err)
	want, _ := new(big.Int).SetString("18446744073709552116", 10)
	require.Equal(t, []fields[*big.Int, int8, int16]{{A: want, B: 5, C: [2]int16{500, 1}}}, got)
}

func TestSourceAndSinkKnowTheirSide(t *testing.T) {
	s, io := through(t)
	sim.NewSource(s, io.Out, sim.Pattern{})
	require.ErrorContains(t, s.Err(), "NewSource of stream out, which is an output: use NewSink")
	s, io = through(t)
	sim.NewSink(s, io.In, sim.Pattern{})
	require.ErrorContains(t, s.Err(), "NewSink of stream in, which is an input: use NewSource")
	s, io = through(t)
	sim.NewSinkOf(s, sim.Ports(s, io.Out.Valid, io.In.Ready, io.Out.Data), sim.Pattern{}, sim.SinkOptions{})
	require.ErrorContains(t, s.Err(), "NewSink of stream out: in_ready is an output")
}

// An Await in vain says where it is, how far things got, and what may be the
// reason.
func TestAwaitSaysWhatIsMissing(t *testing.T) {
	s, io := through(t)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(1)
	in.Send(wideValue{A: []uint64{1}})
	s.Await(100, out.Beats(2))
	require.Regexp(t, `^stream_test.go:\d+: Await: out has 1 of 2 beats after 100 cycles; in has 0 waiting$`, s.Err().Error())

	s, io = through(t)
	in, out = sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	in.Send(wideValue{A: []uint64{1}, Last: true})
	s.Await(1, out.Frames(1), s.High(io.Out.Valid))
	require.ErrorContains(t, s.Err(), "Await: out has 0 of 1 frame, out_valid is 0 instead of 1 after 1 cycle; in has 1 waiting; Reset was never called")

	s, io = through(t)
	in = sim.NewSource(s, io.In, sim.Pattern{Kind: sim.Never})
	s.Reset(1)
	s.SetReset("", true)
	in.Send(wideValue{A: []uint64{1}}, wideValue{A: []uint64{1}})
	s.Await(9, in.Drained())
	require.ErrorContains(t, s.Err(), "Await: in has 2 waiting after 9 cycles; rst is high")

	s, _ = through(t)
	s.Await(9)
	require.ErrorContains(t, s.Err(), "no condition")
}

// A test can end at the first error, once.
func TestOnError(t *testing.T) {
	var seen []error
	s, io := through(t)
	s.OnError(func(err error) { seen = append(seen, err) })
	s.Reset(1)
	s.Await(1, s.High(io.Out.Valid))
	s.Set(io.Out.Valid, 1)
	require.Len(t, seen, 1)
	require.ErrorIs(t, seen[0], sim.ErrLimit)

	seen = nil
	c, counter := start(t, 8, 20, sim.Options{})
	c.OnError(func(err error) { seen = append(seen, err) })
	c.Reset(1)
	c.Set(counter.Enable, 1)
	c.Set(counter.Step, 5)
	c.Run(100)
	var failed *sim.CheckError
	require.Len(t, seen, 1)
	require.ErrorAs(t, seen[0], &failed)
}
