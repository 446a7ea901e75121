// Package link has the messages that the blocks of the core send each other: the
// payloads of the streams between them, each a bundle. docs/core.md draws which
// block sends what to whom; the comment of each message says what it means and
// who may rely on what.
//
// Widths that a standard fixes stand in the fields' tags; those that depend on
// the configuration come from [Sizes], whose methods return the prototypes:
//
//	io := IO{Bell: hdl.StreamOf(s.RingUpdate()), Read: hdl.StreamOf(s.ReadBurst())}
//
// A port is a bundle of streams in both directions, seen from the client: a
// client has it as hdl:"out", a server as hdl:"in", and
// hdl.Connect(server.Port, client.Port) joins the two.
//
// The messages by file:
//
//	register.go  software's registers and commands
//	qp.go        queue pairs: contexts, control, faults, fences
//	queue.go     work, completion and event queues
//	send.go      requests on their way out, and the replay ring
//	receive.go   packets that have come, and what becomes of them
//	retry.go     what is sent again, and when
//	read.go      READs and atomics: outstanding, and to be answered
//	key.go       keys, segments, pieces: from virtual addresses to bus addresses
//	dma.go       bursts of host memory; axi.go: the port
//	feature.go   what a core may be without
package link

// Sizes are the numbers of a configuration that widths depend on.
type Sizes struct {
	DataWidth  int // bits of a beat of host memory and network: 64, 128, 256 or 512
	QPBits     int // log2 of the queue pairs
	CQBits     int // log2 of the completion queues
	EQBits     int // log2 of the event queues, each with an interrupt vector
	SlotBits   int // log2 of the WQEs of 128 bytes that the core holds of each queue; of 64 bytes, twice as many
	ReplayBits int // log2 of the replay entries of a queue pair
	ReadBits   int // log2 of the READs and atomics of a queue pair that may be outstanding, in each direction

	Without Feature // what the core does not have
}

// Ahead is how many messages about packets wait where n would keep a packet coming in each few cycles: n, or one at
// 64 bits, where the shortest packet takes 8 cycles. A FIFO of one is a register, which costs no LUTs.
func (s Sizes) Ahead(n int) int {
	if s.DataWidth == 64 {
		return 1
	}
	return n
}
