package completer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/completer"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func ack(psn uint32) completer.Response {
	return completer.Response{Match: link.MatchACK, PSN: psn, Syndrome: format.SyndromeNoCredits}
}

func done(psn uint32) completer.Response { return completer.Response{Match: link.MatchDone, PSN: psn} }

// taken returns the WRIDs that have completed since, all with success.
func (b *bench) taken() []uint64 {
	var ids []uint64
	for _, c := range sim.Received[linktest.Completion](b.done) {
		require.Equal(b.t, format.StatusSuccess, c.Status)
		ids = append(ids, c.WRID)
	}
	return ids
}

// each runs a test on a fresh pair in both simulators.
func each(t *testing.T, test func(b *bench)) {
	design, io := hdltest.Build(t, pair())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		test(newBench(t, s, io, hdltest.Gaps(t, 25)))
	}, verilator.Simulator)
}

// A WQE that fails behind packets of its own that nobody will acknowledge, since
// none of them asks, fails as soon as the WQEs before it are done with.
func TestFailureBehindItsOwnPackets(t *testing.T) {
	each(t, func(b *bench) {
		b.post(1, linktest.ReplayEntry{PSN: 9, LastPSN: 9, WQEIndex: 0, Last: true, Signaled: true, WRID: 100})
		b.post(1, linktest.ReplayEntry{PSN: 10, LastPSN: 10, WQEIndex: 1, WRID: 101})
		b.post(1, linktest.ReplayEntry{PSN: 11, LastPSN: 11, WQEIndex: 1, WRID: 101})
		b.post(1, linktest.ReplayEntry{PSN: 12, LastPSN: 12, WQEIndex: 1, Last: true, WRID: 101, Status: format.StatusLocProt, Vendor: format.VendorBusRead})
		b.settle()
		require.Empty(b.t, b.done.Take(), "the first WQE has not been acknowledged")
		b.respond(1, ack(9))
		b.settle()
		got := sim.Received[linktest.Completion](b.done)
		require.Len(b.t, got, 2)
		require.Equal(b.t, []uint64{100, 101}, []uint64{got[0].WRID, got[1].WRID})
		require.Equal(b.t, []format.Status{0, format.StatusLocProt}, []format.Status{got[0].Status, got[1].Status})
		require.Len(b.t, b.retired.Take(), 4)
		require.Len(b.t, b.fault.Take(), 1)
	})
}

// An entry that is no packet completes when it is the oldest: at once, or with what is before it.
func TestLocal(t *testing.T) {
	local := func(index uint16, psn uint32) linktest.ReplayEntry {
		return linktest.ReplayEntry{Kind: link.EntryLocal, PSN: psn, LastPSN: psn, WQEIndex: index, Last: true, Signaled: true, WC: format.WCRegMR, WRID: uint64(index)}
	}
	each(t, func(b *bench) {
		b.post(3, local(0, 50))
		b.post(3, local(1, 50))
		b.settle()
		got := sim.Received[linktest.Completion](b.done)
		require.Len(b.t, got, 2, "nothing is before them, and no response will come")
		require.Equal(b.t, format.WCRegMR, got[1].Opcode)

		b.post(3, linktest.ReplayEntry{PSN: 50, LastPSN: 50, WQEIndex: 2, Last: true, WRID: 2})
		b.post(3, local(3, 51))
		b.post(3, local(4, 51))
		b.post(3, linktest.ReplayEntry{Kind: link.EntryRead, PSN: 51, LastPSN: 53, WQEIndex: 5, Last: true, Signaled: true, WRID: 5, Offset: 700, WC: format.WCRead})
		b.post(3, local(6, 54))
		b.settle()
		require.Empty(b.t, b.taken())
		b.respond(3, ack(50))
		b.settle()
		require.Equal(b.t, []uint64{3, 4}, b.taken(), "the WRITE is not signaled")
		b.respond(3, ack(54))
		b.settle()
		require.Empty(b.t, b.taken(), "PSN 54 has not been sent")
		b.respond(3, done(53))
		b.settle()
		got = sim.Received[linktest.Completion](b.done)
		require.Len(b.t, got, 2)
		require.Equal(b.t, []uint32{700, 0}, []uint32{got[0].ByteLen, got[1].ByteLen})
		require.Equal(b.t, []format.WCOpcode{format.WCRead, format.WCRegMR}, []format.WCOpcode{got[0].Opcode, got[1].Opcode})
	})
}

// READs and atomics complete with their own last response, and nothing passes them.
func TestUnansweredRead(t *testing.T) {
	post := func(b *bench, kind int, index uint16, psn, last uint32) {
		b.post(0, linktest.ReplayEntry{Kind: kind, PSN: psn, LastPSN: last, WQEIndex: index, Last: true, Signaled: true, WRID: uint64(index)})
	}
	each(t, func(b *bench) {
		post(b, link.EntryRequest, 0, 0xFFFFFE, 0xFFFFFE)
		post(b, link.EntryRead, 1, 0xFFFFFF, 3)
		post(b, link.EntryRequest, 2, 4, 4)
		post(b, link.EntryAtomic, 3, 5, 5)
		post(b, link.EntryRequest, 4, 6, 6)
		b.settle()
		for _, step := range []struct {
			name string
			completer.Response
			ids []uint64
		}{
			{"data of the READ acknowledges what is before it", completer.Response{Match: link.MatchData, PSN: 0xFFFFFF}, []uint64{0}},
			{"an ACK behind the READ", ack(6), nil},
			{"an ACK of its last PSN", ack(3), nil},
			{"a NAK behind it", completer.Response{Match: link.MatchACK, PSN: 4, Syndrome: format.SyndromeNAKAccess}, nil},
			{"a gap", completer.Response{Match: link.MatchGap, PSN: 2}, nil},
			{"an end that is not its own", done(2), nil},
			{"its end", done(3), []uint64{1}},
			{"its end, again", done(3), nil},
			{"the atomic's answer acknowledges the WRITE before it", done(5), []uint64{2, 3}},
			{"a READ's end where no READ is", done(6), nil},
			{"an ACK", ack(6), []uint64{4}},
		} {
			b.respond(0, step.Response)
			b.settle()
			require.Equal(b.t, step.ids, b.taken(), step.name)
		}
		require.Empty(b.t, b.fault.Take())
		require.Len(b.t, b.retired.Take(), 5)
	})
}

// A READ response or ATOMIC_ACK that no READ or atomic waits for fails the SEND or WRITE whose PSN it has
// (protocol section 4.4), though READs be outstanding; at one of a READ it has come before, and anywhere else it is ignored.
func TestStrayData(t *testing.T) {
	stray := func(psn uint32) completer.Response { return completer.Response{Match: link.MatchStray, PSN: psn} }
	post := func(b *bench, kind int, index uint16, psn, last uint32) {
		b.post(0, linktest.ReplayEntry{Kind: kind, PSN: psn, LastPSN: last, WQEIndex: index, Last: true, Signaled: true, WRID: uint64(index)})
	}
	each(t, func(b *bench) {
		b.respond(0, stray(0xFFFFFF)) // nothing was sent
		post(b, link.EntryRead, 0, 0xFFFFFE, 3)
		b.respond(0, completer.Response{Match: link.MatchData, PSN: 0xFFFFFE})
		b.respond(0, stray(0xFFFFFE))
		b.respond(0, stray(0xFFFFFD))
		b.respond(0, completer.Response{Match: link.MatchGap, PSN: 4}) // not sent
		b.settle()
		require.Equal(b.t, 4, b.counts["Ignored"])
		b.respond(0, done(3))
		post(b, link.EntryRequest, 1, 4, 4)
		post(b, link.EntryRequest, 2, 5, 5)
		post(b, link.EntryRequest, 3, 6, 6)
		post(b, link.EntryRead, 4, 7, 9)
		b.settle()
		require.Equal(b.t, []uint64{0}, b.taken())
		b.respond(0, stray(3))
		b.respond(0, stray(10))
		b.settle()
		require.Equal(b.t, 6, b.counts["Ignored"])
		require.Empty(b.t, b.fault.Take())

		b.respond(0, stray(5))
		b.settle()
		require.Equal(b.t, []uint64{1}, b.taken(), "it acknowledges what is before it")
		require.Len(b.t, b.fault.Take(), 1)
		b.die(0)
		b.settle()
		got := sim.Received[linktest.Completion](b.done)
		require.Len(b.t, got, 3)
		require.Equal(b.t, []format.Status{format.StatusBadResp, format.StatusFlush, format.StatusFlush}, []format.Status{got[0].Status, got[1].Status, got[2].Status})
		require.Equal(b.t, format.VendorResponse, got[0].Vendor)
	})
}

// Control comes behind a death that has not been dealt with yet: the queue pair lives anew.
func TestClearBehindDeath(t *testing.T) {
	each(t, func(b *bench) {
		b.begin(1)
		b.done.SetPattern(sim.Pattern{Kind: sim.Never})
		b.respond(2, ack(1)) // stands before it, and answers nothing
		b.die(1)
		b.die(1)
		b.control.Send(linktest.QPControl{QP: 1, Kind: link.ControlSendPSN, PSN: 9})
		b.control.Send(linktest.QPControl{QP: 1, Kind: link.ControlClear})
		b.run(100)
		require.Equal(b.t, 1, b.control.Pending(), "the completion has not been taken")
		b.done.SetPattern(sim.Pattern{})
		b.run(100)
		require.Zero(b.t, b.control.Pending())
		require.Len(b.t, b.done.Take(), 2)
		b.post(1, linktest.ReplayEntry{PSN: 3, LastPSN: 3, Last: true, Signaled: true, WRID: 7})
		b.settle()
		require.Empty(b.t, b.done.Take())
		b.respond(1, ack(3))
		b.settle()
		require.Equal(b.t, []uint64{7}, b.taken())
	})
}

// Control is taken although responses come without a pause.
func TestClearBetweenResponses(t *testing.T) {
	design, io := hdltest.Build(t, pair())
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, sim.Pattern{})
	b.post(0, linktest.ReplayEntry{PSN: 5, LastPSN: 5, Last: true})
	for range 100 {
		b.respond(0, completer.Response{Match: link.MatchGap, PSN: 5})
	}
	b.run(20)
	b.control.Send(linktest.QPControl{QP: 1, Kind: link.ControlClear})
	b.run(60)
	require.Zero(t, b.control.Pending())
	require.Greater(t, b.response.Pending(), 50)
}

func TestValidate(t *testing.T) {
	require.NoError(t, completer.Params{Sizes: sizes}.Validate())
	require.Error(t, completer.Params{}.Validate())
}
