// Package rtl is the core in a simulator as a NIC: [NIC] has the face of the
// reference (package golden): frames in and out, registers, time that passes, and the
// memory of a host on the other side. [Lab] is two hosts on a wire, each with the
// core or the reference, and a verbs.Bus on each.
//
//	design, io, err := rtl.Build(config)
//	l, err := rtl.NewLab(design, io, rtl.Options{
//		Config: config, Sides: [2]rtl.Kind{rtl.Core, rtl.Reference}, NIC: rtl.NICOptions{Simulator: verilator.Simulator},
//	})
//	defer l.Close()
//	device, err := verbs.Open(ctx, l.A, verbs.Config{MAC: l.A.MAC})
//
// Who opens many labs elaborates each core once ([Cores]) and has the simulator prepare it
// once (sim.Simulator.Cached).
//
// # Time
//
// Both hosts have the same clock, of which a cycle is [Cycle] long. The devices run in
// turns of a slice of cycles; then frames that left one reach the other, so
// a frame crosses the wire in less than two slices after its last beat. While a driver
// waits or accesses a register, both sides run the same cycles. The reference does at
// once what it is asked for, but sends no faster than the core takes.
package rtl
