package rxparse

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// raw gives the beat in stage 3 to Raw. A frame that is not for the host ends
// with Err.
func (t *third) raw(io *IO) {
	out := io.Raw
	out.Valid.Set(t.rawValid)
	out.Data.Data.Set(t.data)
	out.Data.Keep.Set(stream.KeepTo(t.count, t.data.Width()/8))
	last := t.last.Or(t.rawCut)
	out.Data.Last.Set(last)
	out.Data.Err.Set(last.And(t.rawCut.Or(passed(t.reason).Not())))
	t.m.If(out.Ready.And(t.p.flow.Not()), func() { t.rawValid.SetK(0) })
}

// outputs is stage 4: Status, Header and Payload.
func (t *third) outputs(io *IO, descriptor format.RxDescriptor[hdl.Bits]) {
	m, flow := t.m, t.p.flow
	good := t.reason.Is(uint64(format.ReasonOK))

	payloadValid := m.Reg("payload_valid_s4", 1, 0)
	payload := hdl.NewReg(m, "s4", hdl.Proto(io.Payload.Data))
	statusValid := m.Reg("status_valid_s4", 1, 0)
	status := hdl.NewReg(m, "s4_status", hdl.Proto(io.Status.Data))
	headerValid := m.Reg("header_valid_s4", 1, 0)
	header := hdl.NewReg(m, "s4_header", hdl.Proto(io.Header.Data))
	newHeader := t.newHeader()

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
		payload.Keep.Set(stream.KeepTo(t.payloadCount, payload.Keep.Width()))
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

// newHeader returns one bit: the frame that ends in stage 3 has a descriptor.
func (t *third) newHeader() hdl.Bits { return t.ends.And(t.reason.Is(uint64(format.ReasonOK))) }
