package rxparse

import (
	"gornic/format"
	"gornic/hdl"
)

// raw gives the beat in stage 3 to Raw. A frame that is not for the host ends
// with Err.
func (t *third) raw(io *IO) {
	out := io.Raw
	out.Valid.Set(t.rawValid)
	out.Data.Data.Set(t.data)
	out.Data.Keep.Set(keepOf(t.count, t.data.Width()/8))
	last := t.last.Or(t.rawCut)
	out.Data.Last.Set(last)
	out.Data.Err.Set(last.And(t.rawCut.Or(passed(t.reason).Not())))
	t.m.If(out.Ready.And(t.p.flow.Not()), func() { t.rawValid.SetK(0) })
}

// outputs is stage 4: Status, Header and Payload.
func (t *third) outputs(io *IO, h *headers) {
	m, flow := t.m, t.p.flow
	good := t.reason.Is(uint64(format.ReasonOK))

	payloadValid := m.Reg("payload_valid_s4", 1, 0)
	payload := hdl.NewReg(m, "s4", hdl.Proto(io.Payload.Data))
	statusValid := m.Reg("status_valid_s4", 1, 0)
	status := hdl.NewReg(m, "s4_status", hdl.Proto(io.Status.Data))
	headerValid := m.Reg("header_valid_s4", 1, 0)
	header := hdl.NewReg(m, "s4_header", hdl.Proto(io.Header.Data))
	newHeader := t.ends.And(good)
	descriptor := h.descriptor(m, t.less)

	free := func(valid, ready hdl.Bits) hdl.Bits { return valid.Not().Or(ready) }
	flow.Set(hdl.AndAll(
		free(t.rawValid, io.Raw.Ready), free(payloadValid, io.Payload.Ready), free(statusValid, io.Status.Ready),
		free(newHeader.And(headerValid), io.Header.Ready)))

	// An output that was taken while another holds the parser up is not given twice.
	m.If(io.Payload.Ready, func() { payloadValid.SetK(0) })
	m.If(io.Status.Ready, func() { statusValid.SetK(0) })
	m.If(io.Header.Ready, func() { headerValid.SetK(0) })
	m.If(flow, func() {
		payloadValid.Set(t.payloadValid)
		payload.Data.Set(t.realigned())
		payload.Keep.Set(keepOf(t.payloadCount, payload.Keep.Width()))
		payload.Last.Set(t.payloadLast)
		payload.Err.Set(t.last.And(good.Not()))
		statusValid.Set(t.ends)
		status.Reason.Set(t.reason)
		status.Packet.Set(t.packet)
	})
	m.If(flow.And(newHeader), func() {
		headerValid.SetK(1)
		hdl.Set(header, descriptor)
	})

	io.Payload.Valid.Set(payloadValid)
	hdl.Set(io.Payload.Data, payload)
	io.Status.Valid.Set(statusValid)
	hdl.Set(io.Status.Data, status)
	io.Header.Valid.Set(headerValid)
	hdl.Set(io.Header.Data, header)
}

// descriptor is that of the packet whose last beat is in stage 3. less is its
// payload length less one.
func (h *headers) descriptor(m *hdl.Module, less hdl.Bits) format.RxDescriptor[hdl.Bits] {
	bth := hdl.Unpack(format.BTH[hdl.Bits]{}, hdl.Cat(h.bth[0].end(), h.bth[1].end(), h.bth[2].end()))
	m.Unused(bth.TVer, bth.PKey, bth.Resv6, bth.Resv7)
	d := format.RxDescriptor[hdl.Bits]{
		VLAN: h.vlan.end(), TCI: h.tci.end(), IPv6: h.ip6.end(), TrafficClass: h.class.end(),
		SrcHi: hdl.Cat(h.src[0].end(), h.src[1].end()), SrcLo: hdl.Cat(h.src[2].end(), h.src[3].end()),
		DstHi: hdl.Cat(h.dst[0].end(), h.dst[1].end()), DstLo: hdl.Cat(h.dst[2].end(), h.dst[3].end()),
		SrcPort: h.srcPort.end(), Opcode: bth.Opcode, Undefined: undefined(bth.Opcode), CNP: bth.Opcode.Is(uint64(format.OpCNP)),
		SE: bth.SE, MigReq: bth.MigReq, PadCnt: bth.PadCnt, FECN: bth.FECN, BECN: bth.BECN,
		DestQP: bth.DestQP, AckReq: bth.AckReq, PSN: bth.PSN,
		PayloadLen: less.AddK(1),
	}
	for i := range d.Ext {
		d.Ext[i] = h.ext[i].end()
	}
	return d
}

// undefined returns one bit: an opcode that the core takes is not in the table.
func undefined(opcode hdl.Bits) hdl.Bits {
	var none []hdl.Bits
	for op := range uint64(32) {
		if _, known := format.Lookup(format.Opcode(op)); !known {
			none = append(none, opcode.Trunc(5).Is(op))
		}
	}
	return hdl.OrAll(none...).And(opcode.MSB().Not())
}
