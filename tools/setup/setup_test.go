package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tools/toolset"
)

func TestEveryPinHasItsFiles(t *testing.T) {
	for _, pin := range toolset.Pins() {
		requirements, err := files.ReadFile("requirements/" + pin.Name + ".txt")
		require.NoError(t, err)
		for _, block := range strings.Split(strings.ReplaceAll(string(requirements), "\\\n", " "), "\n") {
			if strings.Contains(block, "==") {
				require.Contains(t, block, "--hash=sha256:", "%s: an unchecked requirement", pin.Name)
			}
		}
		bin := t.TempDir()
		require.NoError(t, writeLaunchers(bin, "/the/python", pin))
		for _, command := range pin.Commands {
			text, err := os.ReadFile(filepath.Join(bin, command))
			require.NoError(t, err)
			require.NotContains(t, string(text), "@PYTHON@")
		}
	}
}

func TestChoose(t *testing.T) {
	all, err := choose(nil)
	require.NoError(t, err)
	for _, n := range all {
		require.False(t, n.optional, n.name)
	}
	one, err := choose([]string{"nextpnr-ecp5"})
	require.NoError(t, err)
	require.Len(t, one, 1)
	_, err = choose([]string{"vivado"})
	require.ErrorContains(t, err, `unknown tool "vivado"`)
}

// fakeMachine is a machine whose only commands are shell scripts; each logs how it was called.
func fakeMachine(t *testing.T, scripts map[string]string) (s *setup, log func() string) {
	dir := t.TempDir()
	logFile := filepath.Join(dir, "log")
	for name, body := range scripts {
		text := "#!/bin/sh\necho " + name + " \"$@\" >>" + logFile + "\n" + body + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", dir)
	build := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(build, "tools"), 0o755))
	return &setup{build: build, out: new(bytes.Buffer)}, func() string {
		text, _ := os.ReadFile(logFile) // absent when nothing was called
		return string(text)
	}
}

var verilatorOnly = []need{{name: "verilator", command: toolset.Verilator, packages: []string{"verilator"}}}

func TestInstallFallsBackToTheDistribution(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{
		"python3": `case "$1" in -c) echo python3;; *) echo no network >&2; exit 1;; esac`,
		"apt-get": ``,
		"sudo":    `[ "$1" != -n ] || shift; "$@"`,
	})
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Contains(t, log(), "apt-get install --yes --quiet --no-install-recommends verilator")
	require.Contains(t, s.out.(*bytes.Buffer).String(), "the distribution's own will do: pip: exit status 1: no network")

	before := strings.Count(log(), "pip install")
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Equal(t, before, strings.Count(log(), "pip install"), "fetched again although it was refused")

	s.retry = true
	require.NoError(t, s.install(context.Background(), verilatorOnly))
	require.Greater(t, strings.Count(log(), "pip install"), before, "-retry did not try")
}

func TestInstallUpdatesTheListsOnce(t *testing.T) {
	s, log := fakeMachine(t, map[string]string{
		"apt-get": `[ "$1" = update ] || exit 100`,
		"sudo":    `[ "$1" != -n ] || shift; "$@"`,
	})
	err := s.apt(context.Background(), []string{"g++"})
	require.ErrorContains(t, err, "apt-get install")
	require.Equal(t, 1, strings.Count(log(), "apt-get update"))
}

func TestInstallSaysWhatIsMissing(t *testing.T) {
	s, _ := fakeMachine(t, nil) // neither apt-get nor sudo
	err := s.apt(context.Background(), []string{"g++", "z3"})
	require.ErrorContains(t, err, "apt-get install g++ z3")
}

func TestABrokenToolIsAnError(t *testing.T) {
	s, _ := fakeMachine(t, map[string]string{"verilator": `echo cannot start >&2; exit 1`})
	err := s.verify(context.Background(), verilatorOnly, false)
	require.ErrorContains(t, err, "cannot start")
}
