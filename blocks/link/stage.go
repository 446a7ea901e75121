package link

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Stage is a register between two steps of a pipeline of packets. At 64 bits it cuts valid, payload and ready, and
// holds one message in two cycles, which packets of 8 cycles do not notice; ready passes through a wider one's.
func Stage[T any](m *hdl.Module, s Sizes, name string, in hdl.Stream[T]) hdl.Stream[T] {
	if s.DataWidth == 64 {
		return stream.FIFO(m, name, in, 1)
	}
	return stream.ForwardSlice(m, name, in)
}

// Cut is a register where two blocks meet, at 64 bits, whose FPGAs are slow: no path leads through it. Wider cores
// have their latency without it.
func Cut[T any](m *hdl.Module, s Sizes, name string, in hdl.Stream[T]) hdl.Stream[T] {
	if s.DataWidth == 64 {
		return stream.FIFO(m, name, in, 1)
	}
	return in
}

// Before returns what to drive in place of an output, which has a [Cut] before it.
func Before[T any](m *hdl.Module, s Sizes, name string, out hdl.Stream[T]) hdl.Stream[T] {
	in := hdl.NewStream(m, name, hdl.Proto(out.Data))
	hdl.Connect(out, Cut(m, s, "u_"+name, in))
	return in
}
