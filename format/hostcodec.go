package format

// Formats in host memory and registers are little-endian: their structs list
// the fields from the lowest byte up, and within a byte from bit 0 up. Hardware
// cuts them with hdl.UnpackLow, Go code with [DecodeHost] and [AppendHost].

// DecodeHost reads a host format from the first [Size] bytes of b. T is a format
// over uint64 that is a whole number of bytes wide, such as CQE[uint64]. Too few
// bytes are an error that wraps [ErrShort].
func DecodeHost[T any](b []byte) (T, error) { return decode[T](b, getLow) }

// AppendHost appends a host format to b. A value wider than its field is an
// error, and b is returned as it was.
func AppendHost[T any](b []byte, h T) ([]byte, error) { return appendTo(b, h, putLow) }

// getLow reads bits [offset, offset+n) of b, bit 0 of byte 0 first; n <= 64.
func getLow(b []byte, offset, n int) uint64 {
	var x uint64
	for done := 0; done < n; {
		at, skip := (offset+done)/8, (offset+done)%8
		take := min(8-skip, n-done)
		part := uint64(b[at]) >> skip & (1<<take - 1)
		x |= part << done
		done += take
	}
	return x
}

// putLow writes the low n bits of x to bits [offset, offset+n) of b, which are
// zero before.
func putLow(b []byte, offset, n int, x uint64) {
	for done := 0; done < n; {
		at, skip := (offset+done)/8, (offset+done)%8
		take := min(8-skip, n-done)
		b[at] |= byte(x>>done&(1<<take-1)) << skip
		done += take
	}
}
