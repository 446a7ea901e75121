package completer_test

import (
	"fmt"
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

// What may come of a queue pair, in any order.
const (
	response = iota
	recorded
	dead
)

// orders are those in which they can come.
var orders = [][]int{
	{response, recorded, dead}, {response, dead, recorded}, {recorded, response, dead},
	{recorded, dead, response}, {dead, response, recorded}, {dead, recorded, response},
}

func orderName(order []int) string {
	names := [...]string{response: "response", recorded: "recorded", dead: "dead"}
	return fmt.Sprintf("%s,%s,%s", names[order[0]], names[order[1]], names[order[2]])
}

// begin has a WRITE outstanding, and a READ of three packets.
func (b *bench) begin(qp int) {
	b.clear(qp)
	b.post(qp, linktest.ReplayEntry{PSN: 10, LastPSN: 10, Last: true, Signaled: true, WC: format.WCWrite, WRID: 100})
	b.post(qp, linktest.ReplayEntry{Kind: link.EntryRead, PSN: 11, LastPSN: 13, WQEIndex: 1, Last: true, WC: format.WCRead, Offset: 600, WRID: 101})
	b.run(30)
}

func (b *bench) statuses() []format.Status {
	var s []format.Status
	for _, c := range sim.Received[linktest.Completion](b.done) {
		s = append(s, c.Status)
	}
	return s
}

// A response that fails the READ, a request that is recorded behind it, and the queue pair's death, in every
// order: what completes with each.
func TestOrders(t *testing.T) {
	const ok, bad, flush = format.StatusSuccess, format.StatusRemAccess, format.StatusFlush
	type step struct {
		done  []format.Status
		fault bool
	}
	want := [][3]step{
		{{[]format.Status{ok}, true}, {}, {[]format.Status{bad, flush}, false}},
		{{[]format.Status{ok}, true}, {[]format.Status{bad}, false}, {[]format.Status{flush}, false}},
		{{}, {[]format.Status{ok}, true}, {[]format.Status{bad, flush}, false}},
		{{}, {[]format.Status{flush, flush, flush}, false}, {}},
		{{[]format.Status{flush, flush}, false}, {}, {[]format.Status{flush}, false}},
		{{[]format.Status{flush, flush}, false}, {[]format.Status{flush}, false}, {}},
	}
	design, io := hdltest.Build(t, pair())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		for i, order := range orders {
			b.begin(1)
			for k, what := range order {
				switch what {
				case response:
					b.respond(1, completer.Response{Match: link.MatchACK, PSN: 12, Syndrome: format.SyndromeNAKAccess})
				case recorded:
					b.post(1, linktest.ReplayEntry{PSN: 14, LastPSN: 14, WQEIndex: 2, Last: true, WRID: 102})
				case dead:
					b.die(1)
				}
				b.run(100)
				require.Equal(t, want[i][k].done, b.statuses(), "%s, step %d", orderName(order), k)
				require.Equal(t, want[i][k].fault, len(b.fault.Take()) == 1, "%s, step %d", orderName(order), k)
			}
		}
	}, verilator.Simulator)
}

// The same with all kinds of responses and entries, against the reference; and with Control after
// any of them, behind which the queue pair is as new.
func TestOrdersAgainstReference(t *testing.T) {
	responses := []struct {
		name string
		completer.Response
	}{
		{"ack beyond", ack(13)},
		{"data", completer.Response{Match: link.MatchData, PSN: 11}},
		{"done", done(13)},
		{"lost data", completer.Response{Match: link.MatchData, PSN: 12, Fault: format.VendorKeyRights}},
		{"lost done", completer.Response{Match: link.MatchDone, PSN: 13, Fault: format.VendorBusWrite}},
		{"bad", completer.Response{Match: link.MatchBad, PSN: 11}},
		{"stray", completer.Response{Match: link.MatchStray, PSN: 10}},
		{"length", completer.Response{Match: link.MatchLength, PSN: 13}},
		{"refused", completer.Response{Match: link.MatchACK, PSN: 11, Syndrome: format.SyndromeNAKOp}},
		{"lost", nak(format.SyndromeNAK, 11)},
		{"lost behind", nak(format.SyndromeNAK, 12)},
		{"not ready", nak(format.SyndromeRNR+3, 10)},
		{"gap", completer.Response{Match: link.MatchGap, PSN: 12}},
		{"refused before", completer.Response{Match: link.MatchACK, PSN: 10, Syndrome: format.SyndromeNAKInv}},
	}
	entry := func(kind int, status format.Status) linktest.ReplayEntry {
		return linktest.ReplayEntry{Kind: kind, PSN: 14, LastPSN: 14, WQEIndex: 2, Last: true, WC: format.WCLocalInv, WRID: 102, Status: status}
	}
	entries := []struct {
		name string
		linktest.ReplayEntry
	}{
		{"request", entry(link.EntryRequest, 0)}, {"read", entry(link.EntryRead, 0)}, {"local", entry(link.EntryLocal, 0)},
		{"failed", entry(link.EntryRequest, format.StatusLocProt)}, {"failed local", entry(link.EntryLocal, format.StatusLocQPOp)},
	}
	design, io := hdltest.Build(t, pair())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		for k, p := range responses {
			for l, e := range entries {
				for i, order := range orders {
					t.Log(p.name, e.name, orderName(order))
					b.play(order, p.Response, e.ReplayEntry, (i+k+l)%4)
				}
			}
		}
	}, verilator.Simulator)
}

// play lets an order happen, and compares with the reference after each step. The queue pair begins anew before
// the step of that number.
func (b *bench) play(order []int, p completer.Response, e linktest.ReplayEntry, anew int) {
	const qp = 2
	b.begin(qp)
	for i, step := range order {
		if i == anew {
			b.begin(qp)
		}
		switch step {
		case response:
			b.respond(qp, p)
		case recorded:
			b.post(qp, e)
		case dead:
			b.die(qp)
		}
		b.run(100)
		b.compare(qp)
	}
}

// A failure that is heard, the death behind it and an entry that comes meanwhile: whenever it comes, the
// completions are the same.
func TestOrderTogether(t *testing.T) {
	design, io := hdltest.Build(t, pair())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		for delay := range 60 {
			b.begin(1)
			b.respond(1, completer.Response{Match: link.MatchBad, PSN: 11})
			b.die(1)
			b.run(delay)
			b.post(1, linktest.ReplayEntry{Kind: link.EntryLocal, PSN: 14, LastPSN: 14, WQEIndex: 2, Last: true, WRID: 102})
			b.run(120)
			require.Equal(t, []format.Status{format.StatusSuccess, format.StatusBadResp, format.StatusFlush}, b.statuses(), "after %d cycles", delay)
			require.Len(t, b.fault.Take(), 1)
		}
	}, verilator.Simulator)
}
