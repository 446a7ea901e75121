package main

import (
	"context"
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/drill/play"
	"gornic/tb/drill/script"
	"gornic/tools/toolset"
)

// folders are where the cases are.
var folders = []string{"examples", "cases", "security"}

var long = flag.Bool("drill.long", false, "play the long cases, too")

// loadFolders reads every case there is.
func loadFolders(t *testing.T) (all []*script.Case) {
	t.Helper()
	files, err := expand(folders)
	require.NoError(t, err)
	for _, f := range files {
		c, err := script.Load(f)
		require.NoError(t, err)
		all = append(all, c)
	}
	return all
}

// natively is which cases are played on the native simulator, too, where there is Verilator: every one of so many.
const natively = 4

// Every case passes on the reference, and on the core in each simulator there is. The long ones are asked for with -drill.long.
func TestCases(t *testing.T) {
	cases := loadFolders(t)
	_, err := toolset.Find(toolset.Verilator)
	verilated := err == nil
	for _, sim := range play.Simulators() {
		t.Run(sim, func(t *testing.T) {
			b := play.NewBench(play.Options{Simulator: sim})
			for i, c := range cases {
				t.Run(filepath.Base(c.File), func(t *testing.T) {
					// A case is for some NICs alone where the others do not have what it is about, or would take hours;
					// its comment says which. Long ones take minutes.
					switch {
					case !c.On(sim):
						t.Skipf("it is for %v", c.NICs)
					case c.Long && !*long:
						t.Skip("long: -drill.long plays it")
					case sim == play.Native && verilated && i%natively != 0 && !*long:
						t.Skip("played in Verilator: natively one case of four, all with -drill.long")
					}
					r := b.Play(context.Background(), c)
					if r.Absent() { // the simulator is not installed
						t.Skipf("%v", r.Err)
					}
					require.NoError(t, r.Err)
					require.Nil(t, r.Failure, "%v", r.Failure)
				})
			}
		})
	}
}

// Each row of the table of bug reports that this core is concerned with has a case.
func TestEveryRowHasACase(t *testing.T) {
	for _, row := range []string{
		"01", "03", "04", "05", "06", "07", "08", "10", "11", "12", "13", "17", "18", "19", "19b", "20", "23", "24", "26", "27", "28a", "28b",
		"28c", "28d", "29", "30", "31", "32", "32c", "33", "34", "36", "37", "39", "43", "44", "46", "47", "49",
	} {
		files, err := filepath.Glob(filepath.Join("cases", row+"_*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, files, "row %s", row)
	}
}
