package format

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Field is one field of a format.
type Field struct {
	Name   string // Go name; "Ext[0]" for an element of an array
	Bits   int    // width, 1 to 64
	Offset int    // bits before it, counted from the most significant end
	path   []int  // field and element numbers from the struct to the field
}

// Layout returns the fields of format T in wire order, arrays and nested structs
// flattened. The value type of T does not matter: Layout[BTH[uint64]] equals
// the layout of any other BTH. It fails if T is not a struct or a field lacks a
// valid `w` tag.
func Layout[T any]() ([]Field, error) {
	fields, err := layout[T]()
	return slices.Clone(fields), err
}

func layout[T any]() ([]Field, error) {
	t := reflect.TypeFor[T]()
	if known, ok := layouts.Load(t); ok {
		return known.([]Field), nil
	}
	fields, err := layoutOf(t)
	if err != nil {
		return nil, err
	}
	layouts.Store(t, fields)
	return fields, nil
}

// layouts remembers what layout computed, by type: a pure function of the type.
var layouts sync.Map

func layoutOf(t reflect.Type) ([]Field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("format: %v is not a struct", t)
	}
	fields, err := appendFields(nil, t, Field{}, "")
	if err != nil {
		return nil, err
	}
	offset := 0
	for i := range fields {
		fields[i].Offset = offset
		offset += fields[i].Bits
	}
	return fields, nil
}

// appendFields appends the fields within a value of type t that is reached by
// at.Name and at.path and has width tag w, "" without one.
func appendFields(fields []Field, t reflect.Type, at Field, w string) ([]Field, error) {
	var err error
	switch {
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			next := at.step(fmt.Sprintf("[%d]", i), i)
			if fields, err = appendFields(fields, t.Elem(), next, w); err != nil {
				return nil, err
			}
		}
		return fields, nil
	case t.Kind() == reflect.Struct && w == "":
		for i := range t.NumField() {
			f := t.Field(i)
			next := at.step("."+f.Name, i)
			if fields, err = appendFields(fields, f.Type, next, f.Tag.Get("w")); err != nil {
				return nil, err
			}
		}
		return fields, nil
	}
	at.Name = strings.TrimPrefix(at.Name, ".")
	if at.Bits, err = strconv.Atoi(w); err != nil || at.Bits < 1 || at.Bits > 64 {
		return nil, fmt.Errorf("format: %s: width tag %q is not a number from 1 to 64", at.Name, w)
	}
	return append(fields, at), nil
}

func (f Field) step(name string, i int) Field {
	return Field{Name: f.Name + name, path: append(slices.Clone(f.path), i)}
}

// of returns the field's value in v, a struct of the field's format.
func (f Field) of(v reflect.Value) reflect.Value {
	for _, i := range f.path {
		if v.Kind() == reflect.Array {
			v = v.Index(i)
		} else {
			v = v.Field(i)
		}
	}
	return v
}

// Bits returns the width of format T in bits, 0 if T is not a format.
func Bits[T any]() int {
	fields, err := layout[T]()
	if err != nil || len(fields) == 0 {
		return 0
	}
	last := fields[len(fields)-1]
	return last.Offset + last.Bits
}

// Size returns the length of format T in bytes, rounded up, 0 if T is not a
// format.
func Size[T any]() int { return (Bits[T]() + 7) / 8 }
