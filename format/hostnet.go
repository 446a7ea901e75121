package format

// Host memory over UDP: a board's second Ethernet port leads to a PC, whose program owns the
// buffers that the board's AXI4 master reads and writes, and reads and writes the board's registers.
// Both directions are numbered requests, each of which is answered; docs/hostnet.md has the rules.
// Everything is in network byte order but the words of memory, whose bytes are in the order of their addresses.

// HostnetPort is the UDP port that a board is reached at, and sends from.
const HostnetPort = 28265

// HostnetMagic is the first field of each datagram.
const HostnetMagic = 0x684E

// HostnetWords is the most words of memory, of 8 bytes each, in one datagram.
const HostnetWords = 128

// HostnetHeader begins each datagram, 22 bytes. With Ethernet, IPv4 and UDP before it the data behind it
// begins at byte 64 of a frame, and no frame is too short for Ethernet.
type HostnetHeader[V any] struct {
	Magic   V `w:"16"` // HostnetMagic
	Session V `w:"32"` // that the PC has chosen, never 0; of an answer, that of the request
	Addr    V `w:"64"` // of memory: bus address, a multiple of 8; of a register: HostnetRegister; of an answer that is HostnetStale: the session
	Seq     V `w:"32"` // number of the request in its direction and session; of an answer, that of the request
	Answer  V `w:"1"`  // of the request with the same Seq and Op
	Op      V `w:"4"`  // HostnetOp
	Status  V `w:"3"`  // of an answer: HostnetStatus; else 0
	Words   V `w:"8"`  // of memory, to be read or written, 1 to 128: those behind the header, or of a read that is not answered yet, those asked for; else 0
	First   V `w:"8"`  // of a HostnetWrite: the bytes of the first word that are written, bit 0 that of the lowest address; else 0
	Last    V `w:"8"`  // and of the last word, where there are two or more; else 0
}

// HostnetOp is what a request asks for.
type HostnetOp uint8

// Operations.
const (
	HostnetHello         HostnetOp = 1 // PC: begin this session. Seq 0; it ends the session before, whose outstanding requests fail
	HostnetReadRegister  HostnetOp = 2 // PC: a register; its value is in the answer
	HostnetWriteRegister HostnetOp = 3 // PC: a register, or a doorbell
	HostnetRead          HostnetOp = 4 // board: words of memory
	HostnetWrite         HostnetOp = 5 // board: words of memory, but for bytes that First and Last leave out
	HostnetInterrupt     HostnetOp = 6 // board: its interrupt has become active; what the board wrote before has been written
)

func (o HostnetOp) String() string {
	return indexed([]string{"none", "hello", "read register", "write register", "read", "write", "interrupt"}, o, "hostnet operation")
}

// HostnetStatus is how a request fared.
type HostnetStatus uint8

// Statuses. What is not HostnetOK has no words behind it.
const (
	HostnetOK        HostnetStatus = 0 // done
	HostnetFault     HostnetStatus = 1 // no such memory, or no such register
	HostnetStale     HostnetStatus = 2 // the session of a HostnetHello is not newer than the last one, whose number is in Addr; or it is that one, and not new any more: something was answered in it
	HostnetNoSession HostnetStatus = 3 // the board has no such session: it was reset, or gave the PC up, or talks to another one
)

func (s HostnetStatus) String() string {
	return indexed([]string{"ok", "fault", "stale", "no session"}, s, "hostnet status")
}

// HostnetRegister is the Addr of a register: its offset in bytes in the upper half, its value in the lower one,
// which is 0 in a request to read.
func HostnetRegister(offset, value uint32) uint64 { return uint64(offset)<<32 | uint64(value) }

// HostnetNewer tells whether a session is newer than another: less than half of all numbers ahead of it.
func HostnetNewer(session, than uint32) bool { return int32(session-than) > 0 }
