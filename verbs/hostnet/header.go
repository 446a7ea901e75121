package hostnet

import (
	"encoding/binary"

	"gornic/format"
)

// header is a format.HostnetHeader, without its magic, for speed: the test compares the two.
type header struct {
	Session uint32
	Addr    uint64
	Seq     uint32
	Answer  bool
	Op      format.HostnetOp
	Status  format.HostnetStatus
	Words   int
	First   byte // strobes
	Last    byte
}

// headerBytes is the size of a header, wordBytes that of a word of memory.
const (
	headerBytes = 22
	wordBytes   = 8
)

const answerBit = 0x80

// parse reads a datagram. It reports false for one that is none of the protocol's, or whose words are not as many as it says.
func parse(b []byte) (h header, data []byte, ok bool) {
	if len(b) < headerBytes || binary.BigEndian.Uint16(b) != format.HostnetMagic {
		return h, nil, false
	}
	kind := b[18]
	h = header{
		Session: binary.BigEndian.Uint32(b[2:]), Addr: binary.BigEndian.Uint64(b[6:]), Seq: binary.BigEndian.Uint32(b[14:]),
		Answer: kind&answerBit != 0, Op: format.HostnetOp(kind >> 3 & 0xF), Status: format.HostnetStatus(kind & 7),
		Words: int(b[19]), First: b[20], Last: b[21],
	}
	data = b[headerBytes:]
	carried := h.Words
	if h.Op == format.HostnetRead && !h.Answer {
		carried = 0
	}
	return h, data, h.Words <= format.HostnetWords && len(data) == carried*wordBytes
}

// append appends a header to b.
func (h header) append(b []byte) []byte {
	kind := byte(h.Op)<<3 | byte(h.Status)
	if h.Answer {
		kind |= answerBit
	}
	b = binary.BigEndian.AppendUint16(b, format.HostnetMagic)
	b = binary.BigEndian.AppendUint32(b, h.Session)
	b = binary.BigEndian.AppendUint64(b, h.Addr)
	b = binary.BigEndian.AppendUint32(b, h.Seq)
	return append(b, kind, byte(h.Words), h.First, h.Last)
}
