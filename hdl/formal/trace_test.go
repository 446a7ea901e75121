package formal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/formal"
)

type lockState int

const (
	closed lockState = iota
	half
	open
)

func (s lockState) String() string { return [...]string{"CLOSED", "HALF", "OPEN"}[s] }

type lockIO struct {
	Key  hdl.Bits `hdl:"in" w:"4"`
	Open hdl.Bits `hdl:"out" w:"1"`
	Last hdl.Bits `hdl:"out" w:"4"`
}

// lock opens after the keys 3 and 12. Its property says that it does not.
func lock() hdl.Def[lockIO] {
	return hdl.Def[lockIO]{
		Name: "lock",
		Body: func(m *hdl.Module, io *lockIO) {
			state := hdl.NewFSM(m, "state", closed, half, open)
			state.Switch(
				hdl.On(closed, func() { m.If(io.Key.Is(3), func() { state.Goto(half) }) }),
				hdl.On(half, func() { m.If(io.Key.Is(12), func() { state.Goto(open) }).Else(func() { state.Goto(closed) }) }),
				hdl.On(open, func() { state.Goto(closed) }),
			)
			io.Open.Set(state.Is(open))
			last := m.RegN("last_key", 4)
			last.Set(io.Key)
			io.Last.Set(last)
			before := m.PastReset("key_before", io.Key, 0)
			m.Assert("shut", io.Open.Not().Or(before.IsNot(12)))
			m.Cover("half", state.Is(half))
		},
	}
}

// inside puts a lock behind a module of its own.
func inside() hdl.Def[lockIO] {
	return hdl.Def[lockIO]{
		Name: "door",
		Body: func(m *hdl.Module, io *lockIO) {
			u := hdl.Instance(m, "u_lock", lock())
			u.Key.Set(io.Key)
			io.Open.Set(u.Open)
			io.Last.Set(u.Last)
		},
	}
}

func texts(t *testing.T, trace *formal.Trace, path string) []string {
	t.Helper()
	s, ok := trace.Signal(path)
	require.True(t, ok, path)
	var list []string
	for c := range trace.Cycles {
		list = append(list, s.Text(c))
	}
	return list
}

func TestCounterexample(t *testing.T) {
	r := prove(t, build(t, inside()), formal.Options{Depth: 6})
	require.Equal(t, formal.Failed, r.Bounded.Status)
	trace := r.Bounded.Trace
	require.Equal(t, formal.FromReset, trace.Start)
	require.Equal(t, 4, trace.Cycles)
	require.Equal(t, []string{"CLOSED", "HALF", "OPEN"}, texts(t, trace, "u_lock.state")[1:])
	require.Equal(t, []string{"3", "0xc"}, texts(t, trace, "key")[1:3])
	require.Equal(t, "0xc", texts(t, trace, "u_lock.key_before")[3])
	require.Equal(t, []string{"1", "0"}, texts(t, trace, "rst")[:2])
	require.ErrorContains(t, r.Err(), "in cycle 3 (0 is in reset)\n\tassert u_lock.shut (hdl/formal/trace_test.go:")

	waves, err := os.ReadFile(trace.File)
	require.NoError(t, err)
	require.Equal(t, "bounded.vcd", filepath.Base(trace.File))
	require.Contains(t, string(waves), "sHALF ")
	require.Contains(t, string(waves), " state_name $end")
}

// The table has what decides over the assertion, and nothing else.
func TestExplain(t *testing.T) {
	r := prove(t, build(t, inside()), formal.Options{Depth: 6})
	lines := strings.Split(strings.TrimSpace(r.Explain()), "\n")
	require.Equal(t, "the last 4 of 4 cycles (0 is in reset):", lines[0])
	var names []string
	for _, line := range lines[1:] {
		require.Len(t, line, len(lines[1]), "columns end at the same place")
		names = append(names, strings.Fields(line)[0])
	}
	require.Equal(t, []string{"cycle", "rst", "key", "u_lock.key", "u_lock.open", "u_lock.state", "u_lock.key_before"}, names)
	require.Regexp(t, `u_lock.state( +\w+) +CLOSED +HALF +OPEN$`, lines[6])
}

func TestInductionStartsAnywhere(t *testing.T) {
	r := prove(t, build(t, counter(4, 6)), formal.Options{Depth: 4, Induction: 2, NoCovers: true})
	require.Equal(t, formal.Failed, r.Induction.Status)
	trace := r.Induction.Trace
	require.Equal(t, formal.FromAnyState, trace.Start)
	require.Equal(t, 3, trace.Cycles)
	require.Equal(t, "6", texts(t, trace, "count_now")[2])
	require.Contains(t, r.Explain(), "the last 3 of 3 cycles (0 is an arbitrary state, which may be unreachable):")
}

func TestWitness(t *testing.T) {
	r := prove(t, build(t, inside()), formal.Options{Depth: 3, Witness: true})
	require.NoError(t, r.Err())
	require.Len(t, r.Covers.Witnesses, 1)
	w := r.Covers.Witnesses[0]
	require.Equal(t, "u_lock.half", w.Covers[0].Path)
	require.Equal(t, []string{"CLOSED", "HALF"}, texts(t, w.Trace, "u_lock.state")[1:])
	require.FileExists(t, w.Trace.File)
	require.Contains(t, w.String(), "reached in cycle 2")
}

// recorder is a test that fails as it should.
type recorder struct {
	*testing.T
	failed, logged string
}

func (r *recorder) Logf(format string, args ...any) { r.logged += fmt.Sprintf(format, args...) }

func (r *recorder) Errorf(format string, args ...any) { r.failed += fmt.Sprintf(format, args...) }

func TestCheckShowsTheRun(t *testing.T) {
	r := &recorder{T: t}
	formal.Check(r, build(t, counter(9, 9)), formal.Options{Depth: 12, Dir: t.TempDir()})
	require.Contains(t, r.failed, "assert below_limit")
	require.Contains(t, r.failed, "count_now  4  5  6  7  8   9\n")
}

func TestCheckSaysWhatIsProved(t *testing.T) {
	r := &recorder{T: t}
	formal.Check(r, build(t, counter(9, 10)), formal.Options{Depth: 14, Induction: 1, Dir: t.TempDir()})
	require.Empty(t, r.failed)
	require.Contains(t, r.logged, "counter: 1 assertion: passed in 14 cycles, passed for all time; 1 of 1 cover reached; ")
}

// A proof of nothing is a mistake: the assertions have been forgotten.
func TestCheckOfNothing(t *testing.T) {
	r := &recorder{T: t}
	formal.Check(r, build(t, hdl.Def[counterIO]{Name: "mute", Body: func(m *hdl.Module, io *counterIO) {
		held := m.Reg("held", 4, 0)
		held.Set(io.Step.ZExt(4))
		io.Count.Set(held)
	}}), formal.Options{Depth: 3, Dir: t.TempDir()})
	require.Equal(t, "mute: nothing was asked: the design has no assertion, and no cover that was looked for", r.failed)
}

type storeIO struct {
	Addr hdl.Bits `hdl:"in" w:"2"`
	Data hdl.Bits `hdl:"in" w:"100"`
	Out  hdl.Bits `hdl:"out" w:"100"`
}

// What is wide or in a memory shows, too.
func TestMemoryInTrace(t *testing.T) {
	r := prove(t, build(t, hdl.Def[storeIO]{Name: "store", Body: func(m *hdl.Module, io *storeIO) {
		ram := m.LUTRAM("ram", 4, 100)
		ram.Write(io.Addr, hdl.K(1, 1), io.Data)
		word := ram.At(io.Addr)
		io.Out.Set(word)
		m.Assert("never_all_ones", word.All().Not())
	}}), formal.Options{Depth: 3, Induction: 1})
	trace := r.Bounded.Trace
	require.NotNil(t, trace)
	last := trace.Cycles - 1
	at := texts(t, trace, "addr")[last]
	require.Equal(t, "0xffffff..ffffffff", texts(t, trace, "ram["+at+"]")[last])
	require.Contains(t, r.Explain(), "ram["+at+"]")
}
