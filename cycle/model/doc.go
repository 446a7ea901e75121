// Package model is the cycle model: two hosts, each with the core, and the wire
// between them, for questions about performance that the RTL would answer too
// slowly.
//
// Start with [Run]: it plays a workload file (package workload) on a [Config] and
// returns a [Result]. [Default] is the pair as the co-simulation has it.
//
// Blocks have the names of the RTL (docs/core.md), and hand each other what the
// RTL's streams carry, but without payload: lengths alone. How long each takes
// is in package table. What the model does not have is an [Unsupported] error.
package model
