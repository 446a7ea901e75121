package transmit_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/transmit"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// qps are the queue pairs of the tests; what is not said of one is that it is in RTS.
const qps = 6

const (
	inError = 3
	inInit  = 4
	gone    = 5
)

func params(width int) transmit.Params {
	return transmit.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 3, CQBits: 2, SlotBits: 2, ReplayBits: 3, ReadBits: 2}}
}

func addressOf(qp int) linktest.Address {
	return linktest.Address{
		DstMAC: 0x020000000000 + uint64(qp), HopLimit: 64, TrafficClass: 2 * qp, FlowLabel: 1000 + qp, IPv6: qp == 1, VLAN: qp == 2,
		TCI: 5 * qp, SrcPort: 0xC000 + qp, SrcHi: 1, SrcLo: 2, DstHi: 3, DstLo: uint64(qp),
	}
}

// referenceOf is a queue pair as it begins.
func referenceOf(qp int) *transmit.Reference {
	r := &transmit.Reference{Exists: qp != gone, State: format.QPRTS}
	switch qp {
	case inError:
		r.State = format.QPError
	case inInit:
		r.State = format.QPInit
	}
	return r
}

// bench is the block with its neighbours.
type bench struct {
	t                                             *testing.T
	s                                             *sim.Sim
	io                                            *transmit.IO
	ack, job, gathered, payload, inline, context_ *sim.Source
	control, served                               *sim.Source
	askContext, desc, record, fence, fault, left  *sim.Sink
	marked, resend                                *sim.Sink
	cnp                                           *sim.Source
	out                                           *hdltest.Frames
	outSink                                       *sim.Sink
	refs                                          [qps]*transmit.Reference
	given                                         int // pulses that are due
	descs                                         []format.TxDescriptor[uint64]
	records                                       []linktest.Record
	faults                                        []linktest.QPFault
	told                                          []linktest.Served
	frames                                        [][]byte
	fences                                        []int
	marks                                         []mark
	missing                                       []linktest.ResendFault
}

// mark is a Marked, and how many records had been taken when it came.
type mark struct{ qp, records int }

func newBench(t *testing.T, s *sim.Sim, io *transmit.IO) *bench {
	g := hdltest.Gaps(t, 25)
	b := &bench{
		t: t, s: s, io: io,
		ack: sim.NewSource(s, io.Ack, g), job: sim.NewSource(s, io.Job, g), gathered: sim.NewSource(s, io.Gathered, g),
		payload: sim.NewSource(s, io.Payload, g), inline: sim.NewSource(s, io.Inline, g), context_: sim.NewSource(s, io.Context.Reply, g),
		control: sim.NewSource(s, io.Control, g), served: sim.NewSource(s, io.Served, g),
		askContext: sim.NewSink(s, io.Context.Request, g), desc: sim.NewSink(s, io.Desc, g), record: sim.NewSink(s, io.Record, g),
		fence: sim.NewSink(s, io.Fence, g), fault: sim.NewSink(s, io.Fault, g),
		cnp: sim.NewSource(s, io.CNP, g), marked: sim.NewSink(s, io.Marked, g), resend: sim.NewSink(s, io.ResendFault, g), left: sim.NewSink(s, io.Left, g), outSink: sim.NewSink(s, io.Out, g),
	}
	b.out = hdltest.NewFrames(b.outSink)
	s.Set(io.MAC, 0x02AABBCCDDEE)
	s.Reset(2)
	for qp := range qps {
		b.clear(qp)
	}
	return b
}

// clear begins a queue pair anew.
func (b *bench) clear(qp int) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	b.run(30)
	b.refs[qp] = referenceOf(qp)
}

func (b *bench) run(n int) {
	for range n {
		b.s.Set(b.io.Given, uint64(min(b.given, 1)))
		b.given = max(b.given-1, 0)
		b.s.Step()
		require.NoError(b.t, b.s.Err())
		for _, qp := range sim.Received[int](b.askContext) {
			c := linktest.Context{Exists: b.refs[qp].Exists, QPN: uint32(qp), State: b.refs[qp].State, DestQPN: 0x200 + uint32(qp)}
			b.context_.Send(linktest.Lookup{Context: c, Address: addressOf(qp)})
		}
		b.descs = append(b.descs, sim.Received[format.TxDescriptor[uint64]](b.desc)...)
		b.records = append(b.records, sim.Received[linktest.Record](b.record)...)
		b.faults = append(b.faults, sim.Received[linktest.QPFault](b.fault)...)
		b.told = append(b.told, sim.Received[linktest.Served](b.left)...)
		for _, qp := range sim.Received[int](b.marked) {
			b.marks = append(b.marks, mark{qp, len(b.records)})
		}
		b.missing = append(b.missing, sim.Received[linktest.ResendFault](b.resend)...)
		b.fences = append(b.fences, sim.Received[int](b.fence)...)
		for _, f := range b.out.Take() {
			b.frames = append(b.frames, f.Data)
		}
	}
}

// answer gives an answer away: with its job, how its segments fared, and their payload, if it is not nil.
func (b *bench) answer(j linktest.TxJob, fault format.VendorCode, payload []byte) {
	j.Kind = link.JobAnswer
	b.given++
	b.job.Send(j)
	if j.PayloadLen > 0 {
		b.gathered.Send(int(fault))
	}
	if payload != nil {
		hdltest.SendFrame(b.payload, payload)
	}
}

// expected is what has to come out, in order.
type expected struct {
	descs   []format.TxDescriptor[uint64]
	records []linktest.Record
	faults  []linktest.QPFault
	frames  [][]byte
	marks   []mark // with the records before each
	missing []linktest.ResendFault
}

func (e *expected) job(j linktest.TxJob, o transmit.Outcome, payload []byte) {
	if o.Recorded {
		r := linktest.Record{QP: j.QP, Entry: j.Entry}
		r.Entry.Status, r.Entry.Vendor = o.Status, o.Vendor
		e.records = append(e.records, r)
	}
	if j.Kind == link.JobMark {
		e.marks = append(e.marks, mark{j.QP, len(e.records)})
	}
	if o.Missing {
		e.missing = append(e.missing, linktest.ResendFault{QP: j.QP, PSN: j.Entry.PSN, Vendor: o.Vendor})
	}
	if o.NAK != 0 {
		e.descs = append(e.descs, acknowledgement(linktest.Ack{QP: j.QP, Syndrome: int(o.NAK), PSN: j.Entry.PSN, MSN: j.MSN}))
		e.faults = append(e.faults, linktest.QPFault{QP: j.QP, HasEvent: true, Event: o.Event, Vendor: o.Vendor})
	}
	if !o.Sent {
		return
	}
	e.descs = append(e.descs, packet(j))
	if len(payload) > 0 {
		e.frames = append(e.frames, payload)
	}
}

// packet is the descriptor of a job.
func packet(j linktest.TxJob) format.TxDescriptor[uint64] {
	d := header(j.QP)
	d.Opcode, d.SE, d.AckReq, d.PSN = uint64(j.Opcode), bit(j.SE), bit(j.AckReq), uint64(j.Entry.PSN)
	d.PayloadLen, d.PadCnt = uint64(j.PayloadLen), uint64(-j.PayloadLen)&3
	h := transmit.Headers{VA: j.VA, RKey: j.RKey, Length: j.DMALen, Imm: j.Imm, Swap: j.Swap, Compare: j.Compare, MSN: j.MSN}
	copy(d.Ext[:], h.Words(j.Opcode))
	return d
}

// acknowledgement is the descriptor of an ACK or NAK.
func acknowledgement(a linktest.Ack) format.TxDescriptor[uint64] {
	d := header(a.QP)
	d.Opcode, d.PSN, d.Ext[0] = uint64(format.OpAcknowledge), uint64(a.PSN), uint64(a.Syndrome)<<24|uint64(a.MSN)
	return d
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

// notified takes the CNPs out of what has come, and returns who they are from: each is the packet that it has to be, with 16 zeros.
func (b *bench) notified() []int {
	var from []int
	var descs []format.TxDescriptor[uint64]
	var frames [][]byte
	for _, d := range b.descs {
		if d.PayloadLen == 0 {
			descs = append(descs, d)
			continue
		}
		require.NotEmpty(b.t, b.frames)
		frame := b.frames[0]
		b.frames = b.frames[1:]
		if d.Opcode != uint64(format.OpCNP) {
			descs, frames = append(descs, d), append(frames, frame)
			continue
		}
		qp := int(d.DestQP) - 0x200
		want := header(qp)
		want.Opcode, want.BECN, want.PayloadLen = 0x81, 1, 16
		want.TrafficClass = 48<<2 | want.TrafficClass&3
		require.Equal(b.t, want, without(d))
		require.Equal(b.t, make([]byte, 16), frame)
		from = append(from, qp)
	}
	b.descs, b.frames = descs, append(frames, b.frames...)
	return from
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
	require.Equal(t, want.faults, b.faults)
	require.Equal(t, want.missing, b.missing)
	require.Len(t, b.marks, len(want.marks))
	for i, m := range want.marks {
		require.Equal(t, m.qp, b.marks[i].qp, "mark %d", i)
		require.GreaterOrEqual(t, b.marks[i].records, m.records, "mark %d comes before a record", i)
	}
	require.Len(t, b.frames, len(want.frames))
	for i, f := range want.frames {
		require.True(t, bytes.Equal(f, b.frames[i]), "payload %d", i)
	}
	b.records, b.descs, b.faults, b.frames, b.marks, b.missing = nil, nil, nil, nil, nil, nil
}
