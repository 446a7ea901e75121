package command_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/command"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

var params = command.Params{Sizes: link.Sizes{QPBits: 2, CQBits: 2, EQBits: 1, ReadBits: 3}, MTU: 2048}

const keyLog = 5

// bench is the block with models of those that it tells. It notes in which order
// they were told.
type bench struct {
	t   *testing.T
	s   *sim.Sim
	io  *command.IO
	r   *rand.Rand
	ref command.Reference

	run, context, keyDone, txPassed, rxPassed *sim.Source
	done, ask, write                          *sim.Sink
	others                                    map[string]*sim.Sink
	pairs                                     map[int]linktest.Lookup
	told                                      []string
	controls                                  []linktest.QPControl // of the command
	keyStatus                                 int
}

func newBench(t *testing.T, s *sim.Sim, io *command.IO) *bench {
	g := hdltest.Gaps(t, 20)
	b := &bench{
		t: t, s: s, io: io, r: rand.New(rand.NewPCG(hdltest.Seed(t), 14)),
		ref: command.Reference{QPBits: 2, CQBits: 2, EQBits: 1, ReadBits: 3, MTU: 2048, KeyLog: keyLog},
		run: sim.NewSource(s, io.Go, g), context: sim.NewSource(s, io.Context.Reply, g), keyDone: sim.NewSource(s, io.KeyDone, g),
		txPassed: sim.NewSource(s, io.TxPassed, g), rxPassed: sim.NewSource(s, io.RxPassed, g),
		done: sim.NewSink(s, io.Done, g), ask: sim.NewSink(s, io.Context.Request, g), write: sim.NewSink(s, io.Write, g),
		pairs: map[int]linktest.Lookup{},
		others: map[string]*sim.Sink{
			"control": sim.NewSink(s, io.Control, g), "sq": sim.NewSink(s, io.SQ, g), "rq": sim.NewSink(s, io.RQ, g), "owner": sim.NewSink(s, io.Owner, g),
			"cq": sim.NewSink(s, io.CQ, g), "eq": sim.NewSink(s, io.EQ, g), "key": sim.NewSink(s, io.Key, g),
			"tx fence": sim.NewSink(s, io.TxFence, g), "rx fence": sim.NewSink(s, io.RxFence, g), "wake": sim.NewSink(s, io.Wake, g),
		},
	}
	s.Set(io.KeyLog, keyLog)
	for i, p := range []link.Peek{io.Peeks.NextPSN, io.Peeks.Oldest, io.Peeks.ExpPSN, io.Peeks.MSN, io.Peeks.SQConsumer, io.Peeks.RQConsumer} {
		s.Set(p.Value, uint64(0x100+i))
	}
	s.Reset(2)
	return b
}

func (b *bench) step() {
	b.s.Step()
	require.NoError(b.t, b.s.Err())
	for _, qp := range sim.Received[int](b.ask) {
		b.context.Send(b.pairs[qp])
	}
	type write struct {
		QP     int
		Lookup linktest.Lookup
	}
	for _, w := range sim.Received[write](b.write) {
		b.pairs[w.QP] = w.Lookup
		b.told = append(b.told, "context")
	}
	for _, name := range slices.Sorted(maps.Keys(b.others)) {
		sink := b.others[name]
		if name == "control" {
			for _, c := range sim.Received[linktest.QPControl](sink) {
				b.told, b.controls = append(b.told, name), append(b.controls, c)
			}
			continue
		}
		for range sink.Take() {
			b.told = append(b.told, name)
			switch name {
			case "key":
				b.keyDone.Send(struct {
					Status int
					Vendor format.VendorCode
					Ended  bool
					Entry  format.KeyEntry[uint64]
				}{Status: b.keyStatus, Entry: format.KeyEntry[uint64]{Key: 0x1234, Length: 77}})
			case "tx fence":
				b.txPassed.Send(0)
			case "rx fence":
				b.rxPassed.Send(0)
			}
		}
	}
	if b.s.Get(b.io.Flush) == 1 {
		b.told = append(b.told, "flush")
	}
}

type outcome struct {
	Status  int
	Replies bool
	Out     []byte
}

// command runs a command and returns its outcome.
func (b *bench) command(code format.CommandCode, in []byte) outcome {
	b.told, b.controls = nil, nil
	mailbox := make([]byte, 4*link.GoWords)
	copy(mailbox, in)
	b.run.Send(struct {
		Code int
		In   []byte
	}{int(code), mailbox})
	for range 500 {
		b.step()
		if got := sim.Received[outcome](b.done); len(got) == 1 {
			return got[0]
		}
	}
	b.t.Fatalf("command %d does not end", code)
	return outcome{}
}

func bytesOf[T any](t *testing.T, x T) []byte {
	b, err := format.AppendHost(nil, x)
	require.NoError(t, err)
	return b
}

// Random commands, good ones and bad ones: outcomes, and queue pairs as they
// are written, are the reference's; a refused command tells nobody anything.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, command.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		outcomes, timers := map[string]int{}, 0
		for range 2500 {
			code, in := b.random()
			want := b.ref.Run(code, append(in, make([]byte, format.MailboxBytes)...))
			got := b.command(code, in)
			require.Equal(t, want.String(), format.CommandStatus(got.Status).String(), "command %d: %x", code, in)
			outcomes[fmt.Sprint(code, want)]++
			if want != format.CmdOK {
				require.Empty(t, b.told)
				require.False(t, got.Replies)
			}
			b.compare()
			if code == format.CmdModifyQP && want == format.CmdOK {
				timers += b.compareTimers(decode[format.ModifyQP[uint64]](t, in).QPN)
			}
			if (code == format.CmdQueryQP || code == format.CmdQPAt) && want == format.CmdOK {
				require.True(t, got.Replies)
				status, err := format.DecodeHost[format.QPStatus[uint64]](got.Out)
				require.NoError(t, err)
				q := b.ref.QP(status.QPN & 3)
				require.Equal(t, q.Create.QPN, status.QPN)
				require.Equal(t, format.QPStatus[uint64]{
					QPN: q.Create.QPN, State: uint64(q.State), NextPSN: 0x100, OldestPSN: 0x100, ExpPSN: 0x102, MSN: 0x103, SQConsumer: 0x104, RQConsumer: 0x105,
				}, status)
			}
		}
		require.Greater(t, len(outcomes), 24, "%v", outcomes)
		require.Greater(t, timers, 40)
	}, verilator.Simulator)
}

func decode[T any](t *testing.T, in []byte) T {
	x, err := format.DecodeHost[T](in)
	require.NoError(t, err)
	return x
}

// compareTimers looks at what the timers of a queue pair were told with its last change: one message of what it has now,
// where it sends, or may do so again; else none. It returns how many there were.
func (b *bench) compareTimers(qpn uint64) int {
	q := b.ref.QP(qpn & 3)
	var want, got []linktest.QPControl
	if q.State == format.QPRTS || q.State == format.QPSQD {
		timers := q.Attr.Timeout<<6 | q.Attr.RetryCnt<<3 | q.Attr.RNRRetry
		want = append(want, linktest.QPControl{QP: int(qpn & 3), Kind: link.ControlTimers, PSN: uint32(timers)})
	}
	for _, c := range b.controls {
		if c.Kind == link.ControlTimers {
			got = append(got, c)
		}
	}
	require.Equal(b.t, want, got)
	return len(got)
}

// compare compares the table of queue pairs with the reference's.
func (b *bench) compare() {
	for i := range 4 {
		q := b.ref.QP(uint64(i))
		got := b.pairs[i]
		require.Equal(b.t, q != nil, got.Context.Exists)
		if q == nil {
			continue
		}
		c, a := q.Create, q.Attr
		require.Equal(b.t, linktest.Context{
			Exists: true, QPN: uint32(c.QPN), State: q.State, PD: uint32(c.PD), DestQPN: uint32(a.DestQPN), PathMTU: int(a.PathMTU), Access: int(a.Access),
			MinRNR: int(a.MinRNR), Timeout: int(a.Timeout), RetryCnt: int(a.RetryCnt), RNRRetry: int(a.RNRRetry), SigAll: c.SigAll == 1, Congestion: c.Congestion == 1,
			SQStride: int(c.SQLogStride), RQStride: int(c.RQLogStride), SendCQ: int(c.SendCQ), RecvCQ: int(c.RecvCQ),
			MaxRD: int(a.MaxRD), MaxDestRD: int(a.MaxDestRD),
		}, got.Context)
		if q.State != format.QPReset && q.State != format.QPInit && a.AV != (format.AV[uint64]{}) {
			require.Equal(b.t, linktest.AddressOf(a.AV), got.Address)
		}
	}
}

// random is a command whose values are mostly good.
func (b *bench) random() (format.CommandCode, []byte) {
	r, t := b.r, b.t
	pick := func(good ...uint64) uint64 { return good[r.IntN(len(good))] }
	odd := func(good, bad uint64) uint64 {
		if r.IntN(12) == 0 {
			return bad
		}
		return good
	}
	qpn := r.Uint64N(4) | pick(0, 0x100)
	if q := b.ref.QP(r.Uint64N(4)); q != nil && r.IntN(4) > 0 {
		qpn = q.Create.QPN
	}
	// What is made lives for a while: most of the work is on queue pairs.
	switch code := format.CommandCode(pick(0, 1, 1, 2, 3, 3, 3, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13)); code {
	case format.CmdCreateEQ:
		return code, bytesOf(t, format.CreateEQ[uint64]{EQN: r.Uint64N(3), LogSize: odd(4, pick(0, 16)), Vector: odd(1, 2), Base: odd(0x1000, 0x1080)})
	case format.CmdCreateCQ:
		return code, bytesOf(t, format.CreateCQ[uint64]{CQN: r.Uint64N(5), EQN: r.Uint64N(2), LogSize: odd(5, pick(0, 16, 255)), Page: odd(3, pick(4, 1<<15)), Base: odd(0x4000, 0x4200)})
	case format.CmdCreateQP:
		return code, bytesOf(t, format.CreateQP[uint64]{
			QPN: qpn, SigAll: odd(r.Uint64N(2), 2), Congestion: odd(r.Uint64N(2), pick(2, 128)), PD: 5, SendCQ: r.Uint64N(5), RecvCQ: r.Uint64N(4), Page: odd(2, pick(4, 1<<15)), SQLogSize: 4, RQLogSize: 3,
			SQLogStride: odd(1, 2), SQBase: odd(0x8000, 0x8001), RQBase: odd(0x9000, 0x9800),
		})
	case format.CmdModifyQP:
		return format.CmdModifyQP, bytesOf(t, b.modify(qpn, odd))
	case format.CmdWriteKey:
		return code, bytesOf(t, format.KeyEntry[uint64]{
			Key: odd(r.Uint64N(1<<13), 1<<13), State: odd(1+r.Uint64N(2), pick(0, 3)), Type: odd(r.Uint64N(4), 4), VA: r.Uint64(), Length: odd(r.Uint64N(1<<20), 1<<63),
			Translation: odd(8*r.Uint64N(1<<50), pick(1, 1<<64-8)), Windows: odd(0, 1), Rights: odd(7, pick(2, 8, 64)), PageShift: odd(pick(0, 12, 21), pick(11, 22, 255)),
		})
	default:
		return code, bytesOf(t, format.QueueRef[uint64]{Number: pick(r.Uint64N(5), qpn)})
	}
}

func (b *bench) modify(qpn uint64, odd func(good, bad uint64) uint64) format.ModifyQP[uint64] {
	r := b.r
	c := format.ModifyQP[uint64]{
		QPN: qpn, State: r.Uint64N(8), DestQPN: odd(2+r.Uint64N(1<<24-2), r.Uint64N(2)), PathMTU: odd(1+r.Uint64N(4), r.Uint64N(8)), RQPSN: r.Uint64N(1 << 24), MinRNR: odd(12, 32),
		SQPSN: r.Uint64N(1 << 24), Timeout: odd(14, 32), Access: odd(r.Uint64N(16), 16), RetryCnt: odd(7, 8), RNRRetry: odd(7, 8), MaxRD: odd(r.Uint64N(9), 9), MaxDestRD: odd(r.Uint64N(9), 255),
		PKeyIndex: odd(0, 1), Port: odd(1, 2), Notify: odd(1, 2),
		AV: format.AV[uint64]{DstMAC: r.Uint64N(1 << 48), HopLimit: 64, FlowLabel: 9, SrcPort: 0xC001, SrcLo: r.Uint64(), DstLo: r.Uint64(), IPv6: 1, VLAN: 1, TCI: 77},
	}
	if r.IntN(4) == 0 {
		c.AV.IPv6, c.AV.SrcLo, c.AV.DstLo = 0, odd(r.Uint64N(1<<32), 1<<32), r.Uint64N(1<<32)
	}
	c.Mask = format.AttrState
	if r.IntN(8) > 0 { // a row of the table
		all := format.QPTransitions()
		row := all[r.IntN(len(all))]
		if q := b.ref.QP(qpn & 3); q != nil {
			for row.From != q.State && r.IntN(10) > 0 {
				row = all[r.IntN(len(all))]
			}
		}
		c.State = uint64(row.To)
		c.Mask |= uint64(row.Required) | uint64(row.Optional)&r.Uint64()
		if row.From == row.To && r.IntN(2) == 0 {
			c.Mask &^= format.AttrState
		}
	}
	if r.IntN(15) == 0 {
		c.Mask ^= 1 << r.IntN(32)
	}
	return c
}

// A queue pair may not have more READs and atomics than there is room for.
func TestMaxRD(t *testing.T) {
	design, io := hdltest.Build(t, command.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		require.Zero(t, b.command(format.CmdCreateEQ, bytesOf(t, format.CreateEQ[uint64]{LogSize: 4, Base: 0x1000})).Status)
		require.Zero(t, b.command(format.CmdCreateCQ, bytesOf(t, format.CreateCQ[uint64]{LogSize: 4, Base: 0x1000})).Status)
		require.Zero(t, b.command(format.CmdCreateQP, bytesOf(t, format.CreateQP[uint64]{QPN: 2, SQBase: 0x1000})).Status)
		rows := format.QPTransitions()
		modify := func(state format.QPState, row int, maxRD, maxDestRD uint64) format.CommandStatus {
			return format.CommandStatus(b.command(format.CmdModifyQP, bytesOf(t, format.ModifyQP[uint64]{
				QPN: 2, State: uint64(state), Mask: uint64(rows[row].Required) | format.AttrState, PathMTU: 1, Port: 1, DestQPN: 2, MaxRD: maxRD, MaxDestRD: maxDestRD,
			})).Status)
		}
		require.Equal(t, format.CmdOK, modify(format.QPInit, 0, 0, 0))
		require.Equal(t, format.CmdBadParameter, modify(format.QPRTR, 2, 0, 9))
		require.Equal(t, format.CmdOK, modify(format.QPRTR, 2, 9, 8), "MaxRD is not in the mask")
		require.Equal(t, format.CmdBadParameter, modify(format.QPRTS, 3, 9, 0))
		require.Equal(t, format.CmdBadParameter, modify(format.QPRTS, 3, 255, 0))
		require.Equal(t, format.CmdOK, modify(format.QPRTS, 3, 8, 0))
		require.Equal(t, 8, b.pairs[2].Context.MaxRD)
		require.Equal(t, 8, b.pairs[2].Context.MaxDestRD)
	}, verilator.Simulator)
}

// Where no queue pair can have congestion control, one that asks for it is refused.
func TestNoCongestion(t *testing.T) {
	without := params
	without.NoCongestion = true
	design, io := hdltest.Build(t, command.Def(without))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.ref.NoCongestion = true
		run := func(code format.CommandCode, in []byte, want format.CommandStatus) {
			require.Equal(t, want, b.ref.Run(code, append(in, make([]byte, format.MailboxBytes)...)))
			require.Equal(t, want, format.CommandStatus(b.command(code, in).Status))
		}
		run(format.CmdCreateEQ, bytesOf(t, format.CreateEQ[uint64]{LogSize: 4, Base: 0x1000}), format.CmdOK)
		run(format.CmdCreateCQ, bytesOf(t, format.CreateCQ[uint64]{LogSize: 4, Base: 0x1000}), format.CmdOK)
		run(format.CmdCreateQP, bytesOf(t, format.CreateQP[uint64]{QPN: 2, SQBase: 0x1000, Congestion: 1}), format.CmdBadParameter)
		run(format.CmdCreateQP, bytesOf(t, format.CreateQP[uint64]{QPN: 2, SQBase: 0x1000}), format.CmdOK)
	})
}

// Free regions and windows are made, as verbs makes them; for what keycache refuses to end a key is the
// outcome.
func TestKeys(t *testing.T) {
	design, io := hdltest.Build(t, command.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		for _, kind := range []uint64{format.KeyFastRegion, format.KeyWindow1, format.KeyWindow2} {
			free := format.KeyEntry[uint64]{Key: kind << 8, PD: 3, State: format.KeyFree, Type: kind}
			require.Zero(t, b.command(format.CmdWriteKey, bytesOf(t, free)).Status)
			require.Equal(t, []string{"key", "flush"}, b.told)
		}
		ref := bytesOf(t, format.KeyRef[uint64]{Key: 1 << 8})
		for _, status := range []format.CommandStatus{format.CmdBusy, format.CmdBadNumber, format.CmdBusError} {
			b.keyStatus = int(status)
			require.Equal(t, int(status), b.command(format.CmdInvalidate, ref).Status)
			require.Equal(t, "key", b.told[0])
		}
	}, verilator.Simulator)
}

// What is told, and in which order.
func TestOrder(t *testing.T) {
	design, io := hdltest.Build(t, command.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		ok := func(code format.CommandCode, in []byte, told ...string) outcome {
			t.Helper()
			o := b.command(code, in)
			require.Zero(t, o.Status)
			require.Equal(t, told, b.told)
			return o
		}
		ok(format.CmdCreateEQ, bytesOf(t, format.CreateEQ[uint64]{LogSize: 4, Base: 0x1000}), "eq")
		ok(format.CmdCreateCQ, bytesOf(t, format.CreateCQ[uint64]{LogSize: 4, Base: 0x1000}), "owner", "cq")
		ok(format.CmdCreateQP, bytesOf(t, format.CreateQP[uint64]{QPN: 0x102, SQBase: 0x1000}), "context", "control", "sq", "rq", "owner")
		modify := func(state format.QPState, mask uint64) []byte {
			return bytesOf(t, format.ModifyQP[uint64]{QPN: 0x102, State: uint64(state), Mask: mask | format.AttrState, PathMTU: 1, Port: 1, DestQPN: 2})
		}
		rows := format.QPTransitions()
		ok(format.CmdModifyQP, modify(format.QPInit, uint64(rows[0].Required)), "context")
		ok(format.CmdModifyQP, modify(format.QPRTR, uint64(rows[2].Required)), "control", "context")
		ok(format.CmdModifyQP, modify(format.QPRTS, uint64(rows[3].Required)), "control", "control", "context", "wake")
		require.Equal(t, []int{link.ControlSendPSN, link.ControlTimers}, []int{b.controls[0].Kind, b.controls[1].Kind})
		ok(format.CmdModifyQP, modify(format.QPSQD, format.AttrNotify), "control", "control", "context", "wake")
		ok(format.CmdModifyQP, modify(format.QPSQD, 0), "control", "context", "wake")
		ok(format.CmdModifyQP, modify(format.QPRTS, 0), "control", "control", "context", "wake")
		ok(format.CmdModifyQP, modify(format.QPError, 0), "context")
		ok(format.CmdModifyQP, modify(format.QPReset, 0), "context", "tx fence", "rx fence", "control", "cq", "sq", "rq")
		ok(format.CmdDestroyQP, bytesOf(t, format.QueueRef[uint64]{Number: 0x102}), "context", "owner", "tx fence", "rx fence", "control", "cq", "sq", "rq")
		ok(format.CmdWriteKey, bytesOf(t, format.KeyEntry[uint64]{Key: 7, State: format.KeyValid, Length: 1}), "key", "flush")
		ok(format.CmdInvalidate, bytesOf(t, format.KeyRef[uint64]{Key: 7}), "key", "flush", "tx fence", "rx fence")
		ok(format.CmdForgetKeys, nil, "key", "flush", "tx fence", "rx fence")
		o := ok(format.CmdQueryKey, bytesOf(t, format.KeyRef[uint64]{Key: 7}), "key")
		require.True(t, o.Replies)
		entry, err := format.DecodeHost[format.KeyEntry[uint64]](o.Out)
		require.NoError(t, err)
		require.Equal(t, format.KeyEntry[uint64]{Key: 0x1234, Length: 77}, entry)
		b.keyStatus = int(format.CmdBusError)
		o = b.command(format.CmdQueryKey, bytesOf(t, format.KeyRef[uint64]{Key: 7}))
		require.Equal(t, int(format.CmdBusError), o.Status)
		require.False(t, o.Replies)
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, command.Params{Sizes: params.Sizes, MTU: 100}.Validate())
	require.Error(t, command.Params{MTU: 256}.Validate())
	for _, bits := range []int{0, 7} {
		p := params
		p.Sizes.ReadBits = bits
		require.ErrorContains(t, p.Validate(), "READs")
	}
}
