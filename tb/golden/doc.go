// Package golden is the reference NIC: what the core has to do, in plain Go. So
// far it is the receive side up to the transport; start with [Receive].
package golden
