// Command cycle answers questions about the core's performance with the cycle model, in seconds.
//
//	go run ./cycle run FILE               one run: rates, latencies, caches, the bottleneck
//	go run ./cycle run -workload small -nic dc -set host.latency=200
//	go run ./cycle explain FILE           where the cycles of each block went: busy, starved, stalled and by whom
//	go run ./cycle explain -changes FILE  and which change of the configuration helps most
//	go run ./cycle sweep FILE             every point of the file's sweep block; -shard i/n, -slurm
//	go run ./cycle collect FILE           the results of a sweep as CSV and JSON, and what is missing
//	go run ./cycle plot FILE              the same as plots (SVG) and one HTML page
//	go run ./cycle compare A B            two runs or two sweeps: experiment files, or JSON of run and collect
//	go run ./cycle trace FILE             a run with Akita's tracing, for Daisen
//	go run ./cycle schema                 the JSON Schema of experiment files, for editors
//
// FILE is an experiment file; go doc gornic/cycle/config explains it, and docs/cycle.md leads through an example. With -json
// there is JSON instead of text. -set FIELD=VALUE sets any field from the command line.
//
// The exit code is 0 when all went well, 1 when something failed, 2 for wrong arguments.
//
// To read the code start with command.go, then run.go and sweep.go.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
