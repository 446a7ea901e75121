package port

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// DataWidth is the width of frames and host memory on a board in bits.
const DataWidth = 64

// Access is one access of the host, over a serial line or Ethernet. Every Access has
// one [Reply]; replies come in the order of the accesses.
type Access struct {
	Write  hdl.Bits `w:"1"`
	Memory hdl.Bits `w:"1"`  // a word of host memory on the board; otherwise a register
	Addr   hdl.Bits `w:"64"` // bytes; a multiple of 8 in memory, of 4 in registers
	Data   hdl.Bits `w:"64"` // of a register, its low 32 bits
	Strobe hdl.Bits `w:"8"`  // bytes of memory that are written
}

// Reply answers an [Access].
type Reply struct {
	Data  hdl.Bits `w:"64"` // what was read; of a register, its low 32 bits
	Fault hdl.Bits `w:"1"`  // nothing answers at that address
}

// Client is the port of a block that makes accesses.
type Client struct {
	Access hdl.Stream[Access]
	Reply  hdl.Stream[Reply] `hdl:"flip"`
}

// NewClient returns the prototype.
func NewClient() Client {
	return Client{Access: hdl.StreamOf(Access{}), Reply: hdl.StreamOf(Reply{})}
}

// Addresses of registers as a host sees them, in bytes.
const (
	CoreBase  = 0x0_0000 // the registers and doorbells of the core
	BoardBase = 0x8_0000 // those of the board (format.BoardRegisters)
)

// RemoteBase is the first bus address that lies in the memory of a PC behind hostnet, in
// bytes. Below are the bytes of the board's own memory.
const RemoteBase = 1 << 32

// Frame returns the prototype of a stream of Ethernet frames: 64 bits a beat, without FCS.
func Frame() stream.Beat { return stream.BeatOf(DataWidth) }
