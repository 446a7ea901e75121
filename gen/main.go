// Command gen writes the Verilog of the core: every block of package blocks in
// one configuration, one module a file, with a file list, and the parts of docs/
// that come from the same tables.
//
//	go run ./gen                     the board configuration to rtl/, the tables to docs/
//	go run ./gen -config dc -out DIR another configuration to another folder
//	go run ./gen -check              compares with what is there, writes nothing
//	go run ./gen -list               lists the blocks
//	go run ./gen -license EXPRESSION names a licence (SPDX) in each file
//
// The exit code is 0 when all went well, 1 when -check found a difference or
// something failed, 2 for wrong arguments. Generation is deterministic to the
// byte. Nothing is written before everything has been generated, and a run that is
// interrupted or cannot write leaves every file as it was. Files of DIR that gornic
// did not write are let be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"gornic/blocks"
	"gornic/configs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command's flags.
type options struct {
	config  string
	out     string
	license string
	list    bool
	check   bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.config, "config", "board", "configuration: `FILE`, or one of tiny, board, i9, i5, dc")
	flags.StringVar(&o.out, "out", "", "`DIR` to write the Verilog to (default rtl/, and the tables to docs/)")
	flags.StringVar(&o.license, "license", "", "SPDX `EXPRESSION` to name in each Verilog file (default none)")
	flags.BoolVar(&o.list, "list", false, "list the blocks and stop")
	flags.BoolVar(&o.check, "check", false, "compare with what is there; write nothing")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "gen: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	ok, err := generate(ctx, o, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "gen: %v\n", err)
		return 1
	}
	if !ok {
		return 1
	}
	return 0
}

// generate does what the options ask; ok is false when -check found a difference.
func generate(ctx context.Context, o options, stdout io.Writer) (ok bool, err error) {
	config, err := configs.Load(o.config)
	if err != nil {
		return false, err
	}
	if o.list {
		return true, list(config, stdout)
	}
	outputs, err := collect(config, o.out, o.license)
	if err != nil {
		return false, err
	}
	if o.check {
		return outputs.check(stdout)
	}
	return true, outputs.write(ctx, stdout)
}

// list prints the blocks of a configuration with their modules.
func list(config configs.Config, w io.Writer) error {
	for _, b := range blocks.All() {
		design, err := b.Build(config)
		if err != nil {
			return err
		}
		noun := "modules"
		if len(design.Modules) == 1 {
			noun = "module"
		}
		fmt.Fprintf(w, "%-12s %3d %-7s  %s\n", b.Name, len(design.Modules), noun, b.Doc)
	}
	return nil
}
