// Package record plays workloads on two cores in a simulator and records, cycle by
// cycle, what can be seen at their ports: the list of model.Event that the cycle model
// gives too.
//
//	p, err := record.Prepare(ctx, config, verilator.Simulator, record.Ports)
//	log, err := p.Run(ctx, work, record.Options{Seed: 1, Latency: 100})
//	for _, e := range log.Events { ... }
//
// # The hosts
//
// The environment is one that a model can have, too. Software takes no time: in each cycle it has seen every
// CQE that memory holds, posts whatever there is room for, and hands the doorbells to the bus, which takes one after another
// as fast as the core does. Memory answers after a fixed number of cycles. The wire takes a frame when its last beat
// has left, and gives its first beat to the other core in the next cycle, or after a latency; it is as fast as the cores' streams.
//
//	prepare.go  a core, with events at its ports or at all streams between blocks
//	run.go      two hosts with cores, and the workload on them
//	host.go     software that takes no time
//	names.go    which queue pair of the workload a number is
//	wire.go     the frames, in the order of each port
//	log.go      events of ports put together as events of the model
package record
