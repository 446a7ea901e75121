// Package uart sends and receives bytes on a serial line: 8 data bits, no parity,
// one stop bit. Start with [Def]; [Encode] and [Decode] are the line in plain Go.
//
// # Streams
//
//	Send      bytes to send, in order
//	Received  bytes that have come: one pulse each. Nobody can hold them up
//	RxPin     the line in, of any clock; TxPin is the line out
//
// A bit lasts Divisor cycles, 8 or more. A new divisor counts from the next
// byte on, in both directions.
//
// # State
//
// A shift register, a counter of cycles and one of bits for each direction.
//
// # Stall and fault
//
// A bit is what the line is in two of three looks at it: in its middle and an eighth
// of a bit before and behind. A start bit that is over by its middle was a glitch and is
// forgotten; it hides a start bit that comes less than a bit later. A byte whose stop bit is low is marked Bad; no other begins
// before the line is high again, so that a line that hangs low gives one bad byte.
// The line may be faster or slower than Divisor says by 3 per cent, from a divisor of 32 on.
//
// # Cycles
//
// 10 bits a byte. A byte that was received is there an eighth of a bit behind the middle of its
// stop bit.
package uart
