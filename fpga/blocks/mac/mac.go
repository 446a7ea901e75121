package mac

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// Symbol is what the pins of a PHY say in one byte time (GMII, IEEE 802.3 clause 35).
type Symbol struct {
	Data   hdl.Bits `w:"8"`
	Enable hdl.Bits `w:"1"` // RX_DV or TX_EN: a byte of a frame, its preamble included
}

// Arrived is a [Symbol] on the way to the receiver.
type Arrived struct {
	Symbol
	Error hdl.Bits `w:"1"` // RX_ER
	Lost  hdl.Bits `w:"1"` // symbols before this one were lost
}

// Received is the pulses of frames that came: exactly one of them for each.
type Received struct {
	Good     hdl.Bits `w:"1"`
	BadFCS   hdl.Bits `w:"1"`
	Short    hdl.Bits `w:"1"` // less than 64 bytes
	Long     hdl.Bits `w:"1"` // more than Params.MaxFrame
	PHYError hdl.Bits `w:"1"` // the PHY flagged an error, or there was no start delimiter
	Lost     hdl.Bits `w:"1"` // symbols were lost
}

// Sent is the pulses of frames that left: exactly one of them for each.
type Sent struct {
	Good     hdl.Bits `w:"1"`
	Aborted  hdl.Bits `w:"1"` // its last beat had Err: it left with a wrong FCS
	Underrun hdl.Bits `w:"1"` // its next byte was late: it was cut, and left with a wrong FCS
}

// Lengths of frames in bytes, FCS included.
const (
	MinFrame      = 64
	StandardFrame = 1518 + 4 // with a VLAN tag
	JumboFrame    = 9018 + 4
)

// Params are the parameters of the receiver.
type Params struct {
	MaxFrame int // bytes of the longest good frame, with FCS: StandardFrame to JumboFrame
}

// Validate returns an error for parameters that the receiver cannot have.
func (p Params) Validate() error {
	if p.MaxFrame < StandardFrame || p.MaxFrame > JumboFrame {
		return fmt.Errorf("mac: frames of up to %d bytes: not %d to %d", p.MaxFrame, StandardFrame, JumboFrame)
	}
	return nil
}

// ReceiveIO is the ports of the receiver.
type ReceiveIO struct {
	In     hdl.Stream[Arrived] `hdl:"in"`  // Ready is always one
	Out    stream.Frame        `hdl:"out"` // taken at once
	Result Received            `hdl:"out"`
}

// TransmitIO is the ports of the transmitter.
type TransmitIO struct {
	In     stream.Frame `hdl:"in"`
	Out    Symbol       `hdl:"out"` // in every cycle
	Result Sent         `hdl:"out"`
}
