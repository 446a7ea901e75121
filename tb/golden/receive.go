package golden

import (
	"gornic/format"
	"gornic/tb/golden/roce"
)

// ICRC is what is known of a frame's invariant CRC.
type ICRC uint8

// ICRC states.
const (
	ICRCAbsent ICRC = iota // no whole RoCEv2 packet, so no ICRC
	ICRCGood
	ICRCBad
)

func (s ICRC) String() string { return [...]string{"absent", "good", "bad"}[s%3] }

// Received is what the receive side makes of one frame.
type Received struct {
	roce.Parsed      // Reason includes the ICRC's verdict
	ICRC        ICRC // judged whenever there is one, whatever the reason
}

// Receive judges one frame as the receive side does when the packet buffer has
// room: the headers, then the ICRC. bad tells that the MAC marked the frame bad.
func Receive(frame []byte, bad bool) Received {
	r := Received{Parsed: roce.Parse(frame, bad)}
	if r.Packet {
		good, err := roce.CheckICRC(frame[r.Start:r.End])
		switch {
		case err != nil: // not a packet after all
		case good:
			r.ICRC = ICRCGood
		default:
			r.ICRC = ICRCBad
		}
	}
	if r.Reason == format.ReasonOK && r.ICRC != ICRCGood {
		r.Reason = format.ReasonICRC
		r.Descriptor, r.Payload = format.RxDescriptor[uint64]{}, nil
	}
	return r
}
