package main

import (
	"context"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/verbs"
)

// packetFaults are packets that no requester of ours sends: they come to host B as if
// from the peer of its queue pair, with the PSN that it expects.
func packetFaults() []fault {
	invalid := func(v format.VendorCode) verdict {
		return verdict{by: byResponder, nak: format.SyndromeNAKInv, events: [2][]event{sideB: {{format.EventQPReqErr, v}}}, dead: [2]bool{sideB: true}}
	}
	invalidSend := func(s format.Status, v format.VendorCode) verdict {
		w := invalid(v)
		w.events, w.recv = [2][]event{}, &completion{status: s, vendor: v}
		return w
	}
	packet := func(name, what string, v verdict, packets ...strange) fault {
		return fault{name: "packet/" + name, what: what, want: v, injected: true, act: inject(packets...)}
	}
	write := func(op format.Opcode, length uint64, payload int) strange {
		return strange{op: op, length: length, payload: payload}
	}
	badKey := write(format.OpWriteOnly, 300, 0)
	badKey.rkey = 1
	at := func(n int, v verdict) verdict {
		v.nakAt = n
		return v
	}
	return []fault{
		packet("undefined", "an opcode that RC does not have", invalid(format.VendorBadOpcode), strange{op: 0x18, payload: 8}),
		packet("middle", "WRITE MIDDLE without a FIRST", invalid(format.VendorSequence), write(format.OpWriteMiddle, 0, 256)),
		packet("first-first", "WRITE FIRST in the middle of a WRITE", at(1, invalid(format.VendorSequence).placing(256)), write(format.OpWriteFirst, 600, 256), write(format.OpWriteFirst, 600, 256)),
		packet("send-in-write", "SEND LAST in the middle of a WRITE", at(1, invalid(format.VendorSequence).placing(256)), write(format.OpWriteFirst, 600, 256), strange{op: format.OpSendLast, payload: 8}),
		packet("short-first", "WRITE FIRST of less than the path MTU", invalid(format.VendorLength), write(format.OpWriteFirst, 600, 252)),
		packet("long-only", "WRITE ONLY of more than the path MTU", invalid(format.VendorLength), write(format.OpWriteOnly, 300, 300)),
		packet("short-write", "a WRITE that ends before its RETH length", at(1, invalid(format.VendorLength).placing(256)), write(format.OpWriteFirst, 600, 256), write(format.OpWriteLast, 0, 100)),
		packet("long-write", "a WRITE of more than its RETH length", invalid(format.VendorLength), write(format.OpWriteOnly, 8, 12)),
		packet("no-payload", "a WRITE of a RETH length without payload", invalid(format.VendorLength), write(format.OpWriteOnly, 300, 0)),
		packet("no-payload-rkey", "the same with a bad rkey, which nobody looks at", invalid(format.VendorLength), badKey),
		packet("reth-2^31", "a RETH length of more than 2^31", invalid(format.VendorLength), write(format.OpWriteFirst, format.MessageMax+1, 256)),
		packet("send-first-short", "SEND FIRST of less than the path MTU", invalidSend(format.StatusLocQPOp, format.VendorLength), strange{op: format.OpSendFirst, payload: 100}),
		packet("send-last-empty", "SEND LAST of no bytes", at(1, invalidSend(format.StatusLocQPOp, format.VendorLength).placing(256)), strange{op: format.OpSendFirst, payload: 256}, strange{op: format.OpSendLast}),
		packet("write-in-send", "WRITE ONLY in the middle of a SEND", at(1, invalidSend(format.StatusLocQPOp, format.VendorSequence).placing(256)), strange{op: format.OpSendFirst, payload: 256}, write(format.OpWriteOnly, 8, 8)),
	}
}

// strange is a packet.
type strange struct {
	op      format.Opcode
	length  uint64 // of its RETH, if it has one
	payload int
	rkey    uint32 // is this one changed by
	at      uint64 // bytes behind where messages go
}

// span is how many PSNs it takes.
func (p strange) span() uint32 {
	if p.op == format.OpReadRequest {
		return uint32(max(1, (p.length+255)/256))
	}
	return 1
}

// inject gives packets to host B.
func inject(packets ...strange) func(context.Context, *faultRig) error {
	return func(ctx context.Context, r *faultRig) error {
		next := uint32(0)
		for _, p := range packets {
			frame, err := r.strangeFrame(ctx, p, next)
			if err != nil {
				return err
			}
			r.lab.B.Receive(frame)
			next += p.span()
		}
		return nil
	}
}

func (r *faultRig) strangeFrame(ctx context.Context, p strange, i uint32) ([]byte, error) {
	a, b := r.ends[sideA], r.ends[sideB]
	s, err := a.qp.Status(ctx)
	if err != nil {
		return nil, err
	}
	from, to := a.host.IPv4.As4(), b.host.IPv4.As4()
	word := func(x [4]byte) uint64 {
		return uint64(x[0])<<24 | uint64(x[1])<<16 | uint64(x[2])<<8 | uint64(x[3])
	}
	mac := func(m verbs.MAC) (v uint64) {
		for _, x := range m {
			v = v<<8 | uint64(x)
		}
		return v
	}
	d := format.TxDescriptor[uint64]{
		DstMAC: mac(b.host.MAC), SrcMAC: mac(a.host.MAC), HopLimit: 64, SrcLo: word(from), DstLo: word(to), SrcPort: 0xC000,
		Opcode: uint64(p.op), PKey: format.PKeyDefault, DestQP: uint64(b.qp.QPN()), PSN: uint64(s.NextPSN+i) & (1<<24 - 1), AckReq: 1,
		PadCnt: uint64(-p.payload & 3),
	}
	if info, known := format.Lookup(p.op); known {
		if at, ok := info.ExtOffset(format.ExtRETH); ok {
			va := b.mr.Addr() + atFault
			d.Ext[at/4], d.Ext[at/4+1] = va>>32, va&0xFFFFFFFF
			d.Ext[at/4+2], d.Ext[at/4+3] = uint64(b.mr.RKey()^p.rkey), p.length
		}
	}
	if info, known := format.Lookup(p.op); known {
		if at, ok := info.ExtOffset(format.ExtAtomicETH); ok {
			va := b.mr.Addr() + atFault + p.at
			d.Ext[at/4], d.Ext[at/4+1], d.Ext[at/4+2] = va>>32, va&0xFFFFFFFF, uint64(b.mr.RKey()^p.rkey)
			d.Ext[at/4+4] = 1
		}
	}
	payload := b.bytes(0, p.payload)
	return frames.Build(d, payload)
}
