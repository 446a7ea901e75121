package hdl

import (
	"cmp"
	"reflect"
	"strings"

	"gornic/hdl/internal/gosource"
	"gornic/hdl/ir"
)

// A fieldPath has the struct fields that declare one Bits of a bundle, outermost
// first.
type fieldPath []gosource.Field

// origins returns the path of each of [leaves].
func origins(p any) []fieldPath {
	var found []fieldPath
	trace(reflect.ValueOf(p).Elem(), nil, &found)
	return found
}

// trace visits the same values as walk.
func trace(v reflect.Value, outer fieldPath, found *[]fieldPath) {
	switch {
	case v.Type() == bitsType:
		*found = append(*found, outer)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				trace(v.Field(i), append(outer[:len(outer):len(outer)], fieldOf(v.Type(), f)), found)
			}
		}
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		for i := range v.Len() {
			trace(v.Index(i), outer, found)
		}
	}
}

// fieldOf names a field in the source.
func fieldOf(t reflect.Type, f reflect.StructField) gosource.Field {
	name, _, _ := strings.Cut(t.Name(), "[") // without type arguments
	return gosource.Field{Package: t.PkgPath(), Type: name, Name: f.Name}
}

// texts returns the fields of named types as "package/path.Type.Field". Printed
// Verilog shows their comments.
func (p fieldPath) texts() []string {
	var list []string
	for _, f := range p {
		if f.Type != "" {
			list = append(list, f.Package+"."+f.Type+"."+f.Name)
		}
	}
	return list
}

// declarations finds where the fields of a port struct are declared.
type declarations struct {
	source *gosource.Reader
	found  map[site]*ir.Decl // nil for a field that is not found
}

// A site is a field as one Body uses it.
type site struct {
	field gosource.Field
	body  gosource.Function
}

func newDeclarations(source *gosource.Reader) *declarations {
	return &declarations{source: source, found: map[site]*ir.Decl{}}
}

// at returns the position of a field's declaration, for a module whose Body
// starts at body: that line itself where the source is not known.
func (d *declarations) at(body ir.Pos, field gosource.Field) ir.Pos {
	pkg, file, line := body.Function()
	s := site{field, gosource.Function{Package: pkg, File: file, Line: line}}
	decl, known := d.found[s]
	if !known {
		if file, line, ok := d.source.Field(field, s.body); ok {
			decl = &ir.Decl{Package: cmp.Or(field.Package, pkg), File: file, Line: line}
		}
		d.found[s] = decl
	}
	if decl == nil {
		return body
	}
	return body.At(decl)
}
