package main

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/wire"
	"gornic/tb/workload"
)

// measureHere measures what a regular expression chooses, which is something, and returns its rows.
func measureHere(t *testing.T, simulator sim.Simulator, match string) []row {
	o := options{match: regexp.MustCompile(match), sim: simulator.Name}
	chosen := o.choose()
	require.NotEmpty(t, chosen)
	rows, err := measureAll(t.Context(), o, chosen, &table{to: io.Discard})
	if simulator.Absent != nil && errors.Is(err, simulator.Absent) {
		t.Skipf("skipped: %v", err) // Go alone is enough for go test
	}
	require.NoError(t, err)
	return rows
}

// The budgets hold. The native simulator looks at the board's wire with one queue pair; Verilator at
// what a few cycles tell of the others.
func TestBudgets(t *testing.T) {
	for _, c := range []struct {
		simulator sim.Simulator
		match     string
	}{
		{sim.NativeSimulator, "^board/(send|receive)/WRITE/64/1$"},
		{verilator.Simulator, "^board/(send|receive|both)/WRITE/(64|4096)/"},
		{verilator.Simulator, "^dc/(send|receive)/(READ/64|FETCH_ADD/8|CMP_SWAP/8)/16$|^dc/(send|receive)/READ/4096/"},
		{verilator.Simulator, "^dc/(send|receive)/WRITE/64/16$|^dc/both/WRITE/4096/1$|^dc/(doorbell|arrival)/"},
	} {
		t.Run(c.simulator.Name+c.match, func(t *testing.T) {
			for _, r := range measureHere(t, c.simulator, c.match) {
				t.Logf("%s: %.2f cycles, %.1f %% of the wire, budget %s", r.Name, r.Cycles, r.Wire, r.Budget)
				require.False(t, r.missed(), "%s: %s", r.Name, r.Verdict)
			}
		})
	}
}

func TestBudgetOf(t *testing.T) {
	require.True(t, budget{cycles: 8}.met(row{Cycles: 8}))
	require.False(t, budget{cycles: 8}.met(row{Cycles: 8.1}))
	require.True(t, budget{wire: 95}.met(row{Wire: 95}))
	require.False(t, budget{wire: 95}.met(row{Wire: 94.9}))
	require.True(t, budget{}.met(row{}))
}

// Every budget has a line in the list, and names are unique.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	budgets := 0
	for _, m := range (options{}).choose() {
		require.False(t, seen[m.name], m.name)
		seen[m.name] = true
		if m.budget != (budget{}) {
			budgets++
		}
	}
	require.True(t, seen["dc/both/WRITE/4096/16"])
	require.True(t, seen["dc/receive/READ/1048576/1"])
	require.True(t, seen["board/both/CMP_SWAP/8/16"])
	require.True(t, seen["dc/doorbell/WRITE-inline/64/latency-100"])
	require.Greater(t, budgets, 40)
}

// A line counts beats of frames, requests, and what acknowledgements are the first to be for.
func TestLine(t *testing.T) {
	l := newLine(8)
	frame := func(bytes int, psn uint32, response bool) wire.Crossing {
		return wire.Crossing{Frame: make([]byte, bytes), Packet: wire.Packet{QP: 7, PSN: psn, Response: response}}
	}
	l.see(20, frame(138, 0, false))
	l.see(38, frame(138, 1, false))
	l.see(46, frame(62, 3, true))
	l.see(56, frame(62, 3, true))
	require.Equal(t, []mark{{20, 18, 1, 0}, {38, 36, 2, 0}, {46, 44, 2, 1}, {56, 52, 2, 2}}, l.sent)
	require.Equal(t, []mark{{46, 0, 4, 0}, {56, 0, 4, 0}}, l.acked)
	require.Equal(t, 18.0, l.perRequest())
	require.Equal(t, 8.0, l.perAnswer())
	first, last := between(l.sent, 30, 50)
	require.Equal(t, []mark{{38, 36, 2, 0}, {46, 44, 2, 1}}, []mark{first, last})
	p, any := l.took(wire.BToA)
	require.True(t, any)
	require.Equal(t, played{Direction: "b to a", Packets: 2, Beats: 52, Cycles: 54, Wire: 100 * 52.0 / 54}, p)
}

// The page has each row once, where it belongs.
func TestPage(t *testing.T) {
	text, err := page([]row{
		{Name: "dc/a", Config: "dc", What: "send", Operation: "WRITE", Bytes: 64, QPs: 16, Cycles: 6, Beats: 3, Wire: 50, Budget: "at most 8 cycles", Verdict: met, rate: true},
		{Name: "board/b", Config: "board", What: "both", Operation: "SEND", Bytes: 0, QPs: 1, Cycles: 16, Beats: 8, Wire: 50, rate: true},
		{Name: "dc/c", Config: "dc", What: string(toCQE), Operation: "SEND", Latency: 100, Cycles: 150, Budget: "at most 162 cycles", Verdict: met},
	})
	require.NoError(t, err)
	for _, line := range []string{
		"| `dc/a` | at most 8 cycles | 6.00 cycles | ok |",
		"| send | WRITE | 64 | 16 | 6.00 | 3.00 | 50.0 % | ok |",
		"| both | SEND | 0 | 1 | 16.00 | 8.00 | 50.0 % |  |",
		"| dc | last beat to CQE | SEND | 100 | 150 | at most 162 cycles | ok |",
	} {
		require.Equal(t, 1, bytes.Count(text, []byte(line)), line)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{"-run", "("}, {"-sim", "x"}, {"x"}, {"-nothing"}} {
		_, err := parse(args, io.Discard)
		require.Error(t, err, "%q", args)
	}
	o, err := parse([]string{"-run", "nothing"}, io.Discard)
	require.NoError(t, err)
	require.ErrorContains(t, run(t.Context(), o, io.Discard), "no measurement")
	require.ErrorContains(t, run(t.Context(), options{work: "absent.yaml"}, io.Discard), "absent.yaml")
}

// A workload with more queue pairs than the core has is refused before anything is built.
func TestWorkloadHasToFit(t *testing.T) {
	w, err := workload.Load("small")
	require.NoError(t, err)
	b := &built{}
	b.config.Name, b.config.QPs, b.config.CQs = "tiny", 4, 4
	_, _, err = playWork(t.Context(), b, w, 1)
	require.ErrorContains(t, err, "16 queue pairs, configuration tiny no more than 4")
}
