package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/term"

	"gornic/tools/toolset"
)

func main() {
	retry := flag.Bool("retry", false, "try again to fetch pinned tools that could not be had")
	verbose := flag.Bool("v", term.IsTerminal(int(os.Stdout.Fd())), "print a line for each tool")
	flag.Usage = usage
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *retry, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "setup:", err)
		stop()
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: go run ./tools/setup [flags] [tool ...]\ntools:")
	for _, n := range needs {
		fmt.Fprintln(os.Stderr, "  ", n.name)
	}
	flag.PrintDefaults()
}

func run(ctx context.Context, names []string, retry, verbose bool) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	build, err := toolset.BuildDir()
	if err != nil {
		return err
	}
	unlock, err := lock(build)
	if err != nil {
		return err
	}
	defer unlock()

	s := setup{build: build, pythons: pythons, retry: retry, out: os.Stdout}
	if err := s.install(ctx, chosen); err != nil {
		return err
	}
	return s.verify(ctx, chosen, verbose)
}
