package hdltest

import (
	"flag"
	"hash/fnv"
	"strings"
	"sync"
	"testing"
	"time"

	"gornic/hdl/sim"
)

var seedFlag = flag.Uint64("hdl.seed", 1, "seed of un-reset state and of gaps and pauses in hardware tests; 0 takes one from the clock")

// seed is -hdl.seed, once.
var seed = func() func() uint64 {
	var value uint64
	return func() uint64 {
		if value == 0 {
			value = *seedFlag
		}
		if value == 0 {
			value = uint64(time.Now().UnixNano())
		}
		return value
	}
}()

// repeat has the tests that have said how to repeat them, without their
// subtests: once is enough.
var repeat sync.Map

// Seed returns the seed of a test: a mix of -hdl.seed and the test's name. A
// test that fails says which -hdl.seed repeats it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		test, _, _ := strings.Cut(t.Name(), "/")
		if _, said := repeat.LoadOrStore(test, true); !said {
			t.Logf("repeat with -hdl.seed=%d", seed())
		}
	})
	h := fnv.New64a()
	h.Write([]byte(t.Name()))
	state := seed() ^ h.Sum64()
	return sim.SplitMix64(&state)
}

// Gaps is a pattern that pauses in percent of the cycles, drawn from the seed
// of the test.
func Gaps(t testing.TB, percent uint32) sim.Pattern {
	t.Helper()
	return sim.Pattern{Kind: sim.Random, Percent: 100 - percent, Seed: Seed(t)}
}

// Patterns are the gaps or pauses that a stream should be tested with, by
// name: none, rare, frequent, long, regular.
func Patterns(seed uint64) map[string]sim.Pattern {
	return map[string]sim.Pattern{
		"full speed": {},
		"rare":       {Kind: sim.Random, Percent: 90, Seed: seed},
		"half":       {Kind: sim.Random, Percent: 50, Seed: seed + 1},
		"frequent":   {Kind: sim.Random, Percent: 15, Seed: seed + 2},
		"bursts":     {Kind: sim.Burst, On: 20, Off: 20, Seed: seed + 3},
		"regular":    {Kind: sim.Periodic, On: 1, Off: 1},
	}
}
