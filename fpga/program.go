package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gornic/fpga/board"
	"gornic/fpga/flow"
	"gornic/tools/toolset"
)

// loaderArgs says which cable a board has, by the name that openFPGALoader has for the board or the cable.
func loaderArgs(b board.Board, flash bool, bit string) []string {
	var args []string
	switch b.Name {
	case "versa":
		args = []string{"--cable", "ft2232"} // on the board, behind its USB socket
	case "ecpix5":
		args = []string{"--board", b.Name}
	default:
		args = []string{"--board", "colorlight-" + b.Name}
	}
	if flash {
		args = append(args, "--write-flash")
	}
	return append(args, bit)
}

func programCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	name := flags.String("board", board.All()[0].Name, "the `board`")
	flash := flags.Bool("flash", false, "write the flash, so that it stays; else it is gone with the power")
	return func(ctx context.Context, stdout, stderr io.Writer) error {
		b, err := board.Find(*name)
		if err != nil {
			return &argumentError{err}
		}
		return program(ctx, b, *flash, stdout, stderr)
	}
}

func program(ctx context.Context, b board.Board, flash bool, stdout, stderr io.Writer) error {
	dir, err := toolset.BuildDir()
	if err != nil {
		return err
	}
	bit := filepath.Join(dir, "fpga", b.Name, flow.BitFile)
	if _, err := os.Stat(bit); err != nil {
		return fmt.Errorf("%s has no bitstream: go run ./fpga build -board %[1]s", b.Name)
	}
	loader, err := toolset.Find(toolset.Loader)
	if err != nil {
		return fmt.Errorf("%w; go run ./tools/setup openfpgaloader", err)
	}
	cmd := loader.Command(ctx, loaderArgs(b, flash, bit)...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", loader.Name, err)
	}
	return nil
}
