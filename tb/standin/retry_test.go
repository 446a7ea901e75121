package standin_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tb/standin"
)

// captureOf are the conversations of a capture of soft-RoCE, those without an answer, too.
func captureOf(t *testing.T, name string) []*talk.Conversation {
	t.Helper()
	path := filepath.Join("../../../shared/rxe", name+".pcap")
	// Captures of others are no part of this repository.
	if found, err := filepath.Glob(path); err != nil || len(found) == 0 {
		t.Skipf("no capture ../shared/rxe/%s.pcap", name)
	}
	all, err := frames.Load(path)
	require.NoError(t, err)
	return slices.Concat(talk.Learn(all), talk.LearnSilent(all))
}

// retryTick is 4.096 us in cycles of the reference as a stand-in.
const retryTick = 4096 * int(time.Nanosecond) / 16

func retry(t *testing.T, r *reference, all []*talk.Conversation) (standin.RetryReport, error) {
	t.Helper()
	s, err := standin.NewStation(r, r.memory, all)
	require.NoError(t, err)
	var sum standin.RetryReport
	for _, c := range all {
		report, err := s.Retry(t.Context(), c, retryTick)
		if err != nil {
			return sum, err
		}
		sum.Add(report)
	}
	return sum, nil
}

// The reference sends again what the requesters of soft-RoCE's captures sent again, when it is asked for or a timer has expired, and
// gives up as they did.
func TestRetryCaptures(t *testing.T) {
	for name, want := range map[string]standin.RetryReport{
		"peer_rnr":         {Conversations: 2, Messages: 2, Requests: 7, Again: 5, Answers: 7, NAKs: 6, Failed: 1},
		"peer_naks":        {Conversations: 4, Messages: 4, Requests: 4, Answers: 4, NAKs: 4, Failed: 4},
		"peer_seqnak_drop": {Conversations: 1, Messages: 2, Requests: 18, Again: 8, Answers: 4, NAKs: 2},
		"peer_timeouts":    {Conversations: 2, Messages: 6, Requests: 14, Again: 8, Expired: 7, Answers: 16, Failed: 1},
		"guest_naks":       {Conversations: 6, Messages: 7, Requests: 12, Again: 3, Answers: 10, NAKs: 7, Failed: 5},
		"send_all":         {Conversations: 1, Messages: 10, Requests: 14, Answers: 10, NAKs: 1, Failed: 1},
		"write_all":        {},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := retry(t, newReference(t), captureOf(t, name))
			require.NoError(t, err)
			require.Equal(t, want, report)
		})
	}
}

// A requester that does not send again, too early, or something else than before, is found out.
func TestRetryFinds(t *testing.T) {
	for _, x := range []struct {
		name, capture, want string
		spoil               func(frame []byte, count int) []byte
	}{
		{"nothing again", "peer_timeouts", "(RETRY_EXC_ERR), expected identifier 0, SUCCESS", func(frame []byte, count int) []byte {
			if count > 1 {
				return nil
			}
			return frame
		}},
		{"FIRST for MIDDLE", "peer_seqnak_drop", "expected SEND_MIDDLE, PSN 0x101", func(frame []byte, count int) []byte {
			if count == 6 {
				frame[bth] = 0
				frames.FixICRC(frame)
			}
			return frame
		}},
		{"once more than retries", "peer_rnr", "which nothing asks for", func(frame []byte, count int) []byte { return frame }},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := newReference(t)
			all := captureOf(t, x.capture)
			count := 0
			r.spoil = func(frame []byte) []byte {
				count++
				if x.capture == "peer_rnr" && count == 7 {
					r.more = append(r.more, slices.Clone(frame))
				}
				return x.spoil(frame, count)
			}
			_, err := retry(t, r, all)
			require.ErrorContains(t, err, x.want)
		})
	}
}

// A timer that is too short is found out, and so is an RNR wait.
func TestRetryFindsEarly(t *testing.T) {
	for capture, want := range map[string]string{"peer_timeouts": "and the timer has", "peer_rnr": "cycles after an RNR NAK that asks for"} {
		all := captureOf(t, capture)
		r := newReference(t)
		s, err := standin.NewStation(r, r.memory, all)
		require.NoError(t, err)
		_, err = s.Retry(t.Context(), all[0], 4*retryTick)
		require.ErrorContains(t, err, want)
	}
}

// Where soft-RoCE deviates, the reference does what the protocol says; and there alone: each deviation is in the list.
func TestDeviations(t *testing.T) {
	for name, lenient := range map[string]int{"guest_naks": 6, "peer_rnr": 0, "peer_seqnak_drop": 0, "peer_timeouts": 0} {
		t.Run(name, func(t *testing.T) {
			all := captureOf(t, name)
			require.NoError(t, standin.Judge(name, all, standin.SoftRoCE))
			known := slices.DeleteFunc(all, func(c *talk.Conversation) bool { return c.Silent && c.Requests()[0].Fate != talk.Refused })
			report, err := play(t, newReference(t), known)
			require.NoError(t, err)
			require.Equal(t, 2*lenient, report.Lenient, "in two paces")
			if lenient > 0 {
				require.ErrorContains(t, standin.Judge(name, captureOf(t, name), standin.SoftRoCE[1:2]), "no list of deviations has it")
				require.ErrorContains(t, standin.Judge("guest_naks", captureOf(t, "peer_rnr"), standin.SoftRoCE), "has no request in frame 26")
			}
		})
	}
}
