// Package ethport is one Ethernet port: between the pins of RGMII, as halves of cycles, and 64-bit frames in the clock domain
// of the core. Start with [Def].
//
// # Streams
//
//	RxPins, TxPins  nibbles at the rising and at the falling edge, of domain rx (the clock that the PHY recovers) and of domain net
//	Rx              frames that came, without FCS; Err of the last beat: bad
//	Tx              frames that leave, without FCS; Err of the last beat: it leaves with a wrong FCS
//	Count           pulses of one cycle, in the domain of the core, one for each frame
//	Status          what the PHY says between frames (RGMII 2.0 in-band status), zero while its clock stands still
//
// # Clocks
//
// The default domain is the core's, any frequency from 50 MHz; net is the transmit clock of RGMII, 125 MHz, and both MACs run
// on it; rx is 125 MHz of the other side of the cable, up to 100 ppm off. In rx there is no more than a byte register
// and the write side of a FIFO. The resets of the three are applied together; a receive
// clock that stands still takes its reset when it runs again, and what symbols come until then are too few for a frame.
//
// # State
//
// Four asynchronous FIFOs: symbols (rx to net), words of 32 bits (net to core, core to net), results (net to core), and a FIFO of words in
// front of the transmitter. Their contents are frames under way; there is no table.
//
// # Stall and loss
//
// Nothing that the core does reaches the PHY. Rx may wait; a frame that then finds no room loses beats, ends with Err, and counts as
// RxOverrun besides what the MAC found. If not even its first beat finds room, it leaves no trace but the count. A
// frame that is bad has Err whatever is wrong with it. Symbols between two frames are not crossed but for one, so a receive
// clock that is faster is made good for between frames.
//
// Tx is taken into the FIFO; a frame begins when Params.Start words of 32 bits of it have come or its last, and from then on its words
// have to come at 1 Gb/s or the frame is cut (TxUnderrun).
//
// # Cycles
//
// Line rate in both directions, back to back frames of 64 bytes included.
//
// # Files
//
//	rgmii.go     halves of a cycle and symbols; the status between frames
//	receive.go   from pins to frames of the core
//	shed.go      frames that find no room
//	transmit.go  from frames of the core to pins
//	count.go     pulses across clocks
package ethport
