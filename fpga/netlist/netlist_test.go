package netlist

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
)

const small = `{"modules": {"top": {
	"ports": {"q": {"direction": "output", "bits": [4]}, "zero": {"direction": "output", "bits": ["0"]}},
	"cells": {
		"u_a.count_LUT4_Z": {"type": "LUT4", "parameters": {"INIT": "1010"}, "port_directions": {"A": "input", "Z": "output"},
			"connections": {"A": [2], "B": ["1"], "C": ["x"], "Z": [3]}},
		"u_a.u_b.word_TRELLIS_DPR16X4_DO": {"type": "TRELLIS_DPR16X4", "connections": {}},
		"u_a.count_TRELLIS_FF_Q": {"type": "TRELLIS_FF", "connections": {}},
		"q_CCU2C_S0": {"type": "CCU2C", "connections": {}},
		"u_c.r": {"type": "RAMB18E2", "connections": {}},
		"clock": {"type": "DCCA", "connections": {}}
	},
	"netnames": {"u_a.count": {"hide_name": 0, "bits": [3]}}
}}}`

func read(t *testing.T, text string) *Netlist {
	t.Helper()
	path := filepath.Join(t.TempDir(), "netlist.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	n, err := Read(path, "top")
	require.NoError(t, err)
	return n
}

func TestRead(t *testing.T) {
	n := read(t, small)
	lut := n.Cells["u_a.count_LUT4_Z"]
	require.Equal(t, "1010", lut.Parameters["INIT"])
	require.Equal(t, map[string][]Bit{"A": {2}, "B": {One}, "C": {Open}, "Z": {3}}, lut.Connections)
	require.Equal(t, []Bit{Zero}, n.Ports["zero"].Bits)

	path := filepath.Join(t.TempDir(), "netlist.json")
	_, err := Read(path, "top")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte(`{"modules": {}}`), 0o644))
	_, err = Read(path, "top")
	require.ErrorContains(t, err, "no module top")
}

func TestTreeSumsUp(t *testing.T) {
	n := read(t, small)
	root := n.Tree(map[string]bool{"": true, "u_a": true, "u_a.u_b": true, "u_c": true})
	require.Equal(t, Size{LUT: 1, Carry: 1, LUTRAM: 1, FF: 1, RAM: 0.5}, root.Size)
	require.Equal(t, Size{Carry: 1}, root.Own)
	require.Len(t, root.Sub, 2)
	a := root.Sub[0]
	require.Equal(t, "u_a", a.Path)
	require.Equal(t, 7, a.Size.Comb())
	require.Equal(t, Size{LUTRAM: 1}, a.Sub[0].Size)

	flat := n.Tree(map[string]bool{"": true, "u_a": true})
	require.Equal(t, Size{LUT: 1, LUTRAM: 1, FF: 1}, flat.Sub[0].Own, "an instance that is not known counts for its parent")
}

type childIO struct {
	D hdl.Bits `hdl:"in" w:"4"`
	Q hdl.Bits `hdl:"out" w:"4"`
}

func child() hdl.Def[childIO] {
	return hdl.Def[childIO]{Name: "child", IO: childIO{}, Body: func(m *hdl.Module, io *childIO) {
		held := m.Reg("held_back", 4, 0)
		held.Set(io.D)
		io.Q.Set(held)
	}}
}

func parent() hdl.Def[childIO] {
	return hdl.Def[childIO]{Name: "parent", IO: childIO{}, Body: func(m *hdl.Module, io *childIO) {
		c := hdl.Instance(m, "u_child", child())
		c.D.Set(io.D.Not())
		io.Q.Set(c.Q)
	}}
}

func TestNamesOfTheSource(t *testing.T) {
	d, _, err := hdl.Build(parent())
	require.NoError(t, err)
	s := NewSource(d)
	require.Equal(t, map[string]bool{"": true, "u_child": true}, s.Paths())
	const at = "fpga/netlist/netlist_test.go:"
	for net, want := range map[string]Place{
		"u_child.held_back[3]":                   {"u_child.held_back", at + "73"},
		"u_child.held_back_TRELLIS_FF_Q_1_D_A":   {"u_child.held_back", at + "73"},
		"$glbnet$clk$TRELLIS_IO_IN":              {"clk", at + "80"},
		"u_child.other_LUT4_Z":                   {"u_child", at + "72"},
		"u_child.u_gone.held_back_LUT4_Z$PACKER": {"u_child", at + "72"},
	} {
		require.Equal(t, want, s.Find(net), net)
	}
}
