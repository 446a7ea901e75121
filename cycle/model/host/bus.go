// Package host is a host of the cycle model: its memory behind a bus ([AXI],
// [PCIe]) and its software ([Software]).
package host

import (
	"gornic/cycle/simkit"
)

// Bus is how long host memory takes. Its calls are in the order of their cycles. Reads are answered in their order.
type Bus interface {
	// Read is a burst whose address is taken in a cycle: when its first and its last beat come.
	Read(taken simkit.Cycle, beats, bytes int32) (first, last simkit.Cycle)
	// Write is a burst whose last beat is taken in a cycle: when its answer comes.
	Write(taken simkit.Cycle, beats, bytes int32) simkit.Cycle
	// Accepts is the first cycle from now on in which the bus takes another read, or another write.
	Accepts(now simkit.Cycle, write bool, bytes int32) simkit.Cycle
}

// AXI is memory at the core's port: the first beat of a read, or the answer of a write, comes Least+Latency cycles after the address,
// or the last beat, was taken.
type AXI struct {
	Least, Latency simkit.Cycle
	free           simkit.Cycle // of the channel of read beats
}

// Read is that of Bus.
func (a *AXI) Read(taken simkit.Cycle, beats, _ int32) (first, last simkit.Cycle) {
	first = max(taken+a.Least+a.Latency, a.free)
	a.free = first + simkit.Cycle(beats)
	return first, a.free - 1
}

// Write is that of Bus.
func (a *AXI) Write(taken simkit.Cycle, _, _ int32) simkit.Cycle { return taken + a.Least + a.Latency }

// Accepts is that of Bus: AXI always does.
func (a *AXI) Accepts(now simkit.Cycle, _ bool, _ int32) simkit.Cycle { return now }
