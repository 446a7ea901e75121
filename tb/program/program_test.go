package program_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/tb/golden"
	"gornic/tb/golden/lab"
	"gornic/tb/program"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

var ctx = context.Background()

// references are two hosts with references of a configuration.
func references(t testing.TB, c configs.Config, p program.Program, taps ...wire.Tap) *lab.Lab {
	t.Helper()
	config := golden.ConfigOf(c)
	config.Pages = c.QPs
	l, err := lab.New(lab.Options{Config: &config, Seed: p.Seed, Taps: taps})
	require.NoError(t, err)
	return l
}

// run has two references do a program, and counts the frames.
func run(t testing.TB, c configs.Config, p program.Program) (trace *program.Trace, frames int, err error) {
	t.Helper()
	watch := monitor.New()
	l := references(t, c, p, watch.Tap, func(wire.Crossing) { frames++ })
	var hosts [2]program.Host
	for i, h := range []*lab.Bus{l.A, l.B} {
		d, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC, Events: p.Timing.Events, Moderation: p.Timing.Moderation})
		require.NoError(t, err)
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: true}
	}
	trace, err = program.Run(ctx, p, hosts, program.Options{Watch: watch})
	if err == nil {
		err = l.CheckGuards()
	}
	return trace, frames, err
}

// Between references every program runs as its hosts expect, and the same again.
func TestReferences(t *testing.T) {
	for _, name := range []string{"tiny", "board"} {
		c, err := configs.Load(name)
		require.NoError(t, err)
		for seed := range uint64(150) {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				p := program.Random(seed, program.LimitsOf(c))
				first, frames, err := run(t, c, p)
				require.NoError(t, err)
				require.NotZero(t, first.Completions())
				again, framesAgain, err := run(t, c, program.Random(seed, program.LimitsOf(c)))
				require.NoError(t, err)
				require.NoError(t, first.Difference(again))
				require.Equal(t, frames, framesAgain)
			})
		}
	}
}

// Of those who use a key that ends meanwhile some are refused, and of these some in the middle of a message.
func TestRaces(t *testing.T) {
	c, err := configs.Load("board")
	require.NoError(t, err)
	var sum program.Races
	for seed := range uint64(300) {
		trace, _, err := run(t, c, program.Random(seed, program.LimitsOf(c)))
		require.NoError(t, err)
		sum.Racers += trace.Races.Racers
		sum.Refused += trace.Races.Refused
		sum.Midway += trace.Races.Midway
	}
	t.Logf("%+v", sum)
	require.Greater(t, sum.Racers, 200)
	require.Greater(t, sum.Refused, sum.Racers/3)
	require.Less(t, sum.Refused, sum.Racers*9/10)
	require.Greater(t, sum.Midway, sum.Racers/30)
}

// least is in how many of a thousand programs each feature is.
const least = 20

// Among a thousand programs there is everything, and not seldom.
func TestFeatures(t *testing.T) {
	c, err := configs.Load("board")
	require.NoError(t, err)
	programs, times := map[string]int{}, map[string]int{}
	for seed := range uint64(1000) {
		for name, n := range program.Random(seed, program.LimitsOf(c)).Features() {
			programs[name]++
			times[name] += n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		t.Logf("%-40s in %4d of 1000 programs, %6d times", name, programs[name], times[name])
		require.GreaterOrEqual(t, programs[name], least, name)
	}
	require.Len(t, programs, 156)
}

// Whatever is left out, a program runs; at last there is one of a single message or none.
func TestSmaller(t *testing.T) {
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	for seed := range uint64(20) {
		p := program.Random(seed, program.LimitsOf(c))
		for range 100 {
			smaller := p.Smaller()
			if len(smaller) == 0 {
				break
			}
			require.Less(t, len(smaller[0].String()), len(p.String()))
			p = smaller[int(seed)%len(smaller)]
			_, _, err := run(t, c, p)
			require.NoError(t, err, "%v", p)
		}
		require.Len(t, p.Acts, 1)
	}
}
