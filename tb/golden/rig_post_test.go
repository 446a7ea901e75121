package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// sendWR is a send work request.
type sendWR struct {
	id     uint64
	op     format.WROpcode
	flags  uint64
	imm    uint32 // as it stands in memory
	remote uint64
	rkey   uint32
	list   []format.SGE[uint64]
	inline []byte

	swap, cmp uint64 // of atomics
	reg       format.RegMROperands[uint64]
	bind      format.BindMWOperands[uint64]
}

// operands stand before the list.
func (w sendWR) operands(t testing.TB) []byte {
	var b []byte
	var err error
	switch w.op {
	case format.WRCompSwap, format.WRFetchAdd:
		b, err = format.AppendHost(nil, format.AtomicOperands[uint64]{SwapOrAdd: w.swap, Compare: w.cmp})
	case format.WRRegMR:
		b, err = format.AppendHost(nil, w.reg)
	case format.WRBindMW:
		b, err = format.AppendHost(nil, w.bind)
	}
	require.NoError(t, err)
	return b
}

// post writes a send WQE without a doorbell.
func (q *qp) post(w sendWR) {
	q.s.t.Helper()
	c := format.SendControl[uint64]{
		Opcode: uint64(w.op), Flags: w.flags, NumSGE: uint64(len(w.list)), InlineLen: uint64(len(w.inline)),
		Imm: uint64(w.imm), WRID: w.id, RemoteAddr: w.remote, RKey: uint64(w.rkey),
	}
	if w.inline != nil {
		c.Flags |= format.WRFlagInline
	}
	b, err := format.AppendHost(nil, c)
	require.NoError(q.s.t, err)
	b = append(b, w.operands(q.s.t)...)
	b = append(appendList(q.s.t, b, w.list), w.inline...)
	q.put(q.sq, q.posted, b)
	q.posted++
}

// send posts and rings.
func (q *qp) send(all ...sendWR) {
	q.s.t.Helper()
	for _, w := range all {
		q.post(w)
	}
	q.s.doorbell(testPage, format.DoorbellSQ, q.posted, q.number)
}

// receive posts a receive WQE and rings.
func (q *qp) receive(id uint64, list ...format.SGE[uint64]) {
	q.s.t.Helper()
	b, err := format.AppendHost(nil, format.RecvControl[uint64]{WRID: id, NumSGE: uint64(len(list))})
	require.NoError(q.s.t, err)
	q.put(q.rq, q.recv, appendList(q.s.t, b, list))
	q.recv++
	q.s.doorbell(testPage, format.DoorbellRQ, q.recv, q.number)
}

func (q *qp) put(base uint64, index uint16, b []byte) {
	q.s.t.Helper()
	stride := uint64(64) << q.c.logStride
	slot := make([]byte, stride)
	copy(slot, b)
	q.s.write(base+uint64(index)&(1<<q.c.logSize-1)*stride, slot)
}

func appendList(t testing.TB, b []byte, list []format.SGE[uint64]) []byte {
	t.Helper()
	for _, e := range list {
		var err error
		b, err = format.AppendHost(b, e)
		require.NoError(t, err)
	}
	return b
}

// part is a piece of a region.
func (r region) part(offset, length uint64) format.SGE[uint64] {
	return format.SGE[uint64]{Addr: r.va + offset, Length: length, LKey: uint64(r.key)}
}

// whole is the region in one piece.
func (r region) whole() []format.SGE[uint64] { return []format.SGE[uint64]{r.part(0, r.size)} }
