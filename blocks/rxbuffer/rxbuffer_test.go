package rxbuffer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/blocks/rxbuffer"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

var widths = []int{64, 128, 256, 512}

// A packet is what the parser and the ICRC make of one frame.
type packet struct {
	header  format.RxDescriptor[uint64]
	payload []byte
	reason  format.Reason // of the parser
	there   bool          // an ICRC is there
	good    bool          // it is
}

// verdict is the packet's reason as far as room does not matter.
func (p packet) verdict() format.Reason {
	if p.reason == format.ReasonOK && !p.good {
		return format.ReasonICRC
	}
	return p.reason
}

func build(t testing.TB, p rxbuffer.Params) (*hdl.Design, *rxbuffer.IO) {
	t.Helper()
	design, io, err := hdl.Build(rxbuffer.Def(p))
	require.NoError(t, err)
	return design, io
}

// bench drives a buffer as the parser does: the payload of a frame beat by beat,
// its status and descriptor together in one cycle, with the last beat or later.
type bench struct {
	t       *testing.T
	s       *sim.Sim
	io      *rxbuffer.IO
	beat    int // bytes
	verdict *sim.Source
	header  *sim.Sink
	payload *sim.Sink
	report  *sim.Sink
	writing bool // the descriptor has not been taken
}

func newBench(t *testing.T, s *sim.Sim, io *rxbuffer.IO, verdict, out sim.Pattern) *bench {
	reports := sim.Ports(s, io.Report.Valid, hdl.Bits{}, [2]hdl.Bits{io.Report.Reason, io.Report.ICRC})
	b := &bench{
		t: t, s: s, io: io, beat: io.Payload.Data.Data.Width() / 8,
		verdict: sim.NewSource(s, io.Verdict, verdict),
		header:  sim.NewSink(s, io.OutHeader, out),
		payload: sim.NewSink(s, io.OutPayload, out),
		report:  sim.NewSinkOf(s, reports, sim.Pattern{}, sim.SinkOptions{}),
	}
	s.Set(io.Status.Valid, 0)
	s.Set(io.Header.Valid, 0)
	s.Set(io.Payload.Valid, 0)
	s.Set(io.Payload.Data.Err, 0)
	s.Reset(2)
	return b
}

// step runs a cycle and withdraws what was taken in it.
func (b *bench) step() {
	statusTaken := b.s.Get(b.io.Status.Ready) == 1
	headerTaken := b.s.Get(b.io.Header.Ready) == 1
	b.s.Step()
	b.s.Set(b.io.Payload.Valid, 0)
	if statusTaken {
		b.s.Set(b.io.Status.Valid, 0)
	}
	if headerTaken {
		b.s.Set(b.io.Header.Valid, 0)
		b.writing = false
	}
	require.NoError(b.t, b.s.Err())
}

// send puts a packet on the wire; the status comes some cycles after the payload.
func (b *bench) send(p packet, later int) {
	for at := 0; at < len(p.payload); at += b.beat {
		n := min(b.beat, len(p.payload)-at)
		b.s.Set(b.io.Payload.Valid, 1)
		b.s.SetBytes(b.io.Payload.Data.Data, append(p.payload[at:at+n:at+n], make([]byte, b.beat-n)...))
		keep := make([]byte, (b.beat+7)/8)
		for i := range n {
			keep[i/8] |= 1 << (i % 8)
		}
		b.s.SetBytes(b.io.Payload.Data.Keep, keep)
		last := at+b.beat >= len(p.payload)
		b.s.Set(b.io.Payload.Data.Last, bit(last))
		if !last || later > 0 {
			b.step()
		}
	}
	for range later - 1 {
		b.step()
	}
	ok := p.reason == format.ReasonOK
	for waited := 0; ok && b.writing || b.s.Get(b.io.Status.Ready) == 0; waited++ {
		require.Less(b.t, waited, 5000, "the status is not taken")
		b.step()
	}
	b.s.Set(b.io.Status.Valid, 1)
	b.s.Set(b.io.Status.Data.Reason, uint64(p.reason))
	b.s.Set(b.io.Status.Data.Packet, bit(p.there))
	if ok {
		b.writing = true
		b.describe(p.header)
	}
	b.verdict.Send(p.good)
	b.step()
}

// describe offers a descriptor.
func (b *bench) describe(d format.RxDescriptor[uint64]) {
	b.s.Set(b.io.Header.Valid, 1)
	h := b.io.Header.Data
	for _, f := range []struct {
		port  hdl.Bits
		value uint64
	}{
		{h.VLAN, d.VLAN}, {h.TCI, d.TCI}, {h.IPv6, d.IPv6}, {h.TrafficClass, d.TrafficClass},
		{h.SrcHi, d.SrcHi}, {h.SrcLo, d.SrcLo}, {h.DstHi, d.DstHi}, {h.DstLo, d.DstLo}, {h.SrcPort, d.SrcPort},
		{h.Opcode, d.Opcode}, {h.Undefined, d.Undefined}, {h.CNP, d.CNP}, {h.SE, d.SE}, {h.MigReq, d.MigReq},
		{h.PadCnt, d.PadCnt}, {h.FECN, d.FECN}, {h.BECN, d.BECN}, {h.DestQP, d.DestQP}, {h.AckReq, d.AckReq},
		{h.PSN, d.PSN}, {h.PayloadLen, d.PayloadLen},
		{h.Ext[0], d.Ext[0]}, {h.Ext[1], d.Ext[1]}, {h.Ext[2], d.Ext[2]}, {h.Ext[3], d.Ext[3]},
		{h.Ext[4], d.Ext[4]}, {h.Ext[5], d.Ext[5]}, {h.Ext[6], d.Ext[6]},
	} {
		b.s.Set(f.port, f.value)
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// reports returns the reports since the last call, once there are n.
func (b *bench) reports(n int) []format.Reason {
	for b.writing {
		b.step()
	}
	b.s.Await(5000, b.report.Beats(n))
	require.NoError(b.t, b.s.Err())
	var reasons []format.Reason
	for _, r := range sim.Received[struct{ Reason, ICRC uint8 }](b.report) {
		reasons = append(reasons, format.Reason(r.Reason))
	}
	return reasons
}

// expect takes what left the buffer, and holds it against the packets.
func (b *bench) expect(want []packet) {
	b.s.Run(100 * (len(want) + 10))
	for range want {
		b.s.Run(50)
	}
	headers, payloads := sim.Received[format.RxDescriptor[uint64]](b.header), hdltest.TakeFrames(b.payload)
	require.NoError(b.t, b.s.Err())
	require.Len(b.t, headers, len(want), "descriptors")
	for i, p := range want {
		require.Equal(b.t, p.header, headers[i], "descriptor %d", i)
		if len(p.payload) > 0 {
			require.NotEmpty(b.t, payloads, "payload %d", i)
			require.Equal(b.t, p.payload, payloads[0].Data, "payload %d", i)
			require.False(b.t, payloads[0].Err)
			payloads = payloads[1:]
		}
	}
	require.Empty(b.t, payloads, "payloads too many")
	require.Zero(b.t, b.s.Get(b.io.Used), "beats left")
}

// random makes packets.
type random struct{ *rand.Rand }

// packet is a random one with a payload of less than most bytes.
func (r random) packet(most int) packet {
	p := packet{payload: make([]byte, r.IntN(most)), there: true, good: r.IntN(4) > 0}
	for i := range p.payload {
		p.payload[i] = byte(r.Uint32())
	}
	h := &p.header
	h.VLAN, h.TCI, h.IPv6, h.TrafficClass = r.bits(1), r.bits(16), r.bits(1), r.bits(8)
	h.SrcHi, h.SrcLo, h.DstHi, h.DstLo, h.SrcPort = r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(), r.bits(16)
	h.Opcode, h.Undefined, h.CNP, h.SE, h.MigReq, h.PadCnt = r.bits(8), r.bits(1), r.bits(1), r.bits(1), r.bits(1), r.bits(2)
	h.FECN, h.BECN, h.DestQP, h.AckReq, h.PSN = r.bits(1), r.bits(1), r.bits(24), r.bits(1), r.bits(24)
	for i := range h.Ext {
		h.Ext[i] = r.bits(32)
	}
	h.PayloadLen = uint64(len(p.payload))
	switch r.IntN(10) {
	case 0: // no packet at all
		p.reason, p.payload, p.there = format.ReasonEtherType, nil, false
	case 1: // a packet that turned out bad
		p.reason = format.ReasonBadFrame
	}
	return p
}

func (r random) bits(n int) uint64 { return r.Uint64() >> (64 - n) }

func eachWidth(t *testing.T, beats, places int, test func(t *testing.T, s *sim.Sim, io *rxbuffer.IO, r random)) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, rxbuffer.Params{DataWidth: width, Beats: beats, Frames: places})
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				test(t, s, io, random{rand.New(rand.NewPCG(hdltest.Seed(t), 1))})
			}, linktest.Others(width)...)
		})
	}
}

// One packet after the other, with no reader until the end: room for payload is
// that of the model, exactly.
func TestAgainstModel(t *testing.T) {
	const beats, places = 64, 64
	eachWidth(t, beats, places, func(t *testing.T, s *sim.Sim, io *rxbuffer.IO, r random) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{Kind: sim.Never})
		model := rxbuffer.NewModel(b.beat, beats, places)
		sent := 0
		for range 4 {
			var stored []packet
			for range 40 {
				p := r.packet(12 * b.beat)
				b.send(p, r.IntN(3))
				sent++
				want := model.Write(p.header, p.payload, p.verdict())
				require.Equal(t, []format.Reason{want}, b.reports(sent), "packet %d", sent)
				b.step() // room that became free can be used now
				b.step()
				require.EqualValues(t, model.Used(), s.Get(io.Used), "beats in use")
				if want == format.ReasonOK {
					stored = append(stored, p)
				}
			}
			b.header.SetPattern(sim.Pattern{})
			b.payload.SetPattern(sim.Pattern{})
			b.expect(stored)
			for range stored {
				model.Read()
			}
			b.header.SetPattern(sim.Pattern{Kind: sim.Never})
			b.payload.SetPattern(sim.Pattern{Kind: sim.Never})
			s.Run(2)
		}
		c := model.Counters()
		require.EqualValues(t, c.Stored, s.Get(io.Stored))
		require.EqualValues(t, c.Full, s.Get(io.Full))
		require.EqualValues(t, c.Highest, s.Get(io.HighWater))
		require.NotZero(t, c.Full, "the buffer was full")
		require.NotZero(t, s.Covered("no_room"))
	})
}

// Packets at full pace, with verdicts and takers at any pace: each is reported
// once and in order, for its own reason or because there was no room; those
// reported good leave unchanged; and in the end there is room for the next one.
func TestFullPace(t *testing.T) {
	for name, pattern := range hdltest.Patterns(hdltest.Seed(t)) {
		t.Run(name, func(t *testing.T) {
			eachWidth(t, 32, 8, func(t *testing.T, s *sim.Sim, io *rxbuffer.IO, r random) {
				b := newBench(t, s, io, sim.Pattern{Kind: sim.Random, Percent: 60, Seed: r.Uint64()}, pattern)
				var all, stored []packet
				for range 300 {
					all = append(all, r.packet(10*b.beat))
					b.send(all[len(all)-1], r.IntN(2))
				}
				full := 0
				for i, reason := range b.reports(len(all)) {
					switch {
					case reason == format.ReasonOK:
						stored = append(stored, all[i])
						require.Equal(t, format.ReasonOK, all[i].verdict(), "packet %d", i)
					case reason == format.ReasonBufferFull:
						full++
						require.Equal(t, format.ReasonOK, all[i].verdict(), "packet %d", i)
					default:
						require.Equal(t, all[i].verdict(), reason, "packet %d", i)
					}
				}
				b.header.SetPattern(sim.Pattern{})
				b.payload.SetPattern(sim.Pattern{})
				b.expect(stored)
				require.NotEmpty(t, stored)
				require.EqualValues(t, full, s.Get(io.Full))

				largest := r.packet(10)
				largest.payload = make([]byte, 32*b.beat)
				largest.header.PayloadLen, largest.reason, largest.good = uint64(32*b.beat), format.ReasonOK, true
				if len(largest.payload) <= format.MTUMax {
					b.send(largest, 0)
					require.Equal(t, []format.Reason{format.ReasonOK}, b.reports(len(all)+1), "the next good packet")
					b.expect([]packet{largest})
				}
			})
		})
	}
}

// A bad packet behind which another was written is passed over by the reader; one
// behind which nothing was written is forgotten at once.
func TestBadPacketsGiveTheirRoomBack(t *testing.T) {
	eachWidth(t, 16, 4, func(t *testing.T, s *sim.Sim, io *rxbuffer.IO, r random) {
		b := newBench(t, s, io, sim.Pattern{Kind: sim.Never}, sim.Pattern{})
		make := func(beats int, good bool) packet {
			p := r.packet(1)
			p.payload, p.reason, p.there, p.good = make([]byte, beats*b.beat), format.ReasonOK, true, good
			p.header.PayloadLen = uint64(len(p.payload))
			return p
		}
		first, bad, second := make(3, true), make(4, false), make(5, true)
		for _, p := range []packet{first, bad, second} {
			b.send(p, 0)
		}
		require.EqualValues(t, 12, s.Get(io.Used), "no verdict yet")
		b.verdict.SetPattern(sim.Pattern{})
		require.Equal(t, []format.Reason{format.ReasonOK, format.ReasonICRC, format.ReasonOK}, b.reports(3))
		b.expect([]packet{first, second})

		b.header.SetPattern(sim.Pattern{Kind: sim.Never})
		s.Run(2)
		for i := range 20 { // more than fit
			b.send(make(9, false), 0)
			require.Equal(t, []format.Reason{format.ReasonICRC}, b.reports(4+i))
			require.Zero(t, s.Get(io.Used))
		}
		for _, cover := range []string{"goes_back", "passes_over", "packet_leaves"} {
			require.NotZero(t, s.Covered(cover), cover)
		}
	})
}

// A beat goes in and out every cycle.
func TestBeatEveryCycle(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, rxbuffer.Params{DataWidth: width, Beats: 8192 * 8 / width, Frames: 16})
			s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)})
			b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
			r := random{rand.New(rand.NewPCG(1, 1))}
			const n = 10
			before := s.Cycle()
			for range n {
				p := r.packet(1)
				p.payload, p.reason, p.good = make([]byte, 4096), format.ReasonOK, true
				p.header.PayloadLen = 4096
				b.send(p, 0)
			}
			beats := uint64(4096 * 8 / width)
			require.Equal(t, n*beats, s.Cycle()-before, "cycles in")
			s.Await(2000, b.payload.Frames(n))
			frames := hdltest.TakeFrames(b.payload)
			require.Equal(t, n*beats, frames[n-1].Last-frames[0].First+1, "cycles out")
		})
	}
}

// Descriptors without payload leave as fast as the shortest packets arrive.
func TestDescriptorRate(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, rxbuffer.Params{DataWidth: width, Beats: 64, Frames: 16})
			s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)})
			b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
			const n = 100
			var all []packet
			for range n {
				p := random{rand.New(rand.NewPCG(1, 1))}.packet(1)
				p.reason, p.good = format.ReasonOK, true
				all = append(all, p)
				b.send(p, 0)
			}
			for _, reason := range b.reports(n) {
				require.Equal(t, format.ReasonOK, reason)
			}
			s.Await(2000, b.header.Beats(n))
			require.NoError(t, s.Err())
			taken := b.header.Take()
			require.EqualValues(t, (n-1)*512/width, taken[n-1].Cycle-taken[0].Cycle, "cycles between the first and the last")
		})
	}
}

// Descriptors leave while the payload of packets before them waits.
func TestDescriptorsLeaveAhead(t *testing.T) {
	eachWidth(t, 64, 16, func(t *testing.T, s *sim.Sim, io *rxbuffer.IO, r random) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		b.payload.SetPattern(sim.Pattern{Kind: sim.Never})
		s.Run(2)
		var all []packet
		for range 8 {
			p := r.packet(1)
			p.payload, p.reason, p.there, p.good = make([]byte, 4*b.beat), format.ReasonOK, true, true
			p.header.PayloadLen = uint64(len(p.payload))
			all = append(all, p)
			b.send(p, 0)
		}
		s.Await(500, b.header.Beats(len(all)))
		require.Zero(t, b.payload.Count())
		b.payload.SetPattern(sim.Pattern{})
		b.expect(all)
	})
}

func TestParams(t *testing.T) {
	for _, c := range []struct {
		p    rxbuffer.Params
		want string
	}{
		{rxbuffer.Params{DataWidth: 100, Beats: 16, Frames: 4}, "data width of 100 bits"},
		{rxbuffer.Params{DataWidth: 64, Beats: 2, Frames: 4}, "room for 2 beats"},
		{rxbuffer.Params{DataWidth: 64, Beats: 24, Frames: 4}, "room for 24 beats"},
		{rxbuffer.Params{DataWidth: 64, Beats: 16, Frames: 1}, "room for 1 descriptors"},
		{rxbuffer.Params{DataWidth: 64, Beats: 16, Frames: 6}, "room for 6 descriptors"},
	} {
		require.ErrorContains(t, c.p.Validate(), c.want)
		_, _, err := hdl.Build(rxbuffer.Def(c.p))
		require.ErrorContains(t, err, c.want)
	}
}
