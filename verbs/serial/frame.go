package serial

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"gornic/format"
)

const crcBytes = 4

// Sizes of headers in bytes.
var (
	requestBytes = format.Size[format.SerialRequest[uint64]]()
	answerBytes  = format.Size[format.SerialAnswer[uint64]]()
)

// frame puts a CRC behind a request or an answer, and delimiters around it.
func frame(content []byte) []byte {
	sum := crc32.ChecksumIEEE(content)
	out := make([]byte, 0, len(content)+len(content)/8+crcBytes+8)
	out = append(out, format.SerialEnd)
	for _, b := range binary.LittleEndian.AppendUint32(content, sum) {
		switch b {
		case format.SerialEnd:
			out = append(out, format.SerialEscape, format.SerialEscEnd)
		case format.SerialEscape:
			out = append(out, format.SerialEscape, format.SerialEscEsc)
		default:
			out = append(out, b)
		}
	}
	return append(out, format.SerialEnd)
}

// deframer finds frames in the bytes of a line. The zero value is at the beginning of one.
type deframer struct {
	content []byte
	escaped bool
	wrong   bool // what came since the last delimiter is no frame
}

// take takes a byte, and returns the content of the frame that it ends, without its CRC; nil where it ends none that
// is good. The content is valid until the next call.
func (d *deframer) take(b byte) []byte {
	switch {
	case b == format.SerialEnd:
		content, good := d.content, !d.wrong && !d.escaped
		d.content, d.escaped, d.wrong = d.content[:0], false, false
		n := len(content) - crcBytes
		if !good || n <= 0 || crc32.ChecksumIEEE(content[:n]) != binary.LittleEndian.Uint32(content[n:]) {
			return nil
		}
		return content[:n]
	case d.escaped:
		d.escaped = false
		switch b {
		case format.SerialEscEnd:
			d.append(format.SerialEnd)
		case format.SerialEscEsc:
			d.append(format.SerialEscape)
		default:
			d.wrong = true
		}
	case b == format.SerialEscape:
		d.escaped = true
	default:
		d.append(b)
	}
	return nil
}

// append adds a byte, unless the frame is longer than any.
func (d *deframer) append(b byte) {
	if len(d.content) >= format.SerialMostBytes {
		d.wrong = true
		return
	}
	d.content = append(d.content, b)
}

// request is the content of a request.
func request(q format.SerialRequest[uint64], payload []byte) ([]byte, error) {
	b, err := format.AppendHost(make([]byte, 0, requestBytes+len(payload)+crcBytes), q)
	if err != nil {
		return nil, fmt.Errorf("serial: %w", err)
	}
	return append(b, payload...), nil
}
