package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gornic/configs"
	"gornic/tb/frames"
	"gornic/tb/program"
)

func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// References do all programs; the same seeds do the same, however many at once.
func TestGolden(t *testing.T) {
	code, one, stderr := command(t, "-golden", "-n", "40", "-q", "-j", "1", "-config", "board")
	if code != 0 || stderr != "" || !strings.HasPrefix(one, "40 programs; ") {
		t.Fatalf("exit code %d, %s%s", code, one, stderr)
	}
	code, two, _ := command(t, "-golden", "-n", "40", "-q", "-j", "3", "-config", "board")
	if code != 0 || two != one {
		t.Errorf("exit code %d, %s, then %s", code, one, two)
	}
}

// What crosses the wire in one program can be written to a file.
func TestCapture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.pcap")
	if code, stdout, stderr := command(t, "-golden", "-n", "1", "-seed", "3", "-pcap", file); code != 0 {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	if crossed, err := frames.Load(file); err != nil || len(crossed) < 20 {
		t.Errorf("%d frames, %v", len(crossed), err)
	}
}

// The first program that fails ends the run, with the command that runs it alone and what is left of it: here
// references have less queue pairs than programs need.
func TestFailure(t *testing.T) {
	c, err := configs.Load("board")
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	s, err := newSoak(t.Context(), options{count: 100, seed: 1, config: c, named: "board", sides: []sides{{}}, golden: true, workers: 2, most: 1, quiet: true}, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	s.bench.config.QPs = 4
	err = s.run(t.Context())
	if err == nil {
		t.Fatal("no failure")
	}
	want := `(?s)^seed \d+, reference-reference: .*\nalone: go run ./tb/soak -n 1 -seed \d+ -config 'board' -golden\nless of it fails, too: .*\nprogram \d+: `
	if !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("%v", err)
	}
	if n := strings.Count(err.Error(), "\nconnection ") + strings.Count(err.Error(), "\ntrial "); n == 0 || n > 12 {
		t.Errorf("%d connections and rounds are left: %v", n, err)
	}
	if s.done >= 100 {
		t.Errorf("%d programs more", s.done)
	}
}

func TestReplay(t *testing.T) {
	s := soak{options: options{named: "it's.yaml", sim: "native", checks: true}}
	got := s.replay(failure{seed: 7, sides: sides{true, false}})
	if want := `go run ./tb/soak -n 1 -seed 7 -config 'it'\''s.yaml' -sides core-reference -sim native -checks`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"want 1 or more":           {"-n", "0"},
		"unexpected argument":      {"x"},
		"want native or verilator": {"-sim", "icarus"},
		"want some of core-core":   {"-sides", "core"},
		"want one of them":         {"-golden", "-sides", "core-core"},
		"want one program":         {"-pcap", "x.pcap"},
		"have no waves":            {"-golden", "-n", "1", "-waves", "x.vcd"},
		"nor is it one of":         {"-config", "absent"},
	} {
		if code, _, stderr := command(t, args...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %s; want %q", args, code, stderr, want)
		}
	}
}

// Progress is a line now and then, and none where nobody wants it.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, 100, true)
	p.at(1)
	p.told = p.told.Add(-elsewhere)
	p.at(50)
	p.at(51)
	p.end()
	if got := out.String(); !strings.HasPrefix(got, "50 of 100 programs, ") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
	silent := newProgress(os.Stderr, 100, false)
	silent.told = silent.told.Add(-elsewhere)
	silent.at(5)
	silent.end()
}

// Sides go by the seed: a program alone has the same.
func TestSides(t *testing.T) {
	o, err := parse([]string{"-sides", "core-core,reference-core"}, os.Stderr)
	if err != nil || len(o.sides) != 2 || o.sides[0] != (sides{true, true}) || o.sides[1] != (sides{false, true}) {
		t.Errorf("%v, %v", o.sides, err)
	}
	if p := program.Lossy(4, program.LimitsOf(o.config)); len(p.Acts) != 1 {
		t.Errorf("%d acts", len(p.Acts))
	}
}
