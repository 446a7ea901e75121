package toolset

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func script(t *testing.T, path, body string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
}

func TestFindPrefersThePinnedVersion(t *testing.T) {
	build, machine := t.TempDir(), t.TempDir()
	t.Setenv("PATH", machine)

	_, err := FindIn(build, Verilator)
	require.ErrorIs(t, err, ErrAbsent)

	script(t, filepath.Join(machine, Verilator), "echo Verilator 5.006 2023-01-22")
	tool, err := FindIn(build, Verilator)
	require.NoError(t, err)
	version, err := tool.Version(context.Background())
	require.NoError(t, err)
	require.Equal(t, "5.006", version)

	pin, ok := PinOf(Verilator)
	require.True(t, ok)
	script(t, filepath.Join(build, "tools", pin.Dir(), "bin", Verilator), "echo rev unknown")
	tool, err = FindIn(build, Verilator)
	require.NoError(t, err)
	version, err = tool.Version(context.Background())
	require.NoError(t, err)
	require.Equal(t, pin.Version, version)
}

func TestVersionOfABrokenTool(t *testing.T) {
	machine := t.TempDir()
	t.Setenv("PATH", machine+":/bin")
	script(t, filepath.Join(machine, Z3), "echo no solver today >&2; exit 3")
	tool, err := FindIn("", Z3)
	require.NoError(t, err)
	_, err = tool.Version(context.Background())
	require.ErrorContains(t, err, "no solver today")
}

func TestBuildDirIsInTheModuleRoot(t *testing.T) {
	build, err := BuildDir()
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(filepath.Dir(build), "go.mod"))
}

// recorder notes which way Need ended a test.
type recorder struct{ skipped, failed bool }

func (r *recorder) Helper()               {}
func (r *recorder) Skipf(string, ...any)  { r.skipped = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

func TestNeedSkipsUnlessToolsAreRequired(t *testing.T) {
	t.Setenv(RequireEnv, "")
	var r recorder
	Need(&r, "no-such-tool")
	require.Equal(t, recorder{skipped: true}, r)

	t.Setenv(RequireEnv, "1")
	r = recorder{}
	Need(&r, "no-such-tool")
	require.Equal(t, recorder{failed: true}, r)
}
