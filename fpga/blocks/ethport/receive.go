package ethport

import (
	"gornic/fpga/blocks/mac"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// symbols is the depth of the FIFO of symbols: twice what its latency and 200 ppm of a longest frame fill.
const symbols = 16

// received is what the receive side gives to other domains.
type received struct {
	link    told                     // rx
	results hdl.Stream[mac.Received] // core
	shed    hdl.Bits                 // core: a frame found no room
}

// receive goes from the pins to Rx.
func receive(m *hdl.Module, p Params, io *IO, c clocks) received {
	var r received
	arrives := hdl.NewStream(m, "arrives", mac.Arrived{})
	m.In(c.rx, func() {
		now := arrived(m, io.RxPins)
		r.link = tell(m, now)
		crossSymbols(m, now, arrives)
	})
	symbol := stream.AsyncFIFO(m, "u_symbols", arrives, symbols, c.rx, c.net)

	var words stream.Frame
	var result mac.Received
	var lost hdl.Bits
	m.In(c.net, func() {
		receiver := hdl.Instance(m, "u_receive", mac.ReceiveDef(mac.Params{MaxFrame: p.MaxFrame}))
		hdl.Connect(receiver.In, symbol)
		result = receiver.Result
		shed := hdl.Instance(m, "u_shed", shedDef(between))
		hdl.Connect(shed.In, stream.Widen(m, "u_widen", receiver.Out, between))
		words, lost = shed.Out, shed.Lost
	})
	crossed := crossFrames(m, "u_rx", words, p.Words, c.net, c.core)
	m.In(c.core, func() { hdl.Connect(io.Rx, stream.Widen(m, "u_rx_wide", crossed, io.Rx.Data.Data.Width())) })
	r.results = crossResults(m, result, c)
	r.shed = stream.Pulse(m, "u_lost", lost, c.net, c.core)
	return r
}

// crossSymbols lets the symbols of frames through, and the one behind each, which ends it. A symbol that finds no room is
// lost, and the next one says so.
func crossSymbols(m *hdl.Module, now mac.Arrived, out hdl.Stream[mac.Arrived]) {
	inFrame := m.Reg("in_frame", 1, 0) // the symbol before was of a frame
	lost := m.Reg("lost", 1, 0)
	inFrame.Set(now.Enable)
	wanted := now.Enable.Or(inFrame)
	push(out, wanted)
	now.Lost = lost
	hdl.Set(out.Data, now)
	m.If(wanted, func() { lost.Set(out.Ready.Not()) })
}

// push offers data in the cycles in which it is wanted and there is room: it does not wait.
func push[T any](out hdl.Stream[T], wanted hdl.Bits) { out.Valid.Set(wanted.And(out.Ready)) }

// tight is a beat as a FIFO has it: Keep is all ones but on the last beat, so the index of the last byte says it.
type tight struct {
	Data     hdl.Bits
	LastByte hdl.Bits
	Last     hdl.Bits `w:"1"`
	Err      hdl.Bits `w:"1"`
}

// crossFrames is an asynchronous FIFO of beats.
func crossFrames(m *hdl.Module, name string, in stream.Frame, depth int, from, to hdl.Clock) stream.Frame {
	n := in.Data.Keep.Width()
	m.Unused(in.Data.Keep.Bit(0)) // one in every beat
	packed := stream.Map(in, func(b stream.Beat) tight { return tight{b.Data, stream.LastByte(b.Keep), b.Last, b.Err} })
	return stream.Map(stream.AsyncFIFO(m, name, packed, depth, from, to), func(t tight) stream.Beat {
		return stream.Beat{Data: t.Data, Keep: stream.KeepTo(t.LastByte, n), Last: t.Last, Err: t.Err}
	})
}
