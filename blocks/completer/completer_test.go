package completer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/completer"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/replay"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const qps = 4

var sizes = link.Sizes{QPBits: 2, CQBits: 2, ReplayBits: 3}

// pairIO is the completer with the replay ring that it works on.
type pairIO struct {
	Record     hdl.Stream[link.Record]     `hdl:"in"`
	Retired    hdl.Stream[link.Retired]    `hdl:"out"`
	Response   hdl.Stream[link.RxResponse] `hdl:"in"`
	Dead       hdl.Stream[link.QPRef]      `hdl:"in"`
	Context    link.ContextPort            `hdl:"out"`
	Completion hdl.Stream[link.Completion] `hdl:"out"`
	Fault      hdl.Stream[link.QPFault]    `hdl:"out"`
	Control    hdl.Stream[link.QPControl]  `hdl:"in"`
	Ignored    hdl.Bits                    `hdl:"out" w:"1"`
}

func pair() hdl.Def[pairIO] {
	return hdl.Def[pairIO]{
		Name: "completer_and_replay",
		IO: pairIO{
			Record: hdl.StreamOf(sizes.Record()), Retired: hdl.StreamOf(sizes.Retired()), Response: hdl.StreamOf(sizes.RxResponse()),
			Dead: hdl.StreamOf(sizes.QPRef()), Context: sizes.ContextPort(), Completion: hdl.StreamOf(sizes.Completion()),
			Fault: hdl.StreamOf(sizes.QPFault()), Control: hdl.StreamOf(sizes.QPControl()),
		},
		Body: func(m *hdl.Module, io *pairIO) {
			ring := hdl.Instance(m, "u_replay", replay.Def(replay.Params{Sizes: sizes}))
			c := hdl.Instance(m, "u_completer", completer.Def(completer.Params{Sizes: sizes}))
			hdl.Connect(ring.Record, io.Record)
			hdl.Connect(io.Retired, ring.Retired)
			hdl.Connect(ring.User, c.Replay)
			hdl.Connect(c.Response, io.Response)
			hdl.Connect(c.Dead, io.Dead)
			hdl.Connect(io.Context, c.Context)
			hdl.Connect(io.Completion, c.Completion)
			hdl.Connect(io.Fault, c.Fault)
			for _, to := range []hdl.Stream[link.QPControl]{ring.Control, c.Control} {
				to.Valid.Set(io.Control.Fire())
				hdl.Set(to.Data, io.Control.Data)
			}
			m.Unused(ring.Control.Ready, ring.Peek.Value)
			ring.Peek.QP.SetK(0)
			io.Control.Ready.Set(c.Control.Ready)
			io.Ignored.Set(c.Ignored)
		},
	}
}

func contextOf(qp int) linktest.Context {
	return linktest.Context{Exists: true, QPN: uint32(0x300 + qp), SendCQ: qp ^ 1}
}

// bench is the pair with the rest of the core.
type bench struct {
	t                                      *testing.T
	s                                      *sim.Sim
	io                                     *pairIO
	record, response, dead, reply, control *sim.Source
	retired, ask, done, fault              *sim.Sink
	refs                                   [qps]*completer.Reference
	psn                                    [qps]uint32
	index                                  [qps]uint16
	ignored                                int
}

// newBench takes the pair out of reset.
func newBench(t *testing.T, s *sim.Sim, io *pairIO) *bench {
	g := hdltest.Gaps(t, 25)
	b := &bench{
		t: t, s: s, io: io,
		record: sim.NewSource(s, io.Record, g), response: sim.NewSource(s, io.Response, g), dead: sim.NewSource(s, io.Dead, g),
		reply: sim.NewSource(s, io.Context.Reply, g), control: sim.NewSource(s, io.Control, g),
		retired: sim.NewSink(s, io.Retired, g), ask: sim.NewSink(s, io.Context.Request, g), done: sim.NewSink(s, io.Completion, g), fault: sim.NewSink(s, io.Fault, g),
	}
	s.Reset(2)
	return b
}

func (b *bench) run(n int) {
	for range n {
		b.s.Step()
		require.NoError(b.t, b.s.Err())
		b.ignored += int(b.s.Get(b.io.Ignored))
		for _, qp := range sim.Received[int](b.ask) {
			b.reply.Send(linktest.Lookup{Context: contextOf(qp)})
		}
	}
}

func (b *bench) clear(r *rand.Rand, qp int) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	b.run(30)
	b.refs[qp], b.psn[qp], b.index[qp] = &completer.Reference{}, r.Uint32N(1<<24), 0
	if r.IntN(2) == 0 {
		b.psn[qp] = 0xFFFFFE
	}
}

// post records the next packet of a queue pair.
func (b *bench) post(r *rand.Rand, qp int) {
	e := linktest.ReplayEntry{PSN: b.psn[qp], WQEIndex: b.index[qp], Last: r.IntN(2) == 0, Signaled: r.IntN(2) == 0, WC: 1, WRID: r.Uint64()}
	if r.IntN(30) == 0 {
		e.Status, e.Vendor, e.Last = format.StatusLocProt, format.VendorKeyRange, true
	} else {
		b.psn[qp] = (b.psn[qp] + 1) & 0xFFFFFF
	}
	if e.Last {
		b.index[qp]++
	}
	b.record.Send(linktest.Record{QP: qp, Entry: e})
	b.refs[qp].Record(completer.Entry{PSN: e.PSN, Index: e.WQEIndex, Last: e.Last, Signaled: e.Signaled, WRID: e.WRID, Status: e.Status, Vendor: e.Vendor})
}

// Random packets, failures, deaths and responses, also wrong ones: completions,
// faults and entries that are left are the reference's.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, pair())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 11))
		b := newBench(t, s, io)
		for qp := range qps {
			b.clear(r, qp)
		}
		ignored := 0
		for range 1500 {
			qp := r.IntN(qps)
			ref := b.refs[qp]
			switch {
			case r.IntN(60) == 0:
				b.clear(r, qp)
				continue
			case r.IntN(100) == 0:
				b.dead.Send(qp)
				ref.Die()
			case r.IntN(2) == 0 && len(ref.Ring) < 8:
				b.post(r, qp)
			default:
				p := (b.psn[qp] + uint32(r.IntN(14)) - 11) & 0xFFFFFF
				syndrome := []int{0x1F, 0x00, 0x05, 0x60, 0x21, 0x40, 0x64, 0x80}[r.IntN(8)]
				if r.IntN(20) == 0 {
					syndrome = 0x61 + r.IntN(3)
				}
				b.response.Send(linktest.RxResponse{QP: qp, Opcode: format.OpAcknowledge, PSN: p, Syndrome: syndrome, Context: contextOf(qp)})
				if !ref.Respond(p, uint8(syndrome)) {
					ignored++
				}
			}
			b.run(180)
			b.compare(qp)
		}
		require.Equal(t, ignored, b.ignored)
	}, verilator.Simulator)
}

func (b *bench) compare(qp int) {
	t, ref := b.t, b.refs[qp]
	got := sim.Received[linktest.Completion](b.done)
	require.Len(t, got, len(ref.Dones))
	for i, d := range ref.Dones {
		want := linktest.Completion{
			CQ: qp ^ 1, WRID: d.WRID, QP: qp, QPN: uint32(0x300 + qp), Status: d.Status, WQEIndex: d.Index, Opcode: 1,
			Vendor: d.Vendor, Solicited: d.Status != 0,
		}
		require.Equal(t, want, got[i])
	}
	ref.Dones = nil
	faults := b.fault.Take()
	require.Equal(t, ref.Fault, len(faults) == 1)
	ref.Fault = false
	for _, gone := range sim.Received[struct {
		QP    int
		Count uint16
	}](b.retired) {
		require.Equal(t, qp, gone.QP)
	}
}

// A WQE that fails behind packets of its own that nobody will acknowledge, since
// none of them asks, fails as soon as the WQEs before it are done with.
func TestFailureBehindItsOwnPackets(t *testing.T) {
	design, io := hdltest.Build(t, pair())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 15))
		b.clear(r, 1)
		record := func(e linktest.ReplayEntry) {
			b.record.Send(linktest.Record{QP: 1, Entry: e})
			b.run(60)
		}
		record(linktest.ReplayEntry{PSN: 9, WQEIndex: 0, Last: true, Signaled: true, WRID: 100})
		record(linktest.ReplayEntry{PSN: 10, WQEIndex: 1, WRID: 101})
		record(linktest.ReplayEntry{PSN: 11, WQEIndex: 1, WRID: 101})
		record(linktest.ReplayEntry{PSN: 12, WQEIndex: 1, Last: true, WRID: 101, Status: format.StatusLocProt, Vendor: format.VendorBusRead})
		require.Empty(t, sim.Received[linktest.Completion](b.done), "the first WQE has not been acknowledged")
		b.response.Send(ackOf(1, 9))
		b.run(200)
		got := sim.Received[linktest.Completion](b.done)
		require.Len(t, got, 2)
		require.Equal(t, []uint64{100, 101}, []uint64{got[0].WRID, got[1].WRID})
		require.Equal(t, []format.Status{0, format.StatusLocProt}, []format.Status{got[0].Status, got[1].Status})
		require.Len(t, b.retired.Take(), 4)
		require.Len(t, b.fault.Take(), 1)
	}, verilator.Simulator)
}

// An acknowledgement of one packet takes six cycles.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, pair())
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	record, response, control := sim.NewSource(s, io.Record, sim.Pattern{}), sim.NewSource(s, io.Response, sim.Pattern{}), sim.NewSource(s, io.Control, sim.Pattern{})
	done, retired := sim.NewSink(s, io.Completion, sim.Pattern{}), sim.NewSink(s, io.Retired, sim.Pattern{})
	s.Reset(2)
	for qp := range qps {
		control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	}
	s.Run(20)
	for i := range 8 * qps {
		record.Send(linktest.Record{QP: i % qps, Entry: linktest.ReplayEntry{PSN: uint32(i / qps), Last: true, Signaled: true, WRID: uint64(i)}})
	}
	s.Run(60)
	for i := range 8 * qps {
		response.Send(ackOf(i%qps, i/qps))
	}
	s.Run(6*8*qps + 6)
	require.NoError(t, s.Err())
	require.Equal(t, uint64(8*qps), done.Count())
	require.Equal(t, uint64(8*qps), retired.Count())
}

func ackOf(qp, psn int) linktest.RxResponse {
	return linktest.RxResponse{QP: qp, Opcode: format.OpAcknowledge, PSN: uint32(psn), Syndrome: 0x1F, Context: contextOf(qp)}
}

func TestValidate(t *testing.T) {
	require.NoError(t, completer.Params{Sizes: sizes}.Validate())
	require.Error(t, completer.Params{}.Validate())
}
