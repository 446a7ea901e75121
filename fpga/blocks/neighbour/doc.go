// Package neighbour makes a board visible on its network: it answers ARP requests for the board's IPv4 address and pings
// (ICMP echo requests). Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	In      frames from the wire, without FCS
//	Rest    the frames of In that are not for this block, whole and in order
//	Answer  the answers; a word in every cycle that its taker is ready, once one has begun
//
// # What is answered
//
// ARP requests (RFC 826) for IPv4 over Ethernet that ask for IP, to any destination. Echo requests (RFC 792) to MAC
// and IP, without IP options, not fragmented, of up to 1514 bytes of frame, whose IPv4 header has a right checksum and a total length that
// the frame has room for; the ICMP checksum is corrected for the change of type (RFC 1624), so that a payload that came damaged comes back as
// damaged. With Params.Tagged, one VLAN tag (802.1Q) comes back as it came. The answer goes to the sender's MAC address, with a time to live
// of 64. A request from a group address is not answered.
//
// Requests that are taken leave nothing on Rest, answered or not. With Enable zero, everything goes to Rest.
//
// # State
//
// A FIFO of words that wait for the verdict on their frame, the frame that is being answered, and fields of it.
//
// # Order and stall
//
// One request at a time: those that come until its answer has left are dropped, and so are those with Err and those that are
// too long; Answered and Dropped pulse. An Answer that waits does not hold up In. In waits for Rest alone.
//
// # Cycles
//
// A beat every cycle. From In to Rest some 10 cycles. From the end of a request to the beginning of the answer some 10 cycles.
//
// # Files
//
//	pattern.go  requests byte by byte: what they must have, what the answer has in place of it
//	match.go    whose frame it is
//	take.go     the request that is answered, and its checksums
//	answer.go   the answer's words
package neighbour
