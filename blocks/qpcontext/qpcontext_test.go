package qpcontext_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/qpcontext"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const (
	qps     = 8
	clients = 3
)

var params = qpcontext.Params{Sizes: link.Sizes{QPBits: 3, CQBits: 2}, Clients: clients, Faults: 2}

func randomLookup(r *rand.Rand) linktest.Lookup {
	states := []format.QPState{format.QPReset, format.QPInit, format.QPRTR, format.QPRTS, format.QPSQD, format.QPError}
	return linktest.Lookup{
		Context: linktest.Context{
			Exists: r.IntN(6) > 0, QPN: r.Uint32N(1 << 24), State: states[r.IntN(len(states))], PD: r.Uint32N(1 << 24), DestQPN: r.Uint32N(1 << 24),
			PathMTU: r.IntN(8), Access: r.IntN(16), MinRNR: r.IntN(32), Timeout: r.IntN(32), RetryCnt: r.IntN(8), RNRRetry: r.IntN(8), SigAll: r.IntN(2) == 0,
			SQStride: r.IntN(2), RQStride: r.IntN(2), SendCQ: r.IntN(4), RecvCQ: r.IntN(4), MaxRD: r.IntN(256), MaxDestRD: r.IntN(256),
		},
		Address: linktest.Address{
			DstMAC: r.Uint64N(1 << 48), HopLimit: r.IntN(256), TrafficClass: r.IntN(256), FlowLabel: r.IntN(1 << 20), IPv6: r.IntN(2) == 0, VLAN: r.IntN(2) == 0,
			TCI: r.IntN(1 << 16), SrcPort: r.IntN(1 << 16), SrcHi: r.Uint64(), SrcLo: r.Uint64(), DstHi: r.Uint64(), DstLo: r.Uint64(),
		},
	}
}

// Random writes, faults and lookups of all clients: answers, deaths and events
// are the reference's.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, qpcontext.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 12))
		g := hdltest.Gaps(t, 25)
		var asks []*sim.Source
		var replies []*sim.Sink
		for _, c := range io.Clients {
			asks, replies = append(asks, sim.NewSource(s, c.Request, g)), append(replies, sim.NewSink(s, c.Reply, g))
		}
		write, dead, async := sim.NewSource(s, io.Write, g), sim.NewSink(s, io.Dead, g), sim.NewSink(s, io.Async, g)
		faults := []*sim.Source{sim.NewSource(s, io.Faults[0], g), sim.NewSource(s, io.Faults[1], g)}
		s.Reset(2)
		ref := qpcontext.Reference{Pairs: map[int]qpcontext.Pair{}}
		died := 0
		for range 800 {
			qp := r.IntN(qps)
			var deaths []int
			switch r.IntN(4) {
			case 0:
				l := randomLookup(r)
				write.Send(struct {
					QP int
					L  linktest.Lookup
				}{qp, l})
				if ref.Write(qp, qpcontext.Pair{Exists: l.Context.Exists, State: l.Context.State, Rest: l}) {
					deaths = []int{qp}
				}
				s.Run(40)
			case 1:
				event := r.IntN(2)
				was := ref.Pairs[qp]
				faults[r.IntN(2)].Send(struct{ QP, HasEvent, Event, Vendor int }{qp, event, 3, 9})
				s.Run(40)
				events := sim.Received[struct {
					Code, Vendor int
					Number       uint32
				}](async)
				if ref.Fault(qp) {
					deaths = []int{qp}
					require.Len(t, events, event)
					if event == 1 {
						require.Equal(t, was.Rest.(linktest.Lookup).Context.QPN, events[0].Number)
						require.Equal(t, []int{3, 9}, []int{events[0].Code, events[0].Vendor})
					}
				} else {
					require.Empty(t, events)
				}
			default:
				c := r.IntN(clients)
				asks[c].Send(qp)
				s.Run(40)
				got := sim.Received[linktest.Lookup](replies[c])
				require.Len(t, got, 1)
				want := ref.Pairs[qp]
				require.Equal(t, want.Exists, got[0].Context.Exists)
				if want.Exists {
					l := want.Rest.(linktest.Lookup)
					l.Context.State = want.State
					require.Equal(t, l, got[0])
				}
			}
			require.NoError(t, s.Err())
			require.Equal(t, deaths, sim.Received[int](dead))
			died += len(deaths)
		}
		require.Greater(t, died, 20)
	}, verilator.Simulator)
}

// Writes, faults and lookups that all come at once, with nobody to take events for a while: everything is taken in
// the end, and lookups are answered meanwhile.
func TestAllAtOnce(t *testing.T) {
	design, io := hdltest.Build(t, qpcontext.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 13))
		g := hdltest.Gaps(t, 50)
		write, fault := sim.NewSource(s, io.Write, g), []*sim.Source{sim.NewSource(s, io.Faults[0], g), sim.NewSource(s, io.Faults[1], g)}
		ask, reply := sim.NewSource(s, io.Clients[0].Request, g), sim.NewSink(s, io.Clients[0].Reply, sim.Pattern{})
		sim.NewSink(s, io.Dead, g)
		sim.NewSink(s, io.Async, sim.Pattern{Kind: sim.Random, Percent: 5, Seed: hdltest.Seed(t)})
		s.Reset(2)
		const n = 300
		for i := range n {
			l := randomLookup(r)
			write.Send(struct {
				QP int
				L  linktest.Lookup
			}{r.IntN(qps), l})
			fault[i%2].Send(struct{ QP, HasEvent, Event, Vendor int }{r.IntN(qps), 1, 3, 9})
			ask.Send(r.IntN(qps))
		}
		s.Run(20 * n)
		require.NoError(t, s.Err())
		require.Equal(t, uint64(n), reply.Count(), "lookups wait for no fault")
		s.Run(80 * n)
		require.NoError(t, s.Err())
		require.Zero(t, write.Pending()+fault[0].Pending()+fault[1].Pending())
	}, verilator.Simulator)
}

// A write that comes while a fault is being looked at waits for it, and keeps neither it nor lookups waiting: in every
// step of the fault.
func TestWriteMeetsFault(t *testing.T) {
	design, io := hdltest.Build(t, qpcontext.Def(params))
	for after := range 12 {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				write, fault := sim.NewSource(s, io.Write, sim.Pattern{}), sim.NewSource(s, io.Faults[0], sim.Pattern{})
				ask, reply := sim.NewSource(s, io.Clients[0].Request, sim.Pattern{}), sim.NewSink(s, io.Clients[0].Reply, sim.Pattern{})
				dead, async := sim.NewSink(s, io.Dead, sim.Pattern{}), sim.NewSink(s, io.Async, sim.Pattern{Kind: sim.Never})
				s.Reset(2)
				s.Run(qps + 2)
				writes := func(qp int, state format.QPState) {
					write.Send(struct {
						QP int
						L  linktest.Lookup
					}{qp, linktest.Lookup{Context: linktest.Context{Exists: true, QPN: 0x100 + uint32(qp), State: state}}})
				}
				writes(1, format.QPRTS)
				s.Run(4)
				fault.Send(struct{ QP, HasEvent, Event, Vendor int }{1, 1, 3, 9})
				s.Run(after)
				writes(2, format.QPRTS)
				ask.Send(1)
				s.Run(20)
				require.NoError(t, s.Err())
				require.Equal(t, []int{1}, sim.Received[int](dead))
				require.Equal(t, uint64(1), reply.Count(), "a lookup is answered while the event waits")
				require.Equal(t, 1, write.Pending(), "the write waits for the fault")
				require.Zero(t, async.Count())
			}, verilator.Simulator)
		})
	}
}

// Clients that do not take their answers keep nobody waiting; the others have an
// answer every four cycles.
func TestClients(t *testing.T) {
	design, io := hdltest.Build(t, qpcontext.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		slow, quick := sim.NewSource(s, io.Clients[0].Request, sim.Pattern{}), sim.NewSource(s, io.Clients[1].Request, sim.Pattern{})
		sim.NewSink(s, io.Clients[0].Reply, sim.Pattern{Kind: sim.Never})
		answers := sim.NewSink(s, io.Clients[1].Reply, sim.Pattern{})
		s.Reset(2)
		s.Run(qps + 2)
		const n = 50
		for i := range n {
			slow.Send(i % qps)
			quick.Send(i % qps)
		}
		s.Run(4*n + 4)
		require.Equal(t, uint64(n), answers.Count())
		require.Equal(t, n-1, slow.Pending())
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, qpcontext.Params{Sizes: params.Sizes}.Validate())
	require.Error(t, qpcontext.Params{Clients: 1, Faults: 1}.Validate())
}
