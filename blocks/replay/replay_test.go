package replay_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/replay"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const qps = 4

var params = replay.Params{Sizes: link.Sizes{QPBits: 2, ReplayBits: 3}}

type oldest struct {
	Any    bool
	Newest uint32
	Failed bool
	Cause  uint16
	Entry  linktest.ReplayEntry
}

type retired struct {
	QP    int
	Count uint16
}

// Random records, questions and removals on four rings.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, replay.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 10))
		g := hdltest.Gaps(t, 25)
		records, requests, control := sim.NewSource(s, io.Record, g), sim.NewSource(s, io.User.Request, g), sim.NewSource(s, io.Control, g)
		answers, told, gone := sim.NewSink(s, io.User.Oldest, g), sim.NewSink(s, io.User.Recorded, g), sim.NewSink(s, io.Retired, g)
		s.Reset(2)
		settle := func() {
			s.Run(30)
			require.NoError(t, s.Err())
			require.Zero(t, records.Pending()+requests.Pending()+control.Pending())
		}
		ask := func(qp, op int) {
			requests.Send(struct{ QP, Op int }{qp, op})
			settle()
		}
		var refs [qps]replay.Reference
		for i := range 1500 {
			qp := r.IntN(qps)
			ref := &refs[qp]
			switch {
			case i < qps || r.IntN(100) == 0:
				if i < qps {
					qp = i
				}
				control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
				settle()
				refs[qp] = replay.Reference{}
			case r.IntN(2) == 0 && ref.Len() < 8:
				e := linktest.ReplayEntry{PSN: r.Uint32N(1 << 24), WQEIndex: uint16(r.Uint32()), Offset: r.Uint32(), Length: r.IntN(4097), Last: r.IntN(2) == 0, WC: format.WCOpcode(r.IntN(8)), WRID: r.Uint64()}
				if r.IntN(10) == 0 {
					e.Status = 4
				}
				records.Send(linktest.Record{QP: qp, Entry: e})
				settle()
				want := []int(nil)
				if ref.Record(replay.Entry{PSN: e.PSN, Failed: e.Status != 0, Index: e.WQEIndex, Rest: e}) {
					want = []int{qp}
				}
				require.Equal(t, want, sim.Received[int](told))
			case r.IntN(3) == 0 && ref.Len() > 0:
				ask(qp, link.ReplayPop)
				require.Equal(t, []retired{{qp, ref.Pop()}}, sim.Received[retired](gone))
			case r.IntN(20) == 0:
				ask(qp, link.ReplayFail)
				ref.Fail()
			default:
				ask(qp, link.ReplayPeek)
				got := sim.Received[oldest](answers)
				require.Len(t, got, 1)
				e, newest, failed, ok := ref.Peek()
				s.Set(io.Peek.QP, uint64(qp))
				s.Run(link.PeekCycles)
				seen := s.Get(io.Peek.Value)
				require.Equal(t, ok, seen>>24 == 1)
				if ok {
					require.EqualValues(t, e.PSN, seen&0xFFFFFF)
				}
				require.Equal(t, ok, got[0].Any)
				if ok {
					want := oldest{Any: true, Newest: newest, Failed: failed, Cause: got[0].Cause, Entry: e.Rest.(linktest.ReplayEntry)}
					if index, known := ref.Cause(); known {
						want.Cause = index
					}
					require.Equal(t, want, got[0])
				}
			}
		}
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, replay.Params{Sizes: link.Sizes{QPBits: 1}}.Validate())
	require.Error(t, replay.Params{Sizes: link.Sizes{ReplayBits: 1}}.Validate())
}
