// Package packetbuild is the packet builder: of a descriptor and a payload it
// makes a whole Ethernet frame, headers, pad and ICRC included. Start with [Def];
// package roce (tb/golden/roce) has the same function in plain Go.
//
// # Streams
//
//	Desc     a descriptor (format.TxDescriptor) for each packet, from transmit
//	Payload  a frame for each descriptor whose PayloadLen is not zero, from byte 0 on, from transmit
//	Out      the frame: Ethernet, at most one 802.1Q tag, IPv4 or IPv6, UDP, BTH, extension headers, payload, pad, ICRC
//
// Lengths and the IPv4 checksum come from PayloadLen and the opcode's extension
// headers. The number of pad bytes, which are zero, is the one that completes a
// word; the BTH has PadCnt as the descriptor gives it, which has to be the same.
//
// # Words
//
// All headers but Ethernet's are whole words of four bytes, and every frame
// begins at the same place, so every word lies 2 modulo 4 bytes into a beat.
// The builder moves words: a beat of n words has n+1 slots, the first and last
// of half a word. The payload turns by as many words as the header has, modulo
// n. A slot of a header beat chooses among the few words that are ever there,
// of IPv4 and IPv6; what a tag moves comes from the slot before.
//
// # Stages
//
//	prepare.go  two cycles for the plan: lengths, checksum, and where in the frame's beats what falls (plan.go)
//	slots.go    the header, beat by beat, of the words in header.go
//	join.go     payload behind it
//	icrc        the ICRC (package icrc)
//
// The first bytes of a frame do not depend on the plan. At 64 bits those are two
// beats, during which the plan is made while the descriptor waits at the input;
// at 512 bits the descriptor goes through a register for each step instead.
//
// # State
//
// The joiner holds at most one beat: a header's, or what the last beat of
// payload left over. Its state says which (join.go). In a cycle in which that
// leaves and completes its frame, the next header's first beat comes in.
//
// # Stall and fault
//
// Out stalls the joiner by way of icrc's FIFO, the joiner the two inputs. The
// joiner waits for payload in the middle of a frame; whoever may not pause on
// the wire has the payload ready before the descriptor.
//
// A payload that ends before PayloadLen, or with another number of bytes in its
// last beat, or with Err, ends its frame with Err on the last beat. One that
// goes on ends its frame with Err too, and the rest of it is taken and dropped.
// The next packet is not touched by either. Err is all that such a frame is
// good for: its bytes and its length are not specified.
//
// # Cycles
//
// A beat a cycle out, back to back, for every packet: at 512 bits an
// acknowledgement each cycle. The first beat leaves 9 cycles after the
// descriptor came at 64 bits, 14 at 512.
//
// # Proof
//
// What is built is proved (proof.go) against the frame written down from the
// format tables (expected.go).
package packetbuild
