// Package format holds every wire and descriptor format of gornic, each
// written once: the golden references, the hardware generators, the test
// benches and the documentation all read these tables.
//
// A format is a generic struct whose fields stand in wire order, most
// significant first, with their width in bits as a tag:
//
//	type AETH[V any] struct {
//		Syndrome V `w:"8"`
//		MSN      V `w:"24"`
//	}
//
// Go code uses AETH[uint64] with [Decode] and [Append]; a hardware generator
// uses the same type over its own value type, packed and unpacked by the same
// tags. [Layout] returns the fields as data.
//
// Start with [BTH] (bth.go) for the shape of a header, [Opcodes] for what
// follows a BTH, [Reasons] for what becomes of a frame, and [RxDescriptor] and
// [TxDescriptor] for what the packet parser hands on and the packet builder
// takes. The rules are those of docs/protocol.md: "protocol section 1.3" in a
// comment names the place. docs/formats.md is made of these tables, and the
// comment of a field stands at its port in the Verilog.
//
// What host and device share is here too, in little-endian structs that [DecodeHost]
// and [AppendHost] read and write (hostcodec.go says how their bits lie):
//
//	wqe.go               work requests in the queues of the host
//	cqe.go, status.go    completions and events, and what they say
//	key.go               the key table
//	command.go, qp.go    the command mailbox, states and attributes of queue pairs
//	register.go          registers, doorbells, counters
//	vendor.go            the core's own reasons
//
// To add a header: its struct here, its name in gen/tables.go for the document,
// and a line each in TestSizes and TestRoundTrip.
package format
