package uart

// Encode returns the line, a sample for each cycle, that carries bytes one behind the other at
// so many cycles a bit.
func Encode(bytes []byte, divisor int) []bool {
	var line []bool
	for _, b := range bytes {
		line = appendBit(line, false, divisor)
		for i := range 8 {
			line = appendBit(line, b>>i&1 == 1, divisor)
		}
		line = appendBit(line, true, divisor)
	}
	return line
}

func appendBit(line []bool, bit bool, cycles int) []bool {
	for range cycles {
		line = append(line, bit)
	}
	return line
}

// Decode returns the bytes on a line of samples at so many cycles a bit, the middle of each bit being
// what counts, and how many had no stop bit.
func Decode(line []bool, divisor int) (bytes []byte, bad int) {
	for at := 0; at < len(line); at++ {
		if line[at] || at+divisor/2 >= len(line) || line[at+divisor/2] {
			continue
		}
		b, end := byte(0), at+9*divisor+divisor/2
		if end >= len(line) {
			break
		}
		for i := range 8 {
			if line[at+(i+1)*divisor+divisor/2] {
				b |= 1 << i
			}
		}
		if line[end] {
			bytes = append(bytes, b)
			at = end - 1
			continue
		}
		bad++
		at = end
		for at < len(line) && !line[at] { // to where the line is high again
			at++
		}
	}
	return bytes, bad
}
