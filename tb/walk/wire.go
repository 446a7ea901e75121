package walk

import (
	"strings"

	"gornic/format"
	"gornic/hdl/sim"
	"gornic/tb/golden"
	"gornic/tb/wire"
)

// crossing is a packet on the wire, taken apart by the reference.
func crossing(c wire.Crossing, cycle uint64) Seen {
	s := Seen{Cycle: cycle, Where: AToB, What: "frame"}
	if c.Direction == wire.BToA {
		s.Where = BToA
	}
	r := golden.Receive(c.Frame, false)
	if r.BTH == nil {
		return s
	}
	d, op := r.Descriptor, format.Opcode(r.BTH.Opcode)
	info, _ := format.Lookup(op)
	s.What, s.Data = info.Name, append([]byte(nil), r.Payload...)
	s.Values = []Value{
		flag("good", r.Reason == format.ReasonOK), {"psn", d.PSN}, {"dest_qp", d.DestQP}, {"ack_req", d.AckReq}, {"se", d.SE},
		val("bytes", len(r.Payload)), val("headers", info.ExtBytes()),
	}
	if h, ok := format.ExtHeaderOf[format.RETH[uint64]](d.Ext, op, format.ExtRETH); ok {
		s.Values = append(s.Values, Value{"va", h.VA}, Value{"rkey", h.RKey}, Value{"length", h.DMALen})
	}
	if h, ok := format.ExtHeaderOf[format.AETH[uint64]](d.Ext, op, format.ExtAETH); ok {
		s.Values = append(s.Values, Value{"syndrome", h.Syndrome}, Value{"msn", h.MSN})
	}
	if h, ok := format.ExtHeaderOf[format.ImmDt[uint64]](d.Ext, op, format.ExtImmDt); ok {
		s.Values = append(s.Values, Value{"imm", h.Imm})
	}
	if h, ok := format.ExtHeaderOf[format.IETH[uint64]](d.Ext, op, format.ExtIETH); ok {
		s.Values = append(s.Values, Value{"ends", h.RKey})
	}
	return s
}

// hardware is a trace event of a NIC.
func hardware(where Where, e sim.Event) Seen {
	block := strings.ReplaceAll(e.Path, "u_", "")
	if block == "" {
		block = "core"
	}
	s := Seen{Cycle: e.Cycle, Where: where, What: block + "." + e.Name}
	for _, f := range e.Fields {
		s.Values = append(s.Values, Value{f.Name, f.Value})
	}
	return s
}
