package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gornic/configs"
	"gornic/fpga/board"
	"gornic/fpga/flow"
	"gornic/tools/toolset"
)

// coreMargin is how much more the core's clock has to reach: another seed, or a small change, moves it by about so much.
const coreMargin = 1.15

// constraints is the text of a board's pins.
func constraints(b board.Board) ([]byte, error) {
	root, err := toolset.ModuleRoot()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "constraints", b.Name+".lpf"))
}

// buildBoard makes the bitstream of a board.
func buildBoard(ctx context.Context, b board.Board, config configs.Config, options flow.Options) (*flow.Report, error) {
	return nil, fmt.Errorf("%s: the top is missing", b.Name)
}
