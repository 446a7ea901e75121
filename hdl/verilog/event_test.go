package verilog_test

import (
	"gornic/hdl"
)

// SenderIO are the ports of a sender.
type SenderIO struct {
	Send    hdl.Bits `hdl:"in" w:"1"`
	Ack     hdl.Bits `hdl:"in" w:"1"`
	Length  hdl.Bits `hdl:"in" w:"40"`
	PSN     hdl.Bits `hdl:"out" w:"24"`
	Waiting hdl.Bits `hdl:"out" w:"1"`
}

// Sender exercises events: a state with names, sums, state of properties, a long
// list of fields, none at all. With checks the properties have a wire of their
// own that the events have no use for.
func Sender(name string, checks bool) hdl.Def[SenderIO] {
	return hdl.Def[SenderIO]{
		Name: name,
		Doc:  "Numbers packets and waits for each to be acknowledged.",
		Body: func(m *hdl.Module, io *SenderIO) {
			st := hdl.NewFSM(m, "st", stHeader, stPayload)
			psn := m.Reg("psn_now", 24, 0)
			sent := st.Is(stHeader).And(io.Send)
			acked := st.Is(stPayload).And(io.Ack)
			m.If(sent, func() { st.Goto(stPayload) })
			m.If(acked, func() {
				st.Goto(stHeader)
				psn.Set(psn.AddK(1))
			})
			io.PSN.Set(psn)
			io.Waiting.Set(st.Is(stPayload))
			m.Unused(io.Length)

			earlier := m.PastReset("psn_before", psn, 0)
			step := psn.Sub(earlier)
			if checks {
				m.Assert("one_by_one", step.LtK(2))
				m.Cover("advances", step.Any())
			}

			// A packet leaves.
			m.Event("sent", sent,
				hdl.Field("psn", psn), hdl.Field("length", io.Length), hdl.Field("end", io.Length.Add(psn.ZExt(40))),
				hdl.Field("state", st.Reg), hdl.Field("kind", hdl.K(8, 4).Named(opcodes)))
			m.Event("acked", acked, hdl.Field("psn", psn))
			m.Event("next", psn.Ne(earlier), hdl.Field("before", earlier))
			m.Event("ack_ignored", io.Ack.And(acked.Not()))
		},
	}
}

// Senders is two senders in a module without events of its own.
func Senders() hdl.Def[SenderIO] {
	return hdl.Def[SenderIO]{Name: "senders", Body: func(m *hdl.Module, io *SenderIO) {
		first := hdl.Instance(m, "u_first", Sender("first_sender", true))
		second := hdl.Instance(m, "u_second", Sender("second_sender", false))
		for _, u := range []*SenderIO{first, second} {
			u.Length.Set(io.Length)
			u.Ack.Set(io.Ack)
		}
		first.Send.Set(io.Send)
		second.Send.Set(first.Waiting)
		io.Waiting.Set(second.Waiting)
		io.PSN.Set(first.PSN.Xor(second.PSN))
	}}
}
