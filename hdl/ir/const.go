package ir

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// Const is an unsigned constant of a fixed width. Words holds it in 64-bit
// words, least significant first, with every bit above Width zero; it has
// (Width+63)/64 words.
type Const struct {
	Width int
	Words []uint64
}

// WordCount returns how many 64-bit words a value of width bits takes.
func WordCount(width int) int { return (width + 63) / 64 }

// NewConst returns v as a constant of width bits; ok is false when v does not
// fit, and the constant then holds the low bits.
func NewConst(width int, v uint64) (c Const, ok bool) {
	c = Const{Width: width, Words: make([]uint64, WordCount(width))}
	if len(c.Words) > 0 {
		c.Words[0] = v
	}
	ok = width >= bits.Len64(v)
	c.trim()
	return c, ok
}

// ConstFromBig returns v, which must not be negative, as a constant of width
// bits; ok is false when it does not fit.
func ConstFromBig(width int, v *big.Int) (c Const, ok bool) {
	c = Const{Width: width, Words: make([]uint64, WordCount(width))}
	mask := new(big.Int).SetUint64(^uint64(0))
	rest := new(big.Int).Set(v)
	for i := range c.Words {
		c.Words[i] = new(big.Int).And(rest, mask).Uint64()
		rest.Rsh(rest, 64)
	}
	ok = v.Sign() >= 0 && v.BitLen() <= width
	c.trim()
	return c, ok
}

// Big returns the value as a big integer.
func (c Const) Big() *big.Int {
	v := new(big.Int)
	for i := len(c.Words) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(c.Words[i]))
	}
	return v
}

// Bit returns bit i, 0 or 1.
func (c Const) Bit(i int) uint64 { return c.Words[i/64] >> (i % 64) & 1 }

// Uint64 returns the low 64 bits.
func (c Const) Uint64() uint64 {
	if len(c.Words) == 0 {
		return 0
	}
	return c.Words[0]
}

// IsZero reports whether every bit is zero.
func (c Const) IsZero() bool {
	for _, w := range c.Words {
		if w != 0 {
			return false
		}
	}
	return true
}

// Equal reports whether both have the same width and value.
func (c Const) Equal(d Const) bool {
	if c.Width != d.Width {
		return false
	}
	for i := range c.Words {
		if c.Words[i] != d.Words[i] {
			return false
		}
	}
	return true
}

// String returns the constant as a sized hexadecimal Verilog literal.
func (c Const) String() string {
	digits := (c.Width + 3) / 4
	text := c.Big().Text(16)
	return fmt.Sprintf("%d'h%s%s", c.Width, strings.Repeat("0", max(0, digits-len(text))), text)
}

func (c Const) trim() {
	if r := c.Width % 64; r != 0 && len(c.Words) > 0 {
		c.Words[len(c.Words)-1] &= 1<<r - 1
	}
}
