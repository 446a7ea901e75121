package hdl

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"gornic/hdl/check"
	"gornic/hdl/internal/gosource"
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
	wrong string // what is wrong with the field, to be reported where it is declared
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
		l.width(tag.Get("w"))
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
			walk(v.Index(i), inner, widthTag(tag), found)
		}
	}
}

// widthTag is what of a field's tag holds for each element of it: the direction
// has been applied to the field as a whole.
func widthTag(tag reflect.StructTag) reflect.StructTag {
	return reflect.StructTag(`w:` + strconv.Quote(tag.Get("w")))
}

// width puts the width of the tag into a prototype.
func (l *leaf) width(tag string) {
	w, err := strconv.Atoi(tag)
	switch {
	case tag == "" && l.at.n == nil && l.at.w == 0:
		l.wrong = fmt.Sprintf("%s has no width: tag its field w:\"...\", or give it a prototype such as hdl.W(8)", l.name)
	case tag == "" || l.at.n != nil:
	case err != nil || w < 1:
		l.wrong = fmt.Sprintf("%s has the tag w:%q, which is not a width", l.name, tag)
	case l.at.w == 0:
		l.at.w = w
	case l.at.w != w:
		l.wrong = fmt.Sprintf("%s has the tag w:%q and a prototype of %s", l.name, tag, plural(l.at.w, "bit"))
	}
}

// unexported returns the fields of a bundle that hold Bits and are not
// exported: no port or register can be made of them.
func unexported(t reflect.Type) []gosource.Field {
	var list []gosource.Field
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return unexported(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			switch {
			case t == bitsType:
			case f.IsExported():
				list = append(list, unexported(f.Type)...)
			case holdsBits(f.Type):
				list = append(list, fieldOf(t, f))
			}
		}
	}
	return list
}

// holdsBits reports whether values of a type have Bits in them.
func holdsBits(t reflect.Type) bool {
	switch {
	case t == bitsType:
		return true
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return holdsBits(t.Elem())
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if holdsBits(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
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
	return declareAll(m, name, proto, func(l leaf) Bits {
		x := m.declare(l.name, *l.at, ir.Wire)
		x.n.Signal.Field = l.name != name
		return x
	})
}

func declareAll[T any](m *Module, name string, proto T, declare func(leaf) Bits) T {
	p := clone(proto)
	if t := reflect.TypeFor[T](); !holdsBits(t) {
		m.reportf(check.Misuse, "%s: %s is neither Bits nor a struct or list of them", name, t)
	}
	for _, f := range unexported(reflect.TypeFor[T]()) {
		m.reportUnexported(ir.Here(1), f, name)
	}
	for _, l := range leaves(p, name) {
		m.reportField(ir.Here(1), &l)
		*l.at = declare(l.withEnum())
	}
	return *p
}

func (m *Module) reportUnexported(pos ir.Pos, f gosource.Field, of string) {
	m.reportAt(check.Misuse, pos, "field %s of %s is not exported: no signal can be made of it", f.Name, of)
}

// reportField reports what is wrong with a field, and gives it a width to go
// on with.
func (m *Module) reportField(pos ir.Pos, l *leaf) {
	if l.wrong == "" {
		return
	}
	m.reportAt(check.Misuse, pos, "%s", l.wrong)
	l.at.w = max(l.at.w, 1)
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
	to := leaves(clone(dst), "")
	if m, wrong := backwards(to, from); m != nil {
		m.reportf(check.Assign, "Connect: %s; the first bundle takes its values from the second", wrong)
		m.settle(append(to, from...))
		return
	}
	for i, l := range to {
		switch {
		case i >= len(from):
		case l.flip:
			from[i].at.Set(*l.at)
		default:
			l.at.Set(*from[i].at)
		}
	}
}

// settle keeps the ends of a faulty Connect from being reported again, as
// never driven or never read.
func (m *Module) settle(ends []leaf) {
	for _, l := range ends {
		switch {
		case l.at.m != m || l.at.poisoned():
		case l.at.assignable():
			m.assign(l.at.Signal(), poison(l.at.w, *l.at))
		default:
			m.ir.Unused = append(m.ir.Unused, l.at.n)
		}
	}
}

// backwards finds the first target of a Connect that cannot be one.
func backwards(to, from []leaf) (m *Module, wrong string) {
	for i, l := range to {
		target := *l.at
		if l.flip && i < len(from) {
			target = *from[i].at
		}
		if target.m != nil && !target.poisoned() && !target.assignable() {
			return target.m, fmt.Sprintf("%s cannot be assigned: %s", target.describe(), target.m.whatItIs(target))
		}
	}
	return nil, ""
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
