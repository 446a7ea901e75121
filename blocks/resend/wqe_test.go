package resend_test

import (
	"github.com/stretchr/testify/require"

	"gornic/format"
)

// wqe makes a WQE of an operation with SGEs of these lengths at random places.
func (b *bench) wqe(op format.WROpcode, flags int, lengths ...int) []byte {
	w := b.first(op, flags, len(lengths), 0)
	if op == format.WRCompSwap || op == format.WRFetchAdd {
		w = b.host(w, format.AtomicOperands[uint64]{SwapOrAdd: b.r.Uint64(), Compare: b.r.Uint64()})
	}
	for _, n := range lengths {
		w = b.host(w, format.SGE[uint64]{Addr: b.r.Uint64(), Length: uint64(n), LKey: uint64(b.r.Uint32())})
	}
	return w
}

// inline makes a WQE of n bytes of data.
func (b *bench) inline(op format.WROpcode, flags, n int) []byte {
	w := b.first(op, flags|format.WRFlagInline, 0, n)
	for range n {
		w = append(w, byte(b.r.Uint32()))
	}
	return w
}

func (b *bench) first(op format.WROpcode, flags, sges, inline int) []byte {
	return b.host(nil, format.SendControl[uint64]{
		Opcode: uint64(op), Flags: uint64(flags), NumSGE: uint64(sges), InlineLen: uint64(inline), Imm: uint64(b.r.Uint32()), WRID: b.r.Uint64(),
		RemoteAddr: b.r.Uint64(), RKey: uint64(b.r.Uint32()),
	})
}

func (b *bench) host(w []byte, v any) []byte {
	var err error
	switch v := v.(type) {
	case format.SendControl[uint64]:
		w, err = format.AppendHost(w, v)
	case format.AtomicOperands[uint64]:
		w, err = format.AppendHost(w, v)
	case format.SGE[uint64]:
		w, err = format.AppendHost(w, v)
	}
	require.NoError(b.t, err)
	return w
}

// any makes a random WQE whose message is not much longer than some packets.
func (b *bench) any(q *queuePair) []byte {
	r := b.r
	ops := []format.WROpcode{
		format.WRSend, format.WRSendImm, format.WRSendInv, format.WRWrite, format.WRWriteImm, format.WRRead, format.WRCompSwap, format.WRFetchAdd,
	}
	op := ops[r.IntN(len(ops))]
	flags := r.IntN(16) &^ format.WRFlagInline
	most := format.SendSGEs(q.first.Stride)
	switch {
	case op == format.WRCompSwap || op == format.WRFetchAdd:
		return b.wqe(op, flags, 8)
	case op != format.WRRead && r.IntN(5) == 0:
		return b.inline(op, flags, r.IntN(format.InlineMax(q.first.Stride)+1))
	}
	lengths := make([]int, r.IntN(most+1))
	for i := range lengths {
		switch r.IntN(4) {
		case 0: // no bytes
		case 1:
			lengths[i] = 1 + r.IntN(64)
		case 2:
			lengths[i] = q.ref.MTU * r.IntN(3)
		default:
			lengths[i] = r.IntN(5 * q.ref.MTU / 2)
		}
	}
	return b.wqe(op, flags, lengths...)
}
