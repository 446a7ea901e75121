package uart

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists the block.
func Proofs() []hdl.Proof {
	p := hdl.ProofOf(Def(), 30, 0).Breaks(
		hdl.StuckAt0("tx_pin").As("the line is low between bytes"),
		hdl.StuckAt1("send_ready").As("a byte is taken while one is sent"),
		hdl.StuckAt1("received_now").As("bytes that did not come"),
	)
	p.NoCovers = true // a byte takes longer than that
	return []hdl.Proof{p}
}

// properties states what the line is between bytes, and what a byte that is received rests on.
func properties(m *hdl.Module, io *IO) {
	stream.AssumeSource(m, "send", io.Send)
	m.Assume("divisor_is_enough", io.Divisor.GeK(LeastDivisor))

	var busy, sentFor, low hdl.Bits
	m.Ghost(func() {
		busy = m.Reg("busy", 1, 0)        // a byte is on its way
		sentFor = m.Reg("sent_for", 5, 0) // cycles since a byte was taken, up to 31
		low = m.Reg("low_for", 3, 0)      // cycles for which RxPin was low of late, up to 7
		m.If(sentFor.All().Not(), func() { sentFor.Set(sentFor.AddK(1)) })
		m.If(io.Send.Ready, func() { busy.SetK(0) })
		m.If(io.Send.Fire(), func() {
			busy.SetK(1)
			sentFor.SetK(0)
		})
		m.If(io.RxPin.Not().And(low.All().Not()), func() { low.Set(low.AddK(1)) })
	})
	m.Assert("line_is_high_between_bytes", busy.Or(io.TxPin))
	m.Assert("byte_takes_its_time", hdl.OrAll(busy.Not(), io.Send.Ready.Not(), sentFor.All()))
	m.Assert("bytes_need_a_low_line", io.Received.Valid.Not().Or(low.Any()))
	m.Cover("byte_begins", io.TxPin.Not())
}
