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
//	resource.go    READs and atomics that are to be answered; readdata.go: their data at the requester
//	frame.go       a packet to be sent; receive.go: a frame that came; package roce: their bytes
//
// The receive side up to the transport is the function [Receive]. Package lab has
// two hosts with such NICs on a wire, ready for programs over verbs.
package golden
