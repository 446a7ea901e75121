// Command fpga builds gornic for an FPGA board with open tools, and puts it there.
//
//	go run ./fpga list                    the boards
//	go run ./fpga build -board i9         Verilog, Yosys, nextpnr, bitstream: build/fpga/i9/gornic.bit, and a report
//	go run ./fpga build -board i9 -core   the core alone, without pins: what it takes of the device, and how fast it is
//	go run ./fpga build -board i9 -digital   likewise with all that is around the core but pads and clocks
//	go run ./fpga build -device xcup      the core alone for UltraScale+, synthesized: what it takes there
//	go run ./fpga size -board i9          what each block of its core takes, against budget.yaml
//	go run ./fpga report -board i9        the report of the last build
//	go run ./fpga program -board i9       loads the bitstream with openFPGALoader
//	go run ./fpga info -line LINE         what a board says of itself; LINE is serial:/dev/ttyUSB0 or udp:192.168.2.50
//	go run ./fpga scan -line LINE         tries the delays of a port's receiver, while frames come in
//	go run ./fpga pingpong -line LINE -mac MAC -peer HOST   messages back and forth with ibv_rc_pingpong on a Linux machine
//	go run ./fpga mutants -n 50           breaks a LUT of the core's netlist, 50 times, and counts what tests notice
//
// `-json` prints the report as JSON. `-seeds 4` tries up to four seeds of the placer until the timing is met; without it the seed is 1,
// or that of `-seed`. On a terminal the step and its time are shown, in a pipe nothing but the result is printed.
//
// The exit code is 0 when all went well, 1 when something failed (a clock that is too slow, for one: the report is printed all the
// same), 2 for wrong arguments. An interrupted build goes on at the step that it was in. README.md leads from
// the board in its box to measurements.
//
// To read the code start with build.go; package flow has the steps, package board the boards.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// A command is a word of the command line: its flags are set up, then it runs.
type command struct {
	name  string
	setup func(flags *flag.FlagSet) func(ctx context.Context, stdout, stderr io.Writer) error
}

func commands() []command {
	return []command{
		{"build", buildCommand}, {"report", reportCommand}, {"program", programCommand}, {"list", listCommand}, {"mutants", mutantsCommand}, {"size", sizeCommand},
		{"info", infoCommand}, {"scan", scanCommand}, {"pingpong", pingpongCommand},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	all := commands()
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	usage := "usage: go run ./fpga " + strings.Join(names, "|") + " [flags]"
	if len(args) == 0 {
		fmt.Fprintln(stderr, usage)
		return 2
	}
	i := slices.Index(names, args[0])
	if i < 0 {
		fmt.Fprintf(stderr, "fpga: unknown command %q\n%s\n", args[0], usage)
		return 2
	}
	flags := flag.NewFlagSet("fpga "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	act := all[i].setup(flags)
	switch err := flags.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "fpga: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	err := act(ctx, stdout, stderr)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "fpga: %v\n", err)
	var wrong *argumentError
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}

// An argumentError is what is wrong with the command line.
type argumentError struct{ err error }

func (e *argumentError) Error() string { return e.err.Error() }
func (e *argumentError) Unwrap() error { return e.err }
