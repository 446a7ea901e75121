// Package sweep runs an experiment file at many points: for each, the model with other values in some fields.
//
// Start with [NewPlan], which makes the points of a file's sweep block and checks all of them before any is run, and [Runner.Run].
// [Store] keeps a result file for each point; [Collect] brings them together with the points, so that none is missing unseen.
// [Batch] is the same sweep as a job array of Slurm.
//
// # The sweep block
//
// Fields are paths: workload.queue_pairs[0].count, host.pcie.latency_ns. Values are a list, or a range:
// {from: 1, to: 9, step: 2}, {log2: [1, 1024]}, {log10: [0.0001, 0.1]}.
//
//	sweep:
//	  grid:                              # each value of one with each of the others
//	    caches.context.entries: {log2: [16, 1024]}
//	    workload.sizes: [64, 4096]
//	  zip:                               # the first of each, the second of each, ...; all as long
//	    host.pcie.gen:        [3, 4, 5]
//	    host.pcie.latency_ns: [600, 450, 400]
//	  list:                              # points that are written out
//	    - {nic.reads: 4, link.latency: 10}
//	    - {nic.reads: 16, link.latency: 1000}
//	  seeds: 3                           # each point with so many seeds, from the file's own on
//
// With several of them, each point of one is run with each of the others.
//
// # Results
//
// A result file is named by a hash of all that the result depends on: the model's code and tables, the configuration, the
// workload, the seed. It is written under another name and renamed when it is whole and on disk. So a run that was killed, or that ran elsewhere,
// goes on where it was: points that have their file are not run again, and a file is never half there. The same holds for shards: shard i of n
// runs every n-th point, and any number of them may write to one folder at once.
package sweep
