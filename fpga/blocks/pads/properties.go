package pads

import "gornic/hdl"

// Proofs lists what has a clock.
func Proofs() []hdl.Proof {
	return []hdl.Proof{
		hdl.ProofOf(StepperDef(80), 40, 0).Breaks(
			hdl.StuckAt0("move").As("the delay does not move"),
			hdl.Invert("down").As("it moves the wrong way"),
		),
	}
}

// stepperProperties follow the delay line: it is where Taps says whenever nothing moves, and never goes around.
func stepperProperties(m *hdl.Module, io *StepperIO, taps int, starts hdl.Bits) {
	var line, moved hdl.Bits
	m.Ghost(func() {
		was := m.PastReset("move_was", io.Moves.Move, 0)
		moved = was.And(io.Moves.Move.Not())
		line = m.Reg("line", 7, uint64(taps))
		m.If(io.Moves.LoadN.Not(), func() {
			line.SetK(uint64(taps))
		}).ElseIf(moved, func() { line.Set(hdl.Mux(io.Moves.Direction, line.SubK(1), line.AddK(1))) })
	})
	m.Assert("never_around", moved.Not().Or(hdl.Mux(io.Moves.Direction, line.IsNot(0), line.IsNot(MaxTaps))))
	m.Assert("at_most_one_off", hdl.OrAll(line.Eq(io.Taps), line.Eq(io.Taps.AddK(1)), line.Eq(io.Taps.SubK(1))))
	past := m.PastReset("direction_was", io.Moves.Direction, 0)
	m.Assert("direction_holds", moved.Not().Or(past.Eq(io.Moves.Direction)))
	started := m.PastReset("started", starts, 0)
	below := m.PastReset("target_was_below", io.Target.Lt(io.Taps), 0)
	m.Assert("towards_target", started.Not().Or(io.Moves.Direction.Eq(below)))
	if taps+2 <= MaxTaps {
		m.Cover("arrives_up", line.Eq(io.Target).And(line.Is(uint64(taps+2))))
	}
	if taps >= 2 {
		m.Cover("arrives_down", line.Eq(io.Target).And(line.Is(uint64(taps-2))))
	}
}
