package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/fpga/board"
	"gornic/fpga/flow"
	"gornic/tools/toolset"
)

func runWith(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "usage: go run ./fpga build|"},
		{[]string{"bild"}, 2, `unknown command "bild"`},
		{[]string{"build", "-board", "i10"}, 2, "i10"},
		{[]string{"build", "-device", "xc7"}, 2, "xcup"},
		{[]string{"build", "-seeds", "0"}, 2, "one or more"},
		{[]string{"build", "-config", "no-such"}, 2, "no-such"},
		{[]string{"build", "i9"}, 2, `unexpected argument "i9"`},
		{[]string{"program", "-board", "i10"}, 2, "i10"},
		{[]string{"report", "-board", "no-such"}, 1, "no-such has no report"},
		{[]string{"mutants", "-config", "no-such"}, 2, "no-such"},
		{[]string{"info", "-line", "usb:1"}, 2, "neither serial:DEVICE nor udp:ADDRESS"},
		{[]string{"scan", "-line", "serial:/dev/null?baud=fast"}, 2, "fast"},
		{[]string{"info", "-line", "serial:/dev/there-is-no-such-line"}, 1, "no-such-line"},
		{[]string{"pingpong"}, 2, "no MAC address"},
		{[]string{"pingpong", "-mac", "02:00:00:00:00:01", "-mtu", "1500"}, 2, "1500"},
		{[]string{"list", "-h"}, 0, ""},
	} {
		code, _, stderr := runWith(t, c.args...)
		require.Equal(t, c.code, code, "%q: %s", c.args, stderr)
		require.Contains(t, stderr, c.says, "%q", c.args)
	}
}

func TestListNamesEveryBoard(t *testing.T) {
	code, stdout, _ := runWith(t, "list")
	require.Zero(t, code)
	for _, b := range board.All() {
		require.Contains(t, stdout, b.Title)
	}
}

func TestProgramCallsTheLoader(t *testing.T) {
	root, machine := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o644))
	t.Chdir(root)
	t.Setenv("PATH", machine+":/bin")
	code, _, stderr := runWith(t, "program", "-board", "i9")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "i9 has no bitstream: go run ./fpga build -board i9")

	bit := filepath.Join(root, "build", "fpga", "i9", flow.BitFile)
	require.NoError(t, os.MkdirAll(filepath.Dir(bit), 0o755))
	require.NoError(t, os.WriteFile(bit, []byte("bits"), 0o644))
	code, _, stderr = runWith(t, "program")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "openFPGALoader")

	require.NoError(t, os.WriteFile(filepath.Join(machine, toolset.Loader), []byte("#!/bin/sh\necho \"$@\"\n"), 0o755))
	code, stdout, _ := runWith(t, "program", "-flash")
	require.Zero(t, code)
	require.Equal(t, "--board colorlight-i9 --write-flash "+bit+"\n", stdout)

	require.NoError(t, os.WriteFile(filepath.Join(machine, toolset.Loader), []byte("#!/bin/sh\nexit 3\n"), 0o755))
	code, _, stderr = runWith(t, "program")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "exit status 3")
}

func TestEveryBoardHasACable(t *testing.T) {
	for _, b := range board.All() {
		args := loaderArgs(b, false, "x.bit")
		require.Len(t, args, 3, b.Name)
		require.Equal(t, "x.bit", args[2])
	}
}

func TestReportIsReadAgain(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o644))
	t.Chdir(root)
	dir := filepath.Join(root, "build", "fpga", "i5")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	r := flow.Report{
		Name: "i5", Device: "LFE5U-25F", Speed: 6, Top: "gornic_i5", Yosys: "0.70", Nextpnr: "0.11.1", Seed: 3,
		Blocks: []flow.Block{{Module: "gornic_i5", Comb: 20000}},
		Clocks: []flow.ClockReport{{Name: "clk", Runs: 62.5, Needs: 71.9, Reaches: 60, Path: []flow.Hop{{Cells: 2, Logic: 1, Wire: 15.6}}}},
	}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "report.json"), text, 0o644))
	code, stdout, _ := runWith(t, "report", "-board", "i5")
	require.Zero(t, code)
	require.Contains(t, stdout, "gornic_i5 on LFE5U-25F at grade 6, Yosys 0.70, nextpnr 0.11.1, seed 3")
	require.Contains(t, stdout, "TOO SLOW")

	code, stdout, _ = runWith(t, "report", "-board", "i5", "-json")
	require.Zero(t, code)
	var again flow.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &again))
	require.Equal(t, r, again)
}

func TestProgressFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, width: func() int { return 60 }}
	p.Begin(2, 3, "place and route", 95*time.Second)
	require.Equal(t, "[2/3] place and route      1:05 of about 1:35", p.line(65*time.Second))
	p.Detail("routing, 1234 of 567890 arcs left, and more than there is room for")
	require.Len(t, p.line(65*time.Second), 59)
	p.End(70*time.Second, false)
	require.Contains(t, out.String(), "[2/3] place and route      1:10\n")

	quiet := newProgress(&out)
	out.Reset()
	quiet.Begin(1, 3, "synthesize", 0)
	quiet.Detail("pass abc9")
	quiet.End(time.Second, false)
	quiet.close()
	require.Empty(t, out.String(), "a pipe")
}
