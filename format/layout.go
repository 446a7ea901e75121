package format

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

// Field is one field of a format.
type Field struct {
	Name   string // Go name; "Ext.W0" for a field of a nested struct
	Bits   int    // width, 1 to 64
	Offset int    // bits before it, counted from the most significant end
	index  []int  // path for reflect.Value.FieldByIndex
}

// Layout returns the fields of format T in wire order, nested structs
// flattened. The value type of T does not matter: Layout[BTH[uint64]] equals
// the layout of any other BTH. It fails if T is not a struct or a field lacks a
// valid `w` tag.
func Layout[T any]() ([]Field, error) {
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

// layouts remembers what Layout computed, by type: a pure function of the type.
var layouts sync.Map

func layoutOf(t reflect.Type) ([]Field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("format: %v is not a struct", t)
	}
	var fields []Field
	if err := appendFields(&fields, t, "", nil); err != nil {
		return nil, err
	}
	offset := 0
	for i := range fields {
		fields[i].Offset = offset
		offset += fields[i].Bits
	}
	return fields, nil
}

func appendFields(fields *[]Field, t reflect.Type, prefix string, path []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(append([]int(nil), path...), i)
		tag, tagged := f.Tag.Lookup("w")
		switch {
		case tagged:
			bits, err := strconv.Atoi(tag)
			if err != nil || bits < 1 || bits > 64 {
				return fmt.Errorf("format: %v.%s: width %q is not a number from 1 to 64", t, f.Name, tag)
			}
			*fields = append(*fields, Field{Name: prefix + f.Name, Bits: bits, index: at})
		case f.Type.Kind() == reflect.Struct:
			if err := appendFields(fields, f.Type, prefix+f.Name+".", at); err != nil {
				return err
			}
		default:
			return fmt.Errorf("format: %v.%s has no width tag", t, f.Name)
		}
	}
	return nil
}

// Bits returns the width of format T in bits, 0 if T is not a format.
func Bits[T any]() int {
	fields, err := Layout[T]()
	if err != nil || len(fields) == 0 {
		return 0
	}
	last := fields[len(fields)-1]
	return last.Offset + last.Bits
}

// Size returns the length of format T in bytes, rounded up, 0 if T is not a
// format.
func Size[T any]() int { return (Bits[T]() + 7) / 8 }
