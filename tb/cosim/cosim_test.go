package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/hdl/sim"
	"gornic/tb/frames"
)

// fake stands in for the core in tests of the command: it does what the
// reference does, but for one reason, of which it makes another.
type fake struct{ mistake, instead format.Reason }

func (f fake) Receive(_ context.Context, frames [][]byte) ([]Outcome, error) {
	var all []Outcome
	for _, b := range frames {
		o := expect(b, false, room{1, 1 << 16, 1 << 16})
		if o.Reason == f.mistake && f.mistake != 0 {
			o = Outcome{Reason: f.instead, ICRC: o.ICRC}
		}
		all = append(all, o)
	}
	return all, nil
}

func (fake) Close() error { return nil }

// testBench is a bench of fakes, with simulators native and, absent, verilator.
func testBench(f fake, scenarios ...Scenario) bench {
	open := func(_ context.Context, s sim.Simulator, _ configs.Config, _ sim.Options) (Receiver, error) {
		return f, s.Absent
	}
	return bench{
		simulators: []simulator{
			{sim.Simulator{Name: "native"}, open},
			{sim.Simulator{Name: "verilator", Absent: errors.New("no verilator here")}, open},
		},
		scenarios: scenarios,
	}
}

func command(b bench, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs, b)
	return code, out.String(), errs.String()
}

// files writes a pcap file of an accepted frame, one of no bytes, an ARP frame
// and a frame with a wrong ICRC, and returns its path.
func captureFile(t *testing.T) string {
	t.Helper()
	good, err := frames.Build(format.TxDescriptor[uint64]{
		Opcode: uint64(format.OpWriteOnly), PKey: format.PKeyDefault, DestQP: 0x12, PSN: 70, PadCnt: 1,
	}, []byte{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.Clone(good)
	wrong[len(wrong)-1]++
	arp := append(make([]byte, 12), 8, 6, 0, 1)
	return pcapFile(t, good, nil, arp, wrong)
}

func pcapFile(t *testing.T, data ...[]byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := frames.WritePcap(&b, data); err != nil {
		t.Fatal(err)
	}
	return textFile(t, "capture.pcap", b.String())
}

func textFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFramesTable(t *testing.T) {
	code, stdout, stderr := command(testBench(fake{}), "-frames", captureFile(t))
	want := `file          frame  opcode             dest QP  PSN      payload  ICRC    verdict   reason
capture.pcap      1  WRITE_ONLY         0x000012 0x000046       3  good    accepted  ok
capture.pcap      2  -                  -        -              -  absent  dropped   truncated
capture.pcap      3  -                  -        -              -  absent  passed    ethertype
capture.pcap      4  WRITE_ONLY         0x000012 0x000046       3  bad     dropped   icrc
4 frames: 1 accepted, 1 passed to the raw stream, 2 dropped
`
	if code != 0 || stdout != want || stderr != "" {
		t.Errorf("exit code %d, %s\n%s\nwant\n%s", code, stderr, stdout, want)
	}
}

func TestFramesJSON(t *testing.T) {
	path := captureFile(t)
	want := `{"file":"capture.pcap","frame":1,"opcode":10,"dest_qp":18,"psn":70,"payload_len":3,"icrc":"good","verdict":"accepted","reason":"ok"}
{"file":"capture.pcap","frame":2,"opcode":null,"dest_qp":null,"psn":null,"payload_len":null,"icrc":"absent","verdict":"dropped","reason":"truncated"}
{"file":"capture.pcap","frame":3,"opcode":null,"dest_qp":null,"psn":null,"payload_len":null,"icrc":"absent","verdict":"passed","reason":"ethertype"}
{"file":"capture.pcap","frame":4,"opcode":10,"dest_qp":18,"psn":70,"payload_len":3,"icrc":"bad","verdict":"dropped","reason":"icrc"}
`
	for _, args := range [][]string{
		{"-frames", "-json", path}, {"-frames", path, "-json"}, {"-json", "-frames", path}, {path, "--json", "--frames"},
	} {
		if code, stdout, stderr := command(testBench(fake{}), args...); code != 0 || stdout != want || stderr != "" {
			t.Errorf("%v: exit code %d, %s\n%s\nwant\n%s", args, code, stderr, stdout, want)
		}
	}
}

// Files in the forms that there are, a broken one among them: the others are
// judged, the complaint names it, the exit code is 1.
func TestFramesOfManyFiles(t *testing.T) {
	good := frames.NewGenerator(2).Good().Data
	hexFile := textFile(t, "one.hex", "# one frame\n"+hex.EncodeToString(good))
	broken := textFile(t, "broken.pcap", "not a capture at all")
	code, stdout, stderr := command(testBench(fake{}), "-json", "-frames", hexFile, broken, captureFile(t), textFile(t, "none.hex", "#"))
	var names []string
	for line := range strings.Lines(stdout) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprint(r.File, r.Frame))
	}
	want := []string{"one.hex1", "capture.pcap1", "capture.pcap2", "capture.pcap3", "capture.pcap4"}
	if code != 1 || !slices.Equal(names, want) {
		t.Errorf("exit code %d, rows %v, want %v", code, names, want)
	}
	for _, part := range []string{"broken.pcap: ", "neither pcap", "none.hex:1: no bytes", "failures: 2"} {
		if !strings.Contains(stderr, part) {
			t.Errorf("stderr lacks %q: %s", part, stderr)
		}
	}
}

// A core that differs from the reference is found out; its own word is in the row.
func TestFramesMismatch(t *testing.T) {
	code, stdout, stderr := command(testBench(fake{format.ReasonICRC, format.ReasonOK}), "-frames", captureFile(t))
	if code != 1 || !strings.Contains(stderr, "frame 4: the core says accepted (ok), the reference dropped (icrc)") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, "bad     accepted  ok") {
		t.Errorf("rows: %s", stdout)
	}
}

func TestDiffer(t *testing.T) {
	frame, err := frames.Build(format.TxDescriptor[uint64]{Opcode: 4, PKey: format.PKeyDefault, DestQP: 2}, make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	enough := room{8, 1, 9}
	want := expect(frame, false, enough)
	if err := differ(expect(frame, false, enough), want); err != nil || want.Reason != format.ReasonOK {
		t.Errorf("%v: %v", want.Reason, err)
	}
	if full := expect(frame, false, room{4, 1, 20}); full.Reason != format.ReasonBufferFull || full.Payload != nil {
		t.Errorf("a payload larger than the buffer: %+v", full)
	}
	for part, change := range map[string]func(*Outcome){
		"says dropped (tver)":          func(o *Outcome) { o.Reason = format.ReasonTVer },
		"says ICRC bad":                func(o *Outcome) { o.ICRC++ },
		"descriptors differ":           func(o *Outcome) { o.Descriptor.PSN++ },
		"byte 3 is 0x01":               func(o *Outcome) { o.Payload = []byte{0, 0, 0, 1, 0, 0, 0, 0} },
		"7 bytes, the reference has 8": func(o *Outcome) { o.Payload = o.Payload[1:] },
		"raw frames differ":            func(o *Outcome) { o.Raw = []byte{1} },
	} {
		got := expect(frame, false, enough)
		change(&got)
		if err := differ(got, want); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v, want %q", err, part)
		}
	}
}

func TestUsage(t *testing.T) {
	path := captureFile(t)
	for want, args := range map[string][]string{
		"-frames wants files":          {"-frames"},
		"files go with -frames":        {path},
		"-json goes without -v":        {"-json", "-v"},
		"go with pairs":                {"-frames", path, "-pcap", "x"},
		"-coverage goes without":       {"-frames", path, "-coverage", "x"},
		"workload: open absent.yaml":   {"-workload", "absent.yaml"},
		"want native or verilator":     {"-sim", "modelsim"},
		"missing closing":              {"-run", "("},
		"configuration":                {"-config", "absent.yaml"},
		"not defined: -wrong":          {"-wrong"},
		"invalid value \"x\" for flag": {"-seed", "x"},
	} {
		if code, stdout, stderr := command(testBench(fake{}), args...); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q, %q; want 2, %q", args, code, stdout, stderr, want)
		}
	}
	if code, _, stderr := command(testBench(fake{}), "-help"); code != 0 || !strings.Contains(stderr, "-frames") {
		t.Errorf("-help: exit code %d, %s", code, stderr)
	}
	code, _, stderr := command(testBench(fake{}), "-sim", "verilator", "-frames", path)
	if code != 1 || !strings.Contains(stderr, "no verilator here") {
		t.Errorf("absent simulator: exit code %d, %s", code, stderr)
	}
}

func TestScenarios(t *testing.T) {
	ran := map[string]uint64{}
	scenario := func(name string, err error) Scenario {
		return Scenario{Name: name, What: "does " + name, Run: func(ctx context.Context, env *Env) error {
			ran[name] = env.Seed
			env.Note("%d things", 7)
			env.Progress(0.5)
			if _, err := env.Receiver(ctx); err != nil {
				return err
			}
			return err
		}}
	}
	b := testBench(fake{},
		scenario("good", nil), scenario("bad", errors.New("first line\nsecond line")),
		scenario("lacking", fmt.Errorf("%w: no captures", ErrSkip)))

	code, stdout, stderr := command(b, "-seed", "9", "-config", "tiny")
	if code != 1 || ran["good"] != 9 || !strings.HasSuffix(stdout, "\n4 skipped\n1 passed, 1 failed\n") || stderr != "cosim: scenarios failed\n" {
		t.Errorf("exit code %d, ran %v, %s%s", code, ran, stdout, stderr)
	}
	for _, part := range []string{"good", "7 things", "FAILED", "second line", "skipped: no captures", "no verilator here"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("no %q in %s", part, stdout)
		}
	}

	code, stdout, _ = command(b, "-run", "^good$", "-sim", "native", "-config", "tiny")
	if lines := strings.Split(stdout, "\n"); code != 0 || len(lines) != 4 || lines[2] != "1 passed, 0 failed" {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	if code, _, stderr = command(b, "-run", "nothing"); code != 1 || !strings.Contains(stderr, "no scenario") {
		t.Errorf("no scenario: exit code %d, %s", code, stderr)
	}
	if code, stdout, _ = command(b, "-list"); code != 0 || stdout != "good     does good\nbad      does bad\nlacking  does lacking\n" {
		t.Errorf("-list: exit code %d, %q", code, stdout)
	}
}

// An interrupt ends the run after the scenario in hand, with what is known so far.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	scenario := Scenario{Name: "each", Run: func(context.Context, *Env) error { cancel(); return nil }}
	var out, errs bytes.Buffer
	b := testBench(fake{}, scenario, scenario)
	if code := run(ctx, []string{"-sim", "native", "-config", "tiny"}, &out, &errs, b); code != 1 || !strings.HasSuffix(out.String(), "\n1 not run: interrupted\n1 passed, 0 failed\n") {
		t.Errorf("exit code %d, %s%s", code, out.String(), errs.String())
	}
}

// Of the rows of tables -sample takes every Nth, of the rest everything.
func TestSample(t *testing.T) {
	var all []Scenario
	for i := range 7 {
		s := Scenario{Name: fmt.Sprintf("row-%d", i), Row: i != 3, Configs: []string{"tiny"}}
		s.Run = func(context.Context, *Env) error { return nil }
		all = append(all, s)
	}
	var names []string
	_, stdout, _ := command(testBench(fake{}, all...), "-sim", "native", "-sample", "3")
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, "row-") {
			names = append(names, strings.Fields(line)[0])
		}
	}
	require.ElementsMatch(t, []string{"row-0", "row-3", "row-4"}, names)
	code, _, stderr := command(testBench(fake{}, all...), "-sample", "0")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "-sample 0: want 1 or more")
}

// A scenario that one simulator is enough for runs in the fastest, or in the one that is asked for.
func TestOnce(t *testing.T) {
	usual, once := Scenario{Name: "usual"}, Scenario{Name: "once", Once: true}
	for _, s := range []*Scenario{&usual, &once} {
		s.Configs = []string{"tiny"}
		s.Run = func(context.Context, *Env) error { return nil }
	}
	b := testBench(fake{}, usual, once)
	rows := func(args ...string) (rows []string) {
		_, stdout, _ := command(b, args...)
		for line := range strings.Lines(stdout) {
			if f := strings.Fields(line); len(f) > 2 && f[2] == "tiny" {
				rows = append(rows, f[0]+" "+f[1])
			}
		}
		return rows
	}
	require.ElementsMatch(t, []string{"usual native", "usual verilator", "once verilator"}, rows())
	require.ElementsMatch(t, []string{"usual native", "once native"}, rows("-sim", "native"))
}
