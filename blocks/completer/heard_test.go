package completer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/completer"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/sim"
)

// nak is an ACKNOWLEDGE of another syndrome than ACK.
func nak(syndrome uint8, psn uint32) completer.Response {
	return completer.Response{Match: link.MatchACK, PSN: psn, Syndrome: syndrome}
}

// told takes what the retry engine was told since, without what means nothing.
func (b *bench) told() []completer.Heard {
	var all []completer.Heard
	for _, h := range sim.Received[linktest.Heard](b.heard) {
		said := completer.Heard{Kind: h.Kind, PSN: h.PSN}
		if h.Kind == link.HeardRestart {
			said.Cause = h.Cause
		}
		if h.Kind == link.HeardRNR {
			said.Code = uint8(h.Code)
		}
		all = append(all, said)
	}
	return all
}

// What a response means for the retry engine: protocol section 4.4, row by row.
func TestHeard(t *testing.T) {
	const qp = 1
	progress := func(psn uint32) completer.Heard { return completer.Heard{Kind: link.HeardProgress, PSN: psn} }
	restart := func(psn uint32, cause int) completer.Heard {
		return completer.Heard{Kind: link.HeardRestart, PSN: psn, Cause: cause}
	}
	data := func(match int, psn uint32) completer.Response { return completer.Response{Match: match, PSN: psn} }
	each(t, func(b *bench) {
		post := func(kind int, index uint16, psn, last uint32) {
			b.post(qp, linktest.ReplayEntry{Kind: kind, PSN: psn, LastPSN: last, WQEIndex: index, Last: true, Signaled: true, WRID: uint64(index)})
		}
		post(link.EntryRequest, 0, 10, 10)
		post(link.EntryRequest, 1, 11, 11)
		post(link.EntryRead, 2, 12, 15)
		post(link.EntryAtomic, 3, 16, 16)
		post(link.EntryRequest, 4, 17, 17)
		post(link.EntryLocal, 5, 18, 18)
		post(link.EntryRequest, 6, 18, 18)
		b.settle()
		for _, step := range []struct {
			name string
			completer.Response
			told []completer.Heard
		}{
			{"an ACK", ack(10), []completer.Heard{progress(11)}},
			{"the same again", ack(10), nil},
			{"a reserved syndrome", nak(0x64, 11), nil},
			{"an ACK of what was not sent", ack(19), nil},
			{"NAK 0x60", nak(format.SyndromeNAK, 11), []completer.Heard{restart(11, link.CauseSequence)}},
			{"an RNR NAK", nak(format.SyndromeRNR+5, 11), []completer.Heard{{Kind: link.HeardRNR, PSN: 11, Code: 5}}},
			{"an ACK behind the READ", ack(17), []completer.Heard{progress(12), restart(12, link.CauseImplied)}},
			{"an ACK at the READ", ack(15), []completer.Heard{restart(12, link.CauseImplied)}},
			{"NAK 0x60 at the READ", nak(format.SyndromeNAK, 12), []completer.Heard{restart(12, link.CauseSequence)}},
			{"data of the READ", data(link.MatchData, 12), []completer.Heard{progress(13)}},
			{"the same again", data(link.MatchStray, 12), nil},
			{"an RNR NAK for what has been answered", nak(format.SyndromeRNR+5, 12), nil},
			{"NAK 0x60 at what is owed of the READ", nak(format.SyndromeNAK, 13), []completer.Heard{restart(13, link.CauseSequence)}},
			{"NAK 0x60 behind that", nak(format.SyndromeNAK, 14), []completer.Heard{restart(13, link.CauseImplied)}},
			{"data behind a gap", data(link.MatchGap, 14), []completer.Heard{restart(13, link.CauseGap)}},
			{"data behind the READ", data(link.MatchGap, 16), []completer.Heard{restart(13, link.CauseGap)}},
			{"NAK 0x60 for what is behind the READ", nak(format.SyndromeNAK, 16), []completer.Heard{restart(13, link.CauseImplied)}},
			{"an RNR NAK for that", nak(format.SyndromeRNR+1, 17), []completer.Heard{restart(13, link.CauseImplied)}},
			{"a fatal NAK for that", nak(format.SyndromeNAKOp, 17), []completer.Heard{restart(13, link.CauseImplied)}},
			{"the end of the READ", done(15), []completer.Heard{progress(16)}},
			{"an ACK at the atomic", ack(16), []completer.Heard{restart(16, link.CauseImplied)}},
			{"a fatal NAK behind it", nak(format.SyndromeNAKInv, 17), []completer.Heard{restart(16, link.CauseImplied)}},
			{"the atomic's answer", done(16), []completer.Heard{progress(17)}},
			{"an ACK before what is no packet", ack(17), []completer.Heard{progress(18), {Kind: link.HeardLocal, PSN: 18}}},
			{"an ACK of all", ack(18), []completer.Heard{progress(19)}},
			{"the same again", ack(18), nil},
		} {
			b.respond(qp, step.Response)
			b.settle()
			require.Equal(b.t, step.told, b.told(), step.name)
			b.refs[qp].Heard = nil
		}
		require.Empty(b.t, b.fault.Take())
		require.Len(b.t, b.taken(), 7)
		require.Equal(b.t, map[string]int{
			"Ignored": 6, "SequenceNAK": 3, "ImpliedNAK": 10, "RNRNAK": 1,
			"Invalid": 0, "Access": 0, "Operation": 0, "RetriesExceeded": 0, "RNRExceeded": 0, "CQEError": 0, "CQEFlush": 0,
		}, b.counts)
	})
}

// A READ may be refused at any of its PSNs, those whose data has come among them: some responders name that of its
// request (protocol section 10, row 12). One before it is ignored.
func TestReadRefusedAtItsRequest(t *testing.T) {
	each(t, func(b *bench) {
		b.begin(1)
		b.respond(1, completer.Response{Match: link.MatchData, PSN: 11})
		b.respond(1, nak(format.SyndromeNAKAccess, 10))
		b.settle()
		require.Equal(b.t, []uint64{100}, b.taken())
		require.Empty(b.t, b.fault.Take())
		b.respond(1, nak(format.SyndromeNAKAccess, 11))
		b.settle()
		require.Len(b.t, b.fault.Take(), 1)
		b.die(1)
		b.settle()
		require.Equal(b.t, []format.Status{format.StatusRemAccess}, b.statuses())
		require.Equal(b.t, []int{1, 1}, []int{b.counts["Ignored"], b.counts["Access"]})
	})
}

// What the retry engine gives up fails the oldest WQE, if the packet that was owed when it decided still is; the rest is flushed.
func TestFailure(t *testing.T) {
	post := func(b *bench, qp, kind int, index uint16, psn, last uint32) {
		b.post(qp, linktest.ReplayEntry{Kind: kind, PSN: psn, LastPSN: last, WQEIndex: index, Last: true, Signaled: true, WRID: uint64(index)})
	}
	each(t, func(b *bench) {
		b.fail(2, 0, format.StatusRetryExceeded, 0) // nothing was sent
		post(b, 2, link.EntryRead, 0, 30, 33)
		post(b, 2, link.EntryRequest, 1, 34, 34)
		b.respond(2, completer.Response{Match: link.MatchData, PSN: 30})
		b.settle()
		for _, psn := range []uint32{29, 30, 32, 33, 34} {
			b.fail(2, psn, format.StatusRetryExceeded, 0)
		}
		b.settle()
		require.Empty(b.t, b.fault.Take(), "other packets are owed")
		b.fail(2, 31, format.StatusRetryExceeded, 0)
		b.fail(2, 31, format.StatusRNRExceeded, 0)
		b.respond(2, done(33))
		b.settle()
		require.Len(b.t, b.fault.Take(), 1)
		require.Empty(b.t, b.done.Take(), "its data may still be written")
		b.die(2)
		b.fail(2, 31, format.StatusRetryExceeded, 0)
		b.settle()
		require.Equal(b.t, []format.Status{format.StatusRetryExceeded, format.StatusFlush}, b.statuses())

		post(b, 3, link.EntryRequest, 0, 0, 0)
		b.fail(3, 0, format.StatusRNRExceeded, 0)
		b.settle()
		b.die(3)
		b.settle()
		require.Equal(b.t, []format.Status{format.StatusRNRExceeded}, b.statuses())
		post(b, 1, link.EntryRequest, 0, 0, 0)
		b.fail(1, 0, format.StatusLocProt, format.VendorBusRead)
		b.settle()
		b.die(1)
		b.settle()
		got := sim.Received[linktest.Completion](b.done)
		require.Len(b.t, got, 1)
		require.Equal(b.t, format.VendorBusRead, got[0].Vendor)
		require.Equal(b.t, map[string]int{
			"Ignored": 1, "SequenceNAK": 0, "ImpliedNAK": 0, "RNRNAK": 0,
			"Invalid": 0, "Access": 0, "Operation": 0, "RetriesExceeded": 1, "RNRExceeded": 1, "CQEError": 3, "CQEFlush": 1,
		}, b.counts)
	})
}

// A failure that waits may be of a life that ends: no Control goes before it.
func TestFailureBeforeControl(t *testing.T) {
	each(t, func(b *bench) {
		b.begin(1)
		b.done.SetPattern(sim.Pattern{Kind: sim.Never})
		b.respond(1, ack(10))
		b.run(40)
		b.fail(1, 11, format.StatusRetryExceeded, 0)
		b.control.Send(linktest.QPControl{QP: 1, Kind: link.ControlSendPSN, PSN: 11})
		b.run(100)
		require.Equal(b.t, 1, b.failure.Pending(), "a completion has not been taken")
		require.Equal(b.t, 1, b.control.Pending())
		b.done.SetPattern(sim.Pattern{})
		b.run(100)
		require.Zero(b.t, b.failure.Pending()+b.control.Pending())
		require.Len(b.t, b.fault.Take(), 1)
	})
}
