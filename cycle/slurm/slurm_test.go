package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/tools/toolset"
)

// Without Slurm the test is skipped, and says how to get it.
func TestSkips(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o600))
	t.Chdir(root)
	t.Setenv("PATH", root)
	if _, err := toolset.FindSlurm(filepath.Join(root, "build")); err == nil {
		t.Skip("Slurm is installed on this machine") // in /usr, where it is found whatever PATH says: so it cannot be absent
	}
	var out bytes.Buffer
	require.Zero(t, run(t.Context(), false, &out))
	require.Contains(t, out.String(), "go run ./tools/setup slurm fetches it\n0 passed, 0 failed, 1 skipped\n")
}

// fakeSlurm has shell scripts for daemons.
func fakeSlurm(t *testing.T, scripts map[string]string) toolset.SlurmTools {
	t.Helper()
	root := t.TempDir()
	for name, body := range scripts {
		path := filepath.Join(root, "usr/bin", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	return toolset.SlurmTools{Root: root, Plugins: filepath.Join(root, "usr/lib/x/slurm")}
}

// munge makes its socket and lives on.
const munge = `for a; do case $a in --socket=*) : >"${a#--socket=}";; esac; done; exec sleep 1000`

// slurmd tells its version, or lives on.
const slurmd = `if [ "$1" = -V ]; then echo slurm-wlm 24.11.5; else exec sleep 1000; fi`

func TestControlGroups(t *testing.T) {
	for version, want := range map[string]bool{"slurm-wlm 22.05.8\n": false, "slurm 23.02.1\n": true, "slurm-wlm 24.11.5\n": true, "slurm": false, "": false} {
		require.Equal(t, want, disablesControlGroups(version), version)
	}
}

// A daemon that ends early is told with its last words, and the others are ended.
func TestDaemonThatEnds(t *testing.T) {
	slurm := fakeSlurm(t, map[string]string{"munged": munge, "slurmctld": "echo no such plugin; exit 1", "slurmd": slurmd, "sinfo": "exit 1"})
	c, err := start(t.Context(), slurm, t.TempDir())
	require.ErrorContains(t, err, "slurmctld has ended while we waited until the node is idle:\nno such plugin")
	require.Empty(t, c.daemons)
}

// Daemons are gone when a cluster is closed.
func TestClose(t *testing.T) {
	slurm := fakeSlurm(t, map[string]string{"munged": munge, "slurmctld": "exec sleep 1000", "slurmd": slurmd, "sinfo": "echo idle"})
	c, err := start(t.Context(), slurm, t.TempDir())
	require.NoError(t, err)
	daemons := c.daemons
	require.Len(t, daemons, 3)
	require.NoError(t, c.close())
	for _, d := range daemons {
		require.True(t, d.ended(), d.name)
	}
}

// What is left of a cluster is found by its folder.
func TestNothingLeft(t *testing.T) {
	var out bytes.Buffer
	test := &test{dir: t.TempDir(), out: &out}
	require.NoError(t, test.nothingLeft())
	require.Equal(t, 1, test.passed)
	cmd := exec.Command("sh", "-c", "read line", test.dir)
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
	}()
	require.Eventually(t, func() bool { return test.nothingLeft() != nil }, 10*time.Second, 10*time.Millisecond)
}
