// Package line is a serial line of 8 data bits, no parity and one stop bit, as levels in time:
// [Encode] is a byte on it, a [Decoder] finds the bytes in what a transmitter does, and [Faults] is
// what happens to bytes on the way. It shares nothing with the UART that it tests.
package line
