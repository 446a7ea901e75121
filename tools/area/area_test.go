package main

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
)

// lutCell is a LUT whose inputs and output are nets.
func lutCell(output int, inputs ...int) cell {
	c := cell{Type: "LUT4", Directions: map[string]string{"Z": "output"}, Connections: map[string][]any{"Z": {float64(output)}}}
	for i, net := range inputs {
		port := string(rune('A' + i))
		c.Directions[port] = "input"
		c.Connections[port] = []any{float64(net)}
	}
	return c
}

func plainCell(cellType string, outputs, inputs map[string]int) cell {
	c := cell{Type: cellType, Directions: map[string]string{}, Connections: map[string][]any{}}
	for port, net := range outputs {
		c.Directions[port], c.Connections[port] = "output", []any{float64(net)}
	}
	for port, net := range inputs {
		c.Directions[port], c.Connections[port] = "input", []any{float64(net)}
	}
	return c
}

func TestDepthEndsAtRegisters(t *testing.T) {
	n := netlist{Cells: map[string]cell{
		"a": lutCell(10, 1, 2), "b": lutCell(11, 10),
		"q": plainCell("TRELLIS_FF", map[string]int{"Q": 12}, map[string]int{"DI": 11}),
		"c": lutCell(13, 12, 10),
	}, Nets: map[string]net{
		"sum": {Bits: []any{"0", 10.0}}, "$abc$1": {Hidden: 1, Bits: []any{11.0}}, "q": {Bits: []any{12.0}},
	}}
	depth, path, err := n.longest()
	require.NoError(t, err)
	require.Equal(t, 2, depth)
	require.Equal(t, []string{"LUT4         sum[1]", "LUT4         $abc$1", "TRELLIS_FF   q, port DI"}, path)
}

func TestDepthCountsACarryChainOnce(t *testing.T) {
	cells := map[string]cell{"a": lutCell(100, 1)}
	previous := 100
	for i := range 16 {
		next := 101 + i
		inputs := map[string]int{"CIN": previous}
		if i == 0 {
			inputs = map[string]int{"A0": previous}
		}
		cells[string(rune('b'+i))] = plainCell("CCU2C", map[string]int{"COUT": next}, inputs)
		previous = next
	}
	cells["sum"] = lutCell(200, previous)
	depth, _, err := (&netlist{Cells: cells}).longest()
	require.NoError(t, err)
	require.Equal(t, 3, depth, "a LUT, the chain, a LUT")
}

func TestDepthGoesThroughTheReadOfALUTRAM(t *testing.T) {
	n := netlist{Cells: map[string]cell{
		"address": lutCell(10, 1), "data": lutCell(20, 11, 21), "deep": lutCell(21, 1),
		"m": plainCell("TRELLIS_DPR16X4", map[string]int{"DO": 11}, map[string]int{"RAD": 10, "DI": 20}),
	}}
	depth, _, err := n.longest()
	require.NoError(t, err)
	require.Equal(t, 3, depth, "address, memory, data: the written data does not come out at once")
}

func TestDepthFindsALoop(t *testing.T) {
	n := netlist{Cells: map[string]cell{"a": lutCell(1, 2), "b": lutCell(2, 1)}}
	_, _, err := n.longest()
	require.ErrorContains(t, err, "loop")
}

func TestFloorIsACRC(t *testing.T) {
	d, io, err := hdl.Build(crcFloor(64))
	require.NoError(t, err)
	s, err := sim.Native(d, sim.Options{})
	require.NoError(t, err)
	clock := d.Top.Clocks[0]
	s.Run(sim.RunRequest{Clock: clock, Edges: 1})
	s.SetReset(clock, false)
	s.Set(io.Enable.Signal(), []uint64{1})
	s.Set(io.Data.Signal(), []uint64{binary.LittleEndian.Uint64([]byte("12345678"))})
	s.Run(sim.RunRequest{Clock: clock, Edges: 1})
	state := make([]uint64, 1)
	s.Get(io.State.Signal(), state)
	require.Equal(t, crc32.ChecksumIEEE([]byte("12345678")), ^uint32(state[0]))
}

func TestBudget(t *testing.T) {
	budgets, err := readBudgets([]byte("- {block: icrc, width: 64, family: ecp5, lut: 10, ff: 5, ram: 0.5, depth: 3}"))
	require.NoError(t, err)
	r := row{Block: "icrc", Width: 64, Family: "ecp5", Size: Size{LUT: 10, FF: 5, RAM: 0.5, Depth: 3}}
	require.NoError(t, r.judge(budgets))
	r.Depth, r.RAM = 4, 1
	require.ErrorContains(t, r.judge(budgets), "over its budget: RAM 1 > 0.5 depth 4 > 3")
	r.Block = "other"
	require.NoError(t, r.judge(budgets))
	require.Equal(t, "no budget", r.Verdict)

	_, err = readBudgets([]byte("- {block: icrc, luts: 10}"))
	require.ErrorContains(t, err, "luts")
}

func TestSizeCountsCells(t *testing.T) {
	n := netlist{Cells: map[string]cell{
		"l": {Type: "LUT6"}, "m": {Type: "MUXF7"}, "f": {Type: "FDRE"}, "c": {Type: "CARRY4"},
		"r": {Type: "RAMB36E2"}, "h": {Type: "RAMB18E2"}, "d": {Type: "RAM32M16"}, "b": {Type: "BUFG"},
	}}
	s, err := n.size()
	require.NoError(t, err)
	require.Equal(t, Size{LUT: 1, FF: 1, Carry: 1, LUTRAM: 1, RAM: 1.5, Depth: 1, Path: []string{"CARRY4       ?"}}, s)
}
