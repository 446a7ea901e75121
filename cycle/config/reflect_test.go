package config

import (
	"fmt"
	"iter"
	"reflect"
)

// leaves are the paths of the fields of a struct that hold values.
func leaves(t reflect.Type, path string) []string {
	var all []string
	for i := range t.NumField() {
		f := t.Field(i)
		name := fileName(f)
		switch {
		case name == "":
		case f.Type.Kind() == reflect.Struct:
			all = append(all, leaves(f.Type, join(path, name))...)
		default:
			all = append(all, join(path, name))
		}
	}
	return all
}

// values are the fields of a struct that hold values, by path.
func values(v reflect.Value, path string) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for i := range v.NumField() {
			name := fileName(v.Type().Field(i))
			switch {
			case name == "":
			case v.Field(i).Kind() == reflect.Struct:
				for p, x := range values(v.Field(i), join(path, name)) {
					if !yield(p, x) {
						return
					}
				}
			case !yield(join(path, name), v.Field(i)):
				return
			}
		}
	}
}

func shownValue(v reflect.Value) string { return fmt.Sprint(v.Interface()) }
