// Package golden is the reference NIC: what the core has to do, in plain Go,
// packet by packet. It is written from docs/protocol.md and shares with the
// generators nothing but the tables of package format.
//
// A [NIC] has what a core has: registers and doorbells ([NIC.ReadRegister],
// [NIC.WriteRegister]), host memory that it reads and writes ([Memory]), and a
// wire ([NIC.Receive], [NIC.Send]). It has no clock: [NIC.Step] does one unit of
// work, [NIC.Tick] lets time pass, and the same calls give the same bytes.
//
// Where to read:
//
//	nic.go         what the parts are and whose turn it is; config.go: how many
//	registers.go   registers; doorbell.go: doorbells; command*.go: the mailbox
//	key.go         keys: who may touch what; translate.go, sglist.go: where it is
//	ring.go        work queues; cq.go: completions; eq.go: events
//	qp.go          a queue pair, its states and its end
//	requester.go   WQEs to packets; completer.go: their answers; retry.go
//	responder.go   packets to memory; reply.go: the answers
//	op_*.go        a file for each operation: what it does at either end; keychange.go: what they do to keys
//	congestion.go  marks of routers, and notifications
//	resource.go    READs and atomics that are to be answered; readdata.go: their data at the requester
//	frame.go       a packet to be sent; receive.go: a frame that came; package roce: their bytes
//
// Where docs/protocol leaves the choice, this NIC does what its section 10 says, and:
//
//   - A SEND with invalidate whose key it may not end is placed, and then draws NAK 0x62 and
//     REM_INV_REQ_ERR; of a good one the ACK leaves when the key is dead.
//   - The responder keeps as many READs and atomics as max_dest_rd_atomic. One that is asked for
//     again is answered with all that is behind it, as the requester goes back to there.
//   - What was accepted is answered in ERR, too, but nothing behind a NAK in the place of a
//     response.
//   - An atomic at an address that is no multiple of 8 on the bus is an invalid request.
//   - An ACK waits for older responses of its QP; a newer one takes its place, and a READ or
//     atomic behind it makes it needless.
//   - A window has the rights of remote write, read and atomic at most. Zero-based windows do
//     not exist.
//   - LOCAL_INV waits for all work requests before it, with the fence flag or without.
//
// Of congestion control it has what the wire shows: CNPs for marked packets, with their gap. Its own rate it does not lower: it has none but
// that at which the wire takes its packets.
//
// The receive side up to the transport is the function [Receive]. Package lab has
// two hosts with such NICs on a wire, ready for programs over verbs.
package golden
