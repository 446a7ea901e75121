package check_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/check"
)

// bad has a deliberately bad design for each kind of mistake. The files
// bad_*_test.go fill it in; testdata has what is reported.
var bad = map[string]func() error{
	"arm": badArms, "bundles": badBundles, "calls": badCalls, "clash": badClash, "condition": badConditions, "constant": badConstants, "cross": badCrossings,
	"drivers": badDrivers, "dropped": badDropped, "event": badEvents, "ghost": badGhosts, "handshake": badHandshake, "ignore": badIgnores, "latch": badLatches,
	"late": badLate, "library": badLibrary, "loop": badLoops, "many": badMany, "memory": badMemories, "misuse": badMisuse, "name": badNames,
	"owner": badOwners, "panic": badPanic, "parameter": badParameter, "ports": badPorts, "poison": badPoison, "reset": badResets, "slice": badSlices, "state": badStates,
	"twin": badTwins, "undriven": badUndriven, "unread": badUnread, "width": badWidths,
}

func TestMessages(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		t.Run(name, func(t *testing.T) {
			err := bad[name]()
			require.Error(t, err)
			golden(t, name, text(check.In(err)))
		})
	}
}

// text returns the findings in full.
func text(found check.Findings) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(f.Error() + "\n")
	}
	return b.String()
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *check.Update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run go test -update to write it")
	assert.Equal(t, string(want), got)
}

// build elaborates and checks a module.
func build[IO any](name string, body func(m *hdl.Module, io *IO)) error {
	_, _, err := hdl.Build(hdl.Def[IO]{Name: name, Body: body})
	return err
}

// TestEveryCodeHasAMessage finds passes that no golden file shows.
func TestEveryCodeHasAMessage(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(text)
	}
	for _, code := range check.Codes() {
		assert.Contains(t, all.String(), "["+string(code)+"]")
	}
}
