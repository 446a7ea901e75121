package link

import "gornic/hdl"

// ReadBurst asks for whole beats of host memory that lie within one 4 KiB page:
// an AXI read burst. A client has room for the answer before it asks.
type ReadBurst struct {
	Addr hdl.Bits `w:"64"` // bus address, a multiple of a beat
	Len  hdl.Bits `w:"8"`  // beats less one
}

// ReadBeat is a beat of the answer. The answers of one client come in the order
// of its questions, and the client takes each at once.
type ReadBeat struct {
	Data hdl.Bits // as in memory: the byte of the lowest address in bits 7 to 0
	Err  hdl.Bits `w:"1"` // this beat had an error response: its data means nothing
	Last hdl.Bits `w:"1"` // of the burst
}

// IsLast makes a burst a frame.
func (b ReadBeat) IsLast() hdl.Bits { return b.Last }

// WriteBurst announces beats that will be written: an AXI write burst within one
// 4 KiB page. Its beats follow on a stream of [WriteBeat].
type WriteBurst struct {
	Addr hdl.Bits `w:"64"` // bus address, a multiple of a beat
	Len  hdl.Bits `w:"8"`  // beats less one
}

// WriteBeat is a beat to be written. A client announces a burst only when its
// beats can follow without waiting for anything but the bus.
type WriteBeat struct {
	Data hdl.Bits
	Strb hdl.Bits // a bit for each byte that is written
	Last hdl.Bits `w:"1"` // of the burst
}

// IsLast makes a burst a frame.
func (b WriteBeat) IsLast() hdl.Bits { return b.Last }

// WriteDone says that a burst is in memory, or not: one for each, in a client's
// order.
type WriteDone struct {
	Err hdl.Bits `w:"1"`
}

// ReadBeat returns the prototype.
func (s Sizes) ReadBeat() ReadBeat { return ReadBeat{Data: hdl.W(s.DataWidth)} }

// WriteBeat returns the prototype.
func (s Sizes) WriteBeat() WriteBeat {
	return WriteBeat{Data: hdl.W(s.DataWidth), Strb: hdl.W(s.DataWidth / 8)}
}

// ReadPort is a client's side of the reading half of the DMA engine.
type ReadPort struct {
	Burst hdl.Stream[ReadBurst]
	Beat  hdl.Stream[ReadBeat] `hdl:"flip"`
}

// WritePort is a client's side of the writing half.
type WritePort struct {
	Burst hdl.Stream[WriteBurst]
	Beat  hdl.Stream[WriteBeat]
	Done  hdl.Stream[WriteDone] `hdl:"flip"`
}

// ReadPort returns the prototype.
func (s Sizes) ReadPort() ReadPort {
	return ReadPort{Burst: hdl.StreamOf(ReadBurst{}), Beat: hdl.StreamOf(s.ReadBeat())}
}

// WritePort returns the prototype.
func (s Sizes) WritePort() WritePort {
	return WritePort{Burst: hdl.StreamOf(WriteBurst{}), Beat: hdl.StreamOf(s.WriteBeat()), Done: hdl.StreamOf(WriteDone{})}
}
