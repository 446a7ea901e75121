// Package short is a short list of tests of the core for simulators that are slow, such as that of a netlist: random programs (package
// program) between a core and a reference over a wire that works and over one that fails, in which every operation, completion,
// event and refusal is judged. Start with [List].
package short
