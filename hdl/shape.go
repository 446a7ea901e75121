package hdl

import (
	"fmt"
	"path"
	"reflect"
	"strings"
)

// ShapeName names the shape of a bundle for the name of a module that carries
// it: its type, and the widths that the type leaves open, such as
// "beat_64_8". Bundles of equal names make equal ports, so that a module named
// after its payload is one module for all places that carry the same payload.
func ShapeName[T any](proto T) string { return shapeName(reflect.ValueOf(proto)) }

func shapeName(v reflect.Value) string {
	t := v.Type()
	if t == bitsType {
		return fmt.Sprintf("bits_%d", v.Interface().(Bits).w)
	}
	whole := t.Name() == "" || strings.Contains(t.Name(), "[")
	return strings.Join(append([]string{typeName(t)}, openWidths(v, whole)...), "_")
}

// openWidths lists the widths of the fields without a w tag. With whole, of a
// type whose name does not say which types its fields have, fields come with
// their own types' names.
func openWidths(v reflect.Value, whole bool) []string {
	switch v.Kind() {
	case reflect.Struct:
		return openFields(v, whole)
	case reflect.Slice, reflect.Array:
		list := []string{fmt.Sprintf("of%d", v.Len())}
		for i := range v.Len() {
			if v.Index(i).Type() == bitsType {
				list = append(list, fmt.Sprint(v.Index(i).Interface().(Bits).w))
				continue
			}
			list = append(list, openWidths(v.Index(i), whole)...)
		}
		return list
	}
	return nil
}

func openFields(v reflect.Value, whole bool) []string {
	var list []string
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
			list = append(list, fmt.Sprint(v.Field(i).Interface().(Bits).w))
		case f.Type == bitsType:
		case whole && f.Type.Kind() == reflect.Struct:
			list = append(list, shapeName(v.Field(i)))
		default:
			list = append(list, openWidths(v.Field(i), whole)...)
		}
	}
	return list
}

// typeName is the package and name of a type, in snake case; types of package
// stream stand without it.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	if name == "" {
		return "bundle"
	}
	if t.PkgPath() == bitsType.PkgPath()+"/stream" {
		return snake(name)
	}
	pkg := path.Base(t.PkgPath())
	return snake(strings.ReplaceAll(pkg, "-", "_")) + "_" + snake(name)
}
