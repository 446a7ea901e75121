package stream

import (
	"fmt"
	"path"
	"reflect"
	"strings"
	"unicode"

	"gornic/hdl"
)

var bitsType = reflect.TypeFor[hdl.Bits]()

// moduleName names the module of a part for one payload: "slice_beat_64_8".
// Equal names are equal ports, so that the Verilog has one module for all
// places that carry the same payload.
func moduleName[T any](part string, proto T, params ...int) string {
	name := part + "_" + payloadName(reflect.ValueOf(proto))
	for _, p := range params {
		name += fmt.Sprintf("_x%d", p)
	}
	return name
}

// payloadName is the type of a payload and the widths that the type leaves
// open, which are those of fields without a w tag.
func payloadName(v reflect.Value) string {
	t := v.Type()
	if t == bitsType {
		return fmt.Sprintf("bits_%d", v.Interface().(hdl.Bits).Width())
	}
	whole := t.Name() == "" || strings.Contains(t.Name(), "[")
	return strings.Join(append([]string{typeName(t)}, openWidths(v, whole)...), "_")
}

// openWidths lists the widths of the fields without a w tag. With whole, of a
// type whose name does not say which types its fields have, fields come with
// their own types' names.
func openWidths(v reflect.Value, whole bool) []string {
	var list []string
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if v.Type().Name() == "" {
				list = append(list, snake(f.Name))
			}
			switch {
			case f.Type == bitsType && f.Tag.Get("w") == "":
				list = append(list, fmt.Sprint(v.Field(i).Interface().(hdl.Bits).Width()))
			case f.Type == bitsType:
			case whole && f.Type.Kind() == reflect.Struct:
				list = append(list, payloadName(v.Field(i)))
			default:
				list = append(list, openWidths(v.Field(i), whole)...)
			}
		}
	case reflect.Slice, reflect.Array:
		list = append(list, fmt.Sprintf("of%d", v.Len()))
		for i := range v.Len() {
			if v.Index(i).Type() == bitsType {
				list = append(list, fmt.Sprint(v.Index(i).Interface().(hdl.Bits).Width()))
				continue
			}
			list = append(list, openWidths(v.Index(i), whole)...)
		}
	}
	return list
}

// typeName is the package and name of a type, in snake case; types of this
// package stand without it.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	if name == "" {
		return "bundle"
	}
	pkg := path.Base(t.PkgPath())
	if t.PkgPath() == bitsType.PkgPath()+"/stream" {
		return snake(name)
	}
	return snake(strings.ReplaceAll(pkg, "-", "_")) + "_" + snake(name)
}

// snake turns "KeyLookup" into "key_lookup".
func snake(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		if i > 0 && unicode.IsUpper(c) && r[i-1] != '_' &&
			(!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// name joins words and numbers with underscores.
func name(parts ...any) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = fmt.Sprint(p)
	}
	return strings.Join(words, "_")
}
