package probe

import (
	"errors"
	"fmt"

	"gornic/hdl/ir"
)

// Events that [Ports] declares, in the top.
const (
	LiteOffered  = "lite_offered"  // a write stands at AXI4-Lite, address and data; fields taken, addr, data
	ReadAddress  = "read_address"  // AR is taken; id, addr, len
	ReadLast     = "read_last"     // the last beat of a read is taken; id
	WriteAddress = "write_address" // AW is taken; id, addr, len
	WriteLast    = "write_last"    // the last beat of a write is taken
	WriteAnswer  = "write_answer"  // B is taken; id
	TxBeat       = "tx_beat"       // a beat leaves; last
	RxBeat       = "rx_beat"       // a beat comes; last
)

// Ports declares trace events at the ports of a core, the top of a design. Call it before the
// design is first simulated. An error names ports that a core has and the top does not.
func Ports(d *ir.Design) error {
	p := &ports{m: d.Top}
	taken := and(p.fires("s_axil_aw"), p.fires("s_axil_w"))
	p.event(LiteOffered, and(p.port("s_axil_awvalid"), p.port("s_axil_wvalid")),
		ir.EventField{Name: "taken", Value: taken}, p.field("addr", "s_axil_awaddr"), p.field("data", "s_axil_wdata"))
	p.event(ReadAddress, p.fires("m_axi_ar"), p.field("id", "m_axi_arid"), p.field("addr", "m_axi_araddr"), p.field("len", "m_axi_arlen"))
	p.event(ReadLast, and(p.fires("m_axi_r"), p.port("m_axi_rlast")), p.field("id", "m_axi_rid"))
	p.event(WriteAddress, p.fires("m_axi_aw"), p.field("id", "m_axi_awid"), p.field("addr", "m_axi_awaddr"), p.field("len", "m_axi_awlen"))
	p.event(WriteLast, and(p.fires("m_axi_w"), p.port("m_axi_wlast")))
	p.event(WriteAnswer, p.fires("m_axi_b"), p.field("id", "m_axi_bid"))
	p.event(TxBeat, p.fires("m_axis_tx_t"), p.field("last", "m_axis_tx_tlast"))
	p.event(RxBeat, p.fires("s_axis_rx_t"), p.field("last", "s_axis_rx_tlast"))
	return errors.Join(p.missing...)
}

// ports is a module whose ports are looked at.
type ports struct {
	m       *ir.Module
	missing []error
}

func (p *ports) port(name string) *ir.Node {
	for _, s := range p.m.Signals {
		if s.Name == name {
			return read(s)
		}
	}
	p.missing = append(p.missing, fmt.Errorf("probe: %s has no port %s", p.m.Name, name))
	return &ir.Node{Op: ir.OpInvalid}
}

func (p *ports) fires(prefix string) *ir.Node {
	return and(p.port(prefix+"valid"), p.port(prefix+"ready"))
}

func (p *ports) field(name, port string) ir.EventField {
	return ir.EventField{Name: name, Value: p.port(port)}
}

func (p *ports) event(name string, when *ir.Node, fields ...ir.EventField) {
	p.m.Events = append(p.m.Events, &ir.Event{Name: name, When: when, Fields: fields, Clock: p.m.Clocks[0], Pos: p.m.Pos})
}
