package completer

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Kinds of event. All responses acknowledge what is before their PSN.
const (
	eventSweep    = 0  // entries that need no response, or of a queue pair that has failed
	eventACK      = 1  // acknowledges the request of PSN, too
	eventData     = 2  // has data of the READ of PSN, which is not its end
	eventDone     = 3  // answers the READ or atomic that ends with PSN
	eventFatal    = 4  // fails the WQE of PSN
	eventDead     = 5  // the queue pair is in state ERR, and none of its data is being written
	eventStray    = 6  // as eventFatal, but it does nothing to a READ or atomic
	eventGap      = 7  // data before it is lost
	eventSequence = 8  // the packet of PSN is lost
	eventRNR      = 9  // the peer is not ready for the packet of PSN
	eventFailure  = 10 // the retry engine gives up: the WQE of PSN fails if that is owed
)

func kind(k uint64) hdl.Bits { return hdl.K(4, k) }

func code(s format.Status) hdl.Bits { return hdl.K(8, uint64(s)) }

func vendor(v format.VendorCode) hdl.Bits { return hdl.K(link.FaultBits, uint64(v)) }

// verdict is what a response does.
type verdict struct {
	Kind   hdl.Bits `w:"4"`
	Status hdl.Bits `w:"8"` // of eventFatal and eventStray
	Vendor hdl.Bits `w:"5"`
}

// classify says what a response does (protocol section 4.4); eventSweep stands
// for nothing.
func classify(r link.RxResponse) verdict {
	does := func(k uint64) verdict {
		return verdict{Kind: kind(k), Status: code(format.StatusSuccess), Vendor: vendor(format.VendorNone)}
	}
	fails := func(s format.Status, v format.VendorCode) verdict {
		return verdict{Kind: kind(eventFatal), Status: code(s), Vendor: vendor(v)}
	}
	data := func(k uint64) verdict {
		lost := verdict{Kind: kind(eventFatal), Status: code(format.StatusLocProt), Vendor: r.Fault}
		return hdl.MuxOf(r.Fault.Any(), lost, does(k))
	}
	bad := fails(format.StatusBadResp, format.VendorResponse)
	stray := bad
	stray.Kind = kind(eventStray)
	v := does(eventSweep)
	for _, c := range []struct {
		match uint64
		verdict
	}{
		{link.MatchACK, acknowledges(r.Syndrome)},
		{link.MatchData, data(eventData)},
		{link.MatchDone, data(eventDone)},
		{link.MatchGap, does(eventGap)},
		{link.MatchBad, bad},
		{link.MatchStray, stray},
		{link.MatchLength, fails(format.StatusLocLen, format.VendorLength)},
	} {
		v = hdl.MuxOf(r.Match.Is(c.match), c.verdict, v)
	}
	return hdl.MuxOf(r.Dead, does(eventDead), v)
}

// acknowledges says what an ACKNOWLEDGE does (protocol section 1.6).
func acknowledges(syndrome hdl.Bits) verdict {
	k := func(v uint64) hdl.Bits { return kind(v) }
	class, low := syndrome.Slice(7, 5), syndrome.Slice(4, 0)
	nak := hdl.Mux(low.None(), k(eventSequence), hdl.Mux(low.LeK(3), k(eventFatal), k(eventSweep)))
	return verdict{
		Kind:   hdl.Mux(class.None(), k(eventACK), hdl.Mux(class.Is(1), k(eventRNR), hdl.Mux(class.Is(3), nak, k(eventSweep)))),
		Status: hdl.Mux(low.Is(1), code(format.StatusRemInvReq), hdl.Mux(low.Is(2), code(format.StatusRemAccess), code(format.StatusRemOp))),
		Vendor: vendor(format.VendorNAK),
	}
}
