package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"gornic/tools/toolset"
)

func main() {
	only := flag.String("only", "", "prove the designs whose name contains `text`")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := run(ctx, *only, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "formal:", err)
	}
	if err != nil || failed > 0 {
		stop()
		os.Exit(1)
	}
}

// run proves and prints; it returns how many designs failed.
func run(ctx context.Context, only string, w io.Writer) (failed int, err error) {
	list, err := proofs(only)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("no design has a name with %q in it", only)
	}
	build, err := toolset.BuildDir()
	if err != nil {
		return 0, err
	}
	known := memory{dir: filepath.Join(build, "formal")}
	fmt.Fprintf(w, rowFormat, "design", "asserts", "bounded", "induction", "covers", "broken", "seconds")
	results := make([]chan outcome, len(list))
	limit := make(chan struct{}, 2) // at a time: z3 is one thread
	var group sync.WaitGroup
	for i, p := range list {
		results[i] = make(chan outcome, 1)
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			results[i] <- p.prove(ctx, known)
		})
	}
	for i, p := range list {
		o := <-results[i]
		o.write(w, p.name)
		if o.Failure != "" {
			failed++
		}
	}
	group.Wait()
	fmt.Fprintf(w, "%d passed, %d failed\n", len(list)-failed, failed)
	return failed, nil
}
