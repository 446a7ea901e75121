// Command calibrate holds the cycle model against the RTL.
//
//	go run ./cycle/calibrate                    records the RTL in Verilator, fits the table, compares, writes docs/calibration.md
//	go run ./cycle/calibrate -check             compares with what is recorded, and takes seconds
//	go run ./cycle/calibrate -hops board        how many cycles each block takes, in the RTL
//	go run ./cycle/calibrate -events FILE       what the RTL does with a workload, event by event (-json for programs)
//	go run ./cycle/calibrate -events FILE -streams   and everything that moves between two blocks
//
// # How
//
// The same workload files are played on two cores in Verilator and on the model, with the same hosts and the same
// wire (package record). Events at the ports are compared one by one. What package cases calls the suite, single
// operations between idle hosts, is what the times of blocks are fitted to; what it calls held, load of many queue pairs, is not: it judges.
//
//	record    what the RTL does, as events of the model
//	cases     the workloads, and what each is played on
//	compare   events and figures of both
//	hops      latencies of blocks, measured in the RTL: they name the block that has changed
//	probe     trace events at streams, declared from outside
//	fit       times of the table that bring the model nearest
package main
