package pads

import (
	"fmt"

	"gornic/fpga/blocks/ethport"
	"gornic/hdl"
)

// MaxTaps is the longest delay, in taps of 25 ps.
const MaxTaps = 127

// RxIO is the pads of the receive side of an RGMII. Everything is of the clock domain of Clock.
type RxIO struct {
	Clock hdl.Bits     `hdl:"in" w:"1"` // RXC
	Reset hdl.Bits     `hdl:"in" w:"1"`
	Ctl   hdl.Bits     `hdl:"in" w:"1"` // pins
	Data  hdl.Bits     `hdl:"in" w:"4"`
	Delay Moves        `hdl:"in"` // from StepperDef
	Pins  ethport.Pins `hdl:"out"`
}

// Moves is what moves the delays of all pins of a port.
type Moves struct {
	LoadN     hdl.Bits `w:"1"` // zero: the delay is as long as after configuration
	Move      hdl.Bits `w:"1"` // a tap at the falling edge
	Direction hdl.Bits `w:"1"` // down; does not change around the falling edge of Move
}

// TxIO is the pads of the transmit side. Everything is of the clock domain of Clock.
type TxIO struct {
	Clock hdl.Bits     `hdl:"in" w:"1"`
	Reset hdl.Bits     `hdl:"in" w:"1"`
	Pins  ethport.Pins `hdl:"in"`
	TxC   hdl.Bits     `hdl:"out" w:"1" name:"txc"` // pins
	Ctl   hdl.Bits     `hdl:"out" w:"1"`
	Data  hdl.Bits     `hdl:"out" w:"4"`
}

// wantTaps refuses delays that do not exist.
func wantTaps(m *hdl.Module, taps int) {
	if taps < 0 || taps > MaxTaps {
		m.Reject("a delay of %d taps: not 0 to %d", taps, MaxTaps)
	}
}

// RxDef is the pads of the receive side: data and control are delayed, by taps until the delay is moved, and taken at both edges
// of the clock. The delay makes up for the way of the clock through the FPGA, some 2 ns; that the clock is in the middle of the data at
// the pins is up to the PHY.
func RxDef(taps int) hdl.Def[RxIO] {
	return hdl.Def[RxIO]{
		Name: fmt.Sprintf("rgmii_rx_pads_%d", taps),
		Doc:  "Pads of the receive side of an RGMII: a delay that can be moved, and registers of both edges.",
		Body: func(m *hdl.Module, io *RxIO) {
			wantTaps(m, taps)
			pin := func(name string, from hdl.Bits) (rise, fall hdl.Bits) {
				d := hdl.Instance(m, "u_delay_"+name, delay(taps))
				d.A.Set(from)
				d.LoadN.Set(io.Delay.LoadN)
				d.Move.Set(io.Delay.Move)
				d.Direction.Set(io.Delay.Direction)
				m.Unused(d.Flag)
				r := hdl.Instance(m, "u_ddr_"+name, inDDR())
				r.D.Set(d.Z)
				r.SCLK.Set(io.Clock)
				r.RST.Set(io.Reset)
				return r.Q0, r.Q1
			}
			rise, fall := make([]hdl.Bits, 4), make([]hdl.Bits, 4)
			for i := range rise {
				rise[i], fall[i] = pin(fmt.Sprint(i), io.Data.Bit(i))
			}
			io.Pins.Rise.Data.Set(hdl.Cat(rise[3], rise[2], rise[1], rise[0]))
			io.Pins.Fall.Data.Set(hdl.Cat(fall[3], fall[2], fall[1], fall[0]))
			ctlRise, ctlFall := pin("ctl", io.Ctl)
			io.Pins.Rise.Ctl.Set(ctlRise)
			io.Pins.Fall.Ctl.Set(ctlFall)
		},
	}
}

// TxDef is the pads of the transmit side. The clock at its pin rises with the data, or clockTaps later: a PHY that does not delay
// the clock itself wants 2 ns, 80 taps.
func TxDef(clockTaps int) hdl.Def[TxIO] {
	return hdl.Def[TxIO]{
		Name: fmt.Sprintf("rgmii_tx_pads_%d", clockTaps),
		Doc:  "Pads of the transmit side of an RGMII: registers of both edges, and a delay of the clock.",
		Body: func(m *hdl.Module, io *TxIO) {
			wantTaps(m, clockTaps)
			pin := func(name string, rise, fall hdl.Bits, taps int) hdl.Bits {
				r := hdl.Instance(m, "u_ddr_"+name, outDDR())
				r.D0.Set(rise)
				r.D1.Set(fall)
				r.SCLK.Set(io.Clock)
				r.RST.Set(io.Reset)
				d := hdl.Instance(m, "u_delay_"+name, fixedDelay(taps))
				d.A.Set(r.Q)
				return d.Z
			}
			io.TxC.Set(pin("clock", hdl.K(1, 1), hdl.K(1, 0), clockTaps))
			io.Ctl.Set(pin("ctl", io.Pins.Rise.Ctl, io.Pins.Fall.Ctl, 0))
			data := make([]hdl.Bits, 4)
			for i := range data {
				data[3-i] = pin(fmt.Sprint(i), io.Pins.Rise.Data.Bit(i), io.Pins.Fall.Data.Bit(i), 0)
			}
			io.Data.Set(hdl.Cat(data...))
		},
	}
}
