package format

import (
	"errors"
	"fmt"
	"reflect"
)

// ErrShort means that the bytes end before the header does.
var ErrShort = errors.New("too short")

// Decode reads a header from the first [Size] bytes of b, in network byte
// order. T is a format over uint64 that is a whole number of bytes wide, such
// as BTH[uint64]. Bytes after the header are not looked at; too few are an
// error that wraps [ErrShort].
func Decode[T any](b []byte) (T, error) { return decode[T](b, getBits) }

// Append appends a header to b in network byte order. T is as for [Decode]. A
// value wider than its field is an error, and b is returned as it was.
func Append[T any](b []byte, h T) ([]byte, error) { return appendTo(b, h, putBits) }

// decode reads the fields of a format with get, which reads the n bits of b from offset on; n <= 64.
func decode[T any](b []byte, get func(b []byte, offset, n int) uint64) (T, error) {
	var h T
	fields, err := wholeBytes[T]()
	if err != nil {
		return h, err
	}
	if size := Size[T](); len(b) < size {
		return h, fmt.Errorf("format: %T needs %d bytes, has %d: %w", h, size, len(b), ErrShort)
	}
	v := reflect.ValueOf(&h).Elem()
	for _, f := range fields {
		f.of(v).SetUint(get(b, f.Offset, f.Bits))
	}
	return h, nil
}

// appendTo appends the fields of a format with put, which writes x to the n bits of b from offset on, where zeros are.
func appendTo[T any](b []byte, h T, put func(b []byte, offset, n int, x uint64)) ([]byte, error) {
	fields, err := wholeBytes[T]()
	if err != nil {
		return b, err
	}
	v := reflect.ValueOf(&h).Elem()
	start := len(b)
	out := append(b, make([]byte, Size[T]())...)
	for _, f := range fields {
		x := f.of(v).Uint()
		if f.Bits < 64 && x>>f.Bits != 0 {
			return b, fmt.Errorf("format: %T.%s is %#x: more than %d bits", h, f.Name, x, f.Bits)
		}
		put(out[start:], f.Offset, f.Bits, x)
	}
	return out, nil
}

func wholeBytes[T any]() ([]Field, error) {
	fields, err := layout[T]()
	if err != nil {
		return nil, err
	}
	var h T
	if Bits[T]()%8 != 0 {
		return nil, fmt.Errorf("format: %T is %d bits: not a whole number of bytes", h, Bits[T]())
	}
	for _, f := range fields {
		if f.of(reflect.ValueOf(h)).Kind() != reflect.Uint64 {
			return nil, fmt.Errorf("format: %T.%s is not a uint64", h, f.Name)
		}
	}
	return fields, nil
}

// getBits reads bits [offset, offset+n) of b, most significant first; n <= 64.
func getBits(b []byte, offset, n int) uint64 {
	var x uint64
	for n > 0 {
		skip := offset % 8
		take := min(8-skip, n)
		part := uint64(b[offset/8]) >> (8 - skip - take) & (1<<take - 1)
		x = x<<take | part
		offset, n = offset+take, n-take
	}
	return x
}

// putBits writes the low n bits of x to bits [offset, offset+n) of b, which are
// zero before.
func putBits(b []byte, offset, n int, x uint64) {
	for n > 0 {
		skip := offset % 8
		take := min(8-skip, n)
		part := byte(x >> (n - take) & (1<<take - 1))
		b[offset/8] |= part << (8 - skip - take)
		offset, n = offset+take, n-take
	}
}
