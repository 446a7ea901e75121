package format

// The serial bridge: a host's requests over a serial line, and a board's answers, both as frames
// of bytes. docs/board.md says how they travel.

// Bytes of the framing (SLIP, RFC 1055).
const (
	SerialEnd    = 0xC0 // before and behind each frame
	SerialEscape = 0xDB // before the two below
	SerialEscEnd = 0xDC // stands for SerialEnd in a frame
	SerialEscEsc = 0xDD // stands for SerialEscape in a frame
)

// SerialRequest begins a frame from the host. The payload of its operation follows, then the CRC-32 of
// Ethernet of all that, four bytes, little-endian.
type SerialRequest[V any] struct {
	Op    V `w:"8"`  // SerialOp
	Seq   V `w:"8"`  // one more than that of the request before; any with SerialIdentify
	Words V `w:"8"`  // of SerialReadRegisters and the like, 1 to SerialWords; 1 with the others
	First V `w:"8"`  // bytes of the first word that SerialWriteMemory writes, a bit each
	Last  V `w:"8"`  // the same of the last word, where there are two or more
	Addr  V `w:"32"` // of the first word in bytes, a multiple of its size
}

// SerialAnswer begins a frame from the board. The words that were read follow, then the CRC-32 as in
// a request.
type SerialAnswer[V any] struct {
	Op     V `w:"8"` // that of the request, and SerialAnswers
	Seq    V `w:"8"` // that of the request
	Status V `w:"8"` // SerialStatus
	Words  V `w:"8"` // that were read or written before a fault; all of them with status ok
}

// SerialIdentity is what SerialIdentify reads.
type SerialIdentity[V any] struct {
	ID    V `w:"32"` // 0x72657367
	Minor V `w:"8"`  // version of the protocol
	Major V `w:"8"`  // its first number: another one is another protocol
	Words V `w:"16"` // most words in a request: SerialWords
}

// SerialID is the ID of a SerialIdentity: "gser" in memory order.
const SerialID = 0x72657367

// Version of the serial protocol.
const (
	SerialVersionMajor = 1
	SerialVersionMinor = 0
)

// SerialWords is how many words a request reads or writes at most, SerialMostBytes how many bytes
// there are then in a frame, CRC included and without delimiters and escapes.
const (
	SerialWords     = 64
	SerialMostBytes = 9 + 8*SerialWords + 4
)

// SerialAnswers is the bit of Op that makes an answer of a request.
const SerialAnswers = 0x80

// SerialOp is an operation of the serial bridge.
type SerialOp uint8

// Operations. A word of registers has 32 bits, one of memory or of SerialIdentify 64; payloads are little-endian.
const (
	SerialIdentify       SerialOp = 1 // begins a session; answered with SerialIdentity
	SerialReadRegisters  SerialOp = 2 // answered with Words words
	SerialWriteRegisters SerialOp = 3 // payload: Words words
	SerialModifyRegister SerialOp = 4 // payload: a mask and a value; bits in the mask become those of the value. Answered with the word as it was
	SerialReadMemory     SerialOp = 5 // answered with Words words
	SerialWriteMemory    SerialOp = 6 // payload: Words words, of which First and Last say what is written at the ends
	SerialModifyMemory   SerialOp = 7 // as SerialModifyRegister, of 64 bits. The device may write in between
)

func (o SerialOp) String() string {
	return indexed([]string{
		"none", "identify", "read registers", "write registers", "modify register", "read memory", "write memory", "modify memory",
	}, o, "serial operation")
}

// SerialStatus is the outcome of a request.
type SerialStatus uint8

// Outcomes of requests.
const (
	SerialOK       SerialStatus = 0 // done
	SerialFault    SerialStatus = 1 // nothing answers at the address of a word; those before it are done
	SerialBad      SerialStatus = 2 // no such operation, or its fields are out of range; nothing is done
	SerialSequence SerialStatus = 3 // Seq is not the next one, or there was no SerialIdentify since the reset; nothing is done
)

func (s SerialStatus) String() string {
	return indexed([]string{"ok", "fault", "bad request", "out of sequence"}, s, "serial status")
}
