// Package dma is the AXI master of the core: it merges the bursts of its clients
// onto one AXI4 port and brings the answers back. Start with [Def].
// What every client sees is a memory: the tests of tb/axi hold it against one.
//
// # Streams
//
//	Reads[i]   bursts of client i, and their beats (link.ReadPort): gather, wqefetch, keycache, translate
//	Writes[i]  bursts of client i, their beats, and their ends (link.WritePort): scatter, cqewriter, events, keycache
//	AXI        the port to host memory
//
// # Order
//
// Client i uses the AXI ID i, for reads and for writes. AXI keeps answers of
// one ID in order, so a client sees its answers in the order of its bursts, and
// the memory is free to reorder those of different clients. The beats of write
// bursts go out in the order of their addresses, as AXI4 wants it.
//
// # State
//
// The clients whose write beats are still to come, in order. No count of what is
// outstanding: a client asks only with room for the answer.
//
// # Stall and fault
//
// RREADY and BREADY are the readiness of the client that is answered, which by
// contract is always ready: no client's answer ever holds up another's. An answer
// that is not OKAY has Err, on the beat of a read, on the end of a write. It
// is the client's to act upon; the block only counts it.
//
// # Cycles
//
// Nothing is added to an address, a beat or an answer but a register slice for
// addresses and write beats; each channel moves a beat every cycle. Clients are
// served round robin, a burst at a time.
package dma
