package rtl

import "gornic/hdl/sim"

// Hold stops the wire from taking what the NIC sends. With false it takes each beat at once again.
func (n *NIC) Hold(hold bool) {
	p := sim.Pattern{}
	if hold {
		p = sim.Pattern{Kind: sim.Random} // in no cycle
	}
	n.tx.SetPattern(p)
}
