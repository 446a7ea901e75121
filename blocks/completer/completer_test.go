package completer_test

import (
	"math/rand/v2"
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

// sender makes the entries of a queue pair, as requester and transmit do.
type sender struct {
	r     *rand.Rand
	psn   uint32 // of the next packet
	index uint16
	open  bool // a message is in progress
}

func newSender(r *rand.Rand) *sender {
	s := &sender{r: r, psn: r.Uint32N(1 << 24)}
	if r.IntN(2) == 0 {
		s.psn = 0xFFFFFE
	}
	return s
}

// entry is the next one. Only SENDs and WRITEs have several packets.
func (s *sender) entry() linktest.ReplayEntry {
	r := s.r
	e := linktest.ReplayEntry{
		PSN: s.psn, WQEIndex: s.index, Offset: r.Uint32(), Last: true, Signaled: r.IntN(2) == 0, WC: format.WCOpcode(r.IntN(8)), WRID: r.Uint64(),
	}
	if !s.open {
		e.Kind = []int{link.EntryRequest, link.EntryRequest, link.EntryRequest, link.EntryRead, link.EntryAtomic, link.EntryLocal}[r.IntN(6)]
	}
	if e.Kind == link.EntryRequest {
		e.Last = r.IntN(2) == 0
	}
	e.LastPSN = e.PSN
	if e.Kind == link.EntryRead {
		e.LastPSN = (e.PSN + r.Uint32N(4)) & 0xFFFFFF
	}
	switch {
	case r.IntN(30) == 0:
		e.Status, e.Vendor, e.Last = format.StatusLocProt, format.VendorKeyRange, true
	case e.Kind != link.EntryLocal:
		s.psn = (e.LastPSN + 1) & 0xFFFFFF
	}
	s.open = !e.Last
	if e.Last {
		s.index++
	}
	return e
}

// response is one that may come: for the oldest entries, or any.
func (s *sender) response(ring []completer.Entry) completer.Response {
	r := s.r
	p := completer.Response{Match: r.IntN(8), PSN: (s.psn + uint32(r.IntN(14)) - 11) & 0xFFFFFF}
	p.Syndrome = []uint8{0x1F, 0x00, 0x05, 0x1F, 0x60, 0x21, 0x40, 0x64, 0x80}[r.IntN(9)]
	if r.IntN(20) == 0 {
		p.Syndrome = 0x61 + uint8(r.IntN(3))
	}
	if r.IntN(20) == 0 {
		p.Fault = format.VendorBusWrite
	}
	if p.Match >= link.MatchBad && r.IntN(5) > 0 {
		p.Match = link.MatchACK
	}
	if len(ring) > 0 && r.IntN(3) > 0 {
		e := ring[r.IntN(min(3, len(ring)))]
		p.PSN = e.Last
		if e.Kind == link.EntryRead || e.Kind == link.EntryAtomic {
			p.Match = []int{link.MatchDone, link.MatchDone, link.MatchDone, link.MatchData, link.MatchData, link.MatchBad, link.MatchLength}[r.IntN(7)]
		}
		if p.Match == link.MatchData {
			p.PSN = e.PSN
		}
	}
	for _, e := range ring {
		if p.Match == link.MatchData && p.PSN == e.Last {
			p.Match = link.MatchDone // the last data of a READ is its end
		}
	}
	return p
}

// Random entries, failures, deaths and responses, also wrong ones: completions,
// faults and entries that are left are the reference's. A queue pair that has failed is
// told so some time later.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, pair())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 11))
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		var from [qps]*sender
		for qp := range qps {
			from[qp] = newSender(r)
		}
		ignored, failed, dying, statuses := 0, map[int]bool{}, map[int]bool{}, map[format.Status]int{}
		heard := map[[2]int]int{} // by kind and cause
		for range 4000 {
			qp := r.IntN(qps)
			ref := b.refs[qp]
			switch {
			case r.IntN(60) == 0, failed[qp] && r.IntN(15) == 0:
				b.clear(qp)
				delete(dying, qp)
				delete(failed, qp)
				from[qp] = newSender(r)
			case r.IntN(150) == 0, dying[qp] && r.IntN(6) == 0:
				b.die(qp)
				delete(dying, qp)
			case r.IntN(12) == 0:
				psn := r.Uint32N(1 << 24)
				if len(ref.Ring) > 0 {
					psn = (ref.Ring[0].PSN + r.Uint32N(3)) & 0xFFFFFF
				}
				b.fail(qp, psn, []format.Status{format.StatusRetryExceeded, format.StatusRNRExceeded}[r.IntN(2)], 0)
			case r.IntN(2) == 0 && len(ref.Ring) < 8:
				b.post(qp, from[qp].entry())
			case !b.respond(qp, from[qp].response(ref.Ring)):
				ignored++
			}
			b.settle()
			for _, d := range b.refs[qp].Dones {
				statuses[d.Status]++
			}
			for _, h := range b.refs[qp].Heard {
				heard[[2]int{h.Kind, h.Cause}]++
			}
			if b.compare(qp) {
				dying[qp], failed[qp] = true, true
			}
		}
		require.Equal(t, ignored, b.counts["Ignored"])
		for _, want := range []format.Status{format.StatusSuccess, format.StatusLocProt, format.StatusLocLen, format.StatusBadResp, format.StatusFlush, format.StatusRetryExceeded} {
			require.Greater(t, statuses[want], 5, "completions with status %d", want)
		}
		for _, want := range [][2]int{
			{link.HeardProgress, 0}, {link.HeardLocal, 0}, {link.HeardRNR, 0},
			{link.HeardRestart, link.CauseSequence}, {link.HeardRestart, link.CauseImplied}, {link.HeardRestart, link.CauseGap},
		} {
			require.NotZero(t, heard[want], "%v heard", want)
		}
	}, verilator.Simulator)
}
