package wire

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// A judge decides as Faults do, counts attempts itself, and loses everything in an outage.
func TestJudge(t *testing.T) {
	f := Faults{Seed: 3, Rules: []Rule{{Action: Drop, Rate: Million / 3}}, Outages: []Outage{{At: time.Second, For: time.Second}}}
	j := NewJudge(f)
	drops := 0
	for attempt := range 200 {
		p := Packet{QP: 9, PSN: 5, Opcode: format.OpWriteOnly}
		got := j.Decide(p, 0).Action
		p.Attempt = attempt
		require.Equal(t, f.Decide(p), got)
		if got == Drop {
			drops++
		}
	}
	require.Greater(t, drops, 30)
	require.Less(t, drops, 100)
	require.Equal(t, Drop, NewJudge(Faults{Outages: f.Outages}).Decide(Packet{}, time.Second+1).Action)
	nth := NewJudge(Faults{Rules: []Rule{{Action: Corrupt, Rate: Million, Nth: 2}}})
	for i, want := range []Action{Pass, Corrupt, Pass} {
		require.Equal(t, want, nth.Decide(Packet{PSN: uint32(i)}, 0).Action)
	}
}
