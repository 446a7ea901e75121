// Package registers is the core's AXI4-Lite slave: registers, counters, the
// command mailbox and the doorbell pages (package format, register.go). Start
// with [Def]; [Reference] says in plain Go what a driver sees.
//
// # Streams
//
//	Bus   the AXI4-Lite port
//	Bell  writes to doorbell pages, to doorbell
//	Go    a command with the contents of the mailbox, to command
//	Done  its outcome, which may come with new contents
//
// # State
//
// The registers that software writes (those of congestion control have defaults after reset), the mailbox of 32 words (undefined
// until they are written), the outcome of the last command, a counter of 32 bits for each bit of Counts, and the vectors
// with an interrupt (set by events' pulses, cleared by software).
//
// # Order
//
// One write and one read at a time; a write to a doorbell page is answered when
// the doorbell has been taken. While a command runs, the mailbox cannot be
// written and no other command starts: such a write is answered with SLVERR,
// and has no effect.
//
// # Stall and fault
//
// A read of what is not there gives zero, a write to it has no effect; both are
// answered with SLVERR, as is a write of less than four bytes.
//
// # Cycles
//
// A write takes 2 cycles, a read 3; that of a counter waits for its turn, as many cycles at most as
// there are counters. It has all pulses but those of the last three cycles. A command goes 20 cycles after it was
// started, and what it gives is in the mailbox after 16; a read in the meantime waits for the first.
//
// # Files
//
//	read.go     what is read where
//	count.go    the counters
//	mailbox.go  the mailbox
package registers
