// Package config reads experiment files: which configuration of the core, host and
// wire the cycle model runs, and which workload.
//
// Start with [Load], and [File.Experiment] for what the file says; [File.With] is the
// same with some fields set to other values, which is what a sweep does. [Fields] is the
// table of what a file may say, [Schema] the same for an editor.
//
// # An experiment file
//
//	title: small WRITEs
//	nic: dc                       # tiny, board, dc, a configuration file, or
//	                              # {base: dc, qps: 2048}: one of those with other values
//	workload: small               # the name of a workload, a workload file, {base: small, messages: 10},
//	                              # or all of it in place (package tb/workload)
//	seed: 1                       # of requests and losses; default 1
//	warmup: 100                   # messages at the start that are not measured; default 0
//	clock_mhz: 250                # and all other fields of the model
//	host: {bus: pcie, pcie: {gen: 4, latency_ns: 800}}
//	sweep:                        # package cycle/sweep
//	  grid: {workload.sizes: [64, 4096]}
//
// Only the workload has to be there; nic is board if it is not. File names are relative to the file that has them. What is
// wrong is an error for each mistake that names file, line, field, what was expected, and the nearest field.
package config
