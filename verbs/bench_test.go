package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

// What the driver itself costs: lists of 16 requests, posted and polled. One
// operation is one request.
func BenchmarkPostAndPoll(b *testing.B) {
	s := newStation(b, 64)
	q := s.connected(b, verbs.QPCap{MaxSendWR: 16})
	wrs, wc := make([]verbs.SendWR, 16), make([]verbs.WC, 16)
	for i := range wrs {
		wrs[i] = verbs.SendWR{Opcode: verbs.WRWrite, Flags: verbs.SendSignaled, SGL: []verbs.SGE{{Addr: 1, Length: 64, LKey: 1}}}
	}
	cqe := format.CQE[uint64]{QPN: uint64(q.QPN())}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += len(wrs) {
		require.NoError(b, q.PostSend(ctx, wrs...))
		b.StopTimer()
		for i := range wrs {
			cqe.WQEIndex = uint64(uint16(n + i))
			s.complete(s.cq, cqe)
		}
		s.rung()
		b.StartTimer()
		_, err := s.cq.Poll(ctx, wc)
		require.NoError(b, err)
	}
}
