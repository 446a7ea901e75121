package ethport

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// shedIO is the ports of what sheds frames that find no room.
type shedIO struct {
	In   stream.Frame `hdl:"in"` // Ready is always one
	Out  stream.Frame `hdl:"out"`
	Lost hdl.Bits     `hdl:"out" w:"1"` // one cycle for each frame that was lost in part or whole
}

// shedDef lets frames through until Out does not take a beat in time. The frame loses that beat and all behind it, and ends
// with a beat that has Err once there is room; one of which no beat has left is dropped. Latency 1, a beat every cycle. Cost: a
// register of a beat and 4 flip-flops.
func shedDef(width int) hdl.Def[shedIO] {
	return hdl.Def[shedIO]{
		Name: fmt.Sprintf("shed_%d", width),
		Doc:  "Takes a beat in every cycle: a frame that finds no room is cut, and ends with an error.",
		IO:   shedIO{In: stream.FrameOf(width), Out: stream.FrameOf(width)},
		Body: func(m *hdl.Module, io *shedIO) {
			in, out := io.In, io.Out
			valid := m.Reg("valid", 1, 0)
			beat := hdl.NewReg(m, "beat", stream.BeatOf(width))
			open := m.Reg("open", 1, 0) // Out has the beginning of a frame, not its end
			owes := m.Reg("owes", 1, 0) // the end of that frame is still to be made
			cut := m.Reg("cut", 1, 0)   // the rest of the present frame is dropped
			in.Ready.SetK(1)
			out.Valid.Set(valid)
			hdl.Set(out.Data, beat)

			room := valid.Not().Or(out.Ready)
			wanted := in.Valid.And(cut.Not())
			takes := hdl.AndAll(wanted, room, owes.Not())
			loses := wanted.And(room.And(owes.Not()).Not())
			m.If(room, func() { valid.Set(takes.Or(owes)) })
			m.If(takes, func() {
				hdl.Set(beat, in.Data)
				open.Set(in.Data.Last.Not())
			})
			m.If(owes.And(room), func() {
				beat.Keep.SetK(1)
				beat.Last.SetK(1)
				beat.Err.SetK(1)
				owes.SetK(0)
				open.SetK(0)
			})
			m.If(loses, func() { cut.Set(in.Data.Last.Not()) })
			m.If(loses.And(open), func() { owes.SetK(1) }) // also while it owes: there is one end to make
			m.If(hdl.AndAll(in.Valid, cut, in.Data.Last), func() { cut.SetK(0) })
			lost := m.Reg("lost_pulse", 1, 0)
			lost.Set(loses)
			io.Lost.Set(lost)
			shedProperties(m, io, takes)
		},
	}
}
