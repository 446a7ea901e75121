package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"

	"gornic/blocks"
	fpga "gornic/fpga/blocks"
	"gornic/hdl"
	"gornic/hdl/stream"
	"gornic/tools/toolset"
)

// options are what the command line says.
type options struct {
	run     *regexp.Regexp // of names
	json    bool
	verbose bool
	mutants int // random ones of each design
}

func main() {
	var o options
	pattern := flag.String("run", "", "prove the designs whose name matches the `regexp`")
	flag.BoolVar(&o.json, "json", false, "print an object a line")
	flag.BoolVar(&o.verbose, "v", false, "ask again what is known; print each question, each broken copy and the way to each cover")
	flag.IntVar(&o.mutants, "mutants", 0, "also try `n` random broken copies of each design: a measure, which nothing depends on")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/formal [flags]")
		flag.PrintDefaults()
	}
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	failed, err := prove(ctx, *pattern, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "formal:", err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

// designs are all that have properties to be proved.
func designs() []hdl.Proof { return slices.Concat(stream.Proofs(), blocks.Proofs(), fpga.Proofs()) }

func prove(ctx context.Context, pattern string, o options) (failed int, err error) {
	if flag.NArg() > 0 {
		return 0, fmt.Errorf("%q is no flag: see -help", flag.Arg(0))
	}
	if o.run, err = regexp.Compile(pattern); err != nil {
		return 0, fmt.Errorf("-run: %w", err)
	}
	build, err := toolset.BuildDir()
	if err != nil {
		return 0, err
	}
	r := runner{options: o, known: memory{filepath.Join(build, "formal", "known")}}
	list := designs()
	return r.all(ctx, list, os.Stdout, os.Stderr)
}

// A runner proves designs.
type runner struct {
	options
	known memory
}

// atOnce is how many designs are proved at the same time; a solver is one thread.
const atOnce = 2

// all proves the designs that are asked for and prints a row for each, in order; it returns how many failed.
func (r runner) all(ctx context.Context, list []hdl.Proof, out, terminal io.Writer) (failed int, err error) {
	var chosen []hdl.Proof
	for _, p := range list {
		if r.run == nil || r.run.MatchString(p.Name) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return 0, fmt.Errorf("no design has a name that matches %q", r.run)
	}
	bar := newProgress(terminal, len(chosen))
	defer bar.end()
	outcomes := r.start(ctx, chosen, bar)
	report := newReport(out, r.options, chosen)
	for i := range chosen {
		o := <-outcomes[i]
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		if o.Failure != "" {
			failed++
		}
		bar.pause(func() { report.row(o) })
	}
	bar.end()
	report.end(len(chosen)-failed, failed)
	return failed, nil
}

// start proves in the background, some at once.
func (r runner) start(ctx context.Context, list []hdl.Proof, bar *progress) []chan outcome {
	outcomes := make([]chan outcome, len(list))
	for i := range outcomes {
		outcomes[i] = make(chan outcome, 1)
	}
	var mu sync.Mutex
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	for range min(atOnce, len(list)) {
		go func() {
			for i := take(); i < len(list); i = take() {
				bar.begin(list[i].Name)
				outcomes[i] <- r.one(ctx, list[i])
				bar.done(list[i].Name)
			}
		}()
	}
	return outcomes
}
