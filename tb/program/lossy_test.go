package program_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/golden/lab"
	"gornic/tb/host"
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
	return runLossyWith(t, c, p, func([]byte) {})
}

// runLossyWith has the driver of host B see other memory than there is.
func runLossyWith(t testing.TB, c configs.Config, p program.Program, read func([]byte)) (*program.Trace, error) {
	t.Helper()
	watch := monitor.New()
	config := golden.ConfigOf(c)
	config.Pages, config.Tick = c.QPs, time.Duration(c.AckTick)*cycle
	l, err := lab.New(lab.Options{Config: &config, Seed: p.Seed, Faults: p.Faults, Taps: []wire.Tap{watch.Tap}})
	require.NoError(t, err)
	var hosts [2]program.Host
	for i, h := range []*lab.Bus{l.A, l.B} {
		bus := verbs.Bus(h)
		if i == 1 {
			bus = deaf{h, read}
		}
		d, err := verbs.Open(ctx, bus, verbs.Config{MAC: h.MAC, Events: p.Timing.Events, Moderation: p.Timing.Moderation})
		require.NoError(t, err)
		hosts[i] = program.Host{
			Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: true, Break: func(addr, size uint64, kinds host.Kinds) func() { return h.InjectFault(addr, size, kinds).Remove },
		}
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

// Over a wire that fails, references do what the rules allow, and all of it: they succeed, give up for either reason, are cut
// off in the middle of a message. The same program does the same again.
func TestLossy(t *testing.T) {
	for _, name := range []string{"tiny", "board"} {
		c, err := configs.Load(name)
		require.NoError(t, err)
		var sum program.Trials
		completions := 0
		for seed := range uint64(150) {
			trace, err := runLossy(t, c, program.Lossy(seed, program.LimitsOf(c)))
			require.NoError(t, err)
			completions += trace.Completions()
			sum.Add(trace.Trials)
			if seed%10 == 0 {
				again, err := runLossy(t, c, program.Lossy(seed, program.LimitsOf(c)))
				require.NoError(t, err)
				require.NoError(t, trace.Difference(again))
				require.Equal(t, trace.Trials, again.Trials)
			}
		}
		t.Logf("%s: %d completions of those that do not give up; %+v", name, completions, sum)
		require.Greater(t, completions, 1000)
		require.Greater(t, sum.Ends, 500)
		require.Greater(t, sum.Retries, sum.Ends/20)
		require.Less(t, sum.Retries, sum.Ends/2)
		require.Greater(t, sum.NotReady, sum.Ends/50)
		require.Greater(t, sum.Quit, sum.Ends/50)
		require.Greater(t, sum.Broken, sum.Ends/100)
		require.Greater(t, sum.Midway, sum.Ends/50)
	}
}

// Whatever is left out of a lossy program, it runs.
func TestLossySmaller(t *testing.T) {
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	for seed := range uint64(12) {
		p := program.Lossy(seed, program.LimitsOf(c))
		for range 60 {
			smaller := p.Smaller()
			if len(smaller) == 0 {
				break
			}
			next := smaller[int(seed)%len(smaller)]
			require.LessOrEqual(t, len(next.String()), len(p.String()))
			p = next
			_, err := runLossy(t, c, p)
			require.NoError(t, err, "%v", p)
		}
		require.Len(t, p.Acts, 1)
	}
}

// deaf is a host whose driver sees other memory than there is.
type deaf struct {
	*lab.Bus
	read func(b []byte)
}

func (d deaf) ReadMemory(ctx context.Context, addr uint64, b []byte) error {
	err := d.Bus.ReadMemory(ctx, addr, b)
	d.read(b)
	return err
}

// What a trial may not come to is found, and told in words that lead there.
func TestLossyFinds(t *testing.T) {
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	const cqe = 32
	status := func(from, to format.Status) func([]byte) {
		return func(b []byte) {
			if len(b) != cqe {
				return
			}
			if v, err := format.DecodeHost[format.CQE[uint64]](b); err == nil && v.Queue == 0 && v.Status == uint64(from) {
				v.Status = uint64(to)
				if changed, err := format.AppendHost(nil, v); err == nil {
					copy(b, changed)
				}
			}
		}
	}
	for _, x := range []struct {
		name string
		read func([]byte)
		want string
	}{
		{"who succeeds says that it gave up", status(format.StatusSuccess, format.StatusRetryExceeded), `trial .*RETRY_EXC_ERR with \d retries, and none of its packets was sent again more than \d times when it was the oldest`},
		{"or for the other reason", status(format.StatusSuccess, format.StatusRNRExceeded), `trial .*RNR_RETRY_EXC_ERR with \d retries, and none of its packets was refused more than`},
		{"who gives up says that it succeeds", status(format.StatusRetryExceeded, format.StatusSuccess), `trial .*, messages of host b: `},
		{"what is flushed says that it gave up", status(format.StatusFlush, format.StatusRNRExceeded), `trial .*, messages of host b: message \d+`},
		{"a byte that was not sent", func(b []byte) {
			if len(b) > 40 && len(b) < 250 {
				b[31] ^= 1
			}
		}, `trial .*messages have completed and \d+ were posted, so \d+ to \d+ packets of \d+ were executed, none of which is true`},
		{"what an atomic brought", func(b []byte) {
			if len(b) == 8 {
				b[5] ^= 1
			}
		}, `trial .*message \d+, ATOMIC_.* of 8 bytes, has not brought`},
	} {
		found := false
		for seed := uint64(0); seed < 200 && !found; seed++ {
			_, err := runLossyWith(t, c, program.Lossy(seed, program.LimitsOf(c)), x.read)
			found = err != nil && regexp.MustCompile(x.want).MatchString(err.Error())
		}
		require.True(t, found, "%s: no error like %s", x.name, x.want)
	}
}
