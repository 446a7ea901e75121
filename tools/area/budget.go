package main

import (
	"bytes"
	_ "embed"
	"fmt"

	"gopkg.in/yaml.v3"
)

//go:embed budget.yaml
var budgetFile []byte

// A budget is the most that a block may cost.
type budget struct {
	Block  string  `yaml:"block"`
	Width  int     `yaml:"width"`
	Family string  `yaml:"family"`
	LUT    int     `yaml:"lut"`
	FF     int     `yaml:"ff"`
	RAM    float64 `yaml:"ram"`
	Depth  int     `yaml:"depth"`
}

func readBudgets(text []byte) ([]budget, error) {
	var budgets []budget
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&budgets); err != nil {
		return nil, fmt.Errorf("budget.yaml: %w", err)
	}
	return budgets, nil
}

// budgetOf finds the budget of a row; ok is false where there is none.
func budgetOf(budgets []budget, r row) (b budget, ok bool) {
	for _, b := range budgets {
		if b.Block == r.Block && b.Width == r.Width && b.Family == r.Family {
			return b, true
		}
	}
	return budget{}, false
}

// excess says in what a size is over its budget; empty where it is not.
func (b budget) excess(s Size) string {
	var text string
	over := func(what string, got, allowed float64) {
		if got > allowed {
			text += fmt.Sprintf(" %s %g > %g", what, got, allowed)
		}
	}
	over("LUT", float64(s.LUT), float64(b.LUT))
	over("FF", float64(s.FF), float64(b.FF))
	over("RAM", s.RAM, b.RAM)
	over("depth", float64(s.Depth), float64(b.Depth))
	return text
}

const budgetHead = `# The most that each block may cost, in the units of the table that tools/area prints. A block that needs more is a
# decision: raise its line in the same change and say why. go run ./tools/area -suggest prints the present sizes with
# eight per cent of room for LUTs and flip-flops, none for block RAMs, and the depth that the project allows.
`

// suggestion is a budget that a row fits into.
func suggestion(r row) string {
	room := func(n int) int { return n + n/12 + 8 }
	return fmt.Sprintf("- {block: %s, width: %d, family: %s, lut: %d, ff: %d, ram: %g, depth: %d}",
		r.Block, r.Width, r.Family, room(r.LUT), room(r.FF), r.RAM, max(r.Depth, depthAllowed(r)))
}

// depthAllowed is 8 cells for the board, whose ECP5 then runs at 62.5 MHz with room to spare, and 10 for the rest.
func depthAllowed(r row) int {
	if r.Width == 64 && r.Family == "ecp5" {
		return 8
	}
	return 10
}
