package standin_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/frames"
	"gornic/tb/frames/talk"
)

// A capture may begin and end anywhere, inside messages and between a request and its
// answer too: the reference takes the place of both ends of what is there.
func TestWindows(t *testing.T) {
	captures := map[string][]frames.Frame{}
	for name, make := range map[string]func(bool) ([]frames.Frame, error){"made": talk.Made, "made READs": talk.MadeReads, "every opcode": talk.MadeOpcodes} {
		all, err := make(false)
		require.NoError(t, err)
		captures[name] = all
	}
	paths, err := filepath.Glob("../../../shared/rxe/*.pcap")
	require.NoError(t, err)
	for _, path := range paths {
		captures[filepath.Base(path)], err = frames.Load(path)
		require.NoError(t, err)
	}
	for name, all := range captures {
		t.Run(name, func(t *testing.T) {
			for from := 0; from < min(len(all), 60); from++ {
				for _, n := range []int{2, 5, 9, 40} {
					window(t, all, from, min(from+n, len(all)))
				}
			}
		})
	}
}

func window(t *testing.T, all []frames.Frame, from, to int) {
	t.Helper()
	var some []*talk.Conversation
	for _, c := range talk.Learn(all[from:to]) {
		if c.Playable() {
			some = append(some, c)
		}
	}
	_, err := play(t, newReference(t), some)
	require.NoError(t, err, "frames %d to %d, responder", from+1, to)
	_, err = ask(t, newReference(t), some)
	require.NoError(t, err, "frames %d to %d, requester", from+1, to)
}
