// Package serial drives a board over a serial line: a [Bus] is a verbs.Bus whose accesses are the requests of
// format/serial.go. docs/board.md has the protocol.
//
//	bus, err := serial.Open(ctx, "/dev/ttyUSB0", 115200)
//	device, err := verbs.Open(ctx, bus, verbs.Config{LogKeys: bus.LogKeys()})
//
// verbs.OpenDevice does both. Memory that the device shares with the driver is on the board, so [Bus.Alloc]
// gives pieces of that.
//
// # What a bad line does
//
// Every request and every answer has a CRC-32 and a number. What does not come in time is asked for again under its number, and the
// board executes each number once: a write happens once, or the call returns an error. After [ErrTimeout], or
// when a context ended a call, the next call first brings the open request to its end; where that fails, it
// has done nothing itself ([ErrNotSent]). A board that was reset meanwhile is
// found out ([ErrSession]), and the bus is of no more use.
//
// # Time
//
// The package looks at no clock: time passes in [Line.Read]. A simulation can be a line.
package serial
