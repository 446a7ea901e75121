// Package program has random verbs programs: two hosts make protection domains,
// regions, completion queues and queue pairs, send to each other in both
// directions, and take everything down again, all of it drawn from a seed.
//
// Start with [Random] for a program, [Run] to have two devices do it, and [Program]
// for what is in it. Run checks everything against a model of the two hosts: each
// completion in full and in the order of its queue, each event of an armed CQ, every
// byte of each region and beside it, the states and numbers of each queue pair. What
// came is a [Trace]; two devices that do the same program differ where
// [Trace.Difference] says.
//
//	limits.go     what a configuration allows
//	program.go    what a program is
//	random.go     its timing, domains, queues and connections
//	messages.go   its messages and receives
//	layout.go     where they lie in which region
//	features.go   what a program has that others do not, to count
//	smaller.go    programs that do less, to find what it takes to fail
//	run.go        a run: setup.go, post.go, poll.go, events.go, end.go
//	area.go       a region in memory
//
// A workload (package workload) is the same work for models and benchmarks alike;
// a program goes into every corner of one device.
package program
