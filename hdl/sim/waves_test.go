package sim_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type machineState int

const (
	idle machineState = iota
	busy
	never
)

func (s machineState) String() string { return [...]string{"idle", "busy", "never"}[s] }

type machineIO struct {
	Go   hdl.Bits `hdl:"in" w:"1"`
	Busy hdl.Bits `hdl:"out" w:"1"`
}

func stateMachine() hdl.Def[machineIO] {
	return hdl.Def[machineIO]{Name: "state_machine", Body: func(m *hdl.Module, io *machineIO) {
		st := hdl.NewFSM(m, "st", idle, busy, never)
		wideCount := m.Reg("wide_count", 66, 0)
		io.Busy.Set(st.Is(busy))
		st.Switch(
			hdl.On(idle, func() {
				m.If(io.Go, func() { st.Goto(busy) })
			}),
			hdl.On(busy, func() {
				wideCount.Set(wideCount.AddK(1))
				m.If(wideCount.Is(1<<40), func() {
					st.Goto(never)
				}).Else(func() {
					st.Goto(idle)
				})
			}),
			hdl.On(never, func() { st.Goto(idle) }),
		)
		m.Unused(wideCount)
	}}
}

func TestWaves(t *testing.T) {
	design, io, err := hdl.Build(stateMachine())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "waves.vcd")
	s, err := sim.New(design, sim.Options{Waves: path})
	require.NoError(t, err)
	s.Reset(1)
	s.Set(io.Go, 1)
	s.Run(2)
	require.NoError(t, s.Close())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	hdltest.Golden(t, "state_machine.vcd", got)
}

func TestWavesFileError(t *testing.T) {
	design, _, err := hdl.Build(stateMachine())
	require.NoError(t, err)
	_, err = sim.New(design, sim.Options{Waves: filepath.Join(t.TempDir(), "no", "such.vcd")})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCoverage(t *testing.T) {
	design, io, err := hdl.Build(stateMachine())
	require.NoError(t, err)
	run := func(start uint64) *sim.Coverage {
		s, err := sim.New(design, sim.Options{Coverage: true})
		require.NoError(t, err)
		s.Reset(1)
		s.Set(io.Go, start)
		s.Run(6)
		require.NoError(t, s.Close())
		return s.Coverage()
	}
	total := run(0)
	assert.Len(t, total.Arms(), 6)
	assert.Len(t, total.Untaken(), 5, "all but the idle case")
	total.Merge(run(1))
	var report bytes.Buffer
	require.NoError(t, total.Report(&report))
	assert.Regexp(t, `^hdl/sim/waves_test.go:\d+: if arm never taken
hdl/sim/waves_test.go:\d+: case arm never taken
4 of 6 arms taken
$`, report.String())
	plain, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	assert.Nil(t, plain.Coverage())
}
