package verbs_test

import (
	"context"
	"net/netip"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

var ctx = context.Background()

// station is a fake device with what a queue pair needs.
type station struct {
	*fake
	dev *verbs.Device
	pd  *verbs.PD
	cq  *verbs.CQ
	eq  *verbs.EQ
}

func newStation(t require.TestingT, cqEntries int) *station { return newStationOf(t, cqEntries, 0) }

// newStationOf makes a station whose device has more bits in caps2.
func newStationOf(t require.TestingT, cqEntries int, caps2 uint32) *station {
	f, d := openWith(t, caps2)
	pd, err := d.AllocPD()
	require.NoError(t, err)
	cq, err := d.CreateCQ(ctx, verbs.CQInitAttr{Entries: cqEntries})
	require.NoError(t, err)
	return &station{fake: f, dev: d, pd: pd, cq: cq, eq: d.EQ()}
}

// queuePair is a queue pair and where its queues are.
type queuePair struct {
	*verbs.QP
	create format.CreateQP[uint64]
}

func (s *station) newQP(t require.TestingT, capacity verbs.QPCap) queuePair {
	qp, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, Cap: capacity})
	require.NoError(t, err)
	_, create := lastCommand[format.CreateQP[uint64]](s.fake)
	return queuePair{qp, create}
}

// connected is a queue pair in RTS.
func (s *station) connected(t require.TestingT, capacity verbs.QPCap) queuePair {
	q := s.newQP(t, capacity)
	require.NoError(t, q.Connect(ctx, connection()))
	s.rung()
	return q
}

// connection has good values for all attributes.
func connection() verbs.QPAttr {
	return verbs.QPAttr{
		Access: verbs.AccessRemoteWrite | verbs.AccessRemoteRead, Port: 1,
		AH: verbs.AHAttr{
			Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"), DstMAC: verbs.MAC{2, 0, 0, 0, 0, 2},
		},
		PathMTU: verbs.MTU1024, DestQPN: 0x123456, RQPSN: 0xABCDEF, SQPSN: 0x010203,
		MaxRDAtomic: 4, MaxDestRDAtomic: 8, MinRNRTimer: 12, Timeout: 14, RetryCnt: 6, RNRRetry: 7,
	}
}

func (q queuePair) sendSlot(s *station, index uint16) []byte {
	return s.slot(q.create.SQBase, int(q.create.SQLogSize), 64<<q.create.SQLogStride, index)
}

func (q queuePair) recvSlot(s *station, index uint16) []byte {
	return s.slot(q.create.RQBase, int(q.create.RQLogSize), 64<<q.create.RQLogStride, index)
}
