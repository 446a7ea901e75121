package axi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dma"
	"gornic/blocks/link"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/host"
)

const (
	clients   = 4
	areaBytes = 3 * host.PageBytes
)

// client is a client of the engine, with an area of memory to itself.
type client struct {
	bursts, beats *sim.Source
	done          *sim.Sink
	asked         *sim.Source
	answers       *sim.Sink

	area    uint64
	want    []byte // what the area holds when all writes have ended
	writing []pending
	reading []pending
	writes  bool   // in this phase, else reads
	left    int    // bursts of it to be started
	phases  int    // to come
	bad     uint64 // offset of a beat that faults; areaBytes: none
}

// pending is a burst whose answer is to come.
type pending struct {
	at    int
	beats int
	done  int
	want  []byte
}

type bench struct {
	t       *testing.T
	r       *rand.Rand
	size    int
	memory  *host.Memory
	axi     *axi.Memory
	clients [clients]*client
}

// newBench puts the engine between clients and memory.
func newBench(t *testing.T, s *sim.Sim, io *dma.IO, o axi.Options) *bench {
	seed := hdltest.Seed(t)
	memory, err := host.New(host.Options{Seed: seed})
	require.NoError(t, err)
	b := &bench{t: t, r: rand.New(rand.NewPCG(seed, 1)), size: io.AXI.RData.Width() / 8, memory: memory}
	for i := range b.clients {
		c := &client{
			bursts: sim.NewSource(s, io.Writes[i].Burst, hdltest.Gaps(t, 20)), beats: sim.NewSource(s, io.Writes[i].Beat, sim.Pattern{}),
			done:  sim.NewSink(s, io.Writes[i].Done, sim.Pattern{}),
			asked: sim.NewSource(s, io.Reads[i].Burst, hdltest.Gaps(t, 20)), answers: sim.NewSink(s, io.Reads[i].Beat, sim.Pattern{}),
			bad: areaBytes,
		}
		c.area, err = memory.Alloc(areaBytes, host.PageBytes)
		require.NoError(t, err)
		c.want = memory.Peek(c.area, areaBytes)
		b.clients[i] = c
	}
	o.Seed = seed
	b.axi, err = axi.NewMemory(s, io.AXI, memory, o)
	require.NoError(t, err)
	s.Reset(2)
	return b
}

// burst draws whole beats within a page of an area, at most 32.
func (b *bench) burst() (at, beats int) {
	inPage := host.PageBytes / b.size
	page, first := b.r.IntN(areaBytes/host.PageBytes), b.r.IntN(inPage)
	return page*host.PageBytes + first*b.size, 1 + b.r.IntN(min(inPage-first, 32))
}

// write starts a write of random bytes.
func (b *bench) write(c *client) {
	at, beats := b.burst()
	for i := range beats {
		data, strobe := make([]byte, b.size), b.r.Uint64()>>(64-b.size)|1
		for k := range data {
			data[k] = byte(b.r.Uint32())
			if strobe>>k&1 == 1 && uint64(at+i*b.size)/uint64(b.size) != c.bad/uint64(b.size) {
				c.want[at+i*b.size+k] = data[k]
			}
		}
		c.beats.Send(struct {
			Data []byte
			Strb uint64
			Last bool
		}{data, strobe, i == beats-1})
	}
	c.bursts.Send(struct{ Addr, Len uint64 }{c.area + uint64(at), uint64(beats - 1)})
	c.writing = append(c.writing, pending{at: at, beats: beats})
}

// read starts a read; no write is under way.
func (b *bench) read(c *client) {
	at, beats := b.burst()
	c.asked.Send(struct{ Addr, Len uint64 }{c.area + uint64(at), uint64(beats - 1)})
	c.reading = append(c.reading, pending{at: at, beats: beats, want: append([]byte(nil), c.want[at:at+beats*b.size]...)})
}

// touches tells whether a range of the area meets the faulty beat.
func (b *bench) touches(c *client, at, beats int) bool {
	bad := int(c.bad) &^ (b.size - 1)
	return at <= bad && bad < at+beats*b.size
}

// collect checks what has come back.
func (b *bench) collect(c *client) {
	for _, failed := range sim.Received[bool](c.done) {
		require.NotEmpty(b.t, c.writing)
		w := c.writing[0]
		c.writing = c.writing[1:]
		require.Equal(b.t, b.touches(c, w.at, w.beats), failed)
	}
	type beat struct {
		Data      []byte
		Err, Last bool
	}
	for _, got := range sim.Received[beat](c.answers) {
		require.NotEmpty(b.t, c.reading)
		p := &c.reading[0]
		at := p.at + p.done*b.size
		require.Equal(b.t, b.touches(c, at, 1), got.Err)
		if !got.Err {
			require.Equal(b.t, p.want[p.done*b.size:(p.done+1)*b.size], got.Data, "at %d", at)
		}
		p.done++
		require.Equal(b.t, p.done == p.beats, got.Last)
		if got.Last {
			c.reading = c.reading[1:]
		}
	}
}

// act starts a burst, or not. A client writes in some phases and reads in others; phases do
// not overlap, as AXI has no order between reads and writes.
func (b *bench) act(c *client) {
	under := len(c.writing) + len(c.reading)
	if c.left == 0 && under == 0 && c.phases > 0 {
		c.phases--
		c.writes, c.left = !c.writes, 1+b.r.IntN(8)
	}
	if c.left == 0 || under == 4 || b.r.IntN(2) == 0 {
		return
	}
	c.left--
	if c.writes {
		b.write(c)
	} else {
		b.read(c)
	}
}

// play runs random traffic of so many phases to its end.
func (b *bench) play(phases int) {
	for _, c := range b.clients {
		c.phases = phases
	}
	for turns, busy := 0, true; busy; turns++ {
		require.Less(b.t, turns, 1000*phases, "answers that never come")
		busy = false
		for _, c := range b.clients {
			b.act(c)
			busy = busy || c.phases+c.left+len(c.writing)+len(c.reading) > 0
		}
		_, err := b.axi.Run(1 + b.r.IntN(20))
		require.NoError(b.t, err)
		for _, c := range b.clients {
			b.collect(c)
		}
	}
	for _, c := range b.clients {
		require.Equal(b.t, c.want, b.memory.Peek(c.area, areaBytes))
	}
	require.True(b.t, b.axi.Idle())
	require.NoError(b.t, b.memory.CheckGuards())
}

func params(width int) dma.Params {
	return dma.Params{Sizes: link.Sizes{DataWidth: width}, Reads: clients, Writes: clients}
}

// Random reads and writes of several clients against a map of bytes, with the
// memory as well behaved as can be, and as bad.
func TestTraffic(t *testing.T) {
	for _, width := range []int{64, 128, 512} {
		for name, o := range map[string]axi.Options{
			"fast":     {Strict: true},
			"slow":     {LatencyMin: 20, LatencyMax: 90},
			"reorders": {LatencyMax: 60, Reorder: true, Pauses: 30, Strict: true},
			"mixes":    {LatencyMin: 5, LatencyMax: 40, Interleave: true, Pauses: 50},
		} {
			t.Run(fmt.Sprintf("%d/%s", width, name), func(t *testing.T) {
				design, io := hdltest.Build(t, dma.Def(params(width)))
				hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
					b := newBench(t, s, io, o)
					b.play(20)
					n := b.axi.Counters()
					require.Zero(t, n.Reads.Errors+n.Writes.Errors)
					require.Greater(t, min(n.Reads.Bursts, n.Writes.Bursts), uint64(100))
					require.Equal(t, n.Reads.Bytes, n.Reads.Beats*uint64(width/8))
					require.Greater(t, n.Reads.Most, 1)
				}, verilator.Simulator)
			})
		}
	}
}

// A fault of memory is an error of its beat or its burst, and nothing else.
func TestFaults(t *testing.T) {
	design, io := hdltest.Build(t, dma.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, axi.Options{LatencyMax: 30, Reorder: true})
		for i, c := range b.clients {
			c.bad = uint64(host.PageBytes/2 + i*8)
			b.memory.InjectFault(c.area+c.bad, 8, host.Reads|host.Writes)
		}
		b.play(60)
		n := b.axi.Counters()
		require.NotZero(t, n.Reads.Errors)
		require.NotZero(t, n.Writes.Errors)
	}, verilator.Simulator)
}
