package gosource_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl/internal/gosource"
)

// TestSourcesOfTrimmedPrograms opens sources by the names that the compiler
// leaves in a program under -trimpath.
func TestSourcesOfTrimmedPrograms(t *testing.T) {
	want, err := os.ReadFile("gosource_test.go")
	require.NoError(t, err)
	got, err := os.ReadFile(gosource.Locate("gornic/hdl/internal/gosource/gosource_test.go"))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	assert.Equal(t, "/src/a.go", gosource.Locate("/src/a.go"))
	t.Setenv("GOMODCACHE", "/cache")
	assert.Equal(t, "/cache/other/a.go", gosource.Locate("other/a.go"))
}

const program = `package p

type IO struct {
	In, Out int
	Common
	other.Part[int]
}

type IO2 struct {
	In struct {
		Deep int
	}
}

func a() { type Local struct{ X int } }
func b() { type Local struct{ X, Y int } }

func c(f func(io *struct {
	A int
})) {
	x.Add(y)
	m.If(a.Eq(b), func() {
		x.
			And(y).
			Or(z)
	})
	return x.Sub(y)
}
`

// write puts a package into a folder and returns a function in it, which
// starts on the given line.
func write(t *testing.T, line int) gosource.Function {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o644))
	return gosource.Function{Package: "mod/p", File: file, Line: line}
}

func TestField(t *testing.T) {
	near := write(t, 18)
	for _, test := range []struct {
		typ, name string
		line      int // 0: not known
	}{
		{"IO", "In", 4},
		{"IO", "Out", 4},
		{"IO", "Common", 5},
		{"IO", "Part", 6},
		{"IO", "None", 0},
		{"IO2", "In", 10},
		{"Local", "X", 0}, // there are two
		{"Local", "Y", 0},
		{"", "A", 19},
		{"", "Deep", 0}, // starts on another line
	} {
		file, line, ok := gosource.NewReader().Field(gosource.Field{Package: "mod/p", Type: test.typ, Name: test.name}, near)
		assert.Equal(t, test.line > 0, ok, test)
		if ok {
			assert.Equal(t, test.line, line, test)
			assert.Equal(t, near.File, file)
		}
	}
	_, _, ok := gosource.NewReader().Field(gosource.Field{Package: "else/where", Type: "IO", Name: "In"}, near)
	assert.False(t, ok)
}

func TestFate(t *testing.T) {
	file := write(t, 1).File
	r := gosource.NewReader()
	assert.Equal(t, gosource.Discarded, r.Fate(file, 21, "Add"))
	assert.Equal(t, gosource.Other, r.Fate(file, 21, "Sub"), "called by what the statement calls")
	assert.Equal(t, gosource.Discarded, r.Fate(file, 22, "If"))
	assert.Equal(t, gosource.Other, r.Fate(file, 22, "Eq"))
	assert.Equal(t, gosource.Other, r.Fate(file, 24, "And"))
	assert.Equal(t, gosource.Discarded, r.Fate(file, 25, "Or"))
	assert.Equal(t, gosource.Returned, r.Fate(file, 27, "Sub"))
	assert.Equal(t, gosource.Other, r.Fate(file+"x", 21, "Add"))
}
