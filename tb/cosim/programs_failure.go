package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gornic/tb/program"
)

// programFailures is how many programs may fail before no more are run.
const programFailures = 5

type failedProgram struct {
	work program.Program
	err  error
}

// failure is the failed program with the lowest seed, with the command that runs it
// alone, what is left of it that fails, and the seeds of the others.
func (p *programs) failure(ctx context.Context) error {
	if len(p.failed) == 0 {
		return nil
	}
	slices.SortFunc(p.failed, func(a, b failedProgram) int { return int(a.work.Seed) - int(b.work.Seed) })
	first, others := p.failed[0], ""
	for _, f := range p.failed[1:] {
		others += fmt.Sprintf(", %d", f.work.Seed)
	}
	if others != "" {
		others = "\nother programs that failed: " + strings.TrimPrefix(others, ", ")
	}
	return fmt.Errorf("%w\nalone: go run ./tb/cosim -run '^programs/%v-%v$' -sim %s -config %s -seed %d -programs 1%s%s",
		first.err, p.sides[0], p.sides[1], p.env.Simulator.Name, quote(p.env.Named), first.work.Seed, p.left(ctx, first.work), others)
}

// shrinkings is how many smaller programs are tried.
const shrinkings = 40

// left is the smallest program that fails of those that do less than one that does.
func (p *programs) left(ctx context.Context, work program.Program) string {
	if !p.env.Fast() || p.env.writes() {
		return ""
	}
	var failed error
	for tries, found := 0, true; found; {
		found = false
		for _, smaller := range work.Smaller() {
			if tries++; tries > shrinkings || ctx.Err() != nil {
				break
			}
			if _, err := p.compare(ctx, smaller); err != nil {
				work, failed, found = smaller, err, true
				break
			}
		}
	}
	if failed == nil {
		return "\nall of it is needed to fail"
	}
	return fmt.Sprintf("\nless of it fails, too: %v\n%v", failed, work)
}
