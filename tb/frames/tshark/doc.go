// Package tshark has Wireshark's dissector look at frames: [Complaints] are what it finds
// wrong, from a wrong checksum of the IPv4 header to a packet whose headers do not fit its
// length. It does not compute the ICRC: that is frames.CheckICRC.
package tshark
