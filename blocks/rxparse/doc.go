// Package rxparse is the receive parser: it takes whole Ethernet frames and
// gives, for each RoCEv2 packet, a descriptor and the payload from byte 0 on.
// Start with [Def]; package roce (tb/golden/roce) has the same function in
// plain Go.
//
// # Streams
//
//	In       frames from the MAC, without FCS; Err on the last beat: the MAC found it bad
//	Status   one for each frame, in order: the reason (format.Reasons), and whether an ICRC is there; to rxbuffer
//	Header   a descriptor for each status with ReasonOK, offered in the same cycle as it; to rxbuffer
//	Payload  a frame for each packet with payload: pad, ICRC and trailing bytes are gone; to rxbuffer
//	Raw      the frames that pass to the host, unchanged: all that is not RoCEv2, and QP 1; to a FIFO of rxpath
//
// Nothing waits for the end of a frame, so what only the end tells comes late.
// A frame on Raw that is not for the host after all ends with Err, often after
// a few beats: its taker drops it, as the rule of [stream.Beat] says. A payload
// that ends with Err is to be dropped too; one that ended before its frame
// turned out bad is dropped by the status. The payload beats of a frame are
// offered no later than its status, those of the next frame after it. An
// accepted packet has as many as its payload length takes.
//
// # Headers
//
// Every header field stands at one of four places: with or without an 802.1Q
// tag, in IPv4 or IPv6. All of these are 2 modulo 4 bytes into the frame. The
// parser therefore works on 32-bit words that start two bytes early, which
// costs no logic, and a field has at most four (beat, lane) pairs. A register
// takes each field when its beat goes by: those that a frame is judged by on
// the way into stage 1, those of the descriptor on the way into stage 3, where
// they stay until the frame's end. At 64 bits one set of registers serves both,
// and the layouts of a header are first aligned to pairs of words, so that they
// need no multiplexer.
//
// The payload starts 2 modulo 4 bytes into a beat as well: the realigner
// shifts by words, in two steps, coarse and fine.
//
// # Stages
//
//	1  the beat and the header fields so far
//	2  what the fields say: comparisons, lengths, where the payload starts
//	3  the reason; Raw; the payload shifted by fours of words
//	4  Status, Header and Payload
//
// # Cycles
//
// A beat waits in stage 2 for the next one of its frame, whose bytes complete
// the payload's beat; the last one of a frame does not wait. So a beat a cycle
// goes in and out, for frames of any length: at 512 bits a descriptor every
// cycle. Latency from the last beat to Status is four cycles.
//
// # Stall and fault
//
// The four outputs stall the whole parser, and with it In, if a taker does not
// take; Header does so only when the next descriptor is there. In package
// rxpath all takers always do. Nothing in a frame can make it wait for
// something: state is the number of the beat in the frame, the payload beats
// still to come, and whether Raw's frame is already ended, all of which the
// frame's last beat resets. A frame may have any length; one that is longer
// than its IP packet is cut, one that is shorter has reason truncated.
//
// IPv4 options move the UDP header by up to ten words. Such packets are never
// accepted, so only their destination port is looked for, by its position.
//
// # Files
//
//	pipeline.go  what moves in a cycle
//	geometry.go  where a header stands: the variants; layout.go: what the Ethernet header tells of them
//	reader.go    header fields into registers; fields.go: which
//	judge.go     what the fields say; reason.go: the first thing that is wrong
//	third.go     stage 3; realign.go: the payload shifted; output.go: what leaves
//	proof.go     the proof of what is said of one frame, against expected.go
package rxparse
