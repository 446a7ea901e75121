package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gornic/configs"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tb/program"
	"gornic/tb/rtl"
)

// programReferences is a bench of programs between references: what can be told without
// a core.
func programReferences() bench {
	return testBench(fake{}, programsOf([2]rtl.Kind{rtl.Reference, rtl.Reference}))
}

// Programs are run and counted, the same for the same seed; a simulator that is not fast
// runs a few.
func TestPrograms(t *testing.T) {
	args := []string{"-sim", "native", "-config", "tiny", "-programs", "200", "-seed", "5"}
	code, stdout, stderr := command(programReferences(), args...)
	if code != 0 || !strings.Contains(stdout, "4 programs, ") || !strings.HasSuffix(stdout, "\n1 passed, 0 failed\n") {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	_, again, _ := command(programReferences(), args...)
	if note := func(s string) string { return s[strings.Index(s, "4 programs"):] }; note(again) != note(stdout) {
		t.Errorf("%s, then %s", stdout, again)
	}
}

// What crosses the wire in one program can be written to a file, of several not.
func TestProgramsCapture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.pcap")
	bench := testBench(fake{}, programsOf([2]rtl.Kind{rtl.Core, rtl.Reference}))
	code, stdout, stderr := command(bench, "-config", "tiny", "-programs", "1", "-seed", "4", "-pcap", file)
	if code != 0 {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	if crossed, err := frames.Load(file); err != nil || len(crossed) < 10 {
		t.Errorf("%d frames, %v", len(crossed), err)
	}
	if code, stdout, _ := command(bench, "-config", "tiny", "-programs", "100", "-pcap", file); code != 1 || !strings.Contains(stdout, "want one program") {
		t.Errorf("several: exit code %d, %s", code, stdout)
	}
	if code, _, stderr := command(bench, "-programs", "-1"); code != 2 || !strings.Contains(stderr, "want 1 or more") {
		t.Errorf("less than none: exit code %d, %s", code, stderr)
	}
}

// The first program that failed is told in full, with the command that runs it alone, and
// then the seeds of the others.
func TestProgramsFail(t *testing.T) {
	c, err := configs.Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	p := &programs{env: &Env{Config: c, Named: "tiny", Simulator: sim.NativeSimulator}, sides: [2]rtl.Kind{rtl.Core, rtl.Reference}}
	if err := p.failure(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, seed := range []uint64{12, 7, 30} {
		p.failed = append(p.failed, failedProgram{program.Random(seed, program.LimitsOf(c)), errors.New("it is " + string(rune('a'+seed%26)))})
	}
	want := "it is h\nalone: go run ./tb/cosim -run '^programs/core-reference$' -sim native -config 'tiny' -seed 7 -programs 1\nother programs that failed: 12, 30"
	if err := p.failure(t.Context()); err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

// A program that fails is made smaller as long as it fails: between references in a
// configuration that has less queue pairs than the program needs, down to the first
// connection that is too many.
func TestProgramsGetSmaller(t *testing.T) {
	c, err := configs.Load("board")
	if err != nil {
		t.Fatal(err)
	}
	limits := program.LimitsOf(c)
	work := program.Random(1, limits)
	for seed := uint64(2); len(work.Acts[0].Connections) < 6 || len(work.Acts[0].Races) > 0; seed++ {
		work = program.Random(seed, limits)
	}
	c.QPs = 4
	p := &programs{
		env: &Env{Config: c, Simulator: sim.Simulator{Name: "fast"}}, sides: [2]rtl.Kind{rtl.Reference, rtl.Reference},
		failed: []failedProgram{{work, errors.New("too many")}},
	}
	text := p.failure(t.Context()).Error()
	if !strings.Contains(text, "less of it fails, too: ") || !slices.Contains([]int{2, 3, 4, 5}, strings.Count(text, "\nconnection ")) {
		t.Errorf("%s", text)
	}
}
