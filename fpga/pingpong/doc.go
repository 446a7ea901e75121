// Package pingpong does what ibv_rc_pingpong of rdma-core does, with a device of package verbs, so that the two measure each other:
// [Run] on a connection over TCP, on which the ends tell each other their queue pairs, then messages back and forth.
//
//	exchange.go  what is said over TCP, in the text of ibv_rc_pingpong
//	run.go       the queue pair, and the messages
package pingpong
