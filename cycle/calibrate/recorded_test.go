package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/fit"
	"gornic/cycle/calibrate/record"
	"gornic/cycle/table"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tools/toolset"
)

// The model is no further from the RTL than docs/calibration.md says, and nowhere has it other events.
func TestModelHasNotDrifted(t *testing.T) {
	text, err := testdata.ReadFile(errorFile)
	require.NoError(t, err)
	was, err := parseErrors(text)
	require.NoError(t, err)
	all, err := load(cases.Suite)
	require.NoError(t, err)
	verdicts, err := judge(t.Context(), nil, all)
	require.NoError(t, err)
	for _, v := range verdicts {
		require.NoError(t, v.failed)
		require.Empty(t, v.Only, v.Name())
		require.Empty(t, v.Extra, v.Name())
		limit, known := was[v.Name()]
		require.True(t, known, "%s is not calibrated: run `make calibrate`", v.Name())
		if p, ok := v.Worst(); ok && v.worst() > limit {
			t.Errorf("%s: an event is %d cycles off, %d when it was calibrated: %v; run `make calibrate`", v.Name(), v.worst(), limit, p)
		}
	}
}

// A time that is a cycle longer in the model shows, too: it is what a fit goes by.
func TestFitFindsWhatMoved(t *testing.T) {
	all, err := load(cases.Suite)
	require.NoError(t, err)
	right, err := table.Default()
	require.NoError(t, err)
	longer, err := right.With("keycache", "answer", 512, right.Blocks["keycache"].Times["answer"].At(512)+1)
	require.NoError(t, err)
	var some []played
	for _, p := range all {
		if p.File == "write_1" {
			some = append(some, p)
		}
	}
	// Only this block's times are free, so that what is found is what was moved.
	fitted, changes, err := fit.Fit(t.Context(), longer, []int{512}, costOf(some), nil, "keycache")
	require.NoError(t, err)
	require.NotEmpty(t, changes)
	require.Equal(t, "keycache", changes[0].Block)
	require.Equal(t, right.Blocks["keycache"].Times["answer"].At(512), fitted.Blocks["keycache"].Times["answer"].At(512))
}

// Both simulators see the same events, in the same cycles.
func TestVerilatorSeesTheSame(t *testing.T) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	c := cases.Case{Set: cases.Suite, File: "write_257", Config: "tiny", Timeout: 10}
	var logs []*record.Log
	for _, s := range []sim.Simulator{sim.NativeSimulator, verilator.Simulator} {
		p, err := record.Prepare(t.Context(), config, s, record.Ports, nil)
		require.NoError(t, err)
		l, err := c.Record(t.Context(), p)
		if s.Absent != nil && errors.Is(err, s.Absent) {
			t.Skipf("skipped: %v", err)
		}
		require.NoError(t, err)
		logs = append(logs, l)
	}
	require.NotEmpty(t, logs[0].Events)
	require.Equal(t, logs[0].Events, logs[1].Events)
}

// The model agrees with the RTL as it is now, not only as it was recorded.
func TestModelAgreesWithRTL(t *testing.T) {
	config, err := configs.Load("board")
	require.NoError(t, err)
	p, err := record.Prepare(t.Context(), config, sim.NativeSimulator, record.Ports, nil)
	require.NoError(t, err)
	for _, file := range []string{"write_1"} {
		c := cases.Case{Set: cases.Suite, File: file, Config: config.Name, Timeout: 10}
		l, err := c.Record(t.Context(), p)
		require.NoError(t, err)
		verdicts, err := judge(t.Context(), nil, []played{newPlayed(c, record.Since(l.Begin, l.Events), config)})
		require.NoError(t, err)
		require.NoError(t, verdicts[0].err())
	}
}

// What is recorded is of the RTL that is in rtl/.
func TestRecordIsOfThisRTL(t *testing.T) {
	root, err := toolset.ModuleRoot()
	require.NoError(t, err)
	require.NoError(t, checkPin(root))
}

// A file that changes is named.
func TestPinNamesWhatChanged(t *testing.T) {
	was := []byte("aa a.v\nbb b.v\ncc c.v\n")
	require.Empty(t, moved(was, was))
	require.Equal(t, []string{"b.v", "c.v", "d.v"}, moved(was, []byte("aa a.v\nbc b.v\ndd d.v\n")))
}
