package frames

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ParseHex reads one frame: bytes as pairs of hexadecimal digits, white space
// anywhere, comments from '#' to the end of the line. Errors start with the line
// number.
func ParseHex(r io.Reader) ([]byte, error) {
	var data []byte
	digits, half := 0, byte(0)
	lines := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%d: %w", line, err)
		}
		last := err == io.EOF
		text, _, _ = strings.Cut(text, "#")
		for _, c := range text {
			value, ok := hexDigit(c)
			switch {
			case strings.ContainsRune(" \t\r\n", c):
				continue
			case !ok:
				return nil, fmt.Errorf("%d: want hexadecimal digits, have %q", line, c)
			case len(data) == MaxLength:
				return nil, fmt.Errorf("%d: more than %d bytes", line, MaxLength)
			}
			half = half<<4 | value
			if digits++; digits%2 == 0 {
				data = append(data, half)
			}
		}
		switch {
		case !last:
		case digits%2 != 0:
			return nil, fmt.Errorf("%d: half a byte at the end", line)
		case digits == 0:
			return nil, fmt.Errorf("%d: no bytes in the file, want one frame", line)
		default:
			return data, nil
		}
	}
}

func hexDigit(c rune) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return byte(c - '0'), true
	case c >= 'a' && c <= 'f':
		return byte(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return byte(c-'A') + 10, true
	}
	return 0, false
}
