package check

import (
	"fmt"
	"math/bits"
	"strings"

	"gornic/hdl/ir"
)

// mask is a set of bits, 64 to a word, bit 0 first.
type mask []uint64

func newMask(width int) mask { return make(mask, ir.WordCount(max(width, 0))) }

func (m mask) set(i int)      { m[i/64] |= 1 << (i % 64) }
func (m mask) has(i int) bool { return m[i/64]>>(i%64)&1 == 1 }

// fill adds bits lo .. hi-1.
func (m mask) fill(lo, hi int) {
	for lo < hi {
		n := min(64-lo%64, hi-lo)
		m[lo/64] |= (1<<n - 1) << (lo % 64)
		lo += n
	}
}

func (m mask) empty() bool {
	for _, w := range m {
		if w != 0 {
			return false
		}
	}
	return true
}

// top returns the highest bit plus one, 0 for the empty set.
func (m mask) top() int {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] != 0 {
			return i*64 + bits.Len64(m[i])
		}
	}
	return 0
}

// low returns the lowest bit; the set must not be empty.
func (m mask) low() int {
	i := 0
	for m[i] == 0 {
		i++
	}
	return i*64 + bits.TrailingZeros64(m[i])
}

// word returns 64 bits from bit i on, zeros past the end.
func (m mask) word(i int) uint64 {
	w, s := i/64, i%64
	if w >= len(m) {
		return 0
	}
	v := m[w] >> s
	if s > 0 && w+1 < len(m) {
		v |= m[w+1] << (64 - s)
	}
	return v
}

// copyBits adds to m, from bit to on, the n bits of src that start at bit from.
func (m mask) copyBits(to int, src mask, from, n int) {
	for n > 0 {
		k := min(64-to%64, n)
		m[to/64] |= src.word(from) & (1<<k - 1) << (to % 64)
		to, from, n = to+k, from+k, n-k
	}
}

// or adds every bit of o; both have the same width.
func (m mask) or(o mask) {
	for i := range m {
		m[i] |= o[i]
	}
}

// missing names the bits below width that are not in m, in words: "bits 7:4
// and 1"; "bit 3". It is empty when all are there.
func (m mask) missing(width int) string {
	var parts []string
	single := true
	for hi := width - 1; hi >= 0; hi-- {
		if m.has(hi) {
			continue
		}
		lo := hi
		for lo > 0 && !m.has(lo-1) {
			lo--
		}
		if lo == hi {
			parts = append(parts, fmt.Sprint(hi))
		} else {
			parts = append(parts, fmt.Sprintf("%d:%d", hi, lo))
			single = false
		}
		hi = lo
	}
	if len(parts) == 0 {
		return ""
	}
	noun := "bits "
	if single && len(parts) == 1 {
		noun = "bit "
	}
	return noun + list(parts)
}

// list joins words as in a sentence: "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
