package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/fpga/board"
	"gornic/fpga/netlist"
)

// The boards that have a budget have one for each block that is in their core, and for nothing else.
func TestBudgetsAreOfBlocks(t *testing.T) {
	budgets, err := readBudgets(budgetFile)
	require.NoError(t, err)
	of := map[string][]string{}
	for _, b := range budgets {
		of[b.Board] = append(of[b.Board], b.Block)
	}
	require.Contains(t, of, "i9")
	require.Contains(t, of, "i5")
	for name, blocks := range of {
		b, err := board.Find(name)
		require.NoError(t, err)
		config, err := configs.Named(b.Config)
		require.NoError(t, err)
		parts, err := partsOf(config)
		require.NoError(t, err)
		want := []string{wholeName}
		for _, p := range parts {
			want = append(want, p.name)
		}
		require.ElementsMatch(t, want, blocks, name)
	}
}

func TestJudge(t *testing.T) {
	sizes := []blockSize{{"a", 1, netlist.Size{LUT: 10, Carry: 2, LUTRAM: 1, FF: 5, RAM: 1}}, {wholeName, 1, netlist.Size{LUT: 10, Carry: 2, LUTRAM: 1, FF: 5, RAM: 1}}}
	fits := []budget{{"x", "a", 20, 5, 1}, {"x", wholeName, 20, 5, 1}, {"y", "a", 0, 0, 0}}
	for _, c := range []struct {
		name    string
		budgets []budget
		want    string
	}{
		{"fits", fits, ""},
		{"places", []budget{{"x", "a", 19, 5, 1}, fits[1]}, "a on x is over its budget: COMB 20 > 19"},
		{"all", []budget{{"x", "a", 19, 4, 0}, fits[1]}, "a on x is over its budget: COMB 20 > 19 FF 5 > 4 DP16KD 1 > 0"},
		{"whole", []budget{fits[0], {"x", wholeName, 20, 4, 1}}, "whole on x is over its budget: FF 5 > 4"},
		{"none", fits[1:], "a on x has no budget"},
		{"gone", append([]budget{{"x", "b", 1, 1, 1}}, fits...), "budget.yaml: x has no block b"},
		{"a board without", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := judge(&out, "x", sizes, c.budgets)
			if c.want == "" {
				require.NoError(t, err)
				require.Contains(t, out.String(), "2 passed, 0 failed\n")
				return
			}
			require.EqualError(t, err, c.want)
			require.Contains(t, out.String(), "1 failed\n")
		})
	}
}

// What is suggested is a budget that the sizes fit into.
func TestSuggest(t *testing.T) {
	sizes := []blockSize{{"a", 2, netlist.Size{LUT: 1000, FF: 5, RAM: 1}}}
	var out bytes.Buffer
	require.NoError(t, suggest(&out, "x", sizes))
	budgets, err := readBudgets(out.Bytes())
	require.NoError(t, err)
	require.NoError(t, judge(&bytes.Buffer{}, "x", sizes, budgets))
	sizes[0].LUT = 1100
	require.Error(t, judge(&bytes.Buffer{}, "x", sizes, budgets))
	_, err = readBudgets([]byte("- {board: x, colour: red}\n"))
	require.ErrorContains(t, err, "colour")
}
