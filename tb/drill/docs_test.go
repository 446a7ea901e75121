package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/drill/packet"
	"gornic/tb/drill/script"
)

// The reference page names every verb and field, and has the examples as they are.
func TestReferencePage(t *testing.T) {
	b, err := os.ReadFile("../../docs/drill.md")
	require.NoError(t, err)
	page := string(b)
	for _, verb := range script.Verbs() {
		require.Contains(t, page, "`"+verb+"`")
	}
	for _, f := range packet.Fields() {
		require.Contains(t, page, "`"+f.Name+"`")
	}
	for _, name := range packet.SyndromeNames() {
		require.Contains(t, page, "`"+name+"`")
	}
	files, err := filepath.Glob("examples/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, 10)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		require.Contains(t, page, "```yaml\n"+string(text)+"```", f)
	}
}
