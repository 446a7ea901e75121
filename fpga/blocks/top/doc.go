// Package top is the hardware of a whole board, in two layers. [BoardDef] is everything digital: the RDMA core,
// two Ethernet ports, host memory, and the bridges by which a host reaches it. [Def] is that with pads, PLL and resets
// around it: the top of a bitstream. There is little logic here but wires.
//
//	params.go   the board and the core that is on it
//	board.go    the digital part: its ports, and the blocks in it
//	network.go  frames: the core's port, and the host's
//	host.go     accesses of the host, registers, host memory
//	lights.go   status LEDs
//	top.go      pads, PLL and resets
//
// # Streams
//
// Port 0 is the core's. Everything that it receives goes to the core, and to a neighbour block that answers ARP and ping;
// its answers leave by the core's raw stream. Thus a board is seen on the network from its reset on, before software has
// enabled the core. What the core receives that is not RoCE, nobody wants: it is dropped.
//
// Port 1 is the host's, where the board has it: ARP, ping, and what is between a PC and the board (hostnet). The serial line
// and hostnet reach registers and the board's memory through one arbiter (access). The core's memory is on the board, and
// from port.RemoteBase on in the PC.
//
// # Clocks
//
// The default domain is the core's. net has 125 MHz of the board's own, for both MACs; rx0 and rx1 are the
// clocks that the PHYs recover. Resets of all domains are applied together, in the middle of whatever goes on.
//
// # Cycles
//
// A frame from the pins is at the core 40 cycles or less after its last byte, at 62.5 MHz; see ethport.
package top
