// Command slurm tests that a sweep runs as a job array of Slurm, on a Slurm of one node that it starts for that.
//
//	go run ./cycle/slurm      also: make slurm-test, which fetches Slurm where it is not there
//	go run ./cycle/slurm -v   prints the commands that it runs
//
// Slurm's daemons and munge run on the loopback, in a folder of their own, as whoever runs the test; they are ended with it. A check is a line;
// the last is "N passed, N failed, N skipped". Without Slurm it is skipped, and says how to get it; where its daemons
// do not start, it is skipped with their last words. The exit code is 1 if a check failed.
//
// To read the code start with check.go; cluster.go is Slurm.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"gornic/tools/toolset"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	verbose := flag.Bool("v", false, "print the commands that are run")
	flag.Parse()
	code := run(ctx, *verbose, os.Stdout)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, verbose bool, out io.Writer) int {
	build, err := toolset.BuildDir()
	var slurm toolset.SlurmTools
	if err == nil {
		slurm, err = toolset.FindSlurm(build)
	}
	if err != nil {
		fmt.Fprintf(out, "skipped: %v; go run ./tools/setup slurm fetches it\n0 passed, 0 failed, 1 skipped\n", err)
		return 0
	}
	passed, err := check(ctx, slurm, verbose, out)
	if errors.Is(err, errNoStart) && ctx.Err() == nil { // nothing that this project could have done wrong
		fmt.Fprintf(out, "skipped: %s\n0 passed, 0 failed, 1 skipped\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		return 0
	}
	if err != nil {
		fmt.Fprintf(out, "FAIL %v\n%d passed, 1 failed, 0 skipped\n", err, passed)
		return 1
	}
	fmt.Fprintf(out, "%d passed, 0 failed, 0 skipped\n", passed)
	return 0
}
