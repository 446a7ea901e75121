package check

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSourcesOfTrimmedPrograms opens sources by the names that the compiler
// leaves in a program under -trimpath.
func TestSourcesOfTrimmedPrograms(t *testing.T) {
	root := findRoot()
	assert.Equal(t, "gornic", root.name)
	want, err := os.ReadFile("ignore_test.go")
	require.NoError(t, err)
	got, err := os.ReadFile(root.resolve("gornic/hdl/check/ignore_test.go"))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	assert.Equal(t, "/src/a.go", root.resolve("/src/a.go"))
	assert.Equal(t, "other/a.go", root.resolve("other/a.go"))
	assert.Equal(t, "gornic/a.go", moduleRoot{}.resolve("gornic/a.go"))
}

func TestModuleName(t *testing.T) {
	assert.Equal(t, "a/b", moduleName([]byte("// comment\nmodule a/b\n\ngo 1.26\n")))
	assert.Equal(t, "a/b", moduleName([]byte("module \"a/b\"\n")))
	assert.Empty(t, moduleName([]byte("go 1.26\n")))
}

func TestScan(t *testing.T) {
	got := scan([]byte("package p\nvar s = `//hdl:ignore latch a string`\nvar x = 1 //hdl:ignore  loop  because it is \nvar y //hdl:ignore"))
	assert.Equal(t, map[int]*ignore{
		3: {code: Loop, reason: "because it is"},
		4: {},
	}, got)
}
