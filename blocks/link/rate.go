package link

import "gornic/hdl"

// Sent is a packet whose rate counts: a request or an answer to a READ or atomic, new or sent again. ACKs, NAKs and CNPs are none.
type Sent struct {
	QP    hdl.Bits
	Bytes hdl.Bits `w:"13"` // of payload
}

// Sent returns the prototype.
func (s Sizes) Sent() Sent { return Sent{QP: hdl.W(s.QPBits)} }

// PacedPort asks, at once, whether a queue pair has to wait for its rate before it sends its next packet. It
// is woken when it need not any more.
type PacedPort struct {
	QP    hdl.Bits
	Waits hdl.Bits `hdl:"flip" w:"1"`
}

// PacedPort returns the prototype.
func (s Sizes) PacedPort() PacedPort { return PacedPort{QP: hdl.W(s.QPBits)} }
