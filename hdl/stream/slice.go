package stream

import "gornic/hdl"

// SliceIO is the ports of a slice.
type SliceIO[T any] struct {
	In  hdl.Stream[T] `hdl:"in"`
	Out hdl.Stream[T] `hdl:"out"`
}

// SliceDef is a register slice that cuts every path between its two sides:
// valid, payload and ready all come from registers.
//
// Order is kept and nothing is lost. Latency 1, a payload every cycle, two
// payloads inside at most. Cost: two registers of the payload and 2 flip-flops.
func SliceDef[T any](proto T) hdl.Def[SliceIO[T]] {
	return hdl.Def[SliceIO[T]]{
		Name: moduleName("slice", proto),
		Doc:  "Register slice: valid, payload and ready are registered; a payload every cycle.",
		IO:   SliceIO[T]{In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto)},
		Body: func(m *hdl.Module, io *SliceIO[T]) {
			valid := m.Reg("valid", 1, 0)
			data := hdl.NewReg(m, "data", proto)
			// What arrives in the cycle in which out stalls has to go somewhere.
			spare := m.Reg("spare", 1, 0)
			spareData := hdl.NewReg(m, "spare_data", proto)

			io.In.Ready.Set(spare.Not())
			io.Out.Valid.Set(valid)
			hdl.Set(io.Out.Data, data)

			m.If(spare.Not(), func() { hdl.Set(spareData, io.In.Data) })
			m.If(io.Out.Ready.Or(valid.Not()), func() {
				valid.Set(spare.Or(io.In.Valid))
				hdl.Set(data, hdl.MuxOf(spare, spareData, io.In.Data))
				spare.SetK(0)
			}).ElseIf(io.In.Valid, func() {
				spare.SetK(1)
			})

			sliceContract(m, io)
			f := Follow(m, io.In, io.Out, 2)
			m.Assert("takes_while_room", io.In.Ready.Eq(f.Held.LtK(2)))
			m.Assert("gives_what_it_has", io.Out.Valid.Eq(f.Held.Any()))
			m.Assert("held_is_occupancy", f.Held.Eq(valid.ZExt(2).Add(spare.ZExt(2))))
			m.Assert("spare_is_second", spare.Not().Or(valid))
			f.At(m, "first", f.Ahead.Is(0), hdl.Pack(data))
			f.At(m, "second", f.Ahead.Is(1), hdl.Pack(spareData))
			m.Cover("full", spare)
		},
	}
}

// Slice puts a [SliceDef] behind in and returns its output.
func Slice[T any](m *hdl.Module, name string, in hdl.Stream[T]) hdl.Stream[T] {
	s := hdl.Instance(m, name, SliceDef(hdl.Proto(in.Data)))
	hdl.Connect(s.In, in)
	return s.Out
}

// ForwardSliceDef is a register slice that cuts the paths of valid and payload;
// ready passes through in the same cycle. It is half of a [SliceDef]: for
// pipelines whose ready chain is short.
//
// Order is kept and nothing is lost. Latency 1, a payload every cycle, one
// payload inside at most. Cost: one register of the payload and 1 flip-flop.
func ForwardSliceDef[T any](proto T) hdl.Def[SliceIO[T]] {
	return hdl.Def[SliceIO[T]]{
		Name: moduleName("forward_slice", proto),
		Doc:  "Register slice: valid and payload are registered, ready is not; a payload every cycle.",
		IO:   SliceIO[T]{In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto)},
		Body: func(m *hdl.Module, io *SliceIO[T]) {
			valid := m.Reg("valid", 1, 0)
			data := hdl.NewReg(m, "data", proto)

			ready := io.Out.Ready.Or(valid.Not())
			io.In.Ready.Set(ready)
			io.Out.Valid.Set(valid)
			hdl.Set(io.Out.Data, data)
			m.If(ready, func() {
				valid.Set(io.In.Valid)
				hdl.Set(data, io.In.Data)
			})

			sliceContract(m, io)
			f := Follow(m, io.In, io.Out, 1)
			m.Assert("takes_while_room", io.In.Ready.Eq(f.Held.None().Or(io.Out.Ready)))
			m.Assert("gives_what_it_has", io.Out.Valid.Eq(f.Held.Any()))
			m.Assert("held_is_occupancy", f.Held.Eq(valid.ZExt(2)))
			f.At(m, "followed", f.Ahead.Is(0), hdl.Pack(data))
			m.Cover("full", valid.And(io.Out.Ready.Not()))
		},
	}
}

// ForwardSlice puts a [ForwardSliceDef] behind in and returns its output.
func ForwardSlice[T any](m *hdl.Module, name string, in hdl.Stream[T]) hdl.Stream[T] {
	s := hdl.Instance(m, name, ForwardSliceDef(hdl.Proto(in.Data)))
	hdl.Connect(s.In, in)
	return s.Out
}

func sliceContract[T any](m *hdl.Module, io *SliceIO[T]) {
	AssumeSource(m, "in", io.In)
	AssertSource(m, "out", io.Out)
}
