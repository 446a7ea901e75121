package blocks_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere says what a block without a reference of its own is held against.
var elsewhere = map[string]string{
	"rxparse": "tb/golden/roce", "icrc": "tb/golden/roce", "packetbuild": "tb/golden/roce", "rxpath": "rxparse", "dma": "tb/axi",
}

// Each block has the files that the package comment says, its own comment names
// the others, and a reference knows nothing of the hardware language.
func TestFolders(t *testing.T) {
	folders, err := filepath.Glob("*/doc.go")
	require.NoError(t, err)
	seen := 0
	for _, doc := range folders {
		dir := filepath.Dir(doc)
		switch dir {
		case "core", "link", "linktest", "pieces", "wqe": // wires, messages, and what blocks and tests share
			continue
		}
		seen++
		for _, file := range []string{dir + ".go", "properties.go", dir + "_test.go"} {
			require.FileExists(t, filepath.Join(dir, file))
		}
		text, err := os.ReadFile(doc)
		require.NoError(t, err)
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			switch name := filepath.Base(file); {
			case strings.HasSuffix(name, "_test.go"), name == "doc.go", name == "reference.go", name == "properties.go", name == dir+".go":
			default: // an idea of the generator
				require.Contains(t, string(text), name, doc)
			}
		}
		for _, chapter := range []string{"// # Streams\n", "// # Cycles\n"} {
			require.Contains(t, string(text), chapter, doc)
		}
		if what, ok := elsewhere[dir]; ok {
			require.NoFileExists(t, filepath.Join(dir, "reference.go"))
			require.Contains(t, string(text), what, doc)
			continue
		}
		for _, path := range imports(t, filepath.Join(dir, "reference.go")) {
			require.False(t, strings.HasPrefix(path, "gornic/hdl"), "%s/reference.go imports %s", dir, path)
		}
	}
	require.Greater(t, seen, 20)
}

// The reference NIC shares no code with the blocks.
func TestGoldenImportsNoBlock(t *testing.T) {
	files, err := filepath.Glob("../tb/golden/*.go")
	require.NoError(t, err)
	more, err := filepath.Glob("../tb/golden/roce/*.go")
	require.NoError(t, err)
	require.Greater(t, len(more), 3)
	for _, file := range append(files, more...) {
		if strings.HasSuffix(file, "_test.go") {
			continue // a test may hold the two against each other
		}
		for _, path := range imports(t, file) {
			require.False(t, strings.HasPrefix(path, "gornic/blocks") || strings.HasPrefix(path, "gornic/hdl"), "%s imports %s", file, path)
		}
	}
}

// imports returns what a Go file imports.
func imports(t *testing.T, file string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	var paths []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		paths = append(paths, path)
	}
	return paths
}
