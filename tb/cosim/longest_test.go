package main

import (
	"context"
	"strings"
	"testing"
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

// What a page of a long region has to hold, and may hold.
func TestPagesOfLongRegion(t *testing.T) {
	seen := map[int]bool{}
	for i := range 100 {
		seen[pageOf(i)] = true
	}
	if len(seen) != longPages {
		t.Errorf("%d of %d pages are used", len(seen), longPages)
	}
}
