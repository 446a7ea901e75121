package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/format"
	"gornic/verbs"
)

// ringModel is what one work queue of the driver must be like, next to it: which
// requests are outstanding, and which of their slots are free again.
type ringModel struct {
	q        queuePair
	recv     bool
	size     int
	head     uint16     // of the next request that is posted
	started  uint16     // of the next that the device works on
	tail     uint16     // of the oldest whose slot is not free
	signaled []bool     // of the requests from started on
	expected []verbs.WC // completions of it that were not polled, in order
}

func (m *ringModel) free() int { return m.size - int(m.head-m.tail) }

// post posts a list, which may be too long, and looks at slots and doorbell.
func (m *ringModel) post(t *rapid.T, s *station) {
	n := rapid.IntRange(1, m.size+2).Draw(t, "requests")
	fits := min(n, m.free())
	var sends []verbs.SendWR
	var recvs []verbs.RecvWR
	for i := range n {
		index := m.head + uint16(i)
		signaled := m.recv || rapid.Bool().Draw(t, "signaled")
		wr := verbs.SendWR{WRID: m.wrid(index), Opcode: verbs.WRSend}
		if signaled {
			wr.Flags = verbs.SendSignaled
		}
		sends, recvs = append(sends, wr), append(recvs, verbs.RecvWR{WRID: m.wrid(index)})
		if i < fits {
			m.signaled = append(m.signaled, signaled)
		}
	}
	s.rung()
	var err error
	if m.recv {
		err = m.q.PostRecv(ctx, recvs...)
	} else {
		err = m.q.PostSend(ctx, sends...)
	}
	m.head += uint16(fits)
	if fits == n {
		require.NoError(t, err)
	} else {
		requireBadWR(t, err, fits)
		require.ErrorIs(t, err, verbs.ErrFull)
	}
	if bells := s.rung(); fits == 0 {
		require.Empty(t, bells)
	} else {
		require.Len(t, bells, 1)
	}
}

// wrid is the wr_id of a request: its index, so that a slot tells which it holds.
func (m *ringModel) wrid(index uint16) uint64 { return uint64(index)<<32 | uint64(m.q.QPN()) }

// work lets the device complete some requests, until the CQ is full.
func (m *ringModel) work(t *rapid.T, s *station) bool {
	n := rapid.IntRange(0, int(m.head-m.started)).Draw(t, "done")
	for range n {
		index := m.started
		m.checkSlot(t, s, index)
		if m.signaled[0] {
			wc := verbs.WC{WRID: m.wrid(index), QPN: m.q.QPN(), WQEIndex: index, Recv: m.recv}
			if !s.complete(s.cq, m.cqe(wc)) {
				return false
			}
			m.expected = append(m.expected, wc)
		}
		m.started++
		m.signaled = m.signaled[1:]
	}
	return true
}

func (m *ringModel) cqe(wc verbs.WC) format.CQE[uint64] {
	e := format.CQE[uint64]{WRID: wc.WRID, QPN: uint64(wc.QPN), WQEIndex: uint64(wc.WQEIndex)}
	if m.recv {
		e.Queue = 1
	}
	return e
}

// checkSlot reads a request as the device does.
func (m *ringModel) checkSlot(t *rapid.T, s *station, index uint16) {
	if m.recv {
		require.Equal(t, m.wrid(index), decode[format.RecvControl[uint64]](t, m.q.recvSlot(s, index)).WRID)
	} else {
		require.Equal(t, m.wrid(index), decode[format.SendControl[uint64]](t, m.q.sendSlot(s, index)).WRID)
	}
}

// polled takes a completion: it must be the next, and it frees all before it.
func (m *ringModel) polled(t *rapid.T, wc verbs.WC) {
	require.NotEmpty(t, m.expected)
	require.Equal(t, m.expected[0], wc)
	m.expected = m.expected[1:]
	m.tail = wc.WQEIndex + 1
}

// newModels makes the two queues of n queue pairs, all with one CQ.
func newModels(t *rapid.T, s *station, n int) []*ringModel {
	var all []*ringModel
	for range n {
		q := s.connected(t, verbs.QPCap{
			MaxSendWR: rapid.IntRange(1, 9).Draw(t, "send requests"), MaxRecvWR: rapid.IntRange(1, 9).Draw(t, "receive requests"),
			MaxSendSGE: rapid.IntRange(0, 6).Draw(t, "send SGEs"), MaxRecvSGE: rapid.IntRange(0, 7).Draw(t, "receive SGEs"),
		})
		all = append(all,
			&ringModel{q: q, size: q.Cap().MaxSendWR},
			&ringModel{q: q, size: q.Cap().MaxRecvWR, recv: true})
	}
	return all
}

func model(all []*ringModel, wc verbs.WC) *ringModel {
	for _, m := range all {
		if m.q.QPN() == wc.QPN && m.recv == wc.Recv {
			return m
		}
	}
	return nil
}

// Whatever the order of posting, working and polling: a full ring refuses at the
// right request, no slot is written before it is free, each completion comes once,
// in order, over many laps of rings and phase bits.
func TestRings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStation(t, rapid.IntRange(1, 9).Draw(t, "CQEs"))
		all := newModels(t, s, rapid.IntRange(1, 3).Draw(t, "queue pairs"))
		one := func(t *rapid.T) *ringModel { return rapid.SampledFrom(all).Draw(t, "queue") }
		t.Repeat(map[string]func(*rapid.T){
			"post": func(t *rapid.T) { one(t).post(t, s) },
			"work": func(t *rapid.T) { one(t).work(t, s) },
			"poll": func(t *rapid.T) {
				wc := make([]verbs.WC, rapid.IntRange(1, 12).Draw(t, "room"))
				n, err := s.cq.Poll(ctx, wc)
				require.NoError(t, err)
				for _, w := range wc[:n] {
					m := model(all, w)
					require.NotNil(t, m)
					m.polled(t, w)
				}
				if n < len(wc) {
					for _, m := range all {
						require.Empty(t, m.expected, "Poll left some behind")
					}
				}
			},
			"": func(t *rapid.T) {
				require.NoError(t, s.CheckGuards())
				for _, m := range all {
					free := m.q.SendFree()
					if m.recv {
						free = m.q.RecvFree()
					}
					require.Equal(t, m.free(), free)
				}
			},
		})
	})
}

// Indices run through 2^16, and the ring is never full too early or too late.
func TestIndexWraps(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 8})
	wrs := make([]verbs.SendWR, 8)
	for i := range wrs {
		wrs[i] = verbs.SendWR{Opcode: verbs.WRSend}
	}
	wc := make([]verbs.WC, 2)
	index := uint16(0)
	for lap := range 1<<16/8 + 3 {
		for i := range wrs {
			wrs[i].WRID = uint64(lap*8 + i)
		}
		require.NoError(t, q.PostSend(ctx, wrs...))
		require.Zero(t, q.SendFree())
		requireBadWR(t, q.PostSend(ctx, wrs[0]), 0)
		index += 8
		require.EqualValues(t, lap*8+7, decode[format.SendControl[uint64]](t, q.sendSlot(s, index-1)).WRID)
		require.True(t, s.complete(s.cq, format.CQE[uint64]{QPN: uint64(q.QPN()), WQEIndex: uint64(index - 1)}))
		n, err := s.cq.Poll(ctx, wc)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, 8, q.SendFree())
		s.rung()
	}
	require.EqualValues(t, 24, index)
}

// A ring of the most slots there are can be filled to the last, lap after lap.
func TestLargestRing(t *testing.T) {
	s := newStation(t, 256)
	q := s.connected(t, verbs.QPCap{MaxRecvWR: 32768})
	wrs, wc := make([]verbs.RecvWR, 1000), make([]verbs.WC, 256)
	done := uint64(0)
	for range 3 {
		for q.RecvFree() >= len(wrs) {
			require.NoError(t, q.PostRecv(ctx, wrs...))
		}
		left := q.RecvFree()
		requireBadWR(t, q.PostRecv(ctx, wrs...), left)
		require.Zero(t, q.RecvFree())
		for range 32768 / len(wc) {
			for range wc {
				s.complete(s.cq, format.CQE[uint64]{QPN: uint64(q.QPN()), Queue: 1, WQEIndex: done & 0xFFFF})
				done++
			}
			n, err := s.cq.Poll(ctx, wc)
			require.NoError(t, err)
			require.Len(t, wc, n)
		}
		require.Equal(t, 32768, q.RecvFree())
	}
}

// Events over many laps of a small EQ: each comes once, in order.
func TestEventLaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStation(t, 4)
		eq, err := s.dev.CreateEQ(ctx, verbs.EQInitAttr{Entries: 1 << rapid.IntRange(1, 3).Draw(t, "size")})
		require.NoError(t, err)
		var cqs []*verbs.CQ
		for range 3 {
			cq, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4, EQ: eq})
			require.NoError(t, err)
			cqs = append(cqs, cq)
		}
		var expected []*verbs.CQ
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if s.eqs[1].room() > 0 && rapid.Bool().Draw(t, "event") {
				cq := rapid.SampledFrom(cqs).Draw(t, "CQ")
				s.event(eq, completionEvent(cq))
				expected = append(expected, cq)
				continue
			}
			got, err := eq.Poll(ctx)
			require.NoError(t, err)
			if len(expected) == 0 {
				require.Nil(t, got)
				continue
			}
			require.Same(t, expected[0], got)
			expected = expected[1:]
		}
	})
}
