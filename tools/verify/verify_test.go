package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

// module writes a module of its own and returns the environment to test it in.
func module(t *testing.T, testFile string) environment {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n\ngo 1.24\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "m_test.go"), []byte(testFile), 0o644))
	return environment{root: root, vars: os.Environ()}
}

func TestGoTestCounts(t *testing.T) {
	env := module(t, `package m
import "testing"
func TestPasses(t *testing.T) {}
func TestHasTwo(t *testing.T) { t.Run("a", func(t *testing.T) {}); t.Run("b", func(t *testing.T) { t.Error("wrong b") }) }
func TestSkips(t *testing.T) { t.Skip("no such tool") }
func TestSkipsToo(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Skip("skipped: no such tool") }) }
func TestSkipsForItself(t *testing.T) { t.Skip("no day for it") }
`)
	var out bytes.Buffer
	counts, err := goTest(context.Background(), env, &out)
	require.Error(t, err)
	require.Equal(t, tally{passed: 2, failed: 1, skipped: 3}, *counts)
	require.Contains(t, out.String(), "wrong b")
	require.Contains(t, out.String(), "skipped 2: no such tool (m TestSkips and 1 more)\n    skipped 1: no day for it (m TestSkipsForItself)\n")
}

func TestGoTestThatDoesNotBuild(t *testing.T) {
	var out bytes.Buffer
	counts, err := goTest(context.Background(), module(t, "package m\nvar x int = \"text\"\n"), &out)
	require.Error(t, err)
	require.Equal(t, 1, counts.failed)
	require.Contains(t, out.String(), "m_test.go:2")
}

func TestGoTestWhoseProcessDies(t *testing.T) {
	var out bytes.Buffer
	counts, err := goTest(context.Background(), module(t, `package m
import ("os"; "testing")
func TestDies(t *testing.T) { println("last words"); os.Exit(3) }
`), &out)
	require.Error(t, err)
	require.Equal(t, 1, counts.failed)
	require.Contains(t, out.String(), "last words")
}

func TestStepTimeoutTakesTheChildrenAlong(t *testing.T) {
	s := step{"slow", 200 * time.Millisecond, command("sh", "-c", "sleep 60 & wait")}
	var out bytes.Buffer
	counts := runStep(context.Background(), s, environment{root: t.TempDir(), vars: os.Environ()}, &out)
	require.Equal(t, tally{failed: 1}, counts)
	require.Contains(t, out.String(), "stopped after")
}

func TestFailedStepShowsItsOutput(t *testing.T) {
	s := step{"bad", time.Minute, func(_ context.Context, _ environment, out io.Writer) (*tally, error) {
		_, _ = io.WriteString(out, "the details\n")
		return nil, errors.New("the error")
	}}
	var out bytes.Buffer
	require.Equal(t, tally{failed: 1}, runStep(context.Background(), s, environment{}, &out))
	require.Regexp(t, `bad .* FAIL the error\nthe details\n`, out.String())
}

func TestSourceDirsLeaveTheBuildFolderOut(t *testing.T) {
	dirs, err := sourceDirs(fstest.MapFS{"hdl/a.go": {}, "build/x/b.go": {}, ".git/c.go": {}, "go.mod": {}})
	require.NoError(t, err)
	require.Equal(t, []string{"hdl"}, dirs)
}

func TestUnknownStep(t *testing.T) {
	_, err := choose("gofmt,nosuch")
	require.ErrorContains(t, err, `"nosuch"`)
}

func TestClosingLine(t *testing.T) {
	require.Equal(t, &tally{passed: 12, failed: 3}, closingLine("a row\n12 passed, 3 failed\n"))
	require.Equal(t, &tally{passed: 12, failed: 3, skipped: 4}, closingLine("12 passed, 3 failed, 4 skipped\n"))
	require.Nil(t, closingLine("12 passed, 3 failed\nexit status 1\n"))
	require.Nil(t, closingLine(""))
}

// A program that skips something tells why; one that does not is quiet.
func TestSkipsOfAProgramAreShown(t *testing.T) {
	env := environment{root: t.TempDir(), vars: os.Environ()}
	for text, want := range map[string]string{
		"no such tool\n0 passed, 0 failed, 1 skipped\n": "no such tool\n0 passed, 0 failed, 1 skipped\n",
		"fine\n1 passed, 0 failed, 0 skipped\n":         "",
	} {
		var out bytes.Buffer
		_, err := command("printf", "%s", text)(context.Background(), env, &out)
		require.NoError(t, err)
		require.Equal(t, want, out.String())
	}
}
