package main

import (
	"gornic/blocks/core"
	"gornic/hdl"
	"gornic/hdl/sim"
)

// A watcher looks at the ports of a core between two cycles: for the last beat of a
// frame that comes in, and for the CQE that is written because of it, which is the
// first write behind it that is not to the buffer for data. It is asked once a cycle.
type watcher struct {
	sim     *sim.Sim
	io      *core.IO
	buffer  uint64
	arrived uint64 // cycle that takes the last beat; 0: not yet
	written uint64 // cycle that takes the address or the last data of the CQE, whichever is later; 0: not yet
	bursts  []bool // addresses that were taken: whether they are of a CQE
	ended   int    // bursts whose last data was taken
}

func newWatcher(io *core.IO, p *party) *watcher {
	return &watcher{sim: p.Core().Sim(), io: io, buffer: p.mr.Addr()}
}

func (w *watcher) high(ports ...hdl.Bits) bool {
	for _, p := range ports {
		if w.sim.Get(p) == 0 {
			return false
		}
	}
	return true
}

// look sees what the next cycle takes. AXI has the data of bursts in the order of their addresses.
func (w *watcher) look() {
	if rx := w.io.Rx; w.high(rx.TValid, rx.TReady, rx.TLast) {
		w.arrived = w.sim.Cycle()
	}
	axi := w.io.Memory
	if w.high(axi.AWValid, axi.AWReady) {
		w.bursts = append(w.bursts, w.arrived > 0 && w.sim.Get(axi.AWAddr)-w.buffer >= bufferBytes)
	}
	if w.high(axi.WValid, axi.WReady, axi.WLast) {
		w.ended++
	}
	for _, isCQE := range w.bursts[:min(len(w.bursts), w.ended)] {
		if isCQE && w.written == 0 {
			w.written = w.sim.Cycle()
		}
	}
}
