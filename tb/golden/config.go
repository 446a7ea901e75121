package golden

import (
	"math/bits"
	"time"

	"gornic/configs"
	"gornic/format"
)

// Config is what a NIC has of everything.
type Config struct {
	LogQPs    int // log2 of queue pairs, 0 to 16
	LogCQs    int // log2 of completion queues, 0 to 16
	LogEQs    int // log2 of event queues, 0 to 16
	Pages     int // doorbell pages, 1 to 65535
	DataWidth int // bits of a beat, 64 to 512; the capability registers alone tell it
	PathMTU   int // largest path MTU in bytes, 256 to 4096
	Replay    int // packets that a QP may have unacknowledged, 1 to 4096
	Reads     int // READs and atomics that a QP may have outstanding, in each direction, 1 to 255
	AckEvery  int // a packet in so many of a long message asks for an acknowledgement, at least 1

	LineRate int // Mb/s of a queue pair that is not slowed down; a register alone tells it

	// NoCongestion has no queue pair with congestion control.
	NoCongestion bool

	// NoAtomics refuses atomics of WQEs and peers, NoKeyRequests work requests that change keys.
	NoAtomics, NoKeyRequests bool

	// Tick is how long the unit of retry timers, 4.096 us, takes here: RNR waits are as much longer or shorter.
	// From 1 ns to 1 s.
	Tick time.Duration
}

// lineRateMost is the most that the register of the line rate has room for.
const lineRateMost = 1<<18 - 1

// DefaultTick is the unit of retry timers (protocol section 4.6).
const DefaultTick = 4096 * time.Nanosecond

// DefaultConfig is a NIC of 64 queue pairs and the largest path MTU.
func DefaultConfig() Config {
	return Config{LogQPs: 6, LogCQs: 6, LogEQs: 3, Pages: 16, DataWidth: 512, PathMTU: format.MTUMax, Replay: 64, Reads: 16, AckEvery: 16, LineRate: lineRateMost, Tick: DefaultTick}
}

// ConfigOf is a NIC with the sizes of a core's configuration. Its Tick is the default: how long a cycle
// of the core takes, only who has one knows.
func ConfigOf(core configs.Config) Config {
	c := DefaultConfig()
	c.LogQPs, c.LogCQs, c.LogEQs = log2(core.QPs), log2(core.CQs), log2(core.EQs)
	c.DataWidth, c.PathMTU, c.Replay, c.Reads = core.DataWidth, core.PathMTU, core.Replay, core.Reads
	c.LineRate = min(core.DataWidth*max(1, core.AckTick/4)*1000/1024, lineRateMost)
	c.NoCongestion = core.Congestion == 0
	c.NoAtomics, c.NoKeyRequests = core.Atomics == 0, core.KeyRequests == 0
	return c
}

// log2 is the logarithm of a power of two, and for other numbers that of the next
// below.
func log2(v int) int { return bits.Len(uint(v)) - 1 }

// inRange brings each number into its range.
func (c Config) inRange() Config {
	between := func(v *int, low, high int) { *v = min(max(*v, low), high) }
	between(&c.LogQPs, 0, 16)
	between(&c.LogCQs, 0, 16)
	between(&c.LogEQs, 0, 16)
	between(&c.Pages, 1, 65535)
	between(&c.DataWidth, 64, 512)
	between(&c.PathMTU, 256, format.MTUMax)
	between(&c.Replay, 1, 4096)
	between(&c.Reads, 1, 255)
	between(&c.AckEvery, 1, 1<<23)
	between(&c.LineRate, 0, lineRateMost)
	c.Tick = min(max(c.Tick, 1), time.Second)
	return c
}

// caps0 and the others are the capability registers.
func (c Config) caps0() uint32 {
	return uint32(c.LogQPs) | uint32(c.LogCQs)<<8 | uint32(c.LogEQs)<<16 | uint32(log2(c.DataWidth/8))<<24 | uint32(log2(c.PathMTU/128))<<28
}

func (c Config) caps1() uint32 {
	return uint32(c.Pages) | uint32(min(c.Replay, 0xFF))<<16 // the field has no room for more
}

// caps2 does not tell what the timers' unit is in clock cycles: there is no clock.
func (c Config) caps2() uint32 {
	caps := uint32(c.Reads) << 8
	if !c.NoCongestion {
		caps |= format.CapsCongestion
	}
	if c.NoAtomics {
		caps |= format.CapsNoAtomics
	}
	if c.NoKeyRequests {
		caps |= format.CapsNoKeyOps
	}
	return caps
}
