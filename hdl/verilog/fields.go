package verilog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"gornic/hdl/internal/gosource"
	"gornic/hdl/ir"
)

// fields reads the comments of struct fields, a package at a time.
type fields struct {
	off      bool
	packages map[string]map[string]string // package path -> "Type.Field" -> comment
}

func newFields(off bool) *fields { return &fields{off: off, packages: map[string]map[string]string{}} }

// comment returns the comment of a struct field, given as
// "package/path.Type.Field", in one line; "" where there is none.
func (f *fields) comment(origin string) string {
	slash := strings.LastIndexByte(origin, '/') + 1
	dot := strings.IndexByte(origin[slash:], '.')
	if f.off || dot < 0 {
		return ""
	}
	path, field := origin[:slash+dot], origin[slash+dot+1:]
	table, ok := f.packages[path]
	if !ok {
		table = readFields(path)
		f.packages[path] = table
	}
	return table[field]
}

// own returns the comment of the field that is the port itself, and outer the
// comment of the field of the module's ports that it is part of.
func (f *fields) own(s *ir.Signal) string {
	if len(s.Origin) == 0 {
		return ""
	}
	return f.comment(s.Origin[len(s.Origin)-1])
}

func (f *fields) outer(s *ir.Signal) string {
	if len(s.Origin) < 2 {
		return ""
	}
	return f.comment(s.Origin[0])
}

// readFields parses the files of a package, tests included. A package that is
// not found has no comments.
func readFields(path string) map[string]string {
	table := map[string]string{}
	dir := gosource.Locate(strings.TrimSuffix(path, "_test") + "/x.go")
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*.go"))
	if err != nil {
		return table
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				addFields(table, spec)
			}
			return true
		})
	}
	return table
}

func addFields(table map[string]string, spec *ast.TypeSpec) {
	body, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range body.Fields.List {
		words := f.Comment.Text()
		if words == "" {
			words = f.Doc.Text()
		}
		words = strings.Join(strings.Fields(words), " ")
		for _, name := range f.Names {
			if words != "" {
				table[spec.Name.Name+"."+name.Name] = words
			}
		}
	}
}
