package transmit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/transmit"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const qps = 4

func params(width int) transmit.Params {
	return transmit.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 2, CQBits: 2, SlotBits: 2, ReplayBits: 3}}
}

func addressOf(qp int) linktest.Address {
	return linktest.Address{
		DstMAC: 0x020000000000 + uint64(qp), HopLimit: 64, TrafficClass: 2 * qp, FlowLabel: 1000 + qp, IPv6: qp == 1, VLAN: qp == 2,
		TCI: 5 * qp, SrcPort: 0xC000 + qp, SrcHi: 1, SrcLo: 2, DstHi: 3, DstLo: uint64(qp),
	}
}

// bench is the block with its neighbours.
type bench struct {
	t                                             *testing.T
	s                                             *sim.Sim
	ack, job, gathered, payload, inline, context_ *sim.Source
	control                                       *sim.Source
	askContext, desc, record, fence               *sim.Sink
	out                                           *hdltest.Frames
	outSink                                       *sim.Sink
	dead                                          [qps]bool
	descs                                         []format.TxDescriptor[uint64]
	records                                       []linktest.Record
	frames                                        [][]byte
	fences                                        []int
}

func newBench(t *testing.T, s *sim.Sim, io *transmit.IO) *bench {
	g := hdltest.Gaps(t, 25)
	b := &bench{
		t: t, s: s,
		ack: sim.NewSource(s, io.Ack, g), job: sim.NewSource(s, io.Job, g), gathered: sim.NewSource(s, io.Gathered, g),
		payload: sim.NewSource(s, io.Payload, g), inline: sim.NewSource(s, io.Inline, g), context_: sim.NewSource(s, io.Context.Reply, g),
		control:    sim.NewSource(s, io.Control, g),
		askContext: sim.NewSink(s, io.Context.Request, g), desc: sim.NewSink(s, io.Desc, g), record: sim.NewSink(s, io.Record, g),
		fence: sim.NewSink(s, io.Fence, g), outSink: sim.NewSink(s, io.Out, g),
	}
	b.out = hdltest.NewFrames(b.outSink)
	s.Set(io.MAC, 0x02AABBCCDDEE)
	s.Reset(2)
	for qp := range qps {
		b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	}
	b.run(100)
	return b
}

func (b *bench) run(n int) {
	for range n {
		b.s.Step()
		require.NoError(b.t, b.s.Err())
		for _, qp := range sim.Received[int](b.askContext) {
			c := linktest.Context{Exists: true, QPN: uint32(qp), State: format.QPRTS, DestQPN: 0x200 + uint32(qp)}
			if b.dead[qp] {
				c.State = format.QPError
			}
			b.context_.Send(linktest.Lookup{Context: c, Address: addressOf(qp)})
		}
		b.descs = append(b.descs, sim.Received[format.TxDescriptor[uint64]](b.desc)...)
		b.records = append(b.records, sim.Received[linktest.Record](b.record)...)
		b.fences = append(b.fences, sim.Received[int](b.fence)...)
		for _, f := range b.out.Take() {
			b.frames = append(b.frames, f.Data)
		}
	}
}

// expected is what has to come out, in order.
type expected struct {
	descs   []format.TxDescriptor[uint64]
	records []linktest.Record
	frames  [][]byte
}

func (e *expected) job(j linktest.TxJob, o transmit.Outcome, payload []byte) {
	r := linktest.Record{QP: j.QP, Entry: j.Entry}
	r.Entry.Status, r.Entry.Vendor = o.Status, o.Vendor
	e.records = append(e.records, r)
	if !o.Sent {
		return
	}
	d := header(j.QP)
	d.Opcode, d.SE, d.AckReq, d.PSN = uint64(j.Opcode), bit(j.SE), bit(j.AckReq), uint64(j.Entry.PSN)
	d.PayloadLen, d.PadCnt = uint64(j.PayloadLen), uint64(-j.PayloadLen)&3
	copy(d.Ext[:], transmit.Extension(format.Opcode(j.Opcode), j.VA, j.RKey, j.DMALen, j.Imm))
	e.descs = append(e.descs, d)
	if len(payload) > 0 {
		e.frames = append(e.frames, payload)
	}
}

func header(qp int) format.TxDescriptor[uint64] {
	a := addressOf(qp)
	return format.TxDescriptor[uint64]{
		DstMAC: a.DstMAC, SrcMAC: 0x02AABBCCDDEE, VLAN: bit(a.VLAN), TCI: uint64(a.TCI), IPv6: bit(a.IPv6), TrafficClass: uint64(a.TrafficClass),
		HopLimit: uint64(a.HopLimit), DF: 1, FlowLabel: uint64(a.FlowLabel), SrcHi: a.SrcHi, SrcLo: a.SrcLo, DstHi: a.DstHi, DstLo: a.DstLo,
		SrcPort: uint64(a.SrcPort), PKey: format.PKeyDefault, DestQP: 0x200 + uint64(qp),
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// without returns a descriptor whose words behind the opcode's headers are zero.
func without(d format.TxDescriptor[uint64]) format.TxDescriptor[uint64] {
	info, _ := format.Lookup(format.Opcode(d.Opcode))
	clear(d.Ext[info.ExtBytes()/4:])
	return d
}

// Random jobs and faults on four queue pairs, one of them in state ERR.
func TestAgainstReference(t *testing.T) {
	for _, width := range []int{64, 128, 256, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, transmit.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 8))
				b := newBench(t, s, io)
				b.dead[3] = true
				refs := [qps]transmit.Reference{3: {Dead: true}}
				var want expected
				for i := range 150 {
					j := randomJob(r, i)
					payload := make([]byte, j.PayloadLen)
					for k := range payload {
						payload[k] = byte(r.Uint32())
					}
					ref := transmit.Job{Kind: j.Kind, Length: j.PayloadLen, Inline: j.Inline, Status: format.Status(j.Entry.Status), Vendor: format.VendorCode(j.Entry.Vendor)}
					if j.Kind == link.JobPacket && j.PayloadLen > 0 && !j.Inline {
						if r.IntN(25) == 0 {
							ref.Fault = format.VendorKeyRange
						}
						b.gathered.Send(int(ref.Fault))
					}
					if source := b.source(ref); source != nil {
						hdltest.SendFrame(source, payload)
					}
					want.job(j, refs[j.QP].Judge(ref), payload)
					b.job.Send(j)
				}
				b.run(15000)
				b.compare(want)
			}, linktest.Others(width)...)
		})
	}
}

// source is where the payload of a job comes from, nil if there is none.
func (b *bench) source(j transmit.Job) *sim.Source {
	switch {
	case j.Kind != link.JobPacket || j.Length == 0 || j.Fault != 0:
		return nil
	case j.Inline:
		return b.inline
	}
	return b.payload
}

func (b *bench) compare(want expected) {
	t := b.t
	require.Len(t, b.records, len(want.records))
	for i, r := range want.records {
		require.Equal(t, r, b.records[i], "record %d", i)
	}
	require.Len(t, b.descs, len(want.descs))
	for i, d := range want.descs {
		require.Equal(t, d, without(b.descs[i]), "packet %d", i)
	}
	require.Len(t, b.frames, len(want.frames))
	for i, f := range want.frames {
		require.True(t, bytes.Equal(f, b.frames[i]), "payload %d", i)
	}
}

func randomJob(r *rand.Rand, i int) linktest.TxJob {
	ops := []format.Opcode{format.OpSendFirst, format.OpSendMiddle, format.OpSendLastImm, format.OpSendOnly, format.OpWriteFirst, format.OpWriteOnly, format.OpWriteOnlyImm, format.OpWriteLastImm}
	j := linktest.TxJob{
		Kind: link.JobPacket, QP: r.IntN(qps), Opcode: ops[r.IntN(len(ops))], SE: r.IntN(2) == 0, AckReq: r.IntN(2) == 0,
		PayloadLen: r.IntN(3) * r.IntN(200), VA: r.Uint64(), RKey: r.Uint32(), DMALen: r.Uint32(), Imm: r.Uint32(), Inline: r.IntN(4) == 0,
		Entry: linktest.ReplayEntry{PSN: r.Uint32N(1 << 24), WQEIndex: uint16(i), Offset: r.Uint32(), First: true, Last: r.IntN(2) == 0, WC: 1, WRID: r.Uint64()},
	}
	if r.IntN(40) == 0 {
		j.Kind, j.PayloadLen = link.JobRecord, 0
		j.Entry.Status, j.Entry.Vendor = format.StatusLocQPOp, format.VendorBadOpcode
	}
	j.Entry.Length = j.PayloadLen
	return j
}

// An acknowledgement goes before a job that waits for its payload, and needs no
// entry; one of a queue pair in state ERR leaves, too.
func TestAcknowledgements(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.dead[2] = true
		b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 8})
		b.run(50)
		b.ack.Send(linktest.Ack{QP: 0, Syndrome: format.SyndromeNoCredits, PSN: 0x123456, MSN: 0xABCDEF})
		b.ack.Send(linktest.Ack{QP: 2, Syndrome: format.SyndromeNAKAccess, PSN: 1, MSN: 2})
		b.run(100)
		require.Len(t, b.descs, 2)
		require.Empty(t, b.records)
		first, second := header(0), header(2)
		first.Opcode, first.PSN, first.Ext[0] = uint64(format.OpAcknowledge), 0x123456, 0x1FABCDEF
		second.Opcode, second.PSN, second.Ext[0] = uint64(format.OpAcknowledge), 1, 0x62000002
		require.Equal(t, first, without(b.descs[0]))
		require.Equal(t, second, without(b.descs[1]))
		b.gathered.Send(0)
		hdltest.SendFrame(b.payload, []byte("12345678"))
		b.run(100)
		require.Len(t, b.descs, 3)
		require.Equal(t, [][]byte{[]byte("12345678")}, b.frames)
	}, verilator.Simulator)
}

// A packet with inline data leaves when its data is here, whole, and not that of
// the packet before it: so there is no pause in a frame.
func TestInlineIsWaitedFor(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.outSink.SetPattern(sim.Pattern{Kind: sim.Never})
		for range 2 {
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 8, Inline: true})
		}
		b.run(200)
		require.Empty(t, b.descs)
		hdltest.SendFrame(b.inline, []byte("12345678"))
		b.run(200)
		require.Len(t, b.descs, 1, "the second packet's data is not here")
		b.outSink.SetPattern(sim.Pattern{})
		b.run(200)
		require.Len(t, b.descs, 1)
		hdltest.SendFrame(b.inline, []byte("abcdefgh"))
		b.run(200)
		require.Len(t, b.descs, 2)
		require.Equal(t, [][]byte{[]byte("12345678"), []byte("abcdefgh")}, b.frames)
	}, verilator.Simulator)
}

// A packet leaves when the payload of one before it that is dropped is gone: while it
// is not, its own is not there, and there would be a pause in the frame.
func TestDroppedPayloadIsWaitedFor(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.dead[2] = true
		for qp := 1; qp <= 2; qp++ {
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 3 - qp, Opcode: format.OpSendOnly, PayloadLen: 16})
			b.gathered.Send(0)
		}
		b.run(200)
		require.Empty(t, b.descs)
		hdltest.SendFrame(b.payload, []byte("this is dropped."))
		b.run(200)
		require.Len(t, b.descs, 1)
		hdltest.SendFrame(b.payload, []byte("and this leaves."))
		b.run(200)
		require.Equal(t, [][]byte{[]byte("and this leaves.")}, b.frames)
	}, verilator.Simulator)
}

// A fence comes out behind the jobs before it.
func TestFence(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 8})
		b.job.Send(linktest.TxJob{Kind: link.JobFence, Entry: linktest.ReplayEntry{PSN: 1}})
		b.run(100)
		require.Empty(t, b.fences)
		b.gathered.Send(0)
		hdltest.SendFrame(b.payload, []byte("12345678"))
		b.run(100)
		require.Equal(t, []int{1}, b.fences)
		require.Len(t, b.records, 1)
	}, verilator.Simulator)
}

// A packet takes 6 cycles of the block where its payload is one beat.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(512)))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io)
	for _, p := range []*sim.Source{b.ack, b.job, b.gathered, b.payload, b.context_} {
		p.SetPattern(sim.Pattern{})
	}
	for _, k := range []*sim.Sink{b.askContext, b.desc, b.record} {
		k.SetPattern(sim.Pattern{})
	}
	const n = 50
	for range n {
		b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 64})
		b.gathered.Send(0)
		hdltest.SendFrame(b.payload, make([]byte, 64))
	}
	cycles := 0
	for len(b.descs) < n {
		b.run(1)
		cycles++
		require.Less(t, cycles, 8*n)
	}
	require.LessOrEqual(t, cycles, 6*n+10)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64).Validate())
	require.Error(t, params(65).Validate())
	require.Error(t, transmit.Params{Sizes: link.Sizes{DataWidth: 64}}.Validate())
}
