// Package icrc computes the invariant CRC of RoCEv2, which ends every packet
// (protocol section 1.7). [CheckDef] judges the frames that come in,
// [GenerateDef] completes those that go out; both come from one generator, at
// any width from 64 to 512 bits. Package roce (tb/golden/roce) has the same in
// plain Go.
//
// Start with the two in icrc.go, made of check.go and generate.go; headers.go
// reads the frame's headers, cover.go knows what the CRC covers, state.go is
// the CRC itself, crc.go its arithmetic. What is proved is in properties.go
// (control) and proof.go (data): sample.go has the frames for that, flip.go
// sends them with a bit inverted.
//
// # Streams
//
//	Check     In   whole Ethernet frames, at most one 802.1Q tag, IPv4 or IPv6; anything may follow the packet
//	          Verdict  one for each frame, in order: Good; to rxbuffer
//	Generate  In   the same without ICRC and without anything behind the packet
//	          Out  the same with ICRC; Err passes through; both are inside packetbuild
//
// # How it works
//
// A CRC is linear: the sum (exclusive or) of two messages has the sum of their
// CRCs, as far as the message bits go. That settles everything that usually
// makes a wide CRC large:
//
//   - Where the packet begins. Bytes before the IP header are set to zero, and a
//     state of zero stays zero over them. The state in which the CRC should begin,
//     after the eight bytes of ones, is added to the header's first four bytes.
//   - Where it ends, in Check. The ICRC itself goes through the CRC, and zeros
//     after it. The state is then one constant for each number of zeros in the last beat:
//     a table of as many words as a beat has bytes.
//   - Where it ends, in Generate. The state goes back over the zeros behind the
//     last byte by inverse matrices, 1, 2, 4, ... bytes, in a stage each.
//     RoCEv2 frames are 2 modulo 4 bytes long: [Params].WordEnd saves two of the
//     stages, and nothing but the choice of constants is needed for that.
//   - How much is in the loop. What a beat's data adds to the state does not
//     depend on the state. It is worked out in groups of eight bytes with a
//     register behind each; the loop is one matrix of 32 by 32 and a sum.
//
// What may change on the way (TOS, TTL, ...) is set to ones. Its place depends on
// whether there is a tag and on the IP version alone, and a beat of the frame's
// header has at most four layouts.
//
// # Stages
//
//	Check     1 beat, headers   2 the packet's end   3 masked   4 sums   5 state   verdict
//	Generate  1 beat, headers   2 masked   3 sums   4 state   5.. back over the zeros
//
// The stages never stall. In Check, In is ready while fewer than 16 verdicts
// wait or are in the stages. In Generate, beats wait in a FIFO of 16 beside the
// stages, and what the stages make of them in another; a beat leaves when both
// have one. So ready comes from a register and goes to nothing but the first
// stage.
//
// # Cycles
//
// A beat a cycle in, for frames of any length, back to back: at 512 bits a
// frame every cycle. Check gives the verdict 6 cycles after the last beat. In
// Generate a beat leaves no sooner than its ICRC would be there if it were the
// last one, 5 cycles and one for each stage back after it came: a frame that
// comes without gaps leaves without gaps. An ICRC that does not fit into the
// last beat takes one more.
//
// # Faults
//
// A frame may have any length from one byte up. One that is not IP, ends before
// its IP length says, or has no room for a BTH and an ICRC gets Good zero. All
// state belongs to one frame and begins anew with the next.
package icrc
