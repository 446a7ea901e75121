// Package board is what a program may know and set of a board that carries the NIC: what board it is, the addresses of
// its ports, their counters, and the delays of their receivers. It goes over any line that reaches
// registers, such as the buses of verbs/serial and verbs/hostnet.
//
// Start with [Identify]. [Scan] looks for the delay at which a port receives well.
package board
