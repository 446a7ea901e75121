package main

import (
	"context"

	"gornic/format"
	"gornic/verbs"
)

// workFaults are work requests that make no sense, or ask for what the peer does not
// have.
func workFaults() []fault {
	tooLong := local(format.StatusLocLen, format.VendorTooLong)
	badCount := local(format.StatusLocQPOp, format.VendorBadSGECount)
	return []fault{
		{name: "wqe/opcode", what: "a send WQE of an operation that does not exist", op: verbs.WRWrite, want: local(format.StatusLocQPOp, format.VendorBadOpcode),
			spoil: sendWQE(func(c *format.SendControl[uint64], _ []format.SGE[uint64]) { c.Opcode = 99 })},
		{name: "wqe/sges", what: "a send WQE of more SGEs than its slot has", op: verbs.WRWrite, want: badCount,
			spoil: sendWQE(func(c *format.SendControl[uint64], _ []format.SGE[uint64]) {
				c.NumSGE = uint64(format.SendSGEs(0)) + 1
			})},
		{name: "wqe/inline", what: "a send WQE of more inline data than its slot has", op: verbs.WRWrite, want: badCount,
			spoil: sendWQE(func(c *format.SendControl[uint64], _ []format.SGE[uint64]) {
				c.Flags |= format.WRFlagInline
				c.NumSGE, c.InlineLen = 0, uint64(format.InlineMax(0))+1
			})},
		{name: "wqe/over-2^31", what: "a message of a byte more than 2^31", op: verbs.WRWrite, want: tooLong, spoil: sendLengths(format.MessageMax, 1)},
		{name: "wqe/over-2^32", what: "a message whose length has no 32 bits", op: verbs.WRSend, want: tooLong, spoil: sendLengths(format.MessageMax, format.MessageMax)},
		{name: "wqe/packets", what: "a message of 2^23 packets", op: verbs.WRWrite, want: tooLong, spoil: sendLengths(format.MessageMax, 0)},
		{name: "wqe/recv-sges", what: "a receive WQE of more SGEs than its slot has", op: verbs.WRSend,
			want:  received(format.SyndromeNAKOp, format.StatusLocQPOp, format.VendorBadSGECount),
			spoil: func(_ context.Context, _ *faultRig, w *faultyWork) error { return w.recvWQE(format.RecvSGEs(0) + 1) }},
		{name: "wqe/recv-room", what: "a SEND that is longer than its receive WQE", op: verbs.WRSend, want: noRoom(),
			spoil: func(_ context.Context, _ *faultRig, w *faultyWork) error {
				w.recv.SGL[0].Length = 511
				return nil
			}},
		{name: "behind/lkey", what: "a SEND with a bad lkey behind a refused WRITE: it is flushed as the others are", op: verbs.WRWrite,
			want: remote(format.SyndromeNAKAccess, format.EventQPAccessErr, format.VendorKeyUnknown),
			spoil: func(_ context.Context, _ *faultRig, w *faultyWork) error {
				w.send.RKey ^= 1
				return nil
			},
			spoilBehind: func(behind []verbs.SendWR) { behind[1].SGL[0].LKey ^= 1 }},
		{name: "qp/no-remote-write", what: "a WRITE to a queue pair that grants none", op: verbs.WRWrite,
			want: remote(format.SyndromeNAKInv, format.EventQPReqErr, format.VendorAccess),
			act: func(ctx context.Context, r *faultRig) error {
				return r.ends[sideB].qp.Modify(ctx, verbs.QPAttr{}, verbs.AttrAccess)
			}},
		{name: "fine/no-bytes-rkey", what: "a WRITE of no bytes with a bad rkey, which nobody looks at", op: verbs.WRWrite, want: verdict{by: byNobody},
			spoil: func(_ context.Context, _ *faultRig, w *faultyWork) error {
				w.send.SGL, w.send.RKey, w.send.RemoteAddr = nil, ^uint32(0), ^uint64(0)
				return nil
			}},
		{name: "fine/no-bytes-lkey", what: "an SGE of no bytes with a bad lkey, which nobody looks at", op: verbs.WRWrite, want: verdict{by: byNobody}.placing(faultBytes),
			spoil: func(_ context.Context, _ *faultRig, w *faultyWork) error {
				w.send.SGL = append(w.send.SGL, verbs.SGE{Addr: ^uint64(0), LKey: ^uint32(0)})
				return nil
			}},
	}
}

// noRoom is a SEND whose second packet does not fit.
func noRoom() verdict {
	v := received(format.SyndromeNAKInv, format.StatusLocLen, format.VendorNoRoom).placing(256)
	v.nakAt = 1
	return v
}

// sendWQE posts the bytes of the work request with something changed.
func sendWQE(change func(*format.SendControl[uint64], []format.SGE[uint64])) spoiler {
	return func(_ context.Context, _ *faultRig, w *faultyWork) error {
		c := format.SendControl[uint64]{
			Opcode: uint64(w.send.Opcode), Flags: uint64(w.send.Flags), NumSGE: 1, WRID: w.send.WRID,
			RemoteAddr: w.send.RemoteAddr, RKey: uint64(w.send.RKey),
		}
		list := make([]format.SGE[uint64], format.SendSGEs(0))
		for i := range list {
			s := w.send.SGL[0]
			list[i] = format.SGE[uint64]{Addr: s.Addr, Length: uint64(s.Length), LKey: uint64(s.LKey)}
		}
		change(&c, list)
		b, err := format.AppendHost(nil, c)
		for _, s := range list {
			if err == nil {
				b, err = format.AppendHost(b, s)
			}
		}
		w.rawSend = b
		return err
	}
}

// sendLengths is a list of SGEs of these lengths, or of the first alone.
func sendLengths(first, second uint64) spoiler {
	return sendWQE(func(c *format.SendControl[uint64], list []format.SGE[uint64]) {
		list[0].Length, list[1].Length = first, second
		if c.NumSGE = 2; second == 0 {
			c.NumSGE = 1
		}
	})
}

// recvWQE posts the bytes of the receive work request with another number of SGEs.
func (w *faultyWork) recvWQE(sges int) error {
	b, err := format.AppendHost(nil, format.RecvControl[uint64]{WRID: w.recv.WRID, NumSGE: uint64(sges)})
	for range format.RecvSGEs(0) {
		if err == nil {
			s := w.recv.SGL[0]
			b, err = format.AppendHost(b, format.SGE[uint64]{Addr: s.Addr, Length: uint64(s.Length), LKey: uint64(s.LKey)})
		}
	}
	w.rawRecv = b
	return err
}
