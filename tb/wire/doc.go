// Package wire is what lies between two NICs: a [Link] that carries frames in
// order, shows each to its taps ([Tap], [Pcap]), and loses, doubles, damages or
// delays some ([Faults]).
//
// What becomes of a packet is decided by a hash of its queue pair, PSN and attempt
// ([Faults.Decide]), so that every model of the same work meets the same losses,
// whatever its timing.
package wire
