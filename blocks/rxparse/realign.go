package rxparse

import (
	"fmt"
	"slices"

	"gornic/hdl"
)

// fineWords is how many choices the second step of the realigner has, and the
// first one at 512 bits: four fit a multiplexer of one LUT.
const fineWords = 4

// coarse is the first step of the realigner: from the beat in stage 2 and the
// one behind it, the words from the payload's first on; of wide beats those from
// the multiple of four before it, and three more. start is the position of the
// payload's first word in the frame, less one; next is that of the frame in stage 1.
//
// The second half of the words has selecting registers of its own, which bounds
// their fan-out. They hold the inverse, as synthesis would make one of two that are
// equal.
func (t *third) coarse(start, next hdl.Bits) {
	m, n := t.m, t.p.second.Data.Width()/32
	low, step, words := 0, 1, n // bits of start for the second step
	if n > fineWords {
		low, step, words = hdl.Log2(fineWords), fineWords, n+fineWords-1
		t.fine = m.RegN("s3_fine", low)
		m.If(t.p.toThird, func() { t.fine.Set(start.Trunc(low)) })
	}
	by, inverse := start.Slice(hdl.Log2(n)-1, low), m.RegN("shift_inverse", hdl.Log2(n)-low)
	m.If(t.p.toSecond, func() { inverse.Set(next.Slice(hdl.Log2(n)-1, low).Not()) })
	for i := range words {
		index, choices := by, t.window(i, n, step)
		if i >= n/2 && i < n {
			index = inverse
			slices.Reverse(choices)
		}
		w := m.RegN(fmt.Sprintf("shifted_%d", i), 32)
		m.If(t.p.toThird, func() { w.Set(hdl.Select(index, choices...)) })
		t.shifted = append(t.shifted, w)
	}
}

// window lists what word i of the first step is for each shift: every step-th of
// n words. Word 0 begins two bytes into the beat in stage 2; the last two bytes of
// the beat behind it are in none.
func (t *third) window(i, n, step int) []hdl.Bits {
	behind := t.p.first.Data
	bytes := hdl.Cat(behind, t.p.second.Data)
	t.m.Unused(behind.Slice(behind.Width()-1, behind.Width()-16))
	var words []hdl.Bits
	for at := i; at < i+n; at += step {
		words = append(words, bytes.Slice(32*at+47, 32*at+16))
	}
	return words
}

// realigned is the second step: the payload's beat.
func (t *third) realigned() hdl.Bits {
	if t.fine.Width() == 0 {
		return little(t.shifted)
	}
	n := len(t.shifted) - (fineWords - 1)
	words := make([]hdl.Bits, n)
	for i := range words {
		words[i] = hdl.Select(t.fine, t.shifted[i:i+fineWords]...)
	}
	return little(words)
}

// little puts words side by side, the first one least significant.
func little(words []hdl.Bits) hdl.Bits {
	parts := make([]hdl.Bits, len(words))
	for i, w := range words {
		parts[len(words)-1-i] = w
	}
	return hdl.Cat(parts...)
}
