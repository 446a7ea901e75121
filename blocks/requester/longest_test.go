package requester_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/requester"
	"gornic/blocks/responder"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	verilator "gornic/sim-verilator"
)

// A message of 2^31 bytes is half a million packets of the largest MTU, or 2^23 - 1 of 256
// bytes and some. They all go from the requester to the responder here, without
// their payload; what stands around the two is hardware as well, for the sake of speed, and
// checks each packet.

// A list is the SGEs of a WQE: lengths, at addresses that tell of their number.
type list []uint64

const (
	listBase   = 0xFFFF_FFF0_0000_0000 // of SGE 0; those behind it are beyond the end of 64 bits
	listStep   = 0x0000_0100_0000_0001 // from SGE to SGE
	listKey    = 0x1100
	remoteBase = 0x7000_0000_0000_0123 // of a WRITE
	remoteKey  = 0xBEEF00
	longPSN    = 0xFFFFF0 // the first one
)

func (l list) address(i int) uint64 { return listBase + uint64(i)*listStep }
func (l list) key(i int) uint64     { return listKey + uint64(i) }

// granules is the list as it stands in a WQE.
func (l list) granules(t *testing.T) []byte {
	var b []byte
	for i, n := range l {
		var err error
		b, err = format.AppendHost(b, format.SGE[uint64]{Addr: l.address(i), Length: n, LKey: l.key(i)})
		require.NoError(t, err)
	}
	return b
}

// place is where a byte of the message is, by the list: its address and key, and how many
// bytes of its SGE there are from it on.
func (l list) place(at hdl.Bits) (va, key, left hdl.Bits) {
	va, key, left = hdl.K(64, 0), hdl.K(32, 0), hdl.K(33, 0)
	begin := uint64(0)
	for i, n := range l {
		in := at.GeK(begin)
		offset := at.SubK(begin)
		va = hdl.Mux(in, offset.ZExt(64).Add(hdl.K(64, l.address(i))), va)
		key = hdl.Mux(in, hdl.K(32, l.key(i)), key)
		left = hdl.Mux(in, hdl.K(33, n).Sub(offset), left)
		begin += n
	}
	return va, key, left
}

// long is a message, and what is around it.
type long struct {
	t          *testing.T
	mtu        int
	write      bool
	send, recv list
	sq, rq     []byte
}

func newLong(t *testing.T, mtu int, write bool, send, recv list) long {
	op := format.WRSend
	if write {
		op = format.WRWriteImm
	}
	control, err := format.AppendHost(nil, format.SendControl[uint64]{
		Opcode: uint64(op), NumSGE: uint64(len(send)), WRID: 7, RemoteAddr: remoteBase, RKey: remoteKey, Flags: format.WRFlagSignaled,
	})
	require.NoError(t, err)
	receive, err := format.AppendHost(nil, format.RecvControl[uint64]{WRID: 9, NumSGE: uint64(len(recv))})
	require.NoError(t, err)
	return long{t, mtu, write, send, recv, append(control, send.granules(t)...), append(receive, recv.granules(t)...)}
}

func (l long) total() uint64 {
	n := uint64(0)
	for _, x := range l.send {
		n += x
	}
	return n
}

// longIO is the ports of the harness.
type longIO struct {
	Control hdl.Stream[link.QPControl] `hdl:"in"`
	Go      hdl.Bits                   `hdl:"in" w:"1"`
	Packets hdl.Bits                   `hdl:"out" w:"24"`
	Sent    hdl.Bits                   `hdl:"out" w:"33"` // bytes that the requester asked for,
	Placed  hdl.Bits                   `hdl:"out" w:"33"` // that the responder found a place for
	Done    hdl.Bits                   `hdl:"out" w:"1"`  // the last packet has been committed
	Refused hdl.Bits                   `hdl:"out" w:"1"`  // the WQE has failed
	Status  hdl.Bits                   `hdl:"out" w:"8"`
	Wrong   hdl.Bits                   `hdl:"out" w:"16"` // a bit for each check that has failed
}

// harness is requester and responder with neighbours that always answer.
type harness struct {
	long
	m  *hdl.Module
	io *longIO
	s  link.Sizes
	tx *requester.IO
	rx *responder.IO

	bad []hdl.Bits // what is wrong in this cycle
}

// checks are the names of the checks, in the order of the bits of Wrong.
var checks = []string{
	"opcode", "PSN", "offset", "length", "RETH", "first, last, AckReq", "outcome", "where it is sent from", "RETH covers the rest", "where it goes",
	"commit", "completion",
}

// check fails where a good bit is missing when something happens.
func (h *harness) check(happens, good hdl.Bits) { h.bad = append(h.bad, happens.And(good.Not())) }

// collect keeps what has been wrong.
func (h *harness) collect() {
	wrong := h.m.Reg("wrong_so_far", h.io.Wrong.Width(), 0)
	now := wrong
	for i, bad := range h.bad {
		now = now.Or(bad.ZExt(wrong.Width()).ShlK(i))
	}
	wrong.Set(now)
	h.io.Wrong.Set(wrong)
}

func (l long) def() hdl.Def[longIO] {
	s := params(512).Sizes
	return hdl.Def[longIO]{
		Name: "longest",
		IO:   longIO{Control: hdl.StreamOf(s.QPControl())},
		Body: func(m *hdl.Module, io *longIO) {
			h := &harness{
				long: l, m: m, io: io, s: s,
				tx: hdl.Instance(m, "u_requester", requester.Def(requester.Params{Sizes: s})),
				rx: hdl.Instance(m, "u_responder", responder.Def(responder.Params{Sizes: s})),
			}
			control := stream.Fork(m, "u_control", io.Control, 2)
			hdl.Connect(h.tx.Control, control[0])
			hdl.Connect(h.rx.Control, control[1])
			h.contexts()
			h.queues()
			h.packets()
			h.segments()
			h.commits()
			h.collect()
		},
	}
}

// answer answers each question a cycle later.
func answer[A, B any](m *hdl.Module, name string, to hdl.Stream[B], from hdl.Stream[A], f func(A) B) {
	hdl.Connect(to, stream.ForwardSlice(m, name, stream.Map(from, f)))
}

// zero is a payload of zeros.
func zero[T any](proto T) T { return hdl.Unpack(proto, hdl.KBig(hdl.WidthOf(proto), new(big.Int))) }

func (h *harness) contexts() {
	for i, port := range []link.ContextPort{h.tx.Context, h.rx.Context} {
		answer(h.m, []string{"u_tx_context", "u_rx_context"}[i], port.Reply, port.Request, func(q link.QPRef) link.Lookup {
			h.m.Unused(q.QP)
			return link.Lookup{Context: h.context(h.code()), Address: zero(link.Address{})}
		})
	}
}

func (h *harness) context(mtu uint64) link.Context {
	c := zero(h.s.Context())
	c.Exists, c.QPN, c.State, c.PathMTU = hdl.K(1, 1), hdl.K(24, 0x100), hdl.K(3, uint64(format.QPRTS)), hdl.K(3, mtu)
	c.PD, c.Access, c.SQStride, c.RQStride = hdl.K(24, 7), hdl.K(4, format.AccessRemoteWrite), hdl.K(1, 1), hdl.K(1, 1)
	return c
}

// queues are the two WQEs, each there until it is taken.
func (h *harness) queues() {
	m := h.m
	for _, q := range []struct {
		name string
		port link.QueuePort
		wqe  []byte
	}{{"tx", h.tx.Queue, h.sq}, {"rx", h.rx.Queue, h.rq}} {
		taken := m.Reg(q.name+"_taken", 1, 0)
		q.port.Take.Ready.SetK(1)
		m.Unused(q.port.Take.Data.QP)
		m.If(q.port.Take.Valid, func() { taken.SetK(1) })
		answer(m, "u_"+q.name+"_head", q.port.Head, q.port.Request, func(r link.HeadRequest) link.Head {
			m.Unused(r.QP, r.Wait)
			head := zero(hdl.Proto(q.port.Head.Data))
			head.Here, head.Empty = taken.Not(), taken
			return head
		})
		answer(m, "u_"+q.name+"_granule", q.port.Granule, q.port.Read, func(r link.GranuleRequest) link.Granule {
			m.Unused(r.QP, r.Slot)
			return link.Granule{Data: hdl.Select(r.Granule, granules(q.wqe)...)}
		})
	}

	// The queue pair has its turn when it is wanted, and whenever it asks for another.
	due, went := m.Reg("due", 1, 0), m.Reg("went", 1, 0)
	went.Set(h.io.Go)
	m.If(h.tx.Grant.Fire(), func() { due.SetK(0) })
	m.If(h.io.Go.And(went.Not()).Or(h.tx.Again.Fire()), func() { due.SetK(1) })
	h.tx.Again.Ready.SetK(1)
	h.tx.Grant.Valid.Set(due)
	h.tx.Grant.Data.QP.SetK(0)
	m.Unused(h.tx.Again.Data.QP)
}

// granules are the 16-byte words of a slot of 128 bytes.
func granules(wqe []byte) []hdl.Bits {
	wqe = append(slices.Clone(wqe), make([]byte, 128-len(wqe))...)
	var words []hdl.Bits
	for word := range slices.Chunk(wqe, format.GranuleBytes) {
		big := slices.Clone(word)
		slices.Reverse(big)
		words = append(words, hdl.KBig(128, newInt(big)))
	}
	return words
}

func flag(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func newInt(b []byte) *big.Int { return new(big.Int).SetBytes(b) }

// packets takes packets from the requester to the responder, one at a time, and checks
// their headers.
func (h *harness) packets() {
	m, job, request := h.m, h.tx.Job, h.rx.Request
	count := m.Reg("count", 24, 0)
	busy, refused, status := m.Reg("busy", 1, 0), m.Reg("has_failed", 1, 0), m.Reg("failed_with", 8, 0)
	j, e := job.Data, job.Data.Entry
	record := j.Kind.Is(link.JobRecord)
	request.Valid.Set(hdl.AndAll(job.Valid, record.Not(), busy.Not()))
	job.Ready.Set(record.Or(request.Ready.And(busy.Not())))
	m.If(job.Fire().And(record), func() {
		refused.SetK(1)
		status.Set(e.Status)
	})
	m.If(request.Fire(), func() {
		busy.SetK(1)
		count.Set(count.AddK(1))
	})
	h.rx.Outcome.Ready.SetK(1)
	m.If(h.rx.Outcome.Fire(), func() { busy.SetK(0) })
	h.io.Packets.Set(count)
	h.io.Refused.Set(refused)
	h.io.Status.Set(status)

	in := zero(h.s.RxMatched())
	x := in.Packet
	x.Opcode, x.SE, x.AckReq, x.PSN, x.Expected, x.PayloadLen, x.Context = j.Opcode, j.SE, j.AckReq, e.PSN, e.PSN, j.PayloadLen, h.context(h.code())
	x.PadCnt = hdl.K(2, 0).Sub(j.PayloadLen.Trunc(2))
	x.Ext[0] = hdl.Mux(e.Last, j.Imm, j.VA.Slice(63, 32))
	x.Ext[1], x.Ext[2], x.Ext[3] = j.VA.Slice(31, 0), j.RKey, j.DMALen
	in.Packet = x
	hdl.Set(request.Data, in)
	h.checkPacket(count)

	done := m.Reg("told", 16, 0)
	offers, offered := m.Reg("retires", 1, 0), m.Reg("retired", 16, 0)
	m.If(offers.Not().Or(h.tx.Retired.Ready), func() {
		offers.Set(done.Ne(count.Trunc(16)))
		offered.Set(count.Trunc(16))
		done.Set(count.Trunc(16))
	})
	h.tx.Retired.Valid.Set(offers)
	h.tx.Retired.Data.QP.SetK(0)
	h.tx.Retired.Data.Count.Set(offered)
	h.tx.Retired.Data.Reads.SetK(0)
	m.Unused(j.QP, j.Inline, e.WQEIndex, e.Signaled, e.WC, e.WRID, e.Vendor, h.rx.Outcome.Data.QP, j.Probes, j.Swap, j.Compare, j.MSN, j.Failed, e.Kind)
}

// checkPacket checks the packet of a number.
func (h *harness) checkPacket(count hdl.Bits) {
	j, total := h.tx.Job.Data, h.total()
	e := j.Entry
	packets := (total + uint64(h.mtu) - 1) / uint64(h.mtu)
	last := count.Is(packets - 1)
	rest := total - (packets-1)*uint64(h.mtu)
	begin, middle, end := format.OpSendFirst, format.OpSendMiddle, format.OpSendLast
	if h.write {
		begin, middle, end = format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLastImm
	}
	op := hdl.Mux(last, hdl.K(8, uint64(end)), hdl.Mux(count.None(), hdl.K(8, uint64(begin)), hdl.K(8, uint64(middle))))
	moves := h.rx.Request.Fire()
	h.check(moves, j.Opcode.Eq(op))
	h.check(moves, e.PSN.Eq(count.AddK(longPSN)).And(e.LastPSN.Eq(e.PSN)))
	h.check(moves, e.Offset.Eq(count.ZExt(32).ShlK(bits.TrailingZeros(uint(h.mtu)))))
	h.check(moves, j.PayloadLen.Eq(hdl.Mux(last, hdl.K(13, rest), hdl.K(13, uint64(h.mtu)))).And(e.Length.Eq(j.PayloadLen)))
	h.check(moves, hdl.AndAll(j.VA.Is(remoteBase), j.RKey.Is(remoteKey), j.DMALen.Is(total&(1<<32-1))))
	h.check(moves, hdl.AndAll(e.First.Eq(count.None()), e.Last.Eq(last), j.AckReq.Or(last.Not()), e.Status.None()))
	o := h.rx.Outcome
	h.check(o.Fire(), hdl.AndAll(o.Data.Advance.Is(1), o.Data.NAKSent.Not(), o.Data.Dead.Not()))
}

func (h *harness) code() uint64 {
	code := uint64(format.MTU256)
	for 128<<code < h.mtu {
		code++
	}
	return code
}

// segments takes segments, each of which goes on where the one before it ended.
func (h *harness) segments() {
	m := h.m
	sent, placed := m.Reg("bytes_sent", 33, 0), m.Reg("bytes_placed", 33, 0)
	follow := func(seg hdl.Stream[link.Segment], at, va, key, left hdl.Bits, rights uint64) {
		seg.Ready.SetK(1)
		d := seg.Data
		m.If(seg.Fire(), func() { at.Set(at.Add(d.Len.ZExt(33))) })
		h.check(seg.Fire(), hdl.AndAll(d.VA.Eq(va), d.Key.Eq(key), d.Len.ZExt(33).Le(left), d.Rights.Is(rights), hdl.OrAll(d.Skip, d.Probe, d.Find, d.Probed).Not()))
		m.Unused(d.PD, d.QPN)
	}
	va, key, left := h.send.place(sent)
	follow(h.tx.Segment, sent, va, key, left, 0)
	rights := uint64(format.AccessRemoteWrite)
	if h.write {
		left = hdl.K(33, h.total()).Sub(placed)
		va, key = placed.ZExt(64).AddK(remoteBase), hdl.K(32, remoteKey)
	} else {
		va, key, left = h.recv.place(placed)
		rights = format.AccessLocalWrite
	}
	seg := h.rx.Segment
	h.check(seg.Fire(), hdl.Mux(hdl.K(1, flag(h.write)), seg.Data.Range.ZExt(33).Eq(left), seg.Data.Range.Eq(seg.Data.Len.ZExt(32))))
	follow(h.rx.Segment, placed, va, key, left, rights)
	m.Unused(h.tx.Segment.Data.Range, h.tx.Segment.Data.Bus, h.rx.Segment.Data.Bus, h.tx.Segment.Data.Last)
	h.io.Sent.Set(sent)
	h.io.Placed.Set(placed)

	// The translation has nothing to say against any packet.
	known := m.Reg("translated", 1, 0)
	m.If(h.rx.Translated.Ready, func() { known.SetK(0) })
	m.If(h.rx.Segment.Fire().And(h.rx.Segment.Data.Last), func() { known.SetK(1) })
	h.rx.Translated.Valid.Set(known)
	hdl.Set(h.rx.Translated.Data, zero(link.Translated{}))
}

// commits takes what becomes of packets.
func (h *harness) commits() {
	m, commit := h.m, h.rx.Commit
	c := commit.Data
	count, done := m.Reg("commits", 24, 0), m.Reg("is_done", 1, 0)
	commit.Ready.SetK(1)
	last := h.io.Packets.Is((h.total() + uint64(h.mtu) - 1) / uint64(h.mtu))
	m.If(commit.Fire(), func() {
		count.Set(count.AddK(1))
		done.Set(last)
	})
	d := c.Completion
	h.check(commit.Fire(), hdl.AndAll(
		c.Placed, c.Payload, c.Fatal.Not(), c.RequestPSN.Eq(count.AddK(longPSN)), c.Message.Eq(last), c.Complete.Eq(last), c.Reply.IsNot(link.ReplyNAK)))
	h.check(commit.Fire().And(last), hdl.AndAll(d.ByteLen.Is(h.total()&(1<<32-1)), d.Status.None(), d.WRID.Is(9), c.Reply.Is(link.ReplyACK)))
	h.io.Done.Set(done)
	m.Unused(c.Kind, c.QP, c.PSN, c.Syndrome, c.HasEvent, c.Event, c.Open, d.CQ, d.Imm, d.QP, d.QPN, d.WQEIndex, d.Opcode, d.Flags, d.Vendor, d.Queue, d.Solicited)
	m.Unused(c.Match, c.Fault, hdl.Pack(c.Resource))
	h.idle()
}

// idle ties off what a SEND or WRITE has nothing to do with.
func (h *harness) idle() {
	m := h.m
	for _, x := range []hdl.Bits{
		h.tx.Fence.Valid, h.tx.Fence.Data.Token, h.tx.Mark.Valid, h.tx.Mark.Data.QP, h.tx.Held.Held, h.tx.Paced.Waits, h.tx.Peek.QP, h.rx.Flush.Valid, h.rx.Flush.Data.QP, h.rx.Served.Valid, h.tx.KeyOpDone.Valid,
	} {
		x.SetK(0)
	}
	hdl.Set(h.rx.Served.Data, zero(h.s.Served()))
	hdl.Set(h.tx.KeyOpDone.Data, zero(h.s.KeyOpDone()))
	for _, x := range []hdl.Bits{h.rx.Operands.Ready, h.tx.Issue.Ready, h.tx.KeyOp.Ready} {
		x.SetK(1)
	}
	m.Unused(h.rx.Served.Ready, h.tx.KeyOpDone.Ready, h.rx.Operands.Valid, h.tx.Issue.Valid, h.tx.KeyOp.Valid)
	m.Unused(hdl.Pack(h.rx.Operands.Data), hdl.Pack(h.tx.Issue.Data), hdl.Pack(h.tx.KeyOp.Data))
	in, event := h.tx.Inline, h.tx.Async
	in.Ready.SetK(1)
	event.Ready.SetK(1)
	m.Unused(event.Valid, event.Data.Code, event.Data.Vendor, event.Data.Number)
	m.Unused(h.tx.Fence.Ready, h.tx.Mark.Ready, h.tx.Held.QP, h.tx.Paced.QP, h.tx.Peek.Value, h.rx.Flush.Ready, in.Valid, in.Data.Data, in.Data.Keep, in.Data.Last, in.Data.Err, h.tx.Grant.Ready)
}

// start puts the queue pair into its first state, and lets it go.
func (l long) start(s *sim.Sim, io *longIO) {
	control := sim.NewSource(s, io.Control, sim.Pattern{})
	s.Reset(2)
	for _, c := range []struct{ QP, Kind, PSN int }{{0, link.ControlClear, 0}, {0, link.ControlSendPSN, longPSN}} {
		control.Send(c)
	}
	s.Run(20)
	s.Set(io.Go, 1)
}

// checked tells which checks have failed.
func checked(t *testing.T, s *sim.Sim, io *longIO) {
	t.Helper()
	require.NoError(t, s.Err())
	for i, name := range checks {
		require.Zero(t, s.Get(io.Wrong)>>i&1, name)
	}
	require.Zero(t, s.Get(io.Wrong)>>len(checks))
}

const (
	longestBytes   = format.MessageMax
	cyclesAPacket  = 40 // with both blocks at one packet at a time
	longestPackets = longestBytes / 4096
)

// Messages of 2^31 bytes go through, packet by packet, whatever the lists: only
// Verilator is fast enough.
func TestLongestMessage(t *testing.T) {
	if testing.Short() { // 30 s of CPU in Verilator; make test runs it
		t.Skip("half a million packets, in full without -short")
	}
	odd := list{1, 1<<30 - 1, 4095, 1 << 20, 0, 1<<30 - 1<<20 - 4095}
	for name, l := range map[string]long{
		"WRITE": newLong(t, 4096, true, odd, list{8}),
		"SEND":  newLong(t, 4096, false, list{longestBytes}, odd),
	} {
		t.Run(name, func(t *testing.T) {
			design, io := hdltest.Build(t, l.def())
			s := hdltest.Open(t, verilator.Simulator, design, sim.Options{})
			l.start(s, io)
			s.RunUntil(longestPackets*cyclesAPacket, s.High(io.Done))
			checked(t, s, io)
			require.EqualValues(t, []uint64{1, longestPackets, longestBytes, longestBytes, 0},
				[]uint64{s.Get(io.Done), s.Get(io.Packets), s.Get(io.Sent), s.Get(io.Placed), s.Get(io.Refused)})
			t.Logf("%d cycles, %.1f a packet", s.Cycle(), float64(s.Cycle())/longestPackets)
		})
	}
}

// The same a few packets long, in every simulator; and messages that are too long by a
// byte, or by a packet, are refused before anything is sent.
func TestTooLongMessage(t *testing.T) {
	for name, c := range map[string]struct {
		long long
		want format.Status
	}{
		"10 packets":                           {newLong(t, 256, true, list{1, 300, 0, 2100}, list{}), format.StatusSuccess},
		"10 packets, a SEND":                   {newLong(t, 256, false, list{2401}, list{256, 1, 0, 2144}), format.StatusSuccess},
		"a byte more than 2^31":                {newLong(t, 4096, true, list{longestBytes, 1}, list{}), format.StatusLocLen},
		"2^23 packets":                         {newLong(t, 256, true, list{longestBytes}, list{}), format.StatusLocLen},
		"2^23 packets, the last one of a byte": {newLong(t, 256, true, list{longestBytes - 255}, list{}), format.StatusLocLen},
		"sums beyond 32 bits":                  {newLong(t, 4096, false, list{longestBytes, longestBytes, 4096}, list{}), format.StatusLocLen},
		"one SGE beyond 2^31":                  {newLong(t, 4096, false, list{1<<32 - 1}, list{}), format.StatusLocLen},
		"2^23 - 1 packets begin":               {newLong(t, 256, true, list{longestBytes - 256}, list{}), format.StatusSuccess},
	} {
		t.Run(name, func(t *testing.T) {
			design, io := hdltest.Build(t, c.long.def())
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				c.long.start(s, io)
				s.Run(1000)
				checked(t, s, io)
				if c.want != format.StatusSuccess {
					require.EqualValues(t, []uint64{1, uint64(c.want), 0, 0}, []uint64{s.Get(io.Refused), s.Get(io.Status), s.Get(io.Packets), s.Get(io.Sent)})
					return
				}
				require.Zero(t, s.Get(io.Refused))
				require.Greater(t, s.Get(io.Packets), uint64(9))
				require.Equal(t, fmt.Sprint(c.long.total() < 1<<20), fmt.Sprint(s.Get(io.Done) == 1))
			})
		})
	}
}
