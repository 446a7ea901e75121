package sim_test

import (
	"fmt"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type lightState int

const (
	red lightState = iota
	green
)

func (s lightState) String() string { return [...]string{"Red", "Green"}[s] }

type lightIO struct {
	Press hdl.Bits `hdl:"in" w:"1"`
	Go    hdl.Bits `hdl:"out" w:"1"`
}

// light turns green for a cycle after its button was pressed.
func light() hdl.Def[lightIO] {
	kinds := &hdl.Enum{Name: "kind", Values: []hdl.EnumValue{{Value: 2, Name: "WALK"}}}
	return hdl.Def[lightIO]{Name: "light", Body: func(m *hdl.Module, io *lightIO) {
		st := hdl.NewFSM(m, "st", red, green)
		st.Goto(red)
		m.If(io.Press.And(st.Is(red)), func() { st.Goto(green) })
		io.Go.Set(st.Is(green))
		m.Event("pressed", io.Press, hdl.Field("state", st.Reg), hdl.Field("kind", hdl.Cat(io.Press, hdl.K(1, 0)).Named(kinds)))
		m.Event("green", st.Is(green))
	}}
}

// lights is two of them: the second one starts with the first.
func lights() hdl.Def[lightIO] {
	return hdl.Def[lightIO]{Name: "lights", Body: func(m *hdl.Module, io *lightIO) {
		first, second := hdl.Instance(m, "u_first", light()), hdl.Instance(m, "u_second", light())
		first.Press.Set(io.Press)
		second.Press.Set(first.Go)
		io.Go.Set(second.Go)
		m.Event("go", second.Go, hdl.Field("mask", hdl.K(64, 1<<63)))
	}}
}

func runLights(t *testing.T, o sim.Options) *sim.Sim {
	t.Helper()
	design, io, err := hdl.Build(lights())
	require.NoError(t, err)
	s, err := sim.New(design, o)
	require.NoError(t, err)
	s.Set(io.Press, 1)
	s.Reset(3) // pressed in reset: nobody sees that
	s.Step()
	s.Set(io.Press, 0)
	s.Run(5)
	return s
}

// Events of one instant are in the order of the instances, the top first.
func TestEvents(t *testing.T) {
	s := runLights(t, sim.Options{Events: true})
	events := s.Events()
	var lines []string
	for _, e := range events {
		lines = append(lines, e.String())
		assert.Equal(t, 10_000*e.Cycle+5_000, e.Time)
	}
	assert.Equal(t, []string{
		"       3  u_first.pressed                  state=Red kind=WALK",
		"       4  u_first.green",
		"       4  u_second.pressed                 state=Red kind=WALK",
		"       5  go                               mask=0x8000000000000000",
		"       5  u_second.green",
	}, lines)
	kind, ok := events[0].Get("kind")
	assert.Equal(t, uint64(2), kind)
	assert.True(t, ok)
	_, ok = events[0].Get("colour")
	assert.False(t, ok)
	assert.Equal(t, "hdl/sim/event_test.go:36", events[0].Pos.String())
	assert.Empty(t, s.Events(), "they were taken")
	require.NoError(t, s.Close())
}

// What a test has not taken is there after the end.
func TestEventsAfterClose(t *testing.T) {
	s := runLights(t, sim.Options{Events: true})
	require.NoError(t, s.Close())
	assert.Len(t, s.Events(), 5)
	assert.Empty(t, s.Events())
}

func TestNoEventsUnasked(t *testing.T) {
	assert.Nil(t, runLights(t, sim.Options{}).Events())
}

func ExampleSim_Events() {
	design, io, err := hdl.Build(light())
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sim.New(design, sim.Options{Events: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Reset(2)
	s.Set(io.Press, 1)
	s.Run(2)
	for _, e := range s.Events() {
		fmt.Println(e)
	}
	// Output:
	//        2  pressed                          state=Red kind=WALK
	//        3  pressed                          state=Green kind=WALK
	//        3  green
}
