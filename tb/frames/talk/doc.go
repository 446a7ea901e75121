// Package talk takes captures of RoCEv2 apart into conversations: what one queue pair
// asked another for, and what it was answered. [Learn] does it; a test bench that then
// puts a NIC in the responder's place finds in each [Conversation] how to set it up,
// which frames to give it, and what has to come of each.
//
// A capture tells less than the responder knew, so the rest is inferred from what it
// answered. A request that drew a NAK was refused, and the fate of each says why it can
// have been; one that drew a NAK for its own sequence number, and was sent before, had
// been lost on the way to the responder. Where the responder took what the protocol
// says to refuse, [Request.Lenient] is set.
//
// Headers below the BTH are read by gopacket; nothing here is shared with the core's
// reference but the tables of package format.
package talk
