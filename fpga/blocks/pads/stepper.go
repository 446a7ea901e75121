package pads

import (
	"fmt"

	"gornic/hdl"
)

// StepperIO is the ports of what moves a delay. Moves are registers: no pulse of them is cut.
type StepperIO struct {
	Target hdl.Bits `hdl:"in" w:"7"`  // taps
	Taps   hdl.Bits `hdl:"out" w:"7"` // how long the delay is
	Moves  Moves    `hdl:"out"`
}

// stepCycles is how long Move stays high, and then low.
const stepCycles = 4

// StepperDef moves the delays of a port to Target, tap by tap, from taps after reset; RxDef has the same number. A tap takes
// 2 * stepCycles cycles; frames that come meanwhile may be damaged.
func StepperDef(taps int) hdl.Def[StepperIO] {
	return hdl.Def[StepperIO]{
		Name: fmt.Sprintf("delay_stepper_%d", taps),
		Doc:  "Moves a delay tap by tap to where it is wanted.",
		Body: func(m *hdl.Module, io *StepperIO) {
			wantTaps(m, taps)
			at := m.Reg("at", 7, uint64(taps))
			phase := m.Reg("phase", hdl.Log2(2*stepCycles), 0) // of a step: the first half Move is high; 0: none
			load := m.Reg("load_n", 1, 0)
			move := m.Reg("move", 1, 0)
			down := m.Reg("down", 1, 0)
			idle := phase.Is(0)
			starts := hdl.AndAll(idle, load, at.Ne(io.Target))

			load.SetK(1)
			move.Set(phase.Any().And(phase.LtK(stepCycles)))
			m.If(starts, func() {
				down.Set(at.Gt(io.Target))
				phase.SetK(1)
			}).ElseIf(idle.Not(), func() { phase.Set(phase.AddK(1)) })
			m.If(phase.Is(2*stepCycles-1), func() { at.Set(hdl.Mux(down, at.SubK(1), at.AddK(1))) })

			io.Taps.Set(at)
			io.Moves.LoadN.Set(load)
			io.Moves.Move.Set(move)
			io.Moves.Direction.Set(down)
			stepperProperties(m, io, taps, starts)
		},
	}
}
