package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"

	"gornic/cycle/config"
	"gornic/cycle/report"
)

func runExplain(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("explain", "FILE", stderr)
	c := f.experiment()
	try := f.Bool("changes", false, "also run with each of many changes, and tell which helps most")
	asJSON := f.Bool("json", false, "print one JSON object")
	jobs := f.Int("j", 2, "with -changes: `RUNS` at once")
	if err := f.parse(args); err != nil {
		return err
	}
	if *jobs < 1 {
		return usagef("-j %d: expected 1 or more", *jobs)
	}
	file, settings, err := c.load(f.args)
	if err != nil {
		return err
	}
	e, err := file.With(settings)
	if err != nil {
		return err
	}
	m, err := play(ctx, e, stderr)
	if err != nil {
		return err
	}
	var tried []trial
	if *try {
		if tried, err = tryAll(ctx, file, settings, e, m, *jobs, stderr); err != nil {
			return err
		}
	}
	if *asJSON {
		return printJSON(stdout, struct {
			Run     report.Measured `json:"run"`
			Changes []trial         `json:"changes,omitempty"`
		}{m, tried})
	}
	if err := report.Explain(stdout, m); err != nil {
		return err
	}
	return writeTrials(stdout, m, tried)
}

// trial is what a change brings.
type trial struct {
	Change  string  `json:"change"`
	Setting string  `json:"set"`
	Rate    float64 `json:"message_rate"`
	Gain    float64 `json:"gain"` // of the message rate: 0.1 is a tenth more
	P99     float64 `json:"latency_p99_ns"`
	Error   string  `json:"error,omitempty"` // why it cannot be run
}

// tryAll runs an experiment with each change that it can have, and sorts them by what they bring.
func tryAll(ctx context.Context, file *config.File, settings []config.Setting, e config.Experiment, m report.Measured, jobs int, stderr io.Writer) ([]trial, error) {
	all := changes(e)
	tried := make([]trial, len(all))
	show := newLine(stderr)
	defer show.end()
	next := make(chan int)
	var workers sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range jobs {
		workers.Go(func() {
			for i := range next {
				tried[i] = tryOne(ctx, file, settings, all[i], m)
				mu.Lock()
				done++
				show.tell("%d of %d changes", done, len(all))
				mu.Unlock()
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	slices.SortStableFunc(tried, func(a, b trial) int {
		switch {
		case a.Gain > b.Gain:
			return -1
		case a.Gain < b.Gain:
			return 1
		}
		return 0
	})
	return tried, ctx.Err()
}

// tryOne runs an experiment with a change.
func tryOne(ctx context.Context, file *config.File, settings []config.Setting, c change, before report.Measured) trial {
	t := trial{Change: c.text, Setting: c.set}
	s, err := config.ParseSetting(c.set)
	if err == nil {
		var e config.Experiment
		if e, err = file.With(append(slices.Clone(settings), s)); err == nil {
			var m report.Measured
			if m, err = play(ctx, e, io.Discard); err == nil {
				t.Rate, t.P99 = m.Rate, m.Latency.P99
				if before.Rate > 0 {
					t.Gain = m.Rate/before.Rate - 1
				}
				return t
			}
		}
	}
	t.Error, t.Gain = err.Error(), -1
	return t
}

// much is a gain that is worth a sentence.
const much = 0.005

func writeTrials(w io.Writer, m report.Measured, tried []trial) error {
	if tried == nil {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "change\tmessage rate\tgain\t99 % latency\t-set")
	for _, x := range tried {
		if x.Error != "" {
			fmt.Fprintf(t, "%s\tcannot be: %s\n", x.Change, x.Error)
			continue
		}
		fmt.Fprintf(t, "%s\t%s/s\t%+.1f %%\t%s\t%s\n", x.Change, report.SI(x.Rate), 100*x.Gain, report.Nanoseconds(x.P99), x.Setting)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	best := tried[0]
	text := fmt.Sprintf("None of these changes raises the message rate of %s/s by %.1f %% or more.", report.SI(m.Rate), 100*much)
	if best.Gain >= much {
		text = fmt.Sprintf("What helps most: %s, %+.1f %%, from %s/s to %s/s.", best.Change, 100*best.Gain, report.SI(m.Rate), report.SI(best.Rate))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", text)
	return err
}
