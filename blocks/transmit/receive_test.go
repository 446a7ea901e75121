package transmit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/ackqueue"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/resources"
	"gornic/blocks/transmit"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

// answererIO is what answers requests: ackqueue and resources, with transmit behind them. READs are of no
// bytes, and there are no atomics: no payload comes.
type answererIO struct {
	Placed     hdl.Stream[link.Placed]                   `hdl:"in"`
	Control    hdl.Stream[link.QPControl]                `hdl:"in"`
	Turn       link.ContextPort                          `hdl:"out"` // of resources
	Context    link.ContextPort                          `hdl:"out"` // of transmit
	Completion hdl.Stream[link.Completion]               `hdl:"out"`
	Desc       hdl.Stream[format.TxDescriptor[hdl.Bits]] `hdl:"out"`
}

func answerer() hdl.Def[answererIO] {
	s := params(64).Sizes
	return hdl.Def[answererIO]{
		Name: "answerer",
		IO: answererIO{
			Placed: hdl.StreamOf(s.Placed()), Control: hdl.StreamOf(s.QPControl()), Turn: s.ContextPort(), Context: s.ContextPort(),
			Completion: hdl.StreamOf(s.Completion()), Desc: hdl.StreamOf(format.TxDescriptor[hdl.Bits]{}),
		},
		Body: func(m *hdl.Module, io *answererIO) {
			acks := hdl.Instance(m, "u_ackqueue", ackqueue.Def(ackqueue.Params{Sizes: s}))
			ring := hdl.Instance(m, "u_resources", resources.Def(resources.Params{Sizes: s}))
			out := hdl.Instance(m, "u_transmit", transmit.Def(transmit.Params{Sizes: s}))
			control := stream.Fork(m, "u_control", io.Control, 3)
			hdl.Connect(acks.Control, control[0])
			hdl.Connect(ring.Control, control[1])
			hdl.Connect(out.Control, control[2])
			hdl.Connect(acks.Placed, io.Placed)
			hdl.Connect(ring.Request, acks.Resource)
			hdl.Connect(out.Job, ring.Job)
			hdl.Connect(out.Served, ring.Served)
			out.Given.Set(ring.Made)
			hdl.Connect(acks.Served, out.Left)
			hdl.Connect(out.Ack, acks.Ack)
			hdl.Connect(io.Turn, ring.Context)
			hdl.Connect(io.Context, out.Context)
			hdl.Connect(io.Completion, acks.Completion)
			hdl.Connect(io.Desc, out.Desc)

			none(m, out.Gathered)
			none(m, out.CNP)
			none(m, out.Payload)
			none(m, out.Inline)
			none(m, ring.Result)
			none(m, ring.Wake)
			ring.Paced.Waits.SetK(0)
			m.Unused(ring.Paced.QP)
			none(m, ring.FenceIn)
			none(m, ring.RxFenceIn)
			stream.Discard(m, ring.Segment)
			stream.Discard(m, ring.Atomic)
			stream.Discard(m, ring.FenceOut)
			stream.Discard(m, ring.RxFenceOut)
			stream.Discard(m, acks.Fault)
			stream.Discard(m, acks.Fence)
			stream.Discard(m, out.Marked)
			stream.Discard(m, out.ResendFault)
			stream.Discard(m, out.Fault)
			stream.Discard(m, out.Fence)
			stream.Discard(m, out.Record)
			stream.Discard(m, out.Out)
			out.MAC.SetK(1)
			acks.Peek.QP.SetK(0)
			m.Unused(acks.Peek.Value, out.Sent, out.SentNAK, out.Resent, out.SentCNP)
			hdl.UnusedBut(m, acks.Counts)
		},
	}
}

// none is a stream on which nothing comes.
func none[T any](m *hdl.Module, in hdl.Stream[T]) {
	in.Valid.SetK(0)
	hdl.Set(in.Data, hdl.Unpack(hdl.Proto(in.Data), hdl.K(hdl.WidthOf(hdl.Proto(in.Data)), 0)))
	m.Unused(in.Ready)
}

// Receive never waits for transmit: while the wire stands, READs come again and again, and what other queue pairs
// receive completes all the same. When the wire goes on, an acknowledgement comes behind the READ that it waited for.
func TestReceiveWhileTheWireStands(t *testing.T) {
	design, io := hdltest.Build(t, answerer())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		g := hdltest.Gaps(t, 25)
		placed, control := sim.NewSource(s, io.Placed, g), sim.NewSource(s, io.Control, g)
		turn, context := sim.NewSource(s, io.Turn.Reply, g), sim.NewSource(s, io.Context.Reply, g)
		turns, contexts := sim.NewSink(s, io.Turn.Request, g), sim.NewSink(s, io.Context.Request, g)
		done, desc := sim.NewSink(s, io.Completion, g), sim.NewSink(s, io.Desc, sim.Pattern{Kind: sim.Never})
		run := func(n int) {
			for range n {
				s.Step()
				require.NoError(t, s.Err())
				found := linktest.Lookup{Context: linktest.Context{Exists: true, State: format.QPRTS, PathMTU: format.MTU256}}
				for range sim.Received[int](turns) {
					turn.Send(found)
				}
				for range sim.Received[int](contexts) {
					context.Send(found)
				}
			}
		}
		s.Reset(2)
		for qp := range 8 {
			control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
		}
		run(300)

		const n = 300
		read := linktest.Commit{RequestPSN: 5, Message: true, Resource: linktest.Resource{Kind: link.ResourceRead}}
		placed.Send(linktest.Placed{Commit: read})
		read.Message, read.Resource.Duplicate = false, true
		for i := range n {
			placed.Send(linktest.Placed{Commit: read})
			placed.Send(linktest.Placed{Commit: linktest.Commit{
				QP: 1 + i%7, Complete: true, Message: true, Completion: linktest.Completion{WRID: uint64(i)},
			}})
		}
		placed.Send(linktest.Placed{Commit: linktest.Commit{RequestPSN: 6, PSN: 6, Message: true, Reply: link.ReplyACK}})
		run(60 * n)
		require.Zero(t, placed.Pending())
		require.Len(t, done.Take(), n)

		desc.SetPattern(g)
		run(3000)
		var psns []uint64
		for _, d := range sim.Received[format.TxDescriptor[uint64]](desc) {
			psns = append(psns, d.PSN)
		}
		require.Greater(t, len(psns), 1)
		for _, psn := range psns[:len(psns)-1] {
			require.EqualValues(t, 5, psn)
		}
		require.EqualValues(t, 6, psns[len(psns)-1])
	}, linktest.Others(64)...)
}
