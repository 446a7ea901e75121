// Package board is a board in a simulator, as a lab: its FPGA's digital part (fpga/blocks/top) with a serial line,
// two Ethernet ports at RGMII pins, and who is at their other ends. Start with [New].
//
//	harness.go  the module around the board: symbols to pins, edges of the serial line
//	lab.go      the simulation, its clocks and resets
//	port.go     an Ethernet port: frames to pins and back
//	serial.go   the serial line, as verbs/serial wants it
//	station.go  a host on Ethernet: ARP, ping and UDP
//	udp.go      a UDP socket of a station, as verbs/hostnet wants it
//	peer.go     a host with the reference NIC (package golden), on port 0
//
// rgmii and line are what is on the pins. Everything happens in one goroutine: time passes
// where somebody waits, in [Lab.Run].
package board
