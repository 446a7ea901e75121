package ethport_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/mac"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// clockSets are clocks of the three domains, unrelated in all ways that matter. A picosecond of 8 ns is 125 ppm.
var clockSets = map[string]map[string]sim.Timing{
	"rx fast":      {"": {Period: 16000, Phase: 5000}, "net": {Period: 8001}, "rx": {Period: 8000, Phase: 3100}},
	"rx slow":      {"": {Period: 16000, Phase: 700}, "net": {Period: 8000}, "rx": {Period: 8001, Phase: 2900}},
	"core 100 MHz": {"": {Period: 10000, Phase: 1300}, "net": {Period: 8000}, "rx": {Period: 7999, Phase: 11}},
	"core 50 MHz":  {"": {Period: 20000, Phase: 1300}, "net": {Period: 8000}, "rx": {Period: 7999, Phase: 11}},
}

// bench drives the pins of a port and counts what it says.
type bench struct {
	t      *testing.T
	s      *sim.Sim
	io     *ethport.IO
	rx     *sim.Sink
	frames *hdltest.Frames
	tx     *sim.Source
	pins   *sim.Sink
	counts map[string]*sim.Sink
}

func clockOf(s *sim.Sim, name string) *ir.Clock {
	for _, c := range s.Design().Top.Clocks {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func newBench(t *testing.T, s *sim.Sim, io *ethport.IO) *bench {
	b := &bench{t: t, s: s, io: io, counts: map[string]*sim.Sink{}}
	b.rx, b.tx = sim.NewSink(s, io.Rx, sim.Pattern{}), sim.NewSource(s, io.Tx, sim.Pattern{})
	b.frames = hdltest.NewFrames(b.rx)
	out := sim.StreamPorts{Clock: clockOf(s, "net"), Valid: io.TxPins.Rise.Ctl.Signal()}
	for _, pin := range []hdl.Bits{io.TxPins.Rise.Data, io.TxPins.Fall.Data, io.TxPins.Fall.Ctl} {
		out.Data = append(out.Data, pin.Signal())
	}
	b.pins = sim.NewSinkOf(s, out, sim.Pattern{}, sim.SinkOptions{})
	c := io.Count
	for name, pulse := range map[string]hdl.Bits{
		"good": c.RxGood, "bad FCS": c.RxBadFCS, "short": c.RxShort, "long": c.RxLong, "PHY error": c.RxPHYError, "overrun": c.RxOverrun,
		"tx good": c.TxGood, "tx aborted": c.TxAborted, "tx underrun": c.TxUnderrun,
	} {
		ports := sim.StreamPorts{Clock: clockOf(s, ""), Valid: pulse.Signal()}
		b.counts[name] = sim.NewSinkOf(s, ports, sim.Pattern{}, sim.SinkOptions{})
	}
	s.Reset(4)
	b.idle(20)
	return b
}

// send puts symbols on the receive pins, one a cycle of rx.
func (b *bench) send(symbols []mac.WireSymbol) {
	for _, symbol := range symbols {
		b.put(ethport.ToPins(symbol))
	}
}

func (b *bench) put(p ethport.WirePins) {
	b.s.Set(b.io.RxPins.Rise.Data, uint64(p.Rise&15))
	b.s.Set(b.io.RxPins.Rise.Ctl, uint64(p.Rise>>4))
	b.s.Set(b.io.RxPins.Fall.Data, uint64(p.Fall&15))
	b.s.Set(b.io.RxPins.Fall.Ctl, uint64(p.Fall>>4))
	b.s.RunClock("rx", 1)
}

func (b *bench) idle(cycles int) {
	for range cycles {
		b.put(ethport.Idle(true, 2, true))
	}
}

// sent is the frames on the transmit pins, each with the cycles of its first and last byte.
type sent struct {
	wire        []byte
	first, last uint64
}

func (b *bench) sent() []sent {
	var list []sent
	beats := b.pins.Take()
	for i, beat := range beats {
		ports := b.pins.Ports()
		low, high := ports.Field(beat, 0)[0], ports.Field(beat, 1)[0]
		require.Equal(b.t, uint64(1), ports.Field(beat, 2)[0], "TX_ER")
		if i == 0 || beat.Cycle != beats[i-1].Cycle+1 {
			list = append(list, sent{first: beat.Cycle})
		}
		f := &list[len(list)-1]
		f.wire, f.last = append(f.wire, byte(high<<4|low)), beat.Cycle
	}
	return list
}

func (b *bench) requireCounts(want map[string]int) {
	b.t.Helper()
	for name, sink := range b.counts {
		require.Equal(b.t, uint64(want[name]), sink.Count(), name)
	}
}

func random(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// wire is a frame's symbols and the gap behind it.
func wire(frame []byte, bad bool, gap int) []mac.WireSymbol {
	var symbols []mac.WireSymbol
	for _, b := range mac.Encode(frame, bad) {
		symbols = append(symbols, mac.WireSymbol{Data: b, Enable: true})
	}
	for range gap {
		symbols = append(symbols, mac.WireSymbol{Data: 0xDD}) // link, 1 Gb/s, full duplex
	}
	return symbols
}

// Frames of the least length, back to back in both directions at once, with clocks that are off: nothing is lost, and the
// transmitter leaves no more than the gap.
func TestLineRate(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.DefaultParams()))
	for name, clocks := range clockSets {
		var others []sim.Simulator
		if name == "rx fast" {
			others = append(others, verilator.Simulator)
		}
		t.Run(name, func(t *testing.T) {
			o := sim.Options{Seed: hdltest.Seed(t), Clocks: clocks}
			hdltest.EachSimWith(t, design, o, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
				b := newBench(t, s, io)
				const frames = 120
				var want [][]byte
				for range frames {
					frame := random(r, 60)
					want = append(want, frame)
					hdltest.SendFrame(b.tx, frame)
				}
				for _, frame := range want {
					b.send(wire(frame, false, 12))
				}
				b.idle(300)
				got := b.frames.Take()
				require.Len(t, got, frames)
				left := b.sent()
				require.Len(t, left, frames)
				for i := range frames {
					require.Equal(t, want[i], got[i].Data, "received %d", i)
					require.False(t, got[i].Err)
					require.Equal(t, mac.Encode(want[i], false), left[i].wire, "sent %d", i)
					if i > 0 {
						require.Equal(t, left[i-1].first+84, left[i].first, "gap before %d", i)
					}
				}
				b.requireCounts(map[string]int{"good": frames, "tx good": frames})
			}, others...)
		})
	}
}

// The longest frames back to back: the FIFO of symbols makes good for the clocks.
func TestLongestFrames(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.DefaultParams()))
	for _, name := range []string{"rx fast", "rx slow"} {
		t.Run(name, func(t *testing.T) {
			s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clockSets[name]})
			r := rand.New(rand.NewPCG(2, 1))
			b := newBench(t, s, io)
			var want [][]byte
			for range 3 {
				want = append(want, random(r, mac.JumboFrame-4))
				hdltest.SendFrame(b.tx, want[len(want)-1])
			}
			for _, frame := range want {
				b.send(wire(frame, false, 12))
			}
			b.idle(300)
			got, left := b.frames.Take(), b.sent()
			require.Len(t, got, 3)
			require.Len(t, left, 3)
			for i := range want {
				require.Equal(t, want[i], got[i].Data)
				require.Equal(t, mac.Encode(want[i], false), left[i].wire)
			}
			b.requireCounts(map[string]int{"good": 3, "tx good": 3})
		})
	}
}

// Frames with everything that can be wrong: what the core gets is what the reference makes of the wire.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.Params{MaxFrame: mac.StandardFrame, Words: 32, Start: 4}))
	for name, clocks := range clockSets {
		t.Run(name, func(t *testing.T) {
			s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clocks, Seed: hdltest.Seed(t)})
			r := rand.New(rand.NewPCG(hdltest.Seed(t), 3))
			b := newBench(t, s, io)
			b.rx.SetPattern(hdltest.Gaps(t, 30))
			var symbols []mac.WireSymbol
			for range 60 {
				frame := random(r, 1+r.IntN(200))
				if r.IntN(10) == 0 {
					frame = random(r, mac.StandardFrame-10+r.IntN(20))
				}
				symbols = append(symbols, spoil(r, wire(frame, r.IntN(6) == 0, 12+r.IntN(5)))...)
			}
			b.send(symbols)
			b.idle(300)
			counts, want := map[string]int{}, []mac.Decoded{}
			for _, d := range mac.Decode(symbols, mac.StandardFrame) {
				counts[d.Outcome.String()]++
				if len(d.Data) > 0 {
					want = append(want, d)
				}
			}
			got := b.frames.Take()
			require.Len(t, got, len(want))
			for i, f := range got {
				require.Equal(t, want[i].Data, f.Data, "frame %d", i)
				require.Equal(t, want[i].Outcome != mac.Good, f.Err, "frame %d, %s", i, want[i].Outcome)
			}
			b.requireCounts(counts)
		})
	}
}

// spoil does something to a frame, now and then.
func spoil(r *rand.Rand, symbols []mac.WireSymbol) []mac.WireSymbol {
	at := r.IntN(len(symbols))
	switch r.IntN(8) {
	case 0:
		symbols[at].Error = symbols[at].Enable // between frames it is no frame's error
	case 1:
		symbols[at].Data ^= 1 << r.IntN(8)
	case 2:
		symbols[at].Enable = false
	case 3: // a frame of few bytes, or of none
		return symbols[len(symbols)-12-1-r.IntN(20):]
	}
	return symbols
}

// The core does not take frames for a while: those that find no room are cut or dropped, all of them are counted, and
// what is good is whole.
func TestOverrun(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.DefaultParams()))
	hdltest.EachSimWith(t, design, sim.Options{Clocks: clockSets["rx fast"]}, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(4, 1))
		b := newBench(t, s, io)
		var want [][]byte
		for i := range 60 {
			frame := random(r, 60+r.IntN(200))
			want = append(want, frame)
			switch i {
			case 10:
				b.rx.SetPattern(sim.Pattern{Kind: sim.Never})
			case 30:
				b.rx.SetPattern(sim.Pattern{})
			}
			b.send(wire(frame, false, 12))
		}
		b.idle(300)
		whole, cut, at := 0, 0, 0
		for _, f := range b.frames.Take() {
			if f.Err {
				cut++
				continue
			}
			for at < len(want) && string(want[at]) != string(f.Data) {
				at++
			}
			require.Less(t, at, len(want), "a frame that nobody sent, or out of order")
			whole++
		}
		require.Equal(t, uint64(60), b.counts["good"].Count()) // on the wire all are
		lost := int(b.counts["overrun"].Count())
		require.Greater(t, lost, 10)
		require.Equal(t, 60, whole+lost)
		require.LessOrEqual(t, cut, lost)
	}, verilator.Simulator)
}

// The core pauses inside a frame: it is cut with a wrong FCS, and the next one is whole. One with Err leaves with a wrong FCS, too.
func TestUnderrunAndAbort(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.DefaultParams()))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clockSets["rx slow"]})
	b := newBench(t, s, io)
	r := rand.New(rand.NewPCG(5, 1))
	slow, next, bad := random(r, 400), random(r, 70), random(r, 90)
	words := hdltest.PackFrame(b.tx, slow, false)
	per := b.tx.Ports().BeatWords()
	b.tx.SendWords(words[:20*per])
	b.idle(1000)
	b.tx.SendWords(words[20*per:])
	hdltest.SendFrame(b.tx, next)
	hdltest.SendBadFrame(b.tx, bad)
	b.idle(1000)
	left := b.sent()
	require.Len(t, left, 3)
	symbols := func(wire []byte) []mac.WireSymbol {
		var list []mac.WireSymbol
		for _, b := range wire {
			list = append(list, mac.WireSymbol{Data: b, Enable: true})
		}
		return append(list, mac.WireSymbol{})
	}
	cut := mac.Decode(symbols(left[0].wire), mac.StandardFrame)[0]
	require.Equal(t, mac.BadFCS, cut.Outcome)
	require.Equal(t, slow[:160], cut.Data[:160])
	require.Equal(t, mac.Encode(next, false), left[1].wire)
	require.Equal(t, mac.Encode(bad, true), left[2].wire)
	b.requireCounts(map[string]int{"tx good": 1, "tx aborted": 1, "tx underrun": 1})
}

// A frame does not start before its first words have come, however slowly they come.
func TestStart(t *testing.T) {
	for _, start := range []int{1, 8} {
		t.Run(fmt.Sprint(start), func(t *testing.T) {
			design, io := hdltest.Build(t, ethport.Def(ethport.Params{MaxFrame: mac.StandardFrame, Words: 16, Start: start}))
			s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clockSets["rx slow"]})
			b := newBench(t, s, io)
			words := hdltest.PackFrame(b.tx, make([]byte, 100), false)
			before := (start - 1) / 2 * b.tx.Ports().BeatWords() // too few
			b.tx.SendWords(words[:before])
			b.idle(200)
			require.Empty(t, b.sent())
			b.tx.SendWords(words[before:])
			b.idle(400)
			require.Len(t, b.sent(), 1)
			b.requireCounts(map[string]int{"tx good": 1})
		})
	}
}

func TestStatus(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.DefaultParams()))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clockSets["rx fast"]})
	b := newBench(t, s, io)
	for _, want := range []ethport.WirePins{ethport.Idle(true, 2, true), ethport.Idle(false, 0, false), ethport.Idle(true, 1, false)} {
		for range 100 {
			b.put(want)
		}
		b.send(wire(random(rand.New(rand.NewPCG(6, 6)), 300), false, 1)[:200]) // the inside of a frame says nothing
		status := s.Get(io.Status.Link) | s.Get(io.Status.Speed)<<1 | s.Get(io.Status.Duplex)<<3
		require.Equal(t, uint64(want.Rise&15), status)
	}
}

// A PHY whose clock stands still, or nearly, has no link.
func TestStatusWithoutClock(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.DefaultParams()))
	clocks := map[string]sim.Timing{"": {Period: 16000}, "net": {Period: 8000}, "rx": {Period: 400000}} // 2.5 MHz
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clocks})
	b := newBench(t, s, io)
	b.idle(60)
	require.Equal(t, uint64(1), s.Get(io.Status.Link))

	clocks["rx"] = sim.Timing{Period: 40_000_000}
	s = hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clocks})
	s.Set(io.RxPins.Rise.Data, 1)
	s.Reset(4)
	s.RunClock("rx", 2)
	require.Equal(t, uint64(0), s.Get(io.Status.Link))
}

// Reset in the middle of traffic leaves nothing behind.
func TestReset(t *testing.T) {
	design, io := hdltest.Build(t, ethport.Def(ethport.DefaultParams()))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Clocks: clockSets["rx fast"]})
	b := newBench(t, s, io)
	r := rand.New(rand.NewPCG(7, 1))
	for cut := range 12 {
		b.tx.SendWords(hdltest.PackFrame(b.tx, random(r, 300), false)[:30])
		b.send(wire(random(r, 300), false, 12)[:100+11*cut])
		s.Reset(4)
		b.idle(40)
		b.rx.Take()
		b.frames = hdltest.NewFrames(b.rx)
		b.sent()
		require.Zero(t, b.tx.Pending())
		frame := random(r, 100)
		hdltest.SendFrame(b.tx, frame)
		b.send(wire(frame, false, 12))
		b.idle(200)
		got, left := b.frames.Take(), b.sent()
		require.Len(t, left, 1)
		require.Equal(t, mac.Encode(frame, false), left[0].wire)
		require.Len(t, got, 1)
		require.Equal(t, frame, got[0].Data)
	}
}

func TestPins(t *testing.T) {
	for data := range 256 {
		for flags := range 4 {
			s := mac.WireSymbol{Data: byte(data), Enable: flags&1 != 0, Error: flags&2 != 0}
			require.Equal(t, s, ethport.FromPins(ethport.ToPins(s)))
		}
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, ethport.DefaultParams().Validate())
	for _, p := range []ethport.Params{
		{MaxFrame: 100, Words: 16, Start: 8}, {MaxFrame: 1522, Words: 8, Start: 4}, {MaxFrame: 1522, Words: 24, Start: 4},
		{MaxFrame: 1522, Words: 16, Start: 0}, {MaxFrame: 1522, Words: 64, Start: 9}, {MaxFrame: 1522, Words: 1024, Start: 8},
	} {
		require.Error(t, p.Validate(), "%+v", p)
	}
}
