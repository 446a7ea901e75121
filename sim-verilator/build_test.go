package verilator

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/tools/toolset"
)

// Who waits for another process's build stops when told to.
func TestLockEndsWithItsContext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache", "x")
	unlock, err := lock(t.Context(), dir)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 2*lockPoll)
	defer cancel()
	_, err = lock(ctx, dir)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	time.AfterFunc(2*lockPoll, unlock)
	again, err := lock(t.Context(), dir)
	require.NoError(t, err)
	again()
}

// A cancelled tool takes its children along: one that lived on would hold the pipe of the output.
func TestCancelledToolTakesItsChildren(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready := make(chan error)
	go func() {
		ready <- run(ctx, toolset.Tool{Name: "sh", Path: "/bin/sh"}, dir, []string{"-c", "sleep 60 & echo > started; wait"})
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "started")); return err == nil }, time.Minute, time.Millisecond)
	cancel()
	err := <-ready
	require.Error(t, err)
	require.NotErrorIs(t, err, exec.ErrWaitDelay)
}

// A folder of the cache that lacks its library is made anew.
func TestIncompleteFolderIsReplaced(t *testing.T) {
	cache := t.TempDir()
	dir, part := filepath.Join(cache, "x"), filepath.Join(cache, "x.part")
	require.NoError(t, writeFile(filepath.Join(dir, peeksName), "{}"))
	require.NoError(t, writeFile(filepath.Join(part, peeksName), "{}"))
	require.NoError(t, writeFile(filepath.Join(part, libraryName), "library"))
	_, err := openArtefact(dir)
	require.Error(t, err)
	require.NoError(t, replaceFolder(dir, part))
	_, err = openArtefact(dir)
	require.NoError(t, err)
}

// Waves that cannot be written are an error.
func TestWavesPath(t *testing.T) {
	dir := t.TempDir()
	path, err := wavesPath(filepath.Join(dir, "x.fst"))
	require.NoError(t, err)
	require.FileExists(t, path)
	_, err = wavesPath(filepath.Join(dir, "absent", "x.fst"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = wavesPath(dir)
	require.Error(t, err)
}
