package verbs_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden/lab"
	"gornic/tb/host"
	"gornic/verbs"
)

// connectedEnds are two reference NICs with a connection between them.
func connectedEnds(t *testing.T) (alice, bob *end) {
	hosts, alice, bob := newEnds()
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)
	t.Cleanup(func() { require.NoError(t, hosts.CheckGuards()) })
	return alice, bob
}

func newEnds() (hosts *lab.Lab, alice, bob *end) {
	hosts = must(lab.New(lab.Options{Seed: 1}))
	return hosts, newEnd(ctx, hosts.A, hosts.A), newEnd(ctx, hosts.B, hosts.B)
}

// An error ends both ends of a connection, the rest is flushed in order, and after
// RESET the same queue pairs connect again.
func TestErrorAndReset(t *testing.T) {
	alice, bob := connectedEnds(t)
	require.NoError(t, bob.qp.PostRecv(ctx, verbs.RecvWR{WRID: 50}))
	write := verbs.SendWR{
		WRID: 1, Opcode: verbs.WRWrite, SGL: []verbs.SGE{alice.mr.SGE(0, 8)}, RemoteAddr: bob.mr.Addr(), RKey: bob.mr.RKey() + 1,
	}
	require.NoError(t, alice.qp.PostSend(ctx, write, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend}))
	require.Equal(t, []wcBrief{
		{1, verbs.StatusRemAccess}, {2, verbs.StatusFlush},
	}, briefs(alice.completions(ctx, 2)))
	e, err := bob.dev.WaitAsync(ctx)
	require.NoError(t, err)
	require.Equal(t, verbs.EventQPAccessErr, e.Type)
	require.Same(t, bob.qp, e.QP)
	require.Equal(t, []wcBrief{{50, verbs.StatusFlush}}, briefs(bob.completions(ctx, 1)))
	for _, end := range []*end{alice, bob} {
		attr, err := end.qp.Query(ctx)
		require.NoError(t, err)
		require.Equal(t, verbs.QPError, attr.State)
		require.NoError(t, end.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPReset}, verbs.AttrState))
	}
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)
	write.RKey, write.Flags = bob.mr.RKey(), verbs.SendSignaled
	require.NoError(t, alice.buf.Write(ctx, 0, []byte("recovery")))
	require.NoError(t, alice.qp.PostSend(ctx, write))
	require.Equal(t, []wcBrief{{1, verbs.StatusSuccess}}, briefs(alice.completions(ctx, 1)))
	got := make([]byte, 8)
	require.NoError(t, bob.buf.Read(ctx, 0, got))
	require.Equal(t, "recovery", string(got))
	status, err := bob.qp.Status(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1001, status.ExpPSN)
}

type wcBrief struct {
	WRID   uint64
	Status verbs.WCStatus
}

func briefs(wc []verbs.WC) (all []wcBrief) {
	for _, w := range wc {
		all = append(all, wcBrief{w.WRID, w.Status})
	}
	return all
}

// The usual loop: wait for an event, arm again, poll until there is nothing. Armed
// for solicited completions, others raise no event.
func TestEventLoop(t *testing.T) {
	alice, bob := connectedEnds(t)
	for range 4 {
		require.NoError(t, bob.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{bob.mr.SGE(0, 64)}}))
	}
	require.NoError(t, bob.cq.ReqNotify(ctx, true))
	send := verbs.SendWR{Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{alice.mr.SGE(0, 10)}}
	require.NoError(t, alice.qp.PostSend(ctx, send))
	alice.completions(ctx, 1)
	quiet, err := bob.dev.EQ().Poll(ctx)
	require.NoError(t, err)
	require.Nil(t, quiet, "not solicited")

	send.Flags |= verbs.SendSolicited
	require.NoError(t, alice.qp.PostSend(ctx, send))
	cq, err := bob.dev.EQ().Wait(ctx)
	require.NoError(t, err)
	require.Same(t, bob.cq, cq)
	require.NoError(t, cq.ReqNotify(ctx, false))
	n, err := cq.Poll(ctx, make([]verbs.WC, 8))
	require.NoError(t, err)
	require.Equal(t, 2, n)

	again, err := bob.dev.EQ().Poll(ctx) // both came before CQ was armed, behind what Poll had seen
	require.NoError(t, err)
	require.Same(t, bob.cq, again)
}

// A CQ that is too small is an event of its own and of its queue pair.
func TestCQOverflow(t *testing.T) {
	alice, bob := connectedEnds(t)
	small, err := alice.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 2})
	require.NoError(t, err)
	qp, err := alice.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: small, RecvCQ: small, Cap: verbs.QPCap{MaxSendWR: 4}})
	require.NoError(t, err)
	peer := bob.another(ctx)
	one := &end{qp: qp, host: alice.host}
	one.connect(ctx, peer)
	peer.connect(ctx, one)
	write := verbs.SendWR{WRID: 1, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled}
	require.NoError(t, qp.PostSend(ctx, write, write, write, write))
	var events []verbs.AsyncEvent
	for range 2 {
		e, err := alice.dev.WaitAsync(ctx)
		require.NoError(t, err)
		e.Vendor = 0
		events = append(events, e)
	}
	require.ElementsMatch(t, []verbs.AsyncEvent{
		{Type: verbs.EventCQErr, Number: uint32(small.Number()), CQ: small},
		{Type: verbs.EventQPFatal, Number: qp.QPN(), QP: qp},
	}, events)
	wc := make([]verbs.WC, 4)
	n, err := small.Poll(ctx, wc)
	require.NoError(t, err)
	require.Equal(t, []wcBrief{{1, verbs.StatusSuccess}, {1, verbs.StatusSuccess}}, briefs(wc[:n]))
	require.Equal(t, verbs.QPError, qp.State())
}

// Scattered pages on both sides, pieces across their boundaries.
func TestPageListTransfer(t *testing.T) {
	alice, bob := connectedEnds(t)
	const va, size = 0x10_0000_0F00, 3 * 4096
	regions := make([]*verbs.MR, 2)
	var pages [2][]uint64
	for i, e := range []*end{alice, bob} {
		for range 4 {
			b, err := e.dev.AllocBuffer(4096, 4096)
			require.NoError(t, err)
			pages[i] = append(pages[i], b.Addr())
		}
		var err error
		regions[i], err = e.pd.CreateMR(ctx, verbs.MRInitAttr{
			Addr: va, Length: size, Access: verbs.AccessLocalWrite, Pages: pages[i], PageSize: 4096,
		})
		require.NoError(t, err)
	}
	require.NoError(t, bob.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{regions[1].SGE(1, size-1)}}))
	require.NoError(t, alice.qp.PostSend(ctx, verbs.SendWR{
		Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{regions[0].SGE(7, 5000), regions[0].SGE(100, 7001)},
	}))
	require.NoError(t, alice.completions(ctx, 1)[0].Err())
	wc := bob.completions(ctx, 1)[0]
	require.NoError(t, wc.Err())
	require.EqualValues(t, 12001, wc.ByteLen)
	source := flat(alice.host.Memory, pages[0], 0xF00)
	want := append(bytes.Clone(source[7:5007]), source[100:7101]...)
	require.Equal(t, want, flat(bob.host.Memory, pages[1], 0xF00)[1:12002])
}

// flat is what the pages of a region hold, from an offset in the first on.
func flat(m *host.Memory, pages []uint64, offset int) []byte {
	var all []byte
	for _, page := range pages {
		all = append(all, m.Peek(page, 4096)...)
	}
	return all[offset:]
}

// A bus fault under the payload is a completion with an error, not an error of
// the driver.
func TestFault(t *testing.T) {
	alice, _ := connectedEnds(t)
	alice.host.InjectFault(alice.buf.Addr()+100, 1, host.Reads)
	require.NoError(t, alice.qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend, SGL: []verbs.SGE{alice.mr.SGE(0, 200)}}))
	wc := alice.completions(ctx, 1)[0]
	require.Equal(t, verbs.StatusLocProt, wc.Status)
	require.Equal(t, format.VendorBusRead, wc.Vendor)
	errors, err := alice.dev.Counter(ctx, format.CntBusErrors)
	require.NoError(t, err)
	require.EqualValues(t, 1, errors)
}

// Close in the midst of work: the device touches no memory that was given back.
func TestCloseAtWork(t *testing.T) {
	alice, bob := connectedEnds(t)
	require.NoError(t, bob.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{bob.mr.SGE(0, 4096)}}))
	require.NoError(t, alice.qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend, SGL: []verbs.SGE{alice.mr.SGE(0, 4096)}}))
	require.NoError(t, alice.dev.Wait(ctx))
	require.NoError(t, bob.dev.Close(ctx))
	require.NoError(t, bob.buf.Free())
	left := 0
	bob.host.Allocations(func(uint64, uint64) { left++ })
	require.Zero(t, left)
	bob.host.OnAccess(func(a host.Access) { require.NoError(t, a.Err) })
	for range 100 {
		require.NoError(t, alice.dev.Wait(ctx))
	}
	require.NoError(t, alice.dev.Close(ctx))
}

// A device that its program left at work, without Close, is opened again: nothing of
// that program is touched any more, and everything can be made anew.
func TestOpenAgain(t *testing.T) {
	alice, bob := connectedEnds(t)
	require.NoError(t, bob.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{bob.mr.SGE(0, 4096)}}))
	require.NoError(t, alice.qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend, SGL: []verbs.SGE{alice.mr.SGE(0, 4096)}}))
	require.NoError(t, alice.dev.Wait(ctx)) // and alice is gone
	left := map[uint64]uint64{}
	alice.host.Allocations(func(addr, size uint64) { left[addr] = size })

	again := newEnd(ctx, alice.host, alice.host)
	alice.host.OnAccess(func(a host.Access) {
		for addr, size := range left {
			require.False(t, a.Source == host.Device && a.Addr >= addr && a.Addr < addr+size, "%d bytes at %#x", len(a.Data), a.Addr)
		}
	})
	require.NotEqual(t, alice.qp.QPN(), again.qp.QPN(), "packets for the old one may be on their way")
	other := bob.another(ctx)
	again.connect(ctx, other)
	other.connect(ctx, again)
	require.NoError(t, again.buf.Write(ctx, 0, []byte("once more")))
	require.NoError(t, other.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{other.mr.SGE(0, 9)}}))
	require.NoError(t, again.qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{again.mr.SGE(0, 9)}}))
	require.NoError(t, again.completions(ctx, 1)[0].Err())
	got := make([]byte, 9)
	require.NoError(t, other.buf.Read(ctx, 0, got))
	require.Equal(t, "once more", string(got))
	require.NoError(t, again.dev.Close(ctx))
}

// Who ended between making event queue 0 and enabling the device left the queue behind.
func TestOpenWithEQ(t *testing.T) {
	hosts := must(lab.New(lab.Options{Seed: 1}))
	first := must(verbs.Open(ctx, hosts.A, verbs.Config{MAC: hosts.A.MAC}))
	require.NoError(t, hosts.A.WriteRegister(ctx, format.RegControl, 0))
	second := must(verbs.Open(ctx, hosts.A, verbs.Config{MAC: hosts.A.MAC}))
	require.NotSame(t, first, second)
	require.NoError(t, second.Close(ctx))
}

// The event that the send queue has drained, for who asks for it.
func TestDrained(t *testing.T) {
	alice, bob := connectedEnds(t)
	require.NoError(t, bob.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{bob.mr.SGE(0, 4096)}}))
	require.NoError(t, alice.qp.PostSend(ctx, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{alice.mr.SGE(0, 4096)}}))
	require.NoError(t, alice.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPSQD, SQDNotify: true}, verbs.AttrState|verbs.AttrSQDNotify))
	e, err := alice.dev.WaitAsync(ctx)
	require.NoError(t, err)
	require.Equal(t, verbs.AsyncEvent{Type: verbs.EventSQDrained, Number: alice.qp.QPN(), QP: alice.qp}, e)
	require.Equal(t, verbs.QPSQD, alice.qp.State())
	require.NoError(t, alice.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPRTS}, verbs.AttrState))
	require.NoError(t, alice.completions(ctx, 1)[0].Err())

	require.NoError(t, alice.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPSQD}, verbs.AttrState))
	require.NoError(t, alice.dev.Wait(ctx))
	events, err := alice.dev.PollAsync(ctx)
	require.NoError(t, err)
	require.Empty(t, events)
}

// A region with windows stays, through whatever the driver tries, until they are gone.
func TestWindowsHoldTheirRegion(t *testing.T) {
	alice, _ := connectedEnds(t)
	region := must(alice.pd.RegMR(ctx, alice.buf.Addr(), 64, verbs.AccessLocalWrite|verbs.AccessMWBind))
	one, two := must(alice.pd.AllocMW(ctx, verbs.MWType1)), must(alice.pd.AllocMW(ctx, verbs.MWType2))
	info := verbs.MWBindInfo{MR: region, Addr: region.Addr() + 8, Length: 8, Access: verbs.AccessRemoteRead}
	require.NoError(t, alice.qp.BindMW(ctx, one, verbs.MWBind{WRID: 1, Info: info}))
	require.NoError(t, alice.qp.PostSend(ctx, verbs.SendWR{
		WRID: 2, Opcode: verbs.WRBindMW, Flags: verbs.SendSignaled, Bind: verbs.BindMWWR{MW: two, RKey: verbs.IncRKey(two.RKey()), Info: info},
	}))
	require.Equal(t, []wcBrief{{2, verbs.StatusSuccess}}, briefs(alice.completions(ctx, 1)))
	entry, err := one.Query(ctx)
	require.NoError(t, err)
	require.Equal(t, []uint64{uint64(one.RKey()), format.KeyValid, uint64(region.RKey()), info.Addr, 8},
		[]uint64{entry.Key, entry.State, entry.Parent, entry.VA, entry.Length})
	entry, err = region.Query(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 2, entry.Windows)

	require.ErrorIs(t, region.Dereg(ctx), verbs.ErrBusy)
	require.ErrorIs(t, region.Rereg(ctx, verbs.ReregAccess, nil, verbs.MRInitAttr{Access: verbs.AccessLocalWrite}), verbs.ErrBusy)
	require.NoError(t, alice.qp.BindMW(ctx, one, verbs.MWBind{WRID: 3, Flags: verbs.SendSignaled}))
	require.Equal(t, []wcBrief{{3, verbs.StatusSuccess}}, briefs(alice.completions(ctx, 1)))
	require.ErrorIs(t, region.Dereg(ctx), verbs.ErrBusy)
	require.NoError(t, two.Dealloc(ctx))
	require.NoError(t, region.Dereg(ctx))
	require.NoError(t, one.Dealloc(ctx))
}

// A bind that the device refuses leaves the window its key, and the driver finds it.
func TestRefusedBind(t *testing.T) {
	alice, _ := connectedEnds(t)
	region := must(alice.pd.RegMR(ctx, alice.buf.Addr(), 64, verbs.AccessLocalWrite)) // not to be bound
	window := must(alice.pd.AllocMW(ctx, verbs.MWType1))
	key := window.RKey()
	bind := verbs.MWBind{WRID: 1, Info: verbs.MWBindInfo{MR: region, Addr: region.Addr(), Length: 8}}
	require.NoError(t, alice.qp.BindMW(ctx, window, bind))
	wc := alice.completions(ctx, 1)
	require.Equal(t, []wcBrief{{1, verbs.StatusMWBind}}, briefs(wc))
	require.Equal(t, format.VendorKeyRights, wc[0].Vendor)
	entry, err := window.Query(ctx)
	require.NoError(t, err)
	require.EqualValues(t, key, entry.Key)
	require.NoError(t, window.Dealloc(ctx))
	_, err = window.Query(ctx)
	require.Error(t, err)
	require.NoError(t, alice.dev.Close(ctx))
}

// A program that ended without a word leaves windows and regions behind; the next one
// begins with none.
func TestTakeOverOfWindows(t *testing.T) {
	hosts, alice, _ := newEnds()
	window := must(alice.pd.AllocMW(ctx, verbs.MWType2))
	again := newEnd(ctx, hosts.A, hosts.A)
	_, err := again.mr.Query(ctx)
	require.NoError(t, err)
	fresh := must(again.pd.AllocMW(ctx, verbs.MWType2))
	require.Equal(t, window.RKey(), fresh.RKey(), "the key table is a new one")
	require.NoError(t, again.dev.Close(ctx))
}
