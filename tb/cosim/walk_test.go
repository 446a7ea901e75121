package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gornic/tb/walk"
)

// walked is a walk of two facts, of which the second was not seen.
func walked() Scenario {
	r := walk.Result{Walk: "W9", Title: "A walk", Facts: []walk.Fact{
		{Step: 1, Fact: "it rains", OK: true, Cycle: 70, Lines: []walk.Line{
			{Cycle: 70, Where: walk.AToB, Text: "a drop"}, {Text: "no sun"}, {Play: "dry", Cycle: 8, Where: walk.A, Text: "none"},
		}},
		{Step: 2, Fact: "it pours", Err: errors.New("not seen: B: pours")},
	}}
	return Scenario{Name: "walk/W9", What: r.Title, Configs: []string{"tiny"}, Run: func(_ context.Context, env *Env) error {
		env.Walked(r)
		return r.Err()
	}}
}

func other(err error) Scenario {
	return Scenario{Name: "other", Configs: []string{"tiny"}, Run: func(_ context.Context, env *Env) error {
		env.Note("7 things")
		return err
	}}
}

func TestWalkJSON(t *testing.T) {
	code, stdout, _ := command(testBench(fake{}, walked(), other(nil)), "-json", "-sim", "native")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	want := []string{
		`{"walk":"W9","step":1,"fact":"it rains","ok":true,"cycle":70,"seen":"A to B at 70: a drop; no sun; [dry] A at 8: none","simulator":"native","config":"tiny"}`,
		`{"walk":"W9","step":2,"fact":"it pours","ok":false,"cycle":0,"seen":"not seen: B: pours","simulator":"native","config":"tiny"}`,
	}
	if code != 1 || len(lines) != 3 || !slices.Equal(lines[:2], want) {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, stdout, strings.Join(want, "\n"))
	}
	if !strings.HasPrefix(lines[2], `{"scenario":"other","simulator":"native","config":"tiny","result":"passed","seconds":`) || !strings.HasSuffix(lines[2], `,"note":"7 things"}`) {
		t.Error(lines[2])
	}
}

func TestScenarioJSON(t *testing.T) {
	for want, err := range map[string]error{"failed": errors.New("a <b> is missing"), "skipped": ErrSkip} {
		code, stdout, _ := command(testBench(fake{}, other(err)), "-json", "-sim", "native")
		if fails := want == "failed"; (code == 1) != fails || !strings.Contains(stdout, `"result":"`+want+`"`) || !strings.Contains(stdout, `"note":"`+err.Error()+`"`) {
			t.Errorf("exit code %d: %s", code, stdout)
		}
	}
}

func TestWalkSteps(t *testing.T) {
	code, stdout, _ := command(testBench(fake{}, walked(), other(nil)), "-v", "-sim", "native")
	want := `W9  A walk
    in native, configuration tiny
   1  it rains: ok
              70  A to B  a drop
                          no sun
               8  A       [dry] none
   2  it pours: NOT SEEN
                          not seen: B: pours

walk/W9, native, tiny: W9.2, it pours: not seen: B: pours
`
	if code != 1 || !strings.HasPrefix(stdout, want) || !strings.Contains(stdout, "1 passed, 1 failed") {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, stdout, want)
	}
}
