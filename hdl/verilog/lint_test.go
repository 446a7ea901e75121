package verilog_test

import (
	"testing"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/verilog/lint"
)

// design is one entry of the table that the golden and lint tests share.
type design struct {
	name  string
	build func(t *testing.T) *ir.Design
}

func of[IO any](def hdl.Def[IO]) design {
	return design{def.Name, func(t *testing.T) *ir.Design {
		t.Helper()
		d, _, err := hdl.Build(def)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}}
}

var designs = []design{
	of(RRArbiter(4)),
	of(PSNCheck(16)),
	of(Framer(64)),
	of(Cam()),
	of(System()),
	of(Math()),
	of(RAM("ram_old", 512, 32, 32, hdl.ReadOld)),
	of(RAM("ram_new", 300, 32, 32, hdl.ReadNew)),
	of(RAM("ram_lanes_new", 512, 32, 8, hdl.ReadNew)),
	of(RAM("ram_lanes_undefined", 512, 64, 1, hdl.Undefined)),
	of(RAM("ram_single", 1, 8, 8, hdl.ReadOld)),
	of(LUTRAM()),
	of(MadeClocks()),
	of(Dual(hdl.Undefined)),
	of(Shared(hdl.ReadNew)),
	of(TwoClock()),
	of(Senders()),
}

func TestLint(t *testing.T) {
	for _, d := range designs {
		t.Run(d.name, func(t *testing.T) { lint.CheckEvery(t, d.build(t)) })
	}
}
