package wqefetch

import (
	"fmt"

	"gornic/hdl"
)

// credit answers who asks how many WQEs are posted.
func (b *block) credit() {
	for i, c := range b.io.Credits {
		posted := b.m.RegN(fmt.Sprintf("posted_%d", i), 16)
		posted.Set(b.producer.At(c.QP).Sub(b.head.At(c.QP)))
		c.Code.Set(creditCode(posted))
	}
}

// creditCode is the code of the largest number of credits that is not above n, which is at most 2^15 (protocol section
// 1.6): 0 and 1 stand for themselves, above that there are two codes for each power of two.
func creditCode(n hdl.Bits) hdl.Bits {
	code := n.Bit(0).ZExt(5)
	for i := 1; i < n.Width(); i++ {
		code = hdl.Mux(n.Bit(i), hdl.Cat(hdl.K(4, uint64(i)), n.Bit(i-1)), code)
	}
	return code
}
