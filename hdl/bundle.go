package hdl

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// A leaf is one Bits of a bundle.
type leaf struct {
	at    *Bits
	name  string // in snake case, with the names of the bundles around it
	flip  bool   // against the direction of the whole
	in    bool   // of a port struct: the tag hdl:"in" applies
	out   bool   // of a port struct: the tag hdl:"out" applies
	clock string // the tag clock:"name" that applies
}

var bitsType = reflect.TypeFor[Bits]()

// leaves returns the Bits of a bundle in order, with widths from the tags put
// in. p points to a Bits, a struct, or an array or slice of them; fields of
// other types are passed over.
func leaves(p any, name string) []leaf {
	var found []leaf
	walk(reflect.ValueOf(p).Elem(), leaf{name: name}, "", &found)
	return found
}

func walk(v reflect.Value, outer leaf, tag reflect.StructTag, found *[]leaf) {
	l := outer
	switch tag.Get("hdl") {
	case "flip":
		l.flip = !l.flip
	case "in":
		l.in = true
	case "out":
		l.out = true
	}
	if c := tag.Get("clock"); c != "" {
		l.clock = c
	}
	switch {
	case v.Type() == bitsType:
		l.at = v.Addr().Interface().(*Bits)
		if w, err := strconv.Atoi(tag.Get("w")); err == nil && l.at.n == nil && l.at.w == 0 {
			l.at.w = w
		}
		*found = append(*found, l)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			inner := l
			inner.name = join(l.name, fieldName(f))
			walk(v.Field(i), inner, f.Tag, found)
		}
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		for i := range v.Len() {
			inner := l
			inner.name = join(l.name, strconv.Itoa(i))
			walk(v.Index(i), inner, tag, found)
		}
	}
}

// fieldName is the part of a port's name that a field gives: its name tag, or
// its Go name in snake case. A bundle tagged name:"x,inline" gives none.
func fieldName(f reflect.StructField) string {
	name, option, _ := strings.Cut(f.Tag.Get("name"), ",")
	if f.Anonymous || option == "inline" && f.Type != bitsType {
		return ""
	}
	if name != "" {
		return name
	}
	return snake(f.Name)
}

func join(outer, inner string) string {
	if outer == "" || inner == "" {
		return outer + inner
	}
	return outer + "_" + inner
}

// snake turns "DestQP" into "dest_qp".
func snake(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		startsWord := i > 0 && unicode.IsUpper(c) &&
			(!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1]))
		if startsWord && r[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// clone returns a copy of a bundle that shares no slice with it.
func clone[T any](x T) *T {
	p := new(T)
	*p = x
	detach(reflect.ValueOf(p).Elem())
	return p
}

func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == bitsType {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				detach(v.Field(i))
			}
		}
	case reflect.Slice:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		v.Set(c)
		for i := range c.Len() {
			detach(c.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			detach(v.Index(i))
		}
	}
}

// NewReg returns a bundle of registers without reset, named NAME_FIELD and
// shaped like proto, which is made of prototypes or values.
func NewReg[T any](m *Module, name string, proto T) T {
	return declareAll(m, name, proto, func(l leaf) Bits {
		x := m.declare(l.name, *l.at, ir.Reg)
		x.n.Signal.Clock = m.domain()
		return x
	})
}

// NewWire returns a bundle of wires, named NAME_FIELD and shaped like proto.
func NewWire[T any](m *Module, name string, proto T) T {
	return declareAll(m, name, proto, func(l leaf) Bits { return m.declare(l.name, *l.at, ir.Wire) })
}

func declareAll[T any](m *Module, name string, proto T, declare func(leaf) Bits) T {
	p := clone(proto)
	for _, l := range leaves(p, name) {
		*l.at = declare(l.withEnum())
	}
	return *p
}

// withEnum gives the prototype the names of values of the signal it may be.
func (l leaf) withEnum() leaf {
	if s := l.at.Signal(); s != nil && l.at.enum == nil {
		proto := Bits{w: l.at.w, enum: s.Enum}
		l.at = &proto
	}
	return l
}

// Proto returns the prototype of a bundle: its widths without its values.
func Proto[T any](x T) T {
	p := clone(x)
	for _, l := range leaves(p, "") {
		enum := l.at.enum
		if s := l.at.Signal(); s != nil {
			enum = s.Enum
		}
		*l.at = Bits{w: l.at.w, enum: enum}
	}
	return *p
}

// Set assigns every field of src to the same field of dst, whatever their
// direction: for payloads. [Connect] is for ports.
func Set[T any](dst, src T) {
	from := leaves(clone(src), "")
	for i, to := range leaves(clone(dst), "") {
		if i < len(from) {
			to.at.Set(*from[i].at)
		}
	}
}

// Connect joins two bundles of one shape: fields of dst take the values of
// src, and flipped fields the other way round.
func Connect[T any](dst, src T) {
	from := leaves(clone(src), "")
	for i, to := range leaves(clone(dst), "") {
		switch {
		case i >= len(from):
		case to.flip:
			from[i].at.Set(*to.at)
		default:
			to.at.Set(*from[i].at)
		}
	}
}

// WidthOf returns the width in bits of all fields together.
func WidthOf[T any](x T) int {
	width := 0
	for _, l := range leaves(clone(x), "") {
		width += l.at.w
	}
	return width
}

// Pack puts all fields side by side, the first one most significant: for a
// header, the bits in the order of the wire.
func Pack[T any](x T) Bits {
	var parts []Bits
	for _, l := range leaves(clone(x), "") {
		parts = append(parts, *l.at)
	}
	return Cat(parts...)
}

// Unpack is the opposite of [Pack]: x, of WidthOf(proto) bits, cut into fields.
func Unpack[T any](proto T, x Bits) T {
	p := clone(proto)
	all := leaves(p, "")
	width := WidthOf(proto)
	if x.w != width {
		if m, ok := operands("Unpack", x); ok {
			m.reportf(check.Width, "Unpack: %s is %s (%s), the bundle has %s", x.describe(), plural(x.w, "bit"), x.site(), plural(width, "bit"))
		}
		x = poison(width, x)
	}
	top := width - 1
	for _, l := range all {
		w := l.at.w
		*l.at = x.Slice(top, top-w+1)
		l.nameField(x)
		top -= w
	}
	return *p
}

// MuxOf is [Mux] of every field of two bundles of one shape.
func MuxOf[T any](cond Bits, a, b T) T {
	p := clone(a)
	other := leaves(clone(b), "")
	for i, l := range leaves(p, "") {
		*l.at = Mux(cond, *l.at, *other[i].at)
		l.nameField(cond)
	}
	return *p
}

// nameField notes which field a value made by an operation on a bundle is.
// Slices of concatenations may be older values, which keep their names.
func (l leaf) nameField(operand Bits) {
	if n := l.at.n; n != operand.n && n.Field == "" && (n.Op == ir.OpSlice || n.Op == ir.OpMux) {
		n.Field = l.name
	}
}
