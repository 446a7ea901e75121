package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

//go:embed budget.yaml
var budgetFile []byte

// A budget is the most that the instances of a block may take on a board.
type budget struct {
	Board string `yaml:"board"`
	Block string `yaml:"block"` // or wholeName
	Comb  int    `yaml:"comb"`  // places for a LUT4
	FF    int    `yaml:"ff"`
	RAM   int    `yaml:"ram"` // DP16KD
}

func readBudgets(text []byte) ([]budget, error) {
	var budgets []budget
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&budgets); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("budget.yaml: %w", err)
	}
	return budgets, nil
}

// excess says in what a size is over the budget; empty where it is not.
func (b budget) excess(s blockSize) string {
	text := ""
	for _, x := range []struct {
		what         string
		got, allowed int
	}{{"COMB", s.Comb(), b.Comb}, {"FF", s.FF, b.FF}, {"DP16KD", int(s.RAM), b.RAM}} {
		if x.got > x.allowed {
			text += fmt.Sprintf(" %s %d > %d", x.what, x.got, x.allowed)
		}
	}
	return text
}

// judge prints the sizes, and returns an error for what is over its budget, has none, or is not there any more. A board
// without any budget is only shown.
func judge(w io.Writer, board string, sizes []blockSize, budgets []budget) error {
	of := map[string]budget{}
	for _, b := range budgets {
		if b.Board == board {
			of[b.Block] = b
		}
	}
	judged := len(of) > 0
	const row = "%-12s %3s %7s %6s %8s %7s %7s %6s  %s\n"
	fmt.Fprintf(w, row, "block", "", "COMB", "LUT4", "CCU2C", "DPR16X4", "FF", "DP16KD", "")
	passed := 0
	var errs []error
	for _, s := range sizes {
		verdict, b, known := "ok", budget{}, false
		if b, known = of[s.name]; judged && !known {
			verdict = "has no budget"
		} else if excess := b.excess(s); judged && excess != "" {
			verdict = "is over its budget:" + excess
		}
		delete(of, s.name)
		if verdict == "ok" {
			passed++
		} else {
			errs = append(errs, fmt.Errorf("%s on %s %s", s.name, board, verdict))
		}
		fmt.Fprintf(w, row, s.name, fmt.Sprint(s.count), fmt.Sprint(s.Comb()), fmt.Sprint(s.LUT), fmt.Sprint(s.Carry), fmt.Sprint(s.LUTRAM), fmt.Sprint(s.FF), fmt.Sprint(s.RAM), verdict)
	}
	for _, b := range budgets {
		if _, left := of[b.Block]; left && b.Board == board {
			errs = append(errs, fmt.Errorf("budget.yaml: %s has no block %s", board, b.Block))
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", passed, len(errs))
	return errors.Join(errs...)
}

// suggest prints budgets that the sizes fit into, with eight per cent of room but for block RAMs.
func suggest(w io.Writer, board string, sizes []blockSize) error {
	room := func(n int) int { return n + n/12 + 8 }
	for _, s := range sizes {
		if _, err := fmt.Fprintf(w, "- {board: %s, block: %s, comb: %d, ff: %d, ram: %d}\n", board, s.name, room(s.Comb()), room(s.FF), int(s.RAM)); err != nil {
			return err
		}
	}
	return nil
}
