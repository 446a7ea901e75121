package program

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/golden/lab"
	"gornic/verbs"
)

// A queue pair that gives up its first message may have brought what came behind it, and nothing out of order.
func TestWhatFailedBrought(t *testing.T) {
	const first, gap, second = 20, 24, 60 // bytes of two READs: one packet each
	for _, x := range []struct {
		name     string
		sends    []verbs.WCStatus
		brings   []int // of the READs: those whose data is there
		executed int
		want     string
	}{
		{"nothing", []verbs.WCStatus{verbs.StatusRetryExceeded, verbs.StatusFlush}, nil, 0, ""},
		{"the one that failed", []verbs.WCStatus{verbs.StatusRetryExceeded, verbs.StatusFlush}, []int{0}, 1, ""},
		{"the one behind it, too", []verbs.WCStatus{verbs.StatusRetryExceeded, verbs.StatusFlush}, []int{0, 1}, 2, ""},
		{"only the one behind it", []verbs.WCStatus{verbs.StatusRetryExceeded, verbs.StatusFlush}, []int{1}, 0, "message 1, RDMA_READ of 60 bytes, has not brought 0 to 0 packets"},
		{"all succeed", []verbs.WCStatus{verbs.StatusSuccess, verbs.StatusSuccess}, []int{0, 1}, 2, ""},
		{"all succeed, and one has brought nothing", []verbs.WCStatus{verbs.StatusSuccess, verbs.StatusSuccess}, []int{0}, 1, "message 1, RDMA_READ of 60 bytes, has not brought 1 to 1 packets"},
	} {
		t.Run(x.name, func(t *testing.T) {
			ctx := t.Context()
			l, err := lab.New(lab.Options{Seed: 1})
			require.NoError(t, err)
			device, err := verbs.Open(ctx, l.A, verbs.Config{MAC: l.A.MAC})
			require.NoError(t, err)
			own := &side{Host: Host{Device: device}, areas: make([]*area, 2)}
			for i := range own.areas {
				buf, err := device.AllocBuffer(256, 8)
				require.NoError(t, err)
				own.areas[i] = &area{parts: []part{{buf, 0, 0, 256}}, image: make([]byte, 256)}
				require.NoError(t, own.areas[i].write(ctx, 0, noise(uint64(i), 256)))
			}
			read := func(at, n int) Message {
				return Message{Op: verbs.WRRead, Length: n, Source: []Piece{{0, at, n}}, Sink: Piece{1, at, n}}
			}
			user := &triedEnd{end: &end{side: own, posted: 2}, round: &tried{}}
			user.Messages = []Message{read(0, first), read(gap, second)}
			lane := &racer{user: user.end, owner: &end{side: own}}
			lane.MTU = verbs.MTU256
			for _, i := range x.brings {
				m := user.Messages[i]
				data := own.areas[1].image[m.Sink.Offset:][:m.Length]
				require.NoError(t, own.areas[0].parts[0].buf.Write(ctx, uint64(m.Sink.Offset), data))
			}
			done := 0
			for _, s := range x.sends {
				c := verbs.WC{Status: s}
				user.sends = append(user.sends, c)
				require.NoError(t, user.leave(ctx, c))
				if s == verbs.StatusSuccess {
					done++
				}
			}
			executed, err := lane.judgeTriedReads(ctx, user, 0, done)
			if x.want != "" {
				require.ErrorContains(t, err, x.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, x.executed, executed)
			require.NoError(t, user.judgeUntouched(ctx))

			require.NoError(t, own.areas[0].parts[0].buf.Write(ctx, gap, []byte{1}))
			if done == 0 {
				require.ErrorContains(t, user.judgeUntouched(ctx), "when message 1 had completed with an error")
			}
		})
	}
}
