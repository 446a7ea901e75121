package dma_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dma"
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/host"
)

// Random traffic against memories of all tempers is in package tb/axi, whose
// memory is held against this engine. Here is what the engine promises beside the
// right bytes: cycles, and turns.

const (
	clients    = 4
	burstBeats = 16
)

// busy is the engine with clients that always have a burst to read and one to write.
type busy struct {
	t       *testing.T
	memory  *axi.Memory
	area    uint64 // where they read and write
	host    *host.Memory
	feeds   []func()
	answers [clients]*sim.Sink
	ends    [clients]*sim.Sink
	pulses  int // errors that were counted
}

func newBusy(t *testing.T, s *sim.Sim, io *dma.IO) *busy {
	memory, err := host.New(host.Options{})
	require.NoError(t, err)
	area, err := memory.Alloc(clients*host.PageBytes, host.PageBytes)
	require.NoError(t, err)
	b := &busy{t: t, area: area, host: memory}
	b.memory, err = axi.NewMemory(s, io.AXI, memory, axi.Options{Strict: true})
	require.NoError(t, err)
	for i := range clients {
		reads, writes := io.Reads[i], io.Writes[i]
		asked, announced, beats := sim.NewSource(s, reads.Burst, sim.Pattern{}), sim.NewSource(s, writes.Burst, sim.Pattern{}), sim.NewSource(s, writes.Beat, sim.Pattern{})
		b.answers[i], b.ends[i] = sim.NewSink(s, reads.Beat, sim.Pattern{}), sim.NewSink(s, writes.Done, sim.Pattern{})
		b.feeds = append(b.feeds, func() {
			for asked.Pending() < 8 {
				asked.Send(struct{ Addr, Len uint64 }{area + uint64(i)*host.PageBytes, burstBeats - 1})
			}
			for announced.Pending() < 8 {
				announced.Send(struct{ Addr, Len uint64 }{area + uint64(i)*host.PageBytes, burstBeats - 1})
				for k := range burstBeats {
					beats.Send(struct {
						Data []byte
						Strb uint64
						Last bool
					}{make([]byte, io.AXI.WData.Width()/8), 0xFF, k == burstBeats-1})
				}
			}
		})
	}
	s.Reset(2)
	return b
}

// run feeds the clients for so many cycles.
func (b *busy) run(cycles int) {
	for range cycles / 10 {
		for _, feed := range b.feeds {
			feed()
		}
		_, err := b.memory.Run(10)
		require.NoError(b.t, err)
	}
}

// read is how many beats the clients have had.
func (b *busy) read() uint64 {
	n := uint64(0)
	for _, a := range b.answers {
		n += a.Count()
	}
	return n
}

// With every client busy, each channel moves a beat in every cycle, and the clients
// have had equally many bursts, but for the one whose turn it is.
func TestBeatEveryCycleInTurns(t *testing.T) {
	design, io := hdltest.Build(t, dma.Def(dma.Params{Sizes: link.Sizes{DataWidth: 64}, Reads: clients, Writes: clients}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBusy(t, s, io)
		b.run(200)
		read, written := b.read(), b.memory.Counters().Writes.Beats
		b.run(1000)
		require.EqualValues(t, 1000, b.read()-read, "beats read")
		require.EqualValues(t, 1000, b.memory.Counters().Writes.Beats-written, "beats written")
		for i := range clients {
			require.InDelta(t, b.answers[0].Count(), b.answers[i].Count(), burstBeats, "client %d", i)
			require.InDelta(t, b.ends[0].Count(), b.ends[i].Count(), 1, "client %d", i)
		}
	}, verilator.Simulator)
}

// Each answer that is an error has a pulse, those of a read and of a write in the same cycle one each.
func TestErrorsCount(t *testing.T) {
	design, io := hdltest.Build(t, dma.Def(dma.Params{Sizes: link.Sizes{DataWidth: 64}, Reads: clients, Writes: clients}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBusy(t, s, io)
		b.host.InjectFault(b.area, clients*host.PageBytes, host.Reads|host.Writes)
		for range 20 {
			for _, feed := range b.feeds {
				feed()
			}
			b.count(s, io, 10)
		}
		pulses := b.count(s, io, 4000) // what is on its way, and what waits to be counted
		errors := b.read()
		for i := range clients {
			errors += b.ends[i].Count()
		}
		require.Greater(t, errors, uint64(300))
		require.EqualValues(t, errors, pulses)
	})
}

// count runs for so many cycles, and returns the pulses so far.
func (b *busy) count(s *sim.Sim, io *dma.IO, cycles int) int {
	for range cycles {
		_, err := b.memory.Run(1)
		require.NoError(b.t, err)
		b.pulses += int(s.Get(io.Err))
	}
	return b.pulses
}

func TestParams(t *testing.T) {
	for want, p := range map[string]dma.Params{
		"data width of 96 bits":              {Sizes: link.Sizes{DataWidth: 96}, Reads: 1, Writes: 1},
		"0 clients that read":                {Sizes: link.Sizes{DataWidth: 64}, Writes: 1},
		"1 clients that read and 17 that wr": {Sizes: link.Sizes{DataWidth: 64}, Reads: 1, Writes: 17},
	} {
		_, _, err := hdl.Build(dma.Def(p))
		require.ErrorContains(t, err, want)
	}
}
