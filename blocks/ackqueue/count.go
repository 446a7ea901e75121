package ackqueue

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// count drives the pulses: a refusal counts when its request is committed, whether its NAK leaves or a later one does.
func (b *block) count() {
	io, c, bad := b.io, b.now.Commit, b.now.BusErr
	refused := hdl.AndAll(b.ends, b.was.Failed.Not(), bad.Or(c.Reply.Is(link.ReplyNAK)))
	with := func(syndrome uint64) hdl.Bits {
		return hdl.AndAll(refused, bad.Not(), c.Syndrome.Is(syndrome))
	}
	completes := func(status hdl.Bits) hdl.Bits { return io.Completion.Fire().And(status) }
	status := io.Completion.Data.Status
	flush := status.Is(uint64(format.StatusFlush))
	hdl.Set(io.Counts, Counts{
		OutOfBuffer: hdl.AndAll(refused, bad.Not(), c.Syndrome.Slice(7, 5).Is(format.SyndromeRNR>>5)),
		Invalid:     with(format.SyndromeNAKInv), Access: with(format.SyndromeNAKAccess),
		Operation: refused.And(bad).Or(with(format.SyndromeNAKOp)),
		Length:    completes(status.Is(uint64(format.StatusLocLen))),
		CQEError:  completes(status.Any().And(flush.Not())), CQEFlush: completes(flush),
	})
}
