package top_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/fpga/blocks/top"
	"gornic/fpga/board"
	"gornic/hdl"
	"gornic/hdl/hdltest"
)

// Both layers of every board elaborate without a finding.
func TestBuilds(t *testing.T) {
	for _, b := range board.All() {
		t.Run(b.Name, func(t *testing.T) {
			p, err := top.ParamsOf(b)
			require.NoError(t, err)
			digital, _ := hdltest.Build(t, top.BoardDef(p))
			require.Equal(t, "gornic_board_"+b.Name, digital.Top.Name)
			whole, err := top.Design(b)
			require.NoError(t, err)
			require.Equal(t, "gornic_"+b.Name, whole.Top.Name)
			require.Empty(t, whole.Top.Clocks, "clocks come in as pins")
		})
	}
}

// A board that is wrong, and a core that does not fit it, are told.
func TestValidate(t *testing.T) {
	b := board.I9()
	b.HostMemory = 0
	_, err := top.ParamsOf(b)
	require.ErrorContains(t, err, "board i9: host memory of 0 bytes")
	_, err = top.Design(b)
	require.Error(t, err)

	dc, err := configs.Named("dc")
	require.NoError(t, err)
	_, _, err = hdl.Build(top.BoardDef(top.Params{Board: board.I9(), Core: dc}))
	require.ErrorContains(t, err, "a core of 512 bits, want 64")
}

// The pins are those of the constraints.
func TestPins(t *testing.T) {
	for _, b := range board.All() {
		design, err := top.Design(b)
		require.NoError(t, err)
		want := constrained(t, "../../../constraints/"+b.Name+".lpf")
		got := map[string]bool{}
		for _, s := range design.Top.Signals {
			if s.Kind.String() != "input" && s.Kind.String() != "output" {
				continue
			}
			for i := range s.Width {
				got[pin(s.Name, i, s.Width)] = true
			}
		}
		for name := range got {
			require.True(t, slices.Contains(want, name), "%s: no place for pin %s", b.Name, name)
		}
	}
}
