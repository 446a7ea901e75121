package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Queue by queue the requests are the same as all together.
func TestQueue(t *testing.T) {
	for _, name := range Names() {
		w, err := Load(name)
		require.NoError(t, err)
		queues := map[[2]int]*Queue{}
		for q := range w.Requests(7) {
			key := [2]int{int(q.From), q.QP}
			if queues[key] == nil {
				queues[key] = w.Queue(7, q.From, q.QP)
			}
			got, ok := queues[key].Next()
			require.True(t, ok)
			require.Equal(t, q, got, name)
		}
		for _, queue := range queues {
			_, more := queue.Next()
			require.False(t, more, name)
		}
	}
}
