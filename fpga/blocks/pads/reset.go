package pads

import "gornic/hdl"

// ResetIO is the ports of the reset of one clock. Both are plain signals, not the reset of a domain.
type ResetIO struct {
	Clock hdl.Bits `hdl:"in" w:"1"`
	Hold  hdl.Bits `hdl:"in" w:"1"` // of any clock, or of none
	Reset hdl.Bits `hdl:"out" w:"1"`
}

// presetIO is a flip-flop with an asynchronous preset.
type presetIO struct {
	D  hdl.Bits `hdl:"in" w:"1" name:"D"`
	CK hdl.Bits `hdl:"in" w:"1" name:"CK"`
	PD hdl.Bits `hdl:"in" w:"1" name:"PD"`
	SP hdl.Bits `hdl:"in" w:"1" name:"SP"`
	Q  hdl.Bits `hdl:"out" w:"1" name:"Q"`
}

// resetStages are flip-flops between Hold and Reset.
const resetStages = 4

// ResetDef is the reset of a clock: it rises with Hold at once, with or without a clock, and falls with an edge of the clock, some
// cycles after Hold.
func ResetDef() hdl.Def[ResetIO] {
	return hdl.Def[ResetIO]{
		Name: "reset_release",
		Doc:  "The reset of a clock: rises at once, falls with the clock.",
		Body: func(m *hdl.Module, io *ResetIO) {
			chain := hdl.K(1, 0)
			for i := range resetStages {
				ff := hdl.Instance(m, "u_stage_"+string(rune('0'+i)), box[presetIO]("FD1P3BX", "A flip-flop with an asynchronous preset."))
				ff.D.Set(chain)
				ff.CK.Set(io.Clock)
				ff.PD.Set(io.Hold)
				ff.SP.SetK(1)
				chain = ff.Q
			}
			io.Reset.Set(chain)
		},
	}
}
