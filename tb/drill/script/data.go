package script

import "fmt"

// mostBytes is the longest string of bytes.
const mostBytes = 1 << 20

// Data is a string of bytes: given, of a pattern, what a region holds at that moment, or several of these in a
// row.
type Data struct {
	Line    int
	Bytes   []byte // unless Length is given
	Pattern Num
	MR      string
	Offset  Num // of the first byte, in the pattern or region
	Length  Num
	Zeros   bool
	Parts   []Data
}

// Pattern is byte number at of pattern n: at + at>>8 + 17 n. So pattern 0 counts, and 256 bytes further it
// is another.
func Pattern(n uint64, at int) byte { return byte(uint64(at) + uint64(at)>>8 + 17*n) }

// Holder reads regions.
type Holder interface {
	Env
	Memory(mr string, offset, length int) ([]byte, error)
}

// Eval is the bytes.
func (d Data) Eval(h Holder) ([]byte, error) {
	if len(d.Parts) > 0 {
		return join(d.Parts, h)
	}
	if !d.Length.Given() {
		return d.Bytes, nil
	}
	length, err := d.Length.Eval(h)
	if err != nil {
		return nil, err
	}
	offset, err := d.Offset.Eval(h)
	if err != nil {
		return nil, err
	}
	if length > mostBytes || offset > 1<<31 {
		return nil, fmt.Errorf("%d bytes from %d on: a drill has at most %d", length, offset, mostBytes)
	}
	if d.MR != "" {
		return h.Memory(d.MR, int(offset), int(length))
	}
	b := make([]byte, length)
	if d.Zeros {
		return b, nil
	}
	n, err := d.Pattern.Eval(h)
	for i := range b {
		b[i] = Pattern(n, int(offset)+i)
	}
	return b, err
}

// join is strings of bytes in a row.
func join(parts []Data, h Holder) (all []byte, err error) {
	for _, d := range parts {
		b, err := d.Eval(h)
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}
