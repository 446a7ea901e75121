// Command bench measures how many cycles the core takes, in Verilator, and holds that against
// its budgets.
//
//	go run ./tb/bench                     everything; writes docs/performance.md
//	go run ./tb/bench -list               lists the measurements and their budgets
//	go run ./tb/bench -run 'dc/.*/WRITE'  those whose name matches a regular expression
//	go run ./tb/bench -json               an object a line
//	go run ./tb/bench -workload FILE      a workload of your own between two cores (package workload)
//
// It exits with status 1 if a budget is missed. docs/performance.md is written by runs of everything, and
// says what is measured and how. Figures are cycles, and so the same on every machine.
//
// # How
//
// Two hosts on a wire (package rtl), each with the core or with the reference, post
// work through the driver (package verbs); host memory answers at once, or after a fixed number of cycles. What is
// measured is seen from outside: frames on the wire, and the ports of the core.
//
//	measurement.go  what is measured, and the budgets
//	load.go         rates: messages as fast as they go
//	trip.go         latencies: one message between idle hosts
//	rig.go          the two hosts
//	line.go         what crosses the wire, and when
//	watcher.go      the ports of a core
//	played.go       workload files
//	page.go         docs/performance.md
package main
