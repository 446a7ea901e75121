package completer_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/completer"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/replay"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/sim"
)

const qps = 4

var sizes = link.Sizes{QPBits: 2, CQBits: 2, ReplayBits: 3}

// pairIO is the completer with the replay ring that it works on.
type pairIO struct {
	Record     hdl.Stream[link.Record]      `hdl:"in"`
	Retired    hdl.Stream[link.Retired]     `hdl:"out"`
	Response   hdl.Stream[link.RxResponse]  `hdl:"in"`
	Context    link.ContextPort             `hdl:"out"`
	Completion hdl.Stream[link.Completion]  `hdl:"out"`
	Fault      hdl.Stream[link.QPFault]     `hdl:"out"`
	Control    hdl.Stream[link.QPControl]   `hdl:"in"`
	Heard      hdl.Stream[link.Heard]       `hdl:"out"`
	Failure    hdl.Stream[link.SendFailure] `hdl:"in"`
	Counts     completer.Counts             `hdl:"out"`
}

func pair() hdl.Def[pairIO] {
	return hdl.Def[pairIO]{
		Name: "completer_and_replay",
		IO: pairIO{
			Record: hdl.StreamOf(sizes.Record()), Retired: hdl.StreamOf(sizes.Retired()), Response: hdl.StreamOf(sizes.RxResponse()),
			Context: sizes.ContextPort(), Completion: hdl.StreamOf(sizes.Completion()),
			Fault: hdl.StreamOf(sizes.QPFault()), Control: hdl.StreamOf(sizes.QPControl()),
			Heard: hdl.StreamOf(sizes.Heard()), Failure: hdl.StreamOf(sizes.SendFailure()),
		},
		Body: func(m *hdl.Module, io *pairIO) {
			ring := hdl.Instance(m, "u_replay", replay.Def(replay.Params{Sizes: sizes}))
			c := hdl.Instance(m, "u_completer", completer.Def(completer.Params{Sizes: sizes}))
			hdl.Connect(ring.Record, io.Record)
			hdl.Connect(io.Retired, ring.Retired)
			hdl.Connect(ring.User, c.Replay)
			hdl.Connect(c.Response, io.Response)
			hdl.Connect(io.Context, c.Context)
			hdl.Connect(io.Completion, c.Completion)
			hdl.Connect(io.Fault, c.Fault)
			hdl.Connect(c.Control, io.Control)
			m.Unused(ring.Peek.Value)
			ring.Peek.QP.SetK(0)
			aside(m, ring)
			hdl.Connect(io.Heard, c.Heard)
			hdl.Connect(c.Failure, io.Failure)
			hdl.Set(io.Counts, c.Counts)
		},
	}
}

// aside leaves alone what the ring has for the retry engine.
func aside(m *hdl.Module, ring *replay.IO) {
	ask := ring.Reader.Request
	ask.Valid.SetK(0)
	hdl.Set(ask.Data, hdl.Unpack(link.ReplayRead{QP: hdl.W(sizes.QPBits)}, hdl.K(hdl.WidthOf(link.ReplayRead{QP: hdl.W(sizes.QPBits)}), 0)))
	ring.Reader.Reply.Ready.SetK(1)
	ring.Started.Ready.SetK(1)
	ring.Waits.QP.SetK(0)
	m.Unused(ask.Ready, ring.Reader.Reply.Valid, ring.Started.Valid, ring.Started.Data.QP, ring.Waits.Waits)
	hdl.UnusedBut(m, ring.Reader.Reply.Data)
}

func contextOf(qp int) linktest.Context {
	return linktest.Context{Exists: true, QPN: uint32(0x300 + qp), SendCQ: qp ^ 1}
}

// bench is the pair with the rest of the core, and what it has to do.
type bench struct {
	t                                *testing.T
	s                                *sim.Sim
	io                               *pairIO
	record, response, reply, control *sim.Source
	failure                          *sim.Source
	retired, ask, done, fault, heard *sim.Sink
	refs                             [qps]*completer.Reference
	counts                           map[string]int // pulses, by the name of their field
}

// newBench takes the pair out of reset.
func newBench(t *testing.T, s *sim.Sim, io *pairIO, g sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, io: io,
		record: sim.NewSource(s, io.Record, g), response: sim.NewSource(s, io.Response, g),
		reply: sim.NewSource(s, io.Context.Reply, g), control: sim.NewSource(s, io.Control, g),
		failure: sim.NewSource(s, io.Failure, g), heard: sim.NewSink(s, io.Heard, g), counts: map[string]int{},
		retired: sim.NewSink(s, io.Retired, g), ask: sim.NewSink(s, io.Context.Request, g), done: sim.NewSink(s, io.Completion, g), fault: sim.NewSink(s, io.Fault, g),
	}
	s.Reset(2)
	for qp := range qps {
		b.clear(qp)
	}
	return b
}

func (b *bench) run(n int) {
	for range n {
		b.s.Step()
		require.NoError(b.t, b.s.Err())
		v := reflect.ValueOf(b.io.Counts)
		for i := range v.NumField() {
			b.counts[v.Type().Field(i).Name] += int(b.s.Get(v.Field(i).Interface().(hdl.Bits)))
		}
		for _, qp := range sim.Received[int](b.ask) {
			b.reply.Send(linktest.Lookup{Context: contextOf(qp)})
		}
	}
}

// settle runs until nothing happens any more: a ring full of entries takes this long.
func (b *bench) settle() { b.run(200) }

// clear begins a queue pair anew.
func (b *bench) clear(qp int) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	b.run(40)
	b.refs[qp] = &completer.Reference{}
}

// post records an entry, in the pair and in the reference.
func (b *bench) post(qp int, e linktest.ReplayEntry) {
	b.record.Send(linktest.Record{QP: qp, Entry: e})
	b.refs[qp].Record(completer.Entry{
		Kind: e.Kind, PSN: e.PSN, Last: e.LastPSN, Index: e.WQEIndex, Ends: e.Last, Signaled: e.Signaled, Opcode: e.WC,
		Bytes: e.Offset, WRID: e.WRID, Status: e.Status, Vendor: e.Vendor,
	})
}

// respond sends a response to both, and reports whether it answered something.
func (b *bench) respond(qp int, p completer.Response) bool {
	c := contextOf(qp)
	b.response.Send(linktest.RxResponse{
		QP: qp, Match: p.Match, PSN: p.PSN, Syndrome: int(p.Syndrome), Fault: p.Fault, QPN: c.QPN, SendCQ: c.SendCQ,
	})
	return b.refs[qp].Respond(p)
}

// fail sends what the retry engine decided to both.
func (b *bench) fail(qp int, psn uint32, status format.Status, vendor format.VendorCode) {
	b.failure.Send(linktest.SendFailure{QP: qp, PSN: psn, Status: status, Vendor: vendor})
	b.refs[qp].Fail(psn, status, vendor)
}

// die tells both that a queue pair is dead.
func (b *bench) die(qp int) {
	c := contextOf(qp)
	b.response.Send(linktest.RxResponse{QP: qp, Dead: true, Match: link.MatchDone, PSN: 0xABCDEF, QPN: c.QPN, SendCQ: c.SendCQ})
	b.refs[qp].Die()
}

// compare takes what a queue pair let out, and compares it. It reports whether the queue pair
// went to ERR.
func (b *bench) compare(qp int) (failed bool) {
	t, ref := b.t, b.refs[qp]
	got := sim.Received[linktest.Completion](b.done)
	require.Len(t, got, len(ref.Dones))
	for i, d := range ref.Dones {
		c := contextOf(qp)
		require.Equal(t, linktest.Completion{
			CQ: c.SendCQ, WRID: d.WRID, ByteLen: d.Bytes, QP: qp, QPN: c.QPN, Status: d.Status, WQEIndex: d.Index, Opcode: d.Opcode,
			Vendor: d.Vendor, Solicited: d.Status != 0,
		}, got[i])
	}
	ref.Dones = nil
	heard := sim.Received[linktest.Heard](b.heard)
	require.Len(t, heard, len(ref.Heard), "%+v, not %+v", heard, ref.Heard)
	for i, h := range ref.Heard {
		if h.Kind != link.HeardRestart {
			heard[i].Cause = 0 // means nothing
		}
		if h.Kind != link.HeardRNR {
			heard[i].Code = 0
		}
		require.Equal(t, linktest.Heard{QP: qp, Kind: h.Kind, PSN: h.PSN, Cause: h.Cause, Code: int(h.Code)}, heard[i])
	}
	ref.Heard = nil
	failed = ref.Fault
	require.Equal(t, failed, len(b.fault.Take()) == 1)
	ref.Fault = false
	for _, gone := range sim.Received[linktest.Retired](b.retired) {
		require.Equal(t, qp, gone.QP)
	}
	return failed
}
