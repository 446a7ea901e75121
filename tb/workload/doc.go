// Package workload holds workloads: what two hosts have their NICs do, as a file
// of a few lines, and the requests that the file and a seed stand for.
//
// The co-simulation, the benchmark and the cycle model read the same files and so
// do the same work. Start with [Load] for a file, [Workload] for what is in it
// and [Workload.Requests] for what it stands for. [Workload.Faults] are the
// losses on the wire: whatever the model, the same packets meet them.
package workload
