package sim

import (
	"fmt"
	"math/big"
	"reflect"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// Ports names the ports of a stream. ready may be the zero Bits, for a stream
// without back-pressure; payload is a bundle; a field of it with the Go name
// Last and one bit ends a frame.
func Ports(s *Sim, valid, ready hdl.Bits, payload any) StreamPorts {
	p := StreamPorts{Valid: s.port(valid, "stream", ir.Input, ir.Output)}
	if ready.Width() > 0 {
		p.Ready = s.port(ready, "stream", ir.Input, ir.Output)
	}
	for _, f := range bundleFields(reflect.ValueOf(payload), "") {
		port := s.port(f.bits, "stream", ir.Input, ir.Output)
		p.Data = append(p.Data, port)
		if f.name == "Last" && port != nil && port.Width == 1 {
			p.Last = port
		}
	}
	p.Clock = s.first()
	if p.Valid != nil && p.Valid.Clock != nil {
		p.Clock = p.Valid.Clock
	}
	return p
}

type bundleField struct {
	name string // Go name of the innermost struct field
	bits hdl.Bits
}

// bundleFields lists the Bits of a bundle in order.
func bundleFields(v reflect.Value, name string) []bundleField {
	if x, ok := v.Interface().(hdl.Bits); ok {
		return []bundleField{{name, x}}
	}
	var out []bundleField
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out = append(out, bundleFields(v.Field(i), f.Name)...)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out = append(out, bundleFields(v.Index(i), name)...)
		}
	}
	return out
}

// fieldWriter packs values into a beat, field by field.
type fieldWriter struct {
	ports StreamPorts
	words []uint64
	next  int // field
	at    int // bit
}

func (w *fieldWriter) write(v reflect.Value) error {
	if words, ok := valueWords(v); ok {
		return w.field(words)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return w.write(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := w.write(v.Field(i)); err != nil {
					return err
				}
			}
		}
		return nil
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := w.write(v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("Send: a %s is no field of a payload", v.Type())
}

// valueWords returns the words of what fills one field.
func valueWords(v reflect.Value) ([]uint64, bool) {
	switch x := v.Interface().(type) {
	case []byte:
		return wordsOf(x), true
	case []uint64:
		return x, true
	case *big.Int:
		c, _ := ir.ConstFromBig(max(x.BitLen(), 1), x)
		return c.Words, true
	}
	switch {
	case v.CanUint():
		return []uint64{v.Uint()}, true
	case v.CanInt() && v.Int() >= 0:
		return []uint64{uint64(v.Int())}, true
	case v.Kind() == reflect.Bool:
		return []uint64{b2u(v.Bool())}, true
	}
	return nil, false
}

func (w *fieldWriter) field(words []uint64) error {
	if w.next >= len(w.ports.Data) {
		return fmt.Errorf("Send: more values than the %s of %s", count(len(w.ports.Data), "field"), w.ports)
	}
	port := w.ports.Data[w.next]
	if !fits(words, port.Width) {
		return fmt.Errorf("Send: %s does not fit in the %s of %s", number(words), count(port.Width, "bit"), port.Name)
	}
	for i, x := range words {
		putBits(w.words, w.at+64*i, min(64, port.Width-64*i), x)
	}
	w.next++
	w.at += port.Width
	return nil
}

// putBits ors width bits of v, at most 64, into words at a bit.
func putBits(words []uint64, at, width int, v uint64) {
	if width <= 0 {
		return
	}
	k, sh := at/64, at%64
	words[k] |= v << sh
	if sh+width > 64 {
		words[k+1] |= v >> (64 - sh)
	}
}

// takeBits returns width bits, at most 64, of words from a bit on.
func takeBits(words []uint64, at, width int) uint64 {
	k, sh := at/64, at%64
	v := words[k] >> sh
	if sh+width > 64 {
		v |= words[k+1] << (64 - sh)
	}
	return v & lowMask(width)
}

// Field returns field number i of a payload as words, the lowest first.
func (p StreamPorts) Field(b Beat, i int) []uint64 {
	at := 0
	for _, s := range p.Data[:i] {
		at += s.Width
	}
	width := p.Data[i].Width
	words := make([]uint64, ir.WordCount(width))
	for k := range words {
		words[k] = takeBits(b.Words, at+64*k, min(64, width-64*k))
	}
	return words
}

// fieldReader takes a beat apart, field by field.
type fieldReader struct {
	ports StreamPorts
	beat  Beat
	next  int // field
	err   error
}

func (r *fieldReader) read(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.read(v.Field(i))
			}
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			r.read(v.Index(i))
		}
	default:
		if r.next < len(r.ports.Data) {
			r.field(v, r.ports.Field(r.beat, r.next), r.ports.Data[r.next])
		}
		r.next++
	}
}

// field fills one value. A number must hold every bit that is one.
func (r *fieldReader) field(v reflect.Value, words []uint64, port *ir.Signal) {
	switch v.Interface().(type) {
	case []byte:
		v.SetBytes(bytesOf(words, (port.Width+7)/8))
		return
	case []uint64:
		v.Set(reflect.ValueOf(words))
		return
	case *big.Int:
		v.Set(reflect.ValueOf(ir.Const{Width: port.Width, Words: words}.Big()))
		return
	}
	fit := fits(words, 64)
	switch x := words[0]; {
	case v.CanUint():
		fit = fit && !v.OverflowUint(x)
		v.SetUint(x)
	case v.CanInt():
		fit = fit && int64(x) >= 0 && !v.OverflowInt(int64(x))
		v.SetInt(int64(x))
	case v.Kind() == reflect.Bool:
		fit = fit && x <= 1
		v.SetBool(x != 0)
	default:
		r.mistake("a %s is no field of a payload", v.Type())
	}
	if !fit {
		r.mistake("%s is %s, which does not fit in a %s", port.Name, number(words), v.Type())
	}
}

func (r *fieldReader) mistake(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("Received: "+format, args...)
	}
}
