package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"gornic/tools/toolset"
)

func main() {
	only := flag.String("only", "", "the `steps` to run, with commas between")
	allowAbsent := flag.Bool("allow-absent", false, "skip the tests whose tool is absent instead of failing them")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/verify [flags]")
		flag.PrintDefaults()
	}
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	counts, err := run(ctx, *only, *allowAbsent, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		stop()
		os.Exit(2)
	}
	fmt.Println(counts)
	if counts.failed > 0 {
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, allowAbsent bool, out io.Writer) (tally, error) {
	chosen, err := choose(only)
	if err != nil {
		return tally{}, err
	}
	root, err := toolset.ModuleRoot()
	if err != nil {
		return tally{}, err
	}
	env := environment{root: root, vars: append(os.Environ(), "GOMAXPROCS=2")}
	if !allowAbsent {
		env.vars = append(env.vars, toolset.RequireEnv+"=1")
	}
	var sum tally
	for _, s := range chosen {
		sum.add(runStep(ctx, s, env, out))
	}
	return sum, nil
}

func choose(only string) ([]step, error) {
	all := steps()
	if only == "" {
		return all, nil
	}
	var chosen []step
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(all, func(s step) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown step %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// runStep runs one step and prints its line, followed by its text. Only the tests are long enough to be watched; the text
// of the others is held back.
func runStep(ctx context.Context, s step, env environment, out io.Writer) tally {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	start := time.Now()
	var text bytes.Buffer
	stepOut := io.Writer(&text)
	if s.name == "test" {
		fmt.Fprintf(out, "%-8s ...\n", s.name)
		stepOut = out
	}
	counts, err := s.run(ctx, env, stepOut)
	if counts == nil {
		counts = &tally{passed: 1}
		if err != nil {
			counts = &tally{failed: 1}
		}
	}
	verdict := "ok"
	if err != nil {
		verdict = "FAIL " + err.Error()
		if ctx.Err() != nil {
			verdict += fmt.Sprintf(" (stopped after %s)", s.timeout)
		}
	}
	fmt.Fprintf(out, "%-8s %6.1f s  %s\n", s.name, time.Since(start).Seconds(), verdict)
	_, _ = out.Write(text.Bytes())
	return *counts
}
