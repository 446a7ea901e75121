package requester_test

import (
	"math/rand/v2"

	"gornic/format"
)

// wqe is a send WQE in the making: its control part, and what stands behind that.
type wqe struct {
	format.SendControl[uint64]
	operands any // AtomicOperands and others, or nil
	sges     []format.SGE[uint64]
	data     []byte // inline data
}

// bytes is the WQE in a slot of 128 bytes, where what does not fit is cut off.
func (w wqe) bytes() []byte {
	b := host(nil, w.SendControl)
	switch o := w.operands.(type) {
	case format.AtomicOperands[uint64]:
		b = host(b, o)
	case format.RegMROperands[uint64]:
		b = host(b, o)
	case format.BindMWOperands[uint64]:
		b = host(b, o)
	}
	for _, s := range w.sges {
		b = host(b, s)
	}
	b = append(b, w.data...)
	return append(b, make([]byte, format.WQEBytesMax)...)[:format.WQEBytesMax]
}

// host appends what always fits.
func host[T any](b []byte, x T) []byte {
	b, err := format.AppendHost(b, x)
	if err != nil {
		panic(err)
	}
	return b
}

// order is a WQE of an operation that is as it should be: of 64 bytes, if it has data.
func order(op format.WROpcode) wqe {
	w := wqe{SendControl: format.SendControl[uint64]{Opcode: uint64(op), WRID: 0x1D00 + uint64(op), RemoteAddr: 0x1000, RKey: 0x200, Imm: 0x300}}
	switch op {
	case format.WRLocalInv:
	case format.WRRegMR:
		w.operands = format.RegMROperands[uint64]{Length: 4096, Translation: 1 << 40, Rights: format.AccessLocalWrite}
	case format.WRBindMW:
		w.operands = format.BindMWOperands[uint64]{Length: 4096, Region: 0x500, Rights: format.AccessRemoteRead}
	case format.WRCompSwap, format.WRFetchAdd:
		w.operands = format.AtomicOperands[uint64]{SwapOrAdd: 1, Compare: 2}
		return w.onto(8)
	default:
		return w.onto(64)
	}
	return w
}

// onto gives a WQE SGEs of so many bytes.
func (w wqe) onto(lengths ...uint64) wqe {
	w.NumSGE, w.sges = uint64(len(lengths)), nil
	for i, n := range lengths {
		w.sges = append(w.sges, format.SGE[uint64]{Addr: 0x9000 + uint64(i)<<32, Length: n, LKey: 0x400 + uint64(i)})
	}
	return w
}

// with sets flags of a WQE.
func (w wqe) with(flags uint64) wqe {
	w.Flags |= flags
	return w
}

var operations = []format.WROpcode{
	format.WRWrite, format.WRWriteImm, format.WRSend, format.WRSendImm, format.WRSendInv, format.WRRead, format.WRRead, format.WRRead,
	format.WRCompSwap, format.WRFetchAdd, format.WRLocalInv, format.WRRegMR, format.WRBindMW,
}

// randomWQE returns a WQE, now and then one that cannot be.
func randomWQE(r *rand.Rand, stride, mtu int) []byte {
	op := operations[r.IntN(len(operations))]
	w := wqe{SendControl: format.SendControl[uint64]{
		Opcode: uint64(op), Flags: r.Uint64N(4) << 1, WRID: r.Uint64(), Imm: uint64(r.Uint32()), RemoteAddr: r.Uint64(), RKey: uint64(r.Uint32()),
		NumSGE: r.Uint64N(uint64(format.SendSGEs(stride)) + 1),
	}}
	if r.IntN(5) == 0 {
		w.Flags |= format.WRFlagFence
	}
	large := uint64(0)
	switch op {
	case format.WRLocalInv, format.WRRegMR, format.WRBindMW:
		w.NumSGE = 0
		w.operands = format.RegMROperands[uint64]{Length: r.Uint64(), Translation: r.Uint64(), Rights: 5, PageShift: 12, Reserved1: r.Uint64()}
	case format.WRCompSwap, format.WRFetchAdd:
		w.NumSGE = 1
		w.operands = format.AtomicOperands[uint64]{SwapOrAdd: r.Uint64(), Compare: r.Uint64()}
		w.sges = []format.SGE[uint64]{{Addr: r.Uint64(), Length: 8, LKey: uint64(r.Uint32())}}
	case format.WRRead:
		if r.IntN(2) == 0 {
			large = r.Uint64N(1 << 29)
		}
	default:
		if r.IntN(4) == 0 {
			w.Flags |= format.WRFlagInline
			w.InlineLen, w.NumSGE = r.Uint64N(uint64(format.InlineMax(stride))+1), 0
		}
	}
	w.spoil(r, stride, &large)
	for range format.SendSGEs(stride) {
		s := format.SGE[uint64]{Addr: r.Uint64(), Length: r.Uint64N(uint64(mtu)) * r.Uint64N(3) / 2, LKey: uint64(r.Uint32())}
		if r.IntN(4) == 0 {
			s.Length = uint64(mtu)
		}
		if s.Length > 0 {
			s.Length += large
		}
		w.sges = append(w.sges, s)
	}
	return w.bytes()[:format.WQEBytesMin<<stride]
}

// spoil makes a WQE one that cannot be, now and then.
func (w *wqe) spoil(r *rand.Rand, stride int, large *uint64) {
	switch r.IntN(300) {
	case 0:
		w.Opcode = []uint64{10, 14, 15, 127, 129, 255}[r.IntN(6)]
	case 1:
		w.NumSGE = uint64(format.SendSGEs(stride)) + 1 + r.Uint64N(200)
	case 2:
		w.Flags |= format.WRFlagInline
		w.InlineLen, w.NumSGE = uint64(format.InlineMax(stride))+1, 0
	case 3:
		*large = 1 << 31
	case 4:
		w.Flags |= format.WRFlagInline
	case 5:
		w.NumSGE = r.Uint64N(4)
	case 6:
		if len(w.sges) > 0 {
			w.sges[0].Length = 7 + 2*r.Uint64N(2)
		}
	}
}
