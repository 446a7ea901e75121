package hdl

import (
	"reflect"
	"strings"
)

// origins returns, for each of [leaves], the struct fields that declare it,
// outermost first, as "package/path.Type.Field". Printed Verilog shows their
// comments.
func origins(p any) [][]string {
	var found [][]string
	trace(reflect.ValueOf(p).Elem(), nil, &found)
	return found
}

// trace visits the same values as walk.
func trace(v reflect.Value, outer []string, found *[][]string) {
	switch {
	case v.Type() == bitsType:
		*found = append(*found, outer)
	case v.Kind() == reflect.Struct:
		name, _, _ := strings.Cut(v.Type().Name(), "[") // without type arguments
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			inner := outer[:len(outer):len(outer)]
			if name != "" {
				inner = append(inner, v.Type().PkgPath()+"."+name+"."+f.Name)
			}
			trace(v.Field(i), inner, found)
		}
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		for i := range v.Len() {
			trace(v.Index(i), outer, found)
		}
	}
}
