package rxparse

import (
	"fmt"

	"gornic/hdl"
)

// fineWords is how many words the second step of the realigner can shift by,
// and one more: the choices of each step fit a multiplexer of four.
const fineWords = 4

// coarse is the first step of the realigner: from the beat in stage 2 and the
// one behind it, the words from the payload's first on; of wide beats those from
// the multiple of four before it, three words more. start is the position of the
// payload's first word in the frame, less one: that word begins two bytes into
// the place of the one before.
func (t *third) coarse(start hdl.Bits) {
	m, two, one := t.m, t.p.second, t.p.first
	bytes := hdl.Cat(one.Data, two.Data)
	n := two.Data.Width() / 32
	word := func(i int) hdl.Bits { return bytes.Slice(32*i+47, 32*i+16) }

	k, step, extra := log2(n), 1, 0
	if n > fineWords {
		step, extra = fineWords, fineWords-1
		t.fine = m.RegN("s3_fine", log2(fineWords))
		m.If(t.p.toThird, func() { t.fine.Set(start.Trunc(log2(fineWords))) })
	}
	by := start.Slice(k-1, log2(step))
	for i := range n + extra {
		var choices []hdl.Bits
		for at := i; at < i+n; at += step {
			choices = append(choices, word(at))
		}
		w := m.RegN(fmt.Sprintf("shifted_%d", i), 32)
		m.If(t.p.toThird, func() { w.Set(hdl.Select(by, choices...)) })
		t.shifted = append(t.shifted, w)
	}
	m.Unused(one.Data.Slice(one.Data.Width()-1, one.Data.Width()-16))
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
