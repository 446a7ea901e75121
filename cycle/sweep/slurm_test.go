package sweep

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTasks(t *testing.T) {
	for _, c := range []struct{ points, perTask, largest, want int }{
		{1, 10, 1001, 1}, {0, 10, 1001, 1}, {10, 10, 1001, 1}, {11, 10, 1001, 2}, {1000, 1, 1001, 1000}, {100000, 10, 1001, 1000}, {7, 2, 3, 2},
	} {
		require.Equal(t, c.want, Batch{Points: c.points, PerTask: c.perTask, Largest: c.largest}.Tasks(), "%+v", c)
	}
}

// The script runs each shard once, whatever is in its names. A shell stands for Slurm, and a script for the command.
func TestScript(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a 100% folder")
	b := Batch{Name: "x", Binary: filepath.Join(dir, "cycle"), Folder: dir, Results: dir, Points: 5, PerTask: 2, Largest: 1001,
		Args: []string{"-set", "workload.sizes=[1, 2]", filepath.Join(dir, "my file.yaml")}}
	require.NoError(t, Produce(b.Binary, func(name string) error {
		return exec.Command("sh", "-c", `printf '#!/bin/sh\nprintf "%%s|" "$@"\n' >"$0" && chmod +x "$0"`, name).Run()
	}))
	script, err := b.Script()
	require.NoError(t, err)
	require.Contains(t, string(script), "#SBATCH --array=1-3\n")
	require.Contains(t, string(script), "100%% folder/slurm-%A_%a.log")
	path := filepath.Join(dir, "sweep.sbatch")
	require.NoError(t, WriteFile(path, script))
	cmd := exec.Command("sh", path)
	cmd.Env = []string{"SLURM_ARRAY_TASK_ID=2"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, []string{"sweep", "-j", "1", "-shard", "2/3", "-o", dir, "-set", "workload.sizes=[1, 2]", filepath.Join(dir, "my file.yaml"), ""},
		strings.Split(string(out), "|"))

	for _, wrong := range []Batch{{PerTask: 0, Largest: 9}, {PerTask: 1, Largest: 1}, {PerTask: 1, Largest: 9, Results: "a\"b"}} {
		_, err := wrong.Script()
		require.Error(t, err)
	}
}
