package program_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/tb/golden"
	"gornic/tb/golden/lab"
	"gornic/tb/program"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// cycle is that of a core in the time of its wire.
const cycle = 10 * time.Nanosecond

// runLossy has two references do a program over a wire with its faults.
func runLossy(t testing.TB, c configs.Config, p program.Program) (*program.Trace, error) {
	t.Helper()
	watch := monitor.New()
	config := golden.ConfigOf(c)
	config.Pages, config.Tick = c.QPs, time.Duration(c.AckTick)*cycle
	l, err := lab.New(lab.Options{Config: &config, Seed: p.Seed, Faults: p.Faults, Taps: []wire.Tap{watch.Tap}})
	require.NoError(t, err)
	var hosts [2]program.Host
	for i, h := range []*lab.Bus{l.A, l.B} {
		d, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC, Events: p.Timing.Events, Moderation: p.Timing.Moderation})
		require.NoError(t, err)
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: true}
	}
	trace, err := program.Run(ctx, p, hosts, program.Options{
		Watch: watch, Clock: l.Link.Clock, Tick: config.Tick, Patience: 10000,
		Calm: func() bool {
			l.Link.SetFaults(wire.Faults{})
			return l.Link.Held() > 0
		},
	})
	if err == nil {
		err = l.CheckGuards()
	}
	return trace, err
}

// Over a wire that fails, references do what the rules allow.
func TestLossy(t *testing.T) {
	for _, name := range []string{"tiny", "board"} {
		c, err := configs.Load(name)
		require.NoError(t, err)
		for seed := range uint64(150) {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				_, err := runLossy(t, c, program.Lossy(seed, program.LimitsOf(c)))
				require.NoError(t, err)
			})
		}
	}
}
