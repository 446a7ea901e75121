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

func TestFindPrefersTheMachinesOwnToASlowPinnedOne(t *testing.T) {
	build, machine := t.TempDir(), t.TempDir()
	t.Setenv("PATH", machine)
	pin, ok := PinOf(Nextpnr)
	require.True(t, ok)
	script(t, filepath.Join(build, "tools", pin.Dir(), "bin", Nextpnr), "echo nextpnr-0.11.1")
	tool, err := FindIn(build, Nextpnr)
	require.NoError(t, err)
	require.NotNil(t, tool.Pin)

	script(t, filepath.Join(machine, Nextpnr), `echo '"nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.3)'`)
	tool, err = FindIn(build, Nextpnr)
	require.NoError(t, err)
	require.NotNil(t, tool.Pin, "the machine's own is too old")

	script(t, filepath.Join(machine, Nextpnr), `echo '"nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.9)'`)
	tool, err = FindIn(build, Nextpnr)
	require.NoError(t, err)
	require.Nil(t, tool.Pin)
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

func TestVersionBehindAWarning(t *testing.T) {
	machine := t.TempDir()
	t.Setenv("PATH", machine+":/bin")
	script(t, filepath.Join(machine, Tshark), `echo 'Running as user "root". This could be dangerous.' >&2; echo 'TShark (Wireshark) 4.0.17 (Git v4.0.17).'`)
	tool, err := FindIn("", Tshark)
	require.NoError(t, err)
	version, err := tool.Version(context.Background())
	require.NoError(t, err)
	require.Equal(t, "4.0.17", version)
}

func TestABrokenToolIsNotTakenForItsPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool-5.048", Verilator)
	script(t, path, "exec "+path+"_bin")
	_, err := Tool{Name: Verilator, Path: path}.Version(context.Background())
	require.ErrorContains(t, err, "exit status")
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

func TestAToolThatIsTooOldCountsAsAbsent(t *testing.T) {
	for _, c := range []struct{ name, prints, version string }{
		{Verilator, "Verilator 4.038 2020-07-11 rev v4.036", "4.038"},
		{Yosys, "Yosys 0.9 (git sha1 1979e0b)", "0.9"},
		{Icarus, "Icarus Verilog version 10.3 (stable) ()", "10.3"},
		{Z3, "Z3 version 4.8.7 - 64 bit", "4.8.7"},
		{CXX, "g++ (GCC) 8.5.0 20210514 (Red Hat 8.5.0-4)", "8.5.0"},
	} {
		machine := t.TempDir()
		t.Setenv("PATH", machine)
		script(t, filepath.Join(machine, c.name), "echo '"+c.prints+"'")
		_, err := FindIn("", c.name)
		require.ErrorIs(t, err, ErrAbsent)
		require.ErrorContains(t, err, filepath.Join(machine, c.name)+" is version "+c.version+", too old: "+oldest(c.name))

		script(t, filepath.Join(machine, c.name), "echo version "+oldest(c.name)+".0")
		_, err = FindIn("", c.name)
		require.NoError(t, err)
	}
}

// What proves tells no version: that of the Yosys beside it counts.
func TestWhatProvesIsAsOldAsItsYosys(t *testing.T) {
	for _, name := range []string{Smtbmc, ABC} {
		machine := t.TempDir()
		t.Setenv("PATH", machine)
		script(t, filepath.Join(machine, name), "echo UC Berkeley, ABC 1.01")
		script(t, filepath.Join(machine, Yosys), "echo 'Yosys 0.23 (git sha1 7ce5011c24b)'")
		_, err := FindIn("", Yosys)
		require.NoError(t, err, "areas are told by it")
		_, err = FindIn("", name)
		require.ErrorIs(t, err, ErrAbsent)
		require.ErrorContains(t, err, filepath.Join(machine, name)+" is version 0.23, too old: "+oldest(name))

		script(t, filepath.Join(machine, Yosys), "echo Yosys "+oldest(name))
		_, err = FindIn("", name)
		require.NoError(t, err)
	}
}

func TestAPinnedToolIsUsedBesideAnOldOne(t *testing.T) {
	build, machine := t.TempDir(), t.TempDir()
	t.Setenv("PATH", machine)
	script(t, filepath.Join(machine, Verilator), "echo Verilator 4.038 2020-07-11")
	pin, _ := PinOf(Verilator)
	script(t, filepath.Join(build, "tools", pin.Dir(), "bin", Verilator), "echo rev unknown")
	tool, err := FindIn(build, Verilator)
	require.NoError(t, err)
	require.NotNil(t, tool.Pin)
}
