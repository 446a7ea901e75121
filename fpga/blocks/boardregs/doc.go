// Package boardregs is the registers of a board around the core: what board it is, what its
// ports are set to, what has been counted. Start with [Def]; format.BoardRegisters is the map,
// [Reference] the block in plain Go.
//
// # Streams
//
//	Bus     AXI4-Lite: the registers
//	Ports   settings of the Ethernet ports
//	Links   what their PHYs say
//	Peer    the PC that serves memory over UDP, if there is one
//	Counts  a pulse for each thing that is counted: bit i is format.BoardCounter i
//	LEDs    those that software has taken, and what they show
//	Reset   one for a while: everything is to be reset, this block, too
//
// # State
//
// The settings; the totals of the counters, in a small memory.
//
// # Order
//
// A read that begins after the answer to a write sees what was written. A counter is read a
// few cycles late.
//
// # Stall and fault
//
// Nothing stalls. An access to what does not exist, a write to what can only be read, of some bytes of a word only,
// and of a divisor that the serial line cannot have gets SLVERR and has no effect. The reset comes
// Params.ResetAfter cycles behind the write that asks for it, so that the answer still leaves the board.
//
// # Cycles
//
// A write takes 2, a read 3, that of a counter up to as many as there are counters.
package boardregs
