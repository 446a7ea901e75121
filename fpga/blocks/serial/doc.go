// Package serial is the bridge between a serial line and the accesses of a host: it takes requests
// apart, makes their accesses and answers them. format/serial.go has the frames,
// docs/board.md the protocol. Start with [Def]; [Reference] is the bridge in plain Go.
//
// # Streams
//
//	Received  bytes from the line (uart)
//	Send      bytes for the line
//	Client    accesses, one at a time, and their replies (port.Client)
//	Counts    pulses of format.BoardSerialFraming and the three behind it
//
// # State
//
// One block RAM: the payload of the request under way, and the answer to the last one that was executed.
// Beside it the header of each, the number of the request to come, and whether there is a session.
//
// # Order
//
// A request is executed when its frame is whole and its CRC is right, never before, and once: what
// comes with the number of the last one is answered again from what was kept. What comes with any other number
// than the next is refused.
//
// # Stall and fault
//
// A frame that is damaged, too long or too short to be one, and one that comes while another is executed or
// answered, is dropped and counted; the host repeats it. The beginning of a frame holds
// up nothing: the next delimiter ends it. An answer waits for the line.
//
// # Cycles
//
// Some 5 cycles a byte, which at 8 cycles a bit is no more than half of what the line takes, and those of the accesses.
package serial
