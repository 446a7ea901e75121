package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gornic/configs"
	"gornic/hdl/sim"
	"gornic/tb/rtl"
)

// A scenario that takes long runs where it is asked for, and there alone.
func TestAskedScenarios(t *testing.T) {
	ran := 0
	run := func(context.Context, *Env) error {
		ran++
		return nil
	}
	b := testBench(fake{}, Scenario{Name: "short", Run: run}, Scenario{Name: "long", Asked: true, Run: run})
	for args, want := range map[string]int{"": 1, "-run=long": 1, "-run=o": 2, "-run=short": 1} {
		ran = 0
		code, stdout, stderr := command(b, append(strings.Fields(args), "-sim", "native", "-config", "tiny")...)
		if code != 0 || ran != want {
			t.Errorf("%q: %d ran, want %d; exit code %d, %s%s", args, ran, want, code, stdout, stderr)
		}
	}
}

// What the scenarios do, with a message of some pages and references, which need no time:
// to the end, and stopped on the way; and what a target may not hold.
func TestLongest(t *testing.T) {
	config, err := configs.Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	note := ""
	env := &Env{
		Config: config, Simulator: sim.NativeSimulator, Progress: func(float64) {},
		Note: func(f string, args ...any) { note = fmt.Sprintf(f, args...) },
	}
	both := [2]rtl.Kind{rtl.Reference, rtl.Reference}
	for packets, want := range map[int]string{1000: "391 and 391 packets of messages of 100001 bytes", 20: " packets of messages of 100001 bytes"} {
		l := &longest{env: env, sides: both, length: 100001}
		if err := l.send(t.Context(), packets); err != nil || !strings.Contains(note, want) {
			t.Errorf("%d packets: %v, %s; want %s", packets, err, note, want)
		}
		if err := l.ends[1].holds(t.Context(), &l.ends[1], l.length); err == nil {
			t.Error("the target holds what nobody sent")
		}
	}
}
