package top

import (
	"fmt"

	"gornic/blocks"
	"gornic/configs"
	"gornic/fpga/board"
)

// Params are the parameters of a board's hardware.
type Params struct {
	Board board.Board
	Core  configs.Config
}

// ParamsOf returns the parameters of a board with the core that it says.
func ParamsOf(b board.Board) (Params, error) {
	if err := b.Validate(); err != nil {
		return Params{}, err
	}
	core, err := configs.Named(b.Config)
	return Params{Board: b, Core: core}, err
}

// Validate returns an error for parameters that the hardware cannot have.
func (p Params) Validate() error {
	if p.Core.DataWidth != board.BusBits {
		return fmt.Errorf("top: a core of %d bits, want %d", p.Core.DataWidth, board.BusBits)
	}
	return blocks.Core(p.Core).Validate()
}
