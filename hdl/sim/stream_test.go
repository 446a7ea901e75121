package sim_test

import (
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
		"4 values for the 5 fields": struct {
			A, B uint8
			C    [2]uint8
		}{},
		"does not fit in the 3 bits":   wideValue{B: 9},
		"a string is no field":         "text",
		"more values than the 5 field": struct{ A [6]uint8 }{},
	} {
		s, io := through(t)
		sim.NewSource(s, io.In, sim.Pattern{}).Send(payload)
		require.ErrorContains(t, s.Err(), want)
	}
}
