package hdl

import "math/bits"

// Log2 is the number of bits that tell n things apart: the least k with
// 2^k >= n, 0 for one thing or none.
func Log2(n int) int {
	if n <= 1 {
		return 0
	}
	return bits.Len(uint(n - 1))
}
