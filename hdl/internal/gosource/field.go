package gosource

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// A Function is one in the program: its package and the line it starts on.
type Function struct {
	Package string // import path
	File    string // as the compiler knew it
	Line    int
}

// A Field is a field of a struct type. Type is empty for a struct without a
// name.
type Field struct{ Package, Type, Name string }

// Field returns where a struct field is declared. Near is a function that uses
// the struct: its file is looked at first, and a struct without a name is looked
// for on its first line. Ok is false where that is not known.
func (r *Reader) Field(f Field, near Function) (path string, line int, ok bool) {
	beside := Locate(near.File)
	if f.Type == "" {
		line = r.file(beside).anonymous[lineKey(near.Line)+"."+f.Name]
		return beside, line, line > 0
	}
	dir := filepath.Dir(beside)
	if f.Package != near.Package {
		dir = filepath.Dir(Locate(strings.TrimSuffix(f.Package, "_test") + "/x.go"))
	}
	for _, path := range goFiles(dir, beside) {
		if !r.mentions(path, f.Type) {
			continue
		}
		if file := r.file(path); file.types[f.Type] > 0 {
			line = file.fields[f.Type+"."+f.Name]
			return path, line, line > 0 && file.types[f.Type] == 1
		}
	}
	return "", 0, false
}

// addFields notes the lines of the fields of a struct.
func (f *file) addFields(table map[string]int, name string, body *ast.StructType, set *token.FileSet) {
	add := func(field string, at token.Pos) {
		table[name+"."+field] = set.Position(at).Line
	}
	for _, list := range body.Fields.List {
		for _, n := range list.Names {
			add(n.Name, n.Pos())
		}
		if list.Names == nil {
			add(typeName(list.Type), list.Type.Pos())
		}
	}
}

// typeName is the name of an embedded field: its type's, without package and
// type arguments.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	}
	return ""
}

func lineKey(line int) string { return strconv.Itoa(line) }
