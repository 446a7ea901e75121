package access_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/fpga/blocks/access"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
)

const coreBits = 16

var params = access.Params{Clients: 2, CoreBits: coreBits}

type request struct {
	Write, Memory bool
	Addr, Data    uint64
	Strobe        uint8
}

type reply struct {
	Data  uint64
	Fault bool
}

// slave is an AXI4-Lite slave of words that has none from limit on.
type slave struct {
	words  map[uint64]uint32
	limit  uint64
	writes int

	aw, w, ar *sim.Sink
	b, r      *sim.Source
	addrs     []uint64
	data      []uint32
}

func newSlave(t *testing.T, s *sim.Sim, p link.AXILite, limit uint64) *slave {
	v := &slave{words: map[uint64]uint32{}, limit: limit}
	sink := func(valid, ready hdl.Bits, payload any) *sim.Sink {
		return sim.NewSinkOf(s, sim.Ports(s, valid, ready, payload), hdltest.Gaps(t, 40), sim.SinkOptions{})
	}
	source := func(valid, ready hdl.Bits, payload any) *sim.Source {
		return sim.NewSourceOf(s, sim.Ports(s, valid, ready, payload), hdltest.Gaps(t, 40))
	}
	v.aw = sink(p.AWValid, p.AWReady, struct{ Addr, Prot hdl.Bits }{p.AWAddr, p.AWProt})
	v.w = sink(p.WValid, p.WReady, struct{ Data, Strb hdl.Bits }{p.WData, p.WStrb})
	v.ar = sink(p.ARValid, p.ARReady, struct{ Addr, Prot hdl.Bits }{p.ARAddr, p.ARProt})
	v.b = source(p.BValid, p.BReady, p.BResp)
	v.r = source(p.RValid, p.RReady, struct{ Data, Resp hdl.Bits }{p.RData, p.RResp})
	return v
}

// serve answers what has come.
func (v *slave) serve() {
	for _, a := range sim.Received[struct{ Addr, Prot uint64 }](v.aw) {
		v.addrs = append(v.addrs, a.Addr)
	}
	for _, d := range sim.Received[struct{ Data, Strb uint32 }](v.w) {
		v.data = append(v.data, d.Data)
	}
	for len(v.addrs) > 0 && len(v.data) > 0 {
		resp := uint64(0)
		if v.addrs[0] >= v.limit {
			resp = 2
		} else {
			v.words[v.addrs[0]] = v.data[0]
			v.writes++
		}
		v.b.Send(resp)
		v.addrs, v.data = v.addrs[1:], v.data[1:]
	}
	for _, a := range sim.Received[struct{ Addr, Prot uint64 }](v.ar) {
		if a.Addr >= v.limit {
			v.r.Send(struct{ Data, Resp uint32 }{0xDEAD, 2})
			continue
		}
		v.r.Send(struct{ Data, Resp uint32 }{v.words[a.Addr], 0})
	}
}

// world is what the reference says of all addresses.
type world map[access.Target]map[uint64]uint64

// limits are the addresses from which on nothing answers.
var limits = map[access.Target]uint64{access.Core: 0x4000, access.Board: 0x200, access.Memory: 0x1000}

func (w world) do(q request) reply {
	target, addr := access.Reference(q.Memory, q.Addr, coreBits)
	if target == access.Nobody || addr >= limits[target] {
		return reply{Fault: true}
	}
	if !q.Write {
		return reply{Data: w[target][addr]}
	}
	w[target][addr] = q.Data
	if target != access.Memory {
		w[target][addr] &= 0xFFFFFFFF
	}
	return reply{}
}

func randomRequest(r *rand.Rand, client int) request {
	q := request{Write: r.IntN(2) == 0, Data: r.Uint64(), Strobe: 0xFF}
	// Clients have addresses of their own, so that the order between them does not matter.
	mine := uint64(r.IntN(4)*2+client) * 8
	switch r.IntN(6) {
	case 0:
		q.Memory, q.Addr = true, mine
	case 1:
		q.Addr = mine
	case 2:
		q.Addr = port.BoardBase + mine
	case 3:
		q.Addr = mine + 1 + r.Uint64N(3)
	case 4:
		q.Memory, q.Addr = r.IntN(2) == 0, 0x4000+mine
	default:
		q.Addr = 1<<r.IntN(64) | mine
	}
	return q
}

// Random accesses of two clients, against the map of addresses: each has its reply, in order.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, access.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
		core, board := newSlave(t, s, io.Core, limits[access.Core]), newSlave(t, s, io.Board, limits[access.Board])
		memory, replies := sim.NewSink(s, io.Memory.Access, hdltest.Gaps(t, 30)), sim.NewSource(s, io.Memory.Reply, hdltest.Gaps(t, 30))
		var in []*sim.Source
		var out []*sim.Sink
		for _, c := range io.Clients {
			in, out = append(in, sim.NewSource(s, c.Access, hdltest.Gaps(t, 50))), append(out, sim.NewSink(s, c.Reply, hdltest.Gaps(t, 50)))
		}
		s.Reset(2)
		w := world{access.Core: {}, access.Board: {}, access.Memory: {}}
		held := map[uint64]uint64{} // in memory, as the model has it
		want, got := [2][]reply{}, [2][]reply{}
		for range 400 {
			for i := range in {
				q := randomRequest(r, i)
				in[i].Send(q)
				want[i] = append(want[i], w.do(q))
			}
		}
		for turns := 0; len(got[0]) < 400 || len(got[1]) < 400; turns++ {
			require.Less(t, turns, 100000)
			s.Run(3)
			core.serve()
			board.serve()
			for _, q := range sim.Received[request](memory) {
				a := reply{Data: held[q.Addr]}
				if q.Addr >= limits[access.Memory] {
					a = reply{Fault: true}
				} else if q.Write {
					held[q.Addr], a.Data = q.Data, 0
				}
				replies.Send(a)
			}
			for i := range out {
				got[i] = append(got[i], sim.Received[reply](out[i])...)
			}
		}
		require.Equal(t, want, got)
		for addr, v := range w[access.Core] {
			require.EqualValues(t, v, core.words[addr])
		}
		require.Greater(t, min(core.writes, board.writes, len(held)), 4)
	}, verilator.Simulator)
}

// A client that always asks does not keep another waiting.
func TestTurns(t *testing.T) {
	design, io := hdltest.Build(t, access.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		newSlave(t, s, io.Core, 0)
		newSlave(t, s, io.Board, 0)
		sim.NewSink(s, io.Memory.Access, sim.Pattern{})
		sim.NewSource(s, io.Memory.Reply, sim.Pattern{})
		var out []*sim.Sink
		for _, c := range io.Clients {
			in := sim.NewSource(s, c.Access, sim.Pattern{})
			out = append(out, sim.NewSink(s, c.Reply, sim.Pattern{}))
			for range 200 {
				in.Send(request{Addr: 1}) // nobody's
			}
		}
		s.Reset(2)
		s.Run(300)
		require.InDelta(t, 100, out[0].Count()+out[1].Count(), 2) // three cycles each
		require.InDelta(t, out[0].Count(), out[1].Count(), 1)
	}, verilator.Simulator)
}

func TestParams(t *testing.T) {
	require.NoError(t, params.Validate())
	for want, p := range map[string]access.Params{
		"0 clients":           {CoreBits: 13},
		"addresses of 20 bit": {Clients: 1, CoreBits: 20},
	} {
		_, _, err := hdl.Build(access.Def(p))
		require.ErrorContains(t, err, want)
	}
}

func TestLint(t *testing.T) {
	design, _ := hdltest.Build(t, access.Def(params))
	lint.Check(t, design)
}
