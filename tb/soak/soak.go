package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"gornic/tb/program"
)

// soak is a run of many programs.
type soak struct {
	options
	bench    *bench
	limits   program.Limits
	progress *progress

	mu      sync.Mutex
	next    int
	done    int
	sum     program.Trials
	seen    int // completions but for those of trials
	cycles  uint64
	began   time.Time
	failed  []failure
	stopped bool
}

// failure is a program that failed.
type failure struct {
	seed  uint64
	sides sides
	err   error
}

func newSoak(ctx context.Context, o options, stderr io.Writer) (*soak, error) {
	b, err := newBench(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &soak{options: o, bench: b, limits: program.LimitsOf(o.config), began: time.Now()}
	s.progress = newProgress(stderr, o.count, !o.quiet)
	return s, nil
}

// run does all programs, as many at once as there are workers, up to the first that fails.
func (s *soak) run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range min(s.workers, s.count) {
		workers.Go(func() {
			for s.one(ctx) {
			}
		})
	}
	workers.Wait()
	s.progress.end()
	if err := ctx.Err(); err != nil && len(s.failed) == 0 {
		return fmt.Errorf("after %d programs: %w", s.done, context.Cause(ctx))
	}
	return s.failure(ctx)
}

// one does the next program, and tells whether there may be another. Which sides it has, its seed decides: alone it has the same.
func (s *soak) one(ctx context.Context) bool {
	s.mu.Lock()
	i := s.next
	s.next++
	stop := i >= s.count || len(s.failed) >= s.most || ctx.Err() != nil
	s.mu.Unlock()
	if stop {
		return false
	}
	seed := s.seed + uint64(i)
	at := s.sides[seed%uint64(len(s.sides))]
	result, err := s.bench.do(ctx, program.Lossy(seed, s.limits), at)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			s.failed = append(s.failed, failure{seed, at, err})
		}
		return ctx.Err() == nil
	}
	s.add(result)
	s.progress.at(s.done)
	return true
}

func (s *soak) add(r result) {
	s.done++
	s.cycles += r.cycles
	s.seen += r.trace.Completions()
	s.sum.Add(r.trace.Trials)
}

// score tells what has been done.
func (s *soak) score() string {
	text := fmt.Sprintf("%d programs; %d completions of connections that never give up; %d ends of those that may, of which %d gave up after all retries, "+
		"%d after all RNR retries, %d were destroyed under load, %d met broken memory, %d were cut off in the middle of a message",
		s.done, s.seen, s.sum.Ends, s.sum.Retries, s.sum.NotReady, s.sum.Quit, s.sum.Broken, s.sum.Midway)
	if s.cycles > 0 && s.done > 0 {
		text += fmt.Sprintf("; %d cycles each", s.cycles/uint64(s.done))
	}
	return text
}

// first is the failure of the lowest seed.
func (s *soak) first() (failure, bool) {
	if len(s.failed) == 0 {
		return failure{}, false
	}
	return slices.MinFunc(s.failed, func(a, b failure) int { return int(int64(a.seed - b.seed)) }), true
}
