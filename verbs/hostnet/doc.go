// Package hostnet is a verbs.Bus over UDP: it drives a board through its second Ethernet port. The program owns
// the buffers, in its own memory, and the board reads and writes them by datagrams (format.HostnetHeader; docs/hostnet.md
// has the protocol, package fpga/blocks/hostnet the board's side of it).
//
//	bus, err := hostnet.Dial(ctx, "192.168.1.50")
//	defer bus.Close()
//	device, err := verbs.Open(ctx, bus, verbs.Config{})
//
// # What runs
//
// A goroutine serves the board from [Dial] on, as the board may need memory while the program does something else. Who waits
// for an answer or in [Bus.Wait] serves too. With [Options.NoServer] there is no goroutine, and the board is served only while somebody waits:
// so a simulation of a board repeats to the cycle. All time is that of [Conn.Now].
//
// # What a board can reach
//
// Memory from [Bus.Alloc], nothing else: an address outside is answered as a fault, which the core reports
// as a bus error. The upper half of an address is the number of the session, so that addresses which a board remembers of a
// program that has ended are nothing to the next one.
//
// # When a side dies
//
// A board that is reset, or was out of reach for its time, does not know the session: the next access is [ErrNoSession], and so is every
// later one. Dial again then. A board that does not answer at all is [ErrNoAnswer]. A second program that dials takes the board over.
//
// # Files
//
//	bus.go     Bus: opening, and the rules of who receives
//	access.go  registers
//	serve.go   requests of the board
//	arena.go   memory
//	header.go  datagrams
//	conn.go    UDP
package hostnet
