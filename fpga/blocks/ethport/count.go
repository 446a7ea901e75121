package ethport

import (
	"gornic/fpga/blocks/mac"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// results is how many results of frames may be on their way to the core. Frames without end, start or bytes can
// come every third byte time, which is more than stream.Pulse is made for.
const results = 8

// crossResults brings the results of received frames into the domain of the core. One that finds no room is not counted: the
// core's clock would have to be below a third of 125 MHz.
func crossResults(m *hdl.Module, r mac.Received, c clocks) hdl.Stream[mac.Received] {
	out := hdl.NewStream(m, "results", mac.Received{})
	push(out, hdl.Pack(r).Any())
	hdl.Set(out.Data, r)
	return stream.AsyncFIFO(m, "u_results", out, results, c.net, c.core)
}

// count makes the pulses of Count, in the domain of the core.
func count(m *hdl.Module, io *IO, r received, sent mac.Sent, c clocks) {
	r.results.Ready.SetK(1)
	come := func(x hdl.Bits) hdl.Bits { return x.And(r.results.Valid) }
	now := r.results.Data
	io.Count.RxGood.Set(come(now.Good))
	io.Count.RxBadFCS.Set(come(now.BadFCS))
	io.Count.RxShort.Set(come(now.Short))
	io.Count.RxLong.Set(come(now.Long))
	io.Count.RxPHYError.Set(come(now.PHYError))
	io.Count.RxOverrun.Set(either(m, "overrun", come(now.Lost), r.shed))

	io.Count.TxGood.Set(stream.Pulse(m, "u_good", sent.Good, c.net, c.core))
	io.Count.TxAborted.Set(stream.Pulse(m, "u_aborted", sent.Aborted, c.net, c.core))
	io.Count.TxUnderrun.Set(stream.Pulse(m, "u_underrun", sent.Underrun, c.net, c.core))
}

// either is a pulse for each of two, which are rare: where they meet, one comes a cycle later.
func either(m *hdl.Module, name string, a, b hdl.Bits) hdl.Bits {
	waits := m.Reg(name+"_waits", 1, 0)
	waits.Set(hdl.Mux(waits, a.Or(b), a.And(b)))
	return hdl.OrAll(a, b, waits)
}
