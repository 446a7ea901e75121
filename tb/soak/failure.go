package main

import (
	"context"
	"fmt"
	"strings"

	"gornic/tb/program"
)

// shrinkings is how many smaller programs are tried: of references, that take no time, more.
const (
	shrinkings       = 60
	shrinkingsGolden = 2000
)

// failure is the first program that failed, with the command that runs it alone, and what is left of it that fails; nil: none did.
func (s *soak) failure(ctx context.Context) error {
	f, any := s.first()
	if !any {
		return nil
	}
	return fmt.Errorf("seed %d, %v: %w\nalone: %s%s%s", f.seed, f.sides, f.err, s.replay(f), s.left(ctx, f), s.others(f))
}

// others are the failures but the first, a line each.
func (s *soak) others(first failure) string {
	text := ""
	for _, f := range s.failed {
		if f.seed != first.seed {
			line, _, _ := strings.Cut(f.err.Error(), "\n")
			text += fmt.Sprintf("\nseed %d, %v: %s\nalone: %s", f.seed, f.sides, line, s.replay(f))
		}
	}
	return text
}

// replay is the command that runs a program alone.
func (s *soak) replay(f failure) string {
	words := []string{"go run ./tb/soak", fmt.Sprintf("-n 1 -seed %d -config '%s'", f.seed, strings.ReplaceAll(s.named, "'", `'\''`))}
	if f.sides == (sides{}) {
		words = append(words, "-golden")
	} else {
		words = append(words, fmt.Sprintf("-sides %v -sim %s", f.sides, s.sim))
	}
	if s.whole {
		words = append(words, "-whole")
	}
	if s.checks {
		words = append(words, "-checks")
	}
	return strings.Join(words, " ")
}

// left is the smallest program found that fails, too.
func (s *soak) left(ctx context.Context, f failure) string {
	tries := shrinkings
	switch {
	case f.sides == (sides{}):
		tries = shrinkingsGolden
	case s.bench.slow() || s.pcap+s.waves != "":
		return ""
	}
	work := program.Lossy(f.seed, s.limits)
	var failed error
	for found := true; found; {
		found = false
		for _, smaller := range work.Smaller() {
			if tries--; tries < 0 || ctx.Err() != nil {
				break
			}
			if _, err := s.bench.do(ctx, smaller, f.sides); err != nil && ctx.Err() == nil {
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
