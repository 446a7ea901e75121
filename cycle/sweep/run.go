package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"gornic/cycle/config"
	"gornic/cycle/model"
	"gornic/cycle/report"
)

// Runner runs the points of a plan.
type Runner struct {
	Plan  *Plan
	Store *Store
	Shard Shard
	Jobs  int       // points at once
	Retry bool      // also those that have failed before
	To    io.Writer // for progress, if it is a terminal; nil: nobody wants to know

	run func(context.Context, config.Experiment, func(done, all int64)) (*model.Result, error) // nil: the model
}

// Summary counts what a run did.
type Summary struct {
	Points int // of the shard
	Had    int // that had their result
	Ran    int
	Failed int // of those that have a result, or had
	Took   time.Duration
}

func (s Summary) String() string {
	return fmt.Sprintf("%d points: %d run in %v, %d had results; %d failed", s.Points, s.Ran, s.Took.Round(time.Millisecond), s.Had, s.Failed)
}

// Run runs the points that have no result yet. A point that fails is a result, too; an error is what keeps
// all others from being run: a result that cannot be written, or the end of the context.
func (r *Runner) Run(ctx context.Context) (Summary, error) {
	began := time.Now()
	missing, sum, err := r.missing()
	if err != nil {
		return sum, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	show := newProgress(r.To, len(missing))
	defer show.end()
	queue := make(chan Point)
	var (
		workers sync.WaitGroup
		mu      sync.Mutex
	)
	for worker := range max(1, r.Jobs) {
		workers.Go(func() {
			for p := range queue {
				failed, err := r.point(ctx, p, func(part float64) { show.at(worker, part) })
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				sum.Ran++
				if failed {
					sum.Failed++
				}
				mu.Unlock()
				show.done(worker, failed)
			}
		})
	}
feeding:
	for _, p := range missing {
		select {
		case queue <- p:
		case <-ctx.Done():
			break feeding
		}
	}
	close(queue)
	workers.Wait()
	sum.Took = time.Since(began)
	if ctx.Err() != nil {
		return sum, context.Cause(ctx)
	}
	return sum, nil
}

// missing are the points of the shard that have no result.
func (r *Runner) missing() ([]Point, Summary, error) {
	var missing []Point
	var sum Summary
	taken := map[string]bool{} // a point may be there twice
	for _, p := range r.Plan.Points {
		if !r.Shard.has(p.Number) || taken[p.Key] {
			continue
		}
		taken[p.Key] = true
		sum.Points++
		old, ok, err := r.Store.Load(p.Key)
		switch {
		case err != nil:
			return nil, sum, err
		case !ok || old.Error != "" && r.Retry:
			missing = append(missing, p)
			continue
		case old.Error != "":
			sum.Failed++
		}
		sum.Had++
	}
	return missing, sum, nil
}

// point runs one point and keeps what comes of it.
func (r *Runner) point(ctx context.Context, p Point, part func(float64)) (failed bool, err error) {
	m, failure := r.measure(ctx, p.Experiment, part)
	if ctx.Err() != nil {
		return false, context.Cause(ctx) // it was stopped, which is not a result
	}
	return failure != nil, r.Store.Save(p.record(m, failure))
}

// measure runs the model. A panic in it is the failure of this point alone.
func (r *Runner) measure(ctx context.Context, e config.Experiment, part func(float64)) (m *report.Measured, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("panic in the model: %v", p)
		}
	}()
	run := r.run
	if run == nil {
		run = Play
	}
	result, err := run(ctx, e, func(done, all int64) {
		if all > 0 {
			part(float64(done) / float64(all))
		}
	})
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, errors.New("the model returned no result")
	}
	measured := report.Measure(result)
	return &measured, nil
}

// Play runs an experiment in the model.
func Play(ctx context.Context, e config.Experiment, progress func(done, all int64)) (*model.Result, error) {
	return model.Run(ctx, e.Model, e.Workload, model.Options{Seed: e.Seed, Warmup: int64(e.Warmup), Progress: progress})
}
