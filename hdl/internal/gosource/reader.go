package gosource

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
)

// Reader reads each file once. It is not safe for concurrent use.
type Reader struct {
	texts  map[string][]byte // nil for a file that cannot be read
	parsed map[string]*file
}

// NewReader returns a reader that has read nothing.
func NewReader() *Reader {
	return &Reader{texts: map[string][]byte{}, parsed: map[string]*file{}}
}

// file is what a source file says.
type file struct {
	types      map[string]int // struct types by name: how many there are, as functions may have types of their own
	fields     map[string]int // "Type.Field" -> line
	anonymous  map[string]int // "LINE.Field" of a struct without a name that starts on a line -> line
	statements []statement    // in the order of the file, inner ones after those around them
}

// text returns the contents of a file, given by its located path.
func (r *Reader) text(path string) []byte {
	text, ok := r.texts[path]
	if !ok {
		text, _ = os.ReadFile(path) // no source, no answer
		r.texts[path] = text
	}
	return text
}

// file returns what a file says; nothing for one that is not Go.
func (r *Reader) file(path string) *file {
	if f, ok := r.parsed[path]; ok {
		return f
	}
	f := &file{types: map[string]int{}, fields: map[string]int{}, anonymous: map[string]int{}}
	r.parsed[path] = f
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, r.text(path), parser.SkipObjectResolution)
	if err != nil {
		return f
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if body, ok := n.Type.(*ast.StructType); ok {
				f.types[n.Name.Name]++
				f.addFields(f.fields, n.Name.Name, body, set)
			}
		case *ast.StructType:
			f.addFields(f.anonymous, lineKey(set.Position(n.Pos()).Line), n, set)
		case ast.Stmt:
			f.addStatement(n, set)
		}
		return true
	})
	return f
}

// goFiles lists the Go files of a folder, first the one that is named.
func goFiles(dir, first string) []string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is well formed
	if i := slices.Index(paths, first); i >= 0 {
		paths = slices.Insert(slices.Delete(paths, i, i+1), 0, first)
	}
	return paths
}

// mentions reports whether a file has a word somewhere.
func (r *Reader) mentions(path, word string) bool { return bytes.Contains(r.text(path), []byte(word)) }
