// Package packet is the wire as a drill sees it: the packets of a peer that is a script, and
// those that a NIC sends, field by field, under the names of the specification.
//
// A [Packet] has every field that a case may name ([Fields]). [Packet.Frame] makes the frame of one, right
// or wrong in any field; [Parse] takes a frame apart, and notes what is wrong with it;
// [Packet.Words] says what it is in the words of the protocol.
//
// Ethernet, IP and UDP headers are gopacket's, those behind them are laid out by package format.
// Nothing is shared with the NICs that are judged.
package packet
