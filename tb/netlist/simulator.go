package netlist

import (
	"context"
	"fmt"
	"sync"

	"gornic/fpga/flow"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tools/toolset"
)

// Simulator synthesizes each design that it opens, once, and runs its netlist: so a block's own tests run on what became of it. They
// see ports alone: events, coverage and waves are left out, and Peek fails inside.
func Simulator(ctx context.Context) sim.Simulator {
	var lock sync.Mutex
	made := map[*hdl.Design]*Simulators{}
	open := func(d *hdl.Design, o sim.Options) (sim.Backend, error) {
		lock.Lock()
		defer lock.Unlock()
		if made[d] == nil {
			s, err := synthesize(ctx, d)
			if err != nil {
				return nil, err
			}
			made[d] = s
		}
		o.Events, o.Coverage, o.Waves = false, false, ""
		return made[d].Original().Open(d, o)
	}
	return sim.Simulator{Name: "netlist", Open: open, Absent: toolset.ErrAbsent}
}

func synthesize(ctx context.Context, d *hdl.Design) (*Simulators, error) {
	n, err := flow.Netlist(ctx, "netlist-"+d.Top.Name, d, flow.Options{})
	if err != nil {
		return nil, fmt.Errorf("netlist of %s: %w", d.Top.Name, err)
	}
	return Prepare(ctx, d, n, nil)
}
