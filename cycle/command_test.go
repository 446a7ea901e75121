package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/cycle/report"
)

// cycle runs the command in this process.
func cycle(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = run(t.Context(), args, &out, &complaints)
	return code, out.String(), complaints.String()
}

// well runs the command, which has to succeed.
func well(t *testing.T, args ...string) string {
	t.Helper()
	code, out, complaints := cycle(t, args...)
	require.Zero(t, code, "%s", complaints)
	require.Empty(t, complaints, "in a pipe there is no progress")
	return out
}

const sweepText = `title: sizes
nic: tiny
workload:
  direction: a_to_b
  messages: 50
  queue_pairs: [{count: 2, path_mtu: 256, ip: 4}]
  operations: {write: 1}
  sizes: 64
sweep:
  grid:
    workload.sizes: [64, 256, 1024]
    host.latency: [0, 50]
`

// file writes an experiment file.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sizes.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestRun(t *testing.T) {
	path := file(t, sweepText)
	out := well(t, "run", path)
	require.Contains(t, out, "messages      100 in ")
	require.Contains(t, out, "bottleneck    ")
	var m report.Measured
	require.NoError(t, json.Unmarshal([]byte(well(t, "run", "-json", path)), &m))
	require.EqualValues(t, 100, m.Messages)
	require.EqualValues(t, 6400, m.Bytes)
	var slow report.Measured
	require.NoError(t, json.Unmarshal([]byte(well(t, "run", path, "-json", "-set", "host.latency=500", "-set", "workload.sizes=256")), &slow))
	require.Greater(t, slow.Cycles, m.Cycles)
	require.EqualValues(t, 25600, slow.Bytes)
	require.Contains(t, well(t, "run", "-workload", "small", "-nic", "tiny", "-set", "nic.qps=16", "-set", "workload.queue_pairs[0].path_mtu=256"), "messages      3,200 in ")
}

func TestExplain(t *testing.T) {
	path := file(t, sweepText)
	out := well(t, "explain", path)
	require.Regexp(t, `(?m)^a +packetbuild +100 `, out)
	require.Contains(t, out, "stalled")
	out = well(t, "explain", "-changes", path)
	require.Contains(t, out, "twice the data width")
	require.Regexp(t, `What helps most: .*, \+[0-9.]+ %, from |None of these changes`, out)
	var x struct {
		Run     report.Measured
		Changes []trial
	}
	require.NoError(t, json.Unmarshal([]byte(well(t, "explain", "-changes", "-json", "-set", "host.bus=pcie", path)), &x))
	require.EqualValues(t, 100, x.Run.Messages)
	for i := 1; i < len(x.Changes); i++ {
		require.GreaterOrEqual(t, x.Changes[i-1].Gain, x.Changes[i].Gain)
	}
	require.Positive(t, x.Changes[0].Rate)
}

// A sweep is run, collected, plotted and compared.
func TestSweep(t *testing.T) {
	path, dir := file(t, sweepText), t.TempDir()
	require.Len(t, strings.Split(strings.TrimSpace(well(t, "sweep", "-list", path)), "\n"), 6)
	require.Contains(t, well(t, "sweep", "-shard", "1/2", "-o", dir, path), "3 points: 3 run")

	code, out, complaints := cycle(t, "collect", "-o", dir, path)
	require.Equal(t, 1, code, "what is missing is told, and no success")
	require.Contains(t, complaints, "of 6 points 3 have not been run")
	require.Equal(t, 3, strings.Count(out, "missing\n"))

	require.Contains(t, well(t, "sweep", "-o", dir, path), "6 points: 3 run")
	require.Contains(t, well(t, "sweep", "-o", dir, path), "6 points: 0 run")
	require.Contains(t, well(t, "collect", "-o", dir, path), "results.csv\n")
	lines, err := csv.NewReader(strings.NewReader(well(t, "collect", "-csv", "-o", dir, path))).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 7)

	plots := t.TempDir()
	out = well(t, "plot", "-o", dir, "-to", plots, path)
	for _, name := range []string{"message_rate.svg", "goodput_gbps.svg", "latency.svg", "report.html"} {
		require.Contains(t, out, filepath.Join(plots, name))
		require.FileExists(t, filepath.Join(plots, name))
	}
	results := filepath.Join(dir, "results.json")
	require.Contains(t, well(t, "compare", "-within", "0", results, results), "0 numbers differ")
}

func TestCompare(t *testing.T) {
	path := file(t, strings.Split(sweepText, "sweep:")[0])
	other := filepath.Join(t.TempDir(), "run.json")
	require.NoError(t, os.WriteFile(other, []byte(well(t, "run", "-json", "-set", "host.latency=100", path)), 0o600))
	require.Regexp(t, `message_rate .*-[0-9.]+ %`, well(t, "compare", path, other))
	code, _, complaints := cycle(t, "compare", "-within", "1", path, other)
	require.Equal(t, 1, code)
	require.Contains(t, complaints, "message_rate of B is")
}

func TestSlurmScript(t *testing.T) {
	path, dir := file(t, sweepText), t.TempDir()
	out := well(t, "sweep", "-slurm", "-per-task", "4", "-o", dir, path)
	require.Contains(t, out, "6 points in 2 tasks: sbatch "+dir+"/sweep.sbatch\n")
	script, err := os.ReadFile(filepath.Join(dir, "sweep.sbatch"))
	require.NoError(t, err)
	require.Contains(t, string(script), "#SBATCH --array=1-2\n")
	info, err := os.Stat(filepath.Join(dir, "cycle"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o111, "a command")
}

func TestSchema(t *testing.T) {
	var schema map[string]any
	require.NoError(t, json.Unmarshal([]byte(well(t, "schema")), &schema))
	for _, field := range []string{"nic", "workload", "host", "caches", "link", "sweep", "plot", "seed"} {
		require.Contains(t, schema["properties"], field)
	}
}

// Wrong arguments have the exit code 2, all else that goes wrong 1, and every complaint says what was expected.
func TestComplaints(t *testing.T) {
	path := file(t, sweepText)
	bad := file(t, strings.Replace(sweepText, "host.latency", "host.latncy", 1))
	stuck := file(t, strings.Replace(sweepText, "nic: tiny", "nic: {base: tiny, credits: 1}", 1))
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "usage: go run ./cycle COMMAND"},
		{"help", 0, "usage: go run ./cycle COMMAND"},
		{"rum", 2, `"rum": expected one of run, explain, sweep, collect, plot, compare, trace, schema; did you mean run?`},
		{"run", 2, "0 files: expected one experiment file, or -workload"},
		{"run a b", 2, "2 files: expected one experiment file"},
		{"run -workload small x.yaml", 2, "-workload and x.yaml: expected one of them"},
		{"run -nic dc x.yaml", 2, "-nic goes with -workload"},
		{"run -set x " + path, 2, "-set x: expected FIELD=VALUE"},
		{"run -colour " + path, 2, "flag provided but not defined: -colour"},
		{"run -h", 0, "usage: go run ./cycle run [flags] FILE"},
		{"run absent.yaml", 1, "experiment: open absent.yaml: no such file or directory"},
		{"run -set host.latncy=3 " + path, 1, "-set host.latncy=3: host.latncy: unknown field: expected one of bus, latency,"},
		{"sweep " + bad, 1, bad + ":12: host.latncy: unknown field"},
		{"sweep " + stuck, 1, "the cycle model has no credits"},
		{"sweep -shard 3/2 " + path, 2, "-shard 3/2: expected i/n, with i from 1 to n"},
		{"sweep -j 0 " + path, 2, "-j 0: expected 1 or more"},
		{"sweep -slurm -workload small", 2, "-slurm wants an experiment file"},
		{"sweep -o /dev/null/x " + path, 1, "results: mkdir /dev/null"},
		{"collect -csv -json " + path, 2, "-csv and -json: expected one of them"},
		{"plot -o " + t.TempDir() + " " + path, 1, "none of 6 points has a result: go run ./cycle sweep "},
		{"compare " + path, 2, "1 files: expected two"},
		{"compare a.json b.json", 1, "open a.json: no such file"},
		{"trace -from 5 -to 3 " + path, 2, "-from 5 -to 3: expected cycles, the first not behind the last"},
		{"explain -j 0 " + path, 2, "-j 0: expected 1 or more"},
		{"schema x", 2, `unexpected argument "x"`},
	} {
		code, out, complaints := cycle(t, strings.Fields(c.args)...)
		require.Equal(t, c.code, code, c.args)
		require.Contains(t, complaints, c.want, c.args)
		require.Empty(t, out, c.args)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, complaints bytes.Buffer
	require.Equal(t, 1, run(ctx, []string{"sweep", "-o", t.TempDir(), file(t, sweepText)}, &out, &complaints))
	require.Contains(t, complaints.String(), "interrupted: context canceled")
}

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cycle")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// A sweep that is killed goes on where it was, and what comes of it is what a run in one piece brings, byte by byte.
func TestKilled(t *testing.T) {
	const points = 60
	text := strings.Replace(sweepText, "[64, 256, 1024]", "{from: 1, to: 30, step: 1}", 1)
	path, command, dir := file(t, strings.Replace(text, "messages: 50", "messages: 500", 1)), build(t), t.TempDir()
	files := func(dir string) []string {
		names, err := filepath.Glob(filepath.Join(dir, "points", "*.json"))
		require.NoError(t, err)
		return names
	}
	cmd := exec.Command(command, "sweep", "-j", "1", "-o", dir, path)
	require.NoError(t, cmd.Start())
	for deadline := time.Now().Add(2 * time.Minute); len(files(dir)) < 3; {
		require.True(t, time.Now().Before(deadline), "no result in two minutes")
		time.Sleep(time.Millisecond)
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	require.Error(t, cmd.Wait(), "it was killed before its end")
	had := files(dir)
	require.Less(t, len(had), points)
	for _, name := range had {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, json.Valid(text), "%s is whole", name)
	}
	require.Contains(t, well(t, "sweep", "-o", dir, path), fmt.Sprintf("%d points: %d run", points, points-len(had)))

	whole := t.TempDir()
	well(t, "sweep", "-o", whole, path)
	for _, name := range files(whole) {
		a, err := os.ReadFile(name)
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(dir, "points", filepath.Base(name)))
		require.NoError(t, err)
		require.Equal(t, string(a), string(b))
	}
	require.Len(t, files(dir), points)
}

// A trace is an SQLite file, of the window that was asked for; a run that fails leaves none.
func TestTrace(t *testing.T) {
	path, dir := file(t, sweepText), t.TempDir()
	trace := func(args ...string) int {
		name := filepath.Join(dir, fmt.Sprintf("%d.sqlite3", len(args)))
		require.Contains(t, well(t, append([]string{"trace", "-o", name, path}, args...)...), "-sqlite "+name)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(text, []byte("SQLite format 3\x00")))
		return len(text)
	}
	require.Greater(t, trace(), trace("-from", "100", "-to", "200"))
	wrong := filepath.Join(dir, "wrong.sqlite3")
	code, _, complaints := cycle(t, "trace", "-o", wrong, "-set", "nic.credits=1", path)
	require.Equal(t, 1, code)
	require.Contains(t, complaints, "credits")
	require.NoFileExists(t, wrong)
}
