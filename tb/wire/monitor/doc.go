// Package monitor watches a wire and tells the first packet that breaks a rule of
// the protocol: as a bystander, who knows of each connection its queue pair
// numbers, first PSNs and path MTU, and sees what crosses and what is lost.
//
// Start with [New], tell it the connections ([Monitor.Add]), and hang
// [Monitor.Tap] on a wire.Link. What it accepts is what the protocol allows: it
// does not say which of several legal packets has to come, nor when.
//
//	frame.go      fields that every packet has
//	requests.go   PSNs, opcodes and lengths of requests, and of those sent again
//	answers.go    what may be acknowledged or refused, and in which order
//	responses.go  responses of READs and atomics
//	tries.go      how often a packet had to be sent again
package monitor
