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
)

// A response that completes one entry takes six cycles, an acknowledgement five more for each further entry. Data in
// the middle of a READ takes five, and so does what only has something sent again.
func TestCycles(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    int
		each    int // entries that one response answers
		answer  func(psn uint32) completer.Response
		retires bool
		cycles  int // of a response
	}{
		{"ACK", link.EntryRequest, 1, ack, true, 6},
		{"ACK of four", link.EntryRequest, 4, ack, true, 6 + 3*5},
		{"READ", link.EntryRead, 1, done, true, 6},
		{"atomic", link.EntryAtomic, 1, done, true, 6},
		{"data", link.EntryRead, 1, func(psn uint32) completer.Response { return completer.Response{Match: link.MatchData, PSN: psn} }, false, 5},
		{"NAK", link.EntryRequest, 1, func(uint32) completer.Response { return nak(format.SyndromeNAK, 0) }, false, 5},
		{"RNR NAK", link.EntryRequest, 1, func(uint32) completer.Response { return nak(format.SyndromeRNR, 0) }, false, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			design, io := hdltest.Build(t, pair())
			s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
			b := newBench(t, s, io, sim.Pattern{})
			const n = 8 * qps
			for i := range n {
				psn := uint32(i / qps)
				last := psn
				if !c.retires {
					last += 8 // it stays the oldest
				}
				b.post(i%qps, linktest.ReplayEntry{Kind: c.kind, PSN: psn, LastPSN: last, Last: true, Signaled: true, WRID: uint64(i)})
			}
			b.run(60)
			responses := 0
			for i := range n {
				if psn := i / qps; (psn+1)%c.each == 0 {
					b.respond(i%qps, c.answer(uint32(psn)))
					responses++
				}
			}
			b.run(c.cycles*responses + 6)
			require.Zero(t, b.response.Pending())
			want := uint64(0)
			if c.retires {
				want = n
			}
			require.Equal(t, want, b.done.Count())
			require.Equal(t, want, b.retired.Count())
			if c.each == 1 {
				require.EqualValues(t, responses, b.heard.Count())
			}
		})
	}
}
