// Package axi has the two bus partners of a core in a simulation: [Memory], which
// serves its AXI4 port from host memory, and [Lite], which reads and writes its
// registers over AXI4-Lite. Both take the ports of package blocks/link and run in
// every simulator of package sim.
//
//	memory, err := axi.NewMemory(s, io.Memory, hostMemory, axi.Options{Seed: 1, LatencyMax: 50, Reorder: true, Pauses: 20})
//	registers := axi.NewLite(s, io.Registers, memory, axi.LiteOptions{})
//	s.Reset(2)
//	err = registers.Write(format.RegControl, format.ControlEnable)
//	_, err = memory.Run(1000)  // a thousand cycles in which the memory answers
//
// # Speed
//
// The handshakes of the channels are stream models of package sim, which run inside
// the simulator. [Memory.Run] hands it as many cycles at once as it can: up to the
// next burst that comes, or the next answer that is due. An idle port costs
// nothing, a busy one a call for each burst and not for each cycle.
//
// # What is checked
//
// Each burst is INCR, of whole beats, at a multiple of a beat, within 4 KiB; WLAST is where
// AWLEN says. With [Options].Strict also that an address or a beat that is offered
// stays offered, unchanged, until it is taken; for that the memory looks at each
// cycle. What is wrong is a [*ProtocolError].
package axi
