// Package wire is what lies between two NICs: a [Link] that carries frames in
// order, shows each to its taps ([Tap], [Pcap]), and loses, doubles, damages, marks or
// delays some ([Faults]).
//
// What becomes of a packet is decided by a hash of its queue pair, PSN and attempt
// ([Faults.Decide]), so that every model of the same work meets the same losses,
// whatever its timing. A [Rule] may also name what it is for: an opcode, a PSN, a direction,
// the n-th packet of these. An [Outage] is a time in which the link is down.
//
//	faults.go  rules, and whom they hit
//	damage.go  what becomes of the bytes of a frame
//	link.go    frames from one end to the other; held.go: those that are delayed
//	packet.go  what a frame is to rules; pcap.go: a capture file
package wire
