package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// source is what the Go code of package format says of its fields and
// constants: the documents have its comments, which a program does not know.
type source struct {
	fields    map[string]field
	constants []namedConstant // in the order of the files
}

// A field is one of a struct, by "Type.Field".
type field struct {
	comment string
	typ     string // of a struct: the type's name
}

// A namedConstant is a constant with an integer value.
type namedConstant struct {
	name, typ, comment string // typ is empty for one without a type
	value              int64
}

// readFormat reads package format, which is in the working folder or beside it.
func readFormat() (*source, error) {
	for _, dir := range []string{"format", filepath.Join("..", "format")} {
		if _, err := os.Stat(filepath.Join(dir, "doc.go")); err == nil {
			return readSource(dir)
		}
	}
	return nil, errors.New("no folder format: run gen in the root of the project")
}

func readSource(dir string) (*source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("comments of package format: %w", err)
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	// Constants need no other packages: what their lack makes wrong is let be.
	config := types.Config{Error: func(error) {}}
	_, _ = config.Check("format", set, files, info)
	s := &source{fields: map[string]field{}}
	for _, f := range files {
		s.add(f, info)
	}
	return s, nil
}

func (s *source) add(f *ast.File, info *types.Info) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if body, ok := n.Type.(*ast.StructType); ok {
				s.addFields(n.Name.Name, body)
			}
		case *ast.ValueSpec:
			s.addConstants(n, info)
		}
		return true
	})
}

func (s *source) addFields(typ string, body *ast.StructType) {
	for _, list := range body.Fields.List {
		f := field{comment: prose(list.Comment)}
		if instance, ok := list.Type.(*ast.IndexExpr); ok {
			f.typ = fmt.Sprint(instance.X)
		}
		for _, name := range list.Names {
			s.fields[typ+"."+name.Name] = f
		}
	}
}

func (s *source) addConstants(spec *ast.ValueSpec, info *types.Info) {
	for _, name := range spec.Names {
		c, ok := info.Defs[name].(*types.Const)
		if !ok {
			continue
		}
		value, ok := constant.Int64Val(constant.ToInt(c.Val()))
		if !ok {
			continue
		}
		typ := ""
		if named, ok := c.Type().(*types.Named); ok {
			typ = named.Obj().Name()
		}
		s.constants = append(s.constants, namedConstant{name.Name, typ, prose(spec.Comment), value})
	}
}

// prose is a comment on one line.
func prose(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

var element = regexp.MustCompile(`\[\d+\]`)

// comment returns the comment of a field of a format, named as format.Layout
// names it: fields of structs in it are looked for in the structs' own types.
func (s *source) comment(typ, name string) string {
	name = element.ReplaceAllString(name, "")
	outer, inner, nested := strings.Cut(name, ".")
	f := s.fields[typ+"."+outer]
	if nested {
		return s.comment(f.typ, inner)
	}
	return f.comment
}

// values returns the constants of a type by value.
func (s *source) values(typ string) []namedConstant {
	var list []namedConstant
	for _, c := range s.constants {
		if c.typ == typ {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b namedConstant) int { return cmp.Compare(a.value, b.value) })
	return list
}
