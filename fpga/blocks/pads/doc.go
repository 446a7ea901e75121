// Package pads is what of a board depends on the vendor: the primitives of Lattice ECP5 as black boxes, and what is made of them. No
// other package of the board knows the vendor.
//
// Start with [RxDef] and [TxDef], the pads of an RGMII port between pins and ethport.Pins; [PLLDef] makes the clocks, [ResetDef] the
// reset of a clock, and [StepperDef] moves the receive delay to where boardregs wants it.
//
// # Streams
//
//	pins to halves   RxDef: rxc, rx_ctl, rxd -> DELAYF -> IDDRX1F -> two nibbles of domain rx
//	halves to pins   TxDef: two nibbles -> ODDRX1F -> DELAYG -> tx_ctl, txd; txc from ODDRX1F with a delay of its own
//	delay            StepperDef: a target of 0 to 127 taps -> LOADN, MOVE, DIRECTION of every DELAYF of the port
//
// Clocks are plain one-bit ports here (hdl's Module.ClockOf makes domains of them in the top).
//
// # Models
//
// [Models] is Verilog of the primitives for event simulators, with edges and delays, written from the vendor's documents; synthesis
// knows the primitives by name. The native simulator has rising edges only, and runs what is inside the pads.
//
// # Cycles
//
// A nibble at a pin is in the halves one rising edge after its cycle.
//
// # Files
//
//	box.go      the primitives
//	rgmii.go    pads of a port
//	stepper.go  the moving delay
//	pll.go      clocks
//	reset.go    resets
//	models.go   models of the primitives, in models.v
package pads
