package hostnet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/hostnet"
	"gornic/fpga/blocks/port"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
	pc "gornic/verbs/hostnet"
)

func TestLint(t *testing.T) {
	design, _ := hdltest.Build(t, hostnet.Def(hostnet.DefaultParams()))
	lint.Check(t, design)
}

// Where the memory of the tests is: what is read, what is written, and a hole.
const (
	readArea  = port.RemoteBase + 0x1000_0000
	writeArea = port.RemoteBase + 0x2000_0000
	hole      = port.RemoteBase + 0x3000_0000
	areaBytes = 1 << 16
)

// small are parameters that find their limits often.
func small() hostnet.Params {
	return hostnet.Params{Window: 8, Store: 256, Receive: 256, Timeout: 4000, Retries: 20}
}

// fill makes the memory: random bytes to read, and the hole.
func (b *bench) fill() {
	p := make([]byte, areaBytes)
	for i := range p {
		p[i] = byte(b.r.Uint32())
	}
	b.mem.Poke(readArea, p)
	b.mem.Fault(func(addr uint64) bool { return addr >= hole })
}

// random sends so many bursts of any lengths, both ways, one in eight into the hole.
func (b *bench) random(bursts int) {
	place := func(area uint64) (addr uint64, beats int) {
		beats = []int{1, 1, 2, 3, 8, 16, 100, 128, 129, 200, 256}[b.r.IntN(11)]
		page := uint64(b.r.IntN(areaBytes / 4096))
		if b.r.IntN(8) == 0 {
			area = hole
		}
		return area + page*4096 + 8*uint64(b.r.IntN(512-beats+1)), beats
	}
	for range bursts {
		id := uint64(b.r.IntN(16))
		if b.r.IntN(2) == 0 {
			addr, beats := place(readArea)
			b.read(addr, beats, id)
			continue
		}
		addr, beats := place(writeArea)
		kind := b.r.IntN(4)
		b.write(addr, beats, id, func(i int) uint64 {
			switch {
			case kind == 0 && b.r.IntN(8) == 0: // anything anywhere
				return uint64(b.r.IntN(256))
			case kind < 3 && i == 0:
				return 0xFF << b.r.IntN(8) & 0xFF
			case kind < 3 && i == beats-1:
				return 0xFF >> b.r.IntN(8)
			}
			return 0xFF
		})
	}
}

// compare compares what was written.
func (b *bench) compare() {
	require.Equal(b.t, b.golden.Peek(writeArea, areaBytes), b.mem.Peek(writeArea, areaBytes))
}

// Whatever a network does: each burst is done once and as a whole.
func TestRandom(t *testing.T) {
	design, io := hdltest.Build(t, hostnet.Def(small()))
	for name, network := range map[string]func(*bench){
		"good":  func(*bench) {},
		"lossy": func(b *bench) { b.toPC.loss, b.toBoard.loss = 5, 5 },
		"bad": func(b *bench) {
			for _, w := range []*wire{&b.toPC, &b.toBoard} {
				w.loss, w.twice, w.delay, w.jitter = 3, 10, 100, 400
			}
			b.junk = 5
		},
	} {
		t.Run(name, func(t *testing.T) {
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, 20)
				b.fill()
				network(b)
				bus := b.open(pc.Options{})
				b.random(60)
				for i := range uint32(20) {
					require.NoError(t, bus.WriteRegister(ctx, 4*i, i+1000))
					v, err := bus.ReadRegister(ctx, 4*i)
					require.NoError(t, err)
					require.Equal(t, i+1000, v)
				}
				require.Equal(t, 40, b.accesses, "each once")
				b.run(bus, 1_000_000, b.idle)
				b.compare()
				require.Zero(t, b.lost)
				t.Logf("%d cycles, %d datagrams, %d times back, %d dropped", b.now, len(b.frameLog), b.resent, b.dropped)
			}, verilator.Simulator)
		})
	}
}
