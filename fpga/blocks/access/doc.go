// Package access is the host's reach: it brings the accesses of hosts, over whatever line they
// come, to the registers of the core, those of the board, and host memory on the
// board. Start with [Def]; [Reference] is the map of addresses in plain Go.
//
// # Streams
//
//	Clients[i]  accesses of a host, and the replies (port.Client)
//	Core        AXI4-Lite to the registers and doorbells of the core
//	Board       AXI4-Lite to the registers of the board
//	Memory      accesses to host memory, and the replies
//
// # Order
//
// One access at a time is under way. Clients take turns; a client's replies come in
// the order of its accesses, each once.
//
// # State
//
// The access under way, and whose it is.
//
// # Stall and fault
//
// An access waits for who answers it: the core's registers hold up a doorbell for as long
// as queues are busy. What lies at no address, and what is answered with an AXI error, has Fault;
// so does a register whose address is no multiple of 4, as AXI-Lite has no bytes of a read.
//
// # Cycles
//
// 4 and those of who answers.
package access
