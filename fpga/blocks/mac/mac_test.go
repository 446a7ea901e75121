package mac_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/mac"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// udp is a frame of an independent builder, without FCS.
func udp(t *testing.T, payload []byte) []byte {
	eth := &layers.Ethernet{
		SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}, EthernetType: layers.EthernetTypeIPv4,
	}
	ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: net.IP{10, 0, 0, 1}, DstIP: net.IP{10, 0, 0, 2}}
	u := &layers.UDP{SrcPort: 1, DstPort: 4791}
	require.NoError(t, u.SetNetworkLayerForChecksum(ip))
	buf := gopacket.NewSerializeBuffer()
	o := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	require.NoError(t, gopacket.SerializeLayers(buf, o, eth, ip, u, gopacket.Payload(payload)))
	return slices.Clone(buf.Bytes())
}

func random(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// wire is the symbols of bytes on the wire, and one idle symbol behind them.
func wire(data []byte) []mac.WireSymbol {
	var symbols []mac.WireSymbol
	for _, b := range data {
		symbols = append(symbols, mac.WireSymbol{Data: b, Enable: true})
	}
	return append(symbols, mac.WireSymbol{Data: 0xD})
}

// receiveBench sends symbols and takes frames and results.
type receiveBench struct {
	in     *sim.Source
	frames *hdltest.Frames
	pulses []*sim.Sink
}

func newReceiveBench(s *sim.Sim, io *mac.ReceiveIO, gaps sim.Pattern) *receiveBench {
	b := &receiveBench{in: sim.NewSource(s, io.In, gaps), frames: hdltest.NewFrames(sim.NewSink(s, io.Out, sim.Pattern{}))}
	r := io.Result
	for _, pulse := range []sim.StreamPorts{
		{Valid: r.Good.Signal()}, {Valid: r.BadFCS.Signal()}, {Valid: r.Short.Signal()},
		{Valid: r.Long.Signal()}, {Valid: r.PHYError.Signal()}, {Valid: r.Lost.Signal()},
	} {
		pulse.Clock = s.Design().Top.Clocks[0]
		b.pulses = append(b.pulses, sim.NewSinkOf(s, pulse, sim.Pattern{}, sim.SinkOptions{}))
	}
	s.Reset(2)
	return b
}

func (b *receiveBench) send(symbols []mac.WireSymbol) {
	for _, s := range symbols {
		b.in.Send(s)
	}
}

// check runs until all symbols are in, and holds what came out against the reference.
func (b *receiveBench) check(t *testing.T, s *sim.Sim, symbols []mac.WireSymbol, maxFrame int) {
	b.send(symbols)
	s.Await(100*len(symbols)+100, b.in.Drained())
	s.Run(4)
	want := mac.Decode(symbols, maxFrame)
	var beats []mac.Decoded
	counts := map[mac.Outcome]uint64{}
	for _, d := range want {
		counts[d.Outcome]++
		if len(d.Data) > 0 {
			beats = append(beats, d)
		}
	}
	got := b.frames.Take()
	require.Len(t, got, len(beats))
	for i, f := range got {
		require.Equal(t, beats[i].Data, f.Data, "frame %d, %s", i, beats[i].Outcome)
		require.Equal(t, beats[i].Outcome != mac.Good, f.Err, "frame %d, %s", i, beats[i].Outcome)
	}
	for o := mac.Good; o <= mac.Lost; o++ {
		require.Equal(t, counts[o], b.pulses[o].Count(), o.String())
	}
}

func TestReceive(t *testing.T) {
	design, io := hdltest.Build(t, mac.ReceiveDef(mac.Params{MaxFrame: mac.StandardFrame}))
	for _, gaps := range []uint32{0, 40} {
		t.Run(fmt.Sprint(gaps), func(t *testing.T) {
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
				b := newReceiveBench(s, io, hdltest.Gaps(t, gaps))
				var symbols []mac.WireSymbol
				for range 120 {
					symbols = append(symbols, damage(r, wire(someFrame(t, r)))...)
				}
				b.check(t, s, symbols, mac.StandardFrame)
			}, verilator.Simulator)
		})
	}
}

// someFrame is bytes on the wire: good, too short or too long, with a preamble of any length.
func someFrame(t *testing.T, r *rand.Rand) []byte {
	frame := udp(t, random(r, r.IntN(300)))
	switch r.IntN(8) {
	case 0: // all lengths from nothing to those just good
		short := random(r, r.IntN(66))
		return append([]byte{0x55, 0xD5}, binary.LittleEndian.AppendUint32(short, crc32.ChecksumIEEE(short))...)
	case 1: // around the limit
		frame = random(r, mac.StandardFrame-4+r.IntN(4)-2)
	case 2:
		frame = random(r, mac.StandardFrame+r.IntN(300))
	}
	encoded := mac.Encode(frame, r.IntN(8) == 0)
	if n := r.IntN(9); n < 7 {
		return encoded[n:] // a PHY ate some of the preamble
	}
	return append(slices.Repeat([]byte{0x55}, r.IntN(20)), encoded...)
}

// damage does something to a frame, now and then.
func damage(r *rand.Rand, symbols []mac.WireSymbol) []mac.WireSymbol {
	at := r.IntN(len(symbols))
	switch r.IntN(12) {
	case 0:
		symbols[at].Error = true
	case 1:
		symbols[at].Lost = true
	case 2:
		symbols[at].Data ^= 1 << r.IntN(8)
	case 3: // cut short
		symbols[at].Enable = false
	case 4: // an idle symbol more
		symbols = append(symbols, mac.WireSymbol{Lost: r.IntN(2) == 0})
	}
	return symbols
}

func TestReceiveFrameLengths(t *testing.T) {
	for name, c := range map[string]struct {
		bytes int // with FCS
		want  mac.Outcome
	}{
		"63": {63, mac.Short}, "64": {64, mac.Good}, "limit": {mac.JumboFrame, mac.Good}, "beyond": {mac.JumboFrame + 1, mac.Long},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			design, io := hdltest.Build(t, mac.ReceiveDef(mac.Params{MaxFrame: mac.JumboFrame}))
			s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
			b := newReceiveBench(s, io, sim.Pattern{})
			frame := random(r, c.bytes-4)
			onWire := append([]byte{0x55, 0xD5}, binary.LittleEndian.AppendUint32(frame, crc32.ChecksumIEEE(frame))...)
			b.send(wire(onWire))
			s.Await(20000, b.in.Drained())
			s.Run(4)
			require.Equal(t, uint64(1), b.pulses[c.want].Count())
			got := b.frames.Take()
			require.Len(t, got, 1)
			require.Equal(t, c.want != mac.Good, got[0].Err)
			if c.want == mac.Good {
				require.Equal(t, frame, got[0].Data)
			}
		})
	}
}

// Every single-bit error of a frame is found.
func TestReceiveFindsEveryBitError(t *testing.T) {
	design, io := hdltest.Build(t, mac.ReceiveDef(mac.Params{MaxFrame: mac.StandardFrame}))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newReceiveBench(s, io, sim.Pattern{})
	encoded := mac.Encode(udp(t, []byte("every bit")), false)
	bits := 8 * (len(encoded) - 8)
	for i := range bits {
		wrong := slices.Clone(encoded)
		wrong[8+i/8] ^= 1 << (i % 8)
		b.send(wire(wrong))
	}
	s.Await(100*bits, b.in.Drained())
	s.Run(4)
	require.Equal(t, uint64(bits), b.pulses[mac.BadFCS].Count())
	for _, f := range b.frames.Take() {
		require.True(t, f.Err)
	}
}

// sent is a frame that is given to the transmitter, and what goes wrong.
type sent struct {
	data []byte
	err  bool
}

// onWire is a run of symbols with Enable high.
type onWire struct {
	data        []byte
	first, last uint64 // cycles
}

func runs(beats []sim.Beat) []onWire {
	var list []onWire
	for i, b := range beats {
		if i == 0 || b.Cycle != beats[i-1].Cycle+1 {
			list = append(list, onWire{first: b.Cycle})
		}
		f := &list[len(list)-1]
		f.data, f.last = append(f.data, byte(b.Words[0])), b.Cycle
	}
	return list
}

func symbolSink(s *sim.Sim, io *mac.TransmitIO) *sim.Sink {
	ports := sim.StreamPorts{Clock: s.Design().Top.Clocks[0], Valid: io.Out.Enable.Signal()}
	ports.Data = append(ports.Data, io.Out.Data.Signal())
	return sim.NewSinkOf(s, ports, sim.Pattern{}, sim.SinkOptions{})
}

func TestTransmit(t *testing.T) {
	design, io := hdltest.Build(t, mac.TransmitDef())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 3))
		in, out := sim.NewSource(s, io.In, sim.Pattern{}), symbolSink(s, io)
		s.Reset(2)
		var frames []sent
		total := 0
		for i := range 150 {
			f := sent{random(r, 1+i), r.IntN(5) == 0}
			if i > 100 {
				f.data = udp(t, random(r, r.IntN(1400)))
			}
			frames = append(frames, f)
			total += max(60, len(f.data)) + 24
			if f.err {
				hdltest.SendBadFrame(in, f.data)
			} else {
				hdltest.SendFrame(in, f.data)
			}
		}
		s.Run(total + 20)
		got := runs(out.Take())
		require.Len(t, got, len(frames))
		for i, f := range frames {
			require.Equal(t, mac.Encode(f.data, f.err), got[i].data, "frame %d", i)
			if i > 0 { // as close as they may be
				require.Equal(t, got[i-1].last+13, got[i].first, "gap before frame %d", i)
			}
		}
	}, verilator.Simulator)
}

// A byte that is late cuts the frame: it ends with a wrong FCS, and the next one is whole.
func TestTransmitUnderrun(t *testing.T) {
	design, io := hdltest.Build(t, mac.TransmitDef())
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		for _, late := range []int{1, 5, 59, 60, 100, 299} { // bytes before the one that is late
			in, out := sim.NewSource(s, io.In, sim.Pattern{}), symbolSink(s, io)
			s.Reset(2)
			data := random(rand.New(rand.NewPCG(1, uint64(late))), 300)
			words := hdltest.PackFrame(in, data, false)
			per := in.Ports().BeatWords()
			in.SendWords(words[:late*per])
			s.Run(8 + late + 100)
			require.Zero(t, in.Pending())
			in.SendWords(words[late*per:])
			hdltest.SendFrame(in, data)
			s.Run(1000)
			got := runs(out.Take())
			require.Len(t, got, 2, "%d", late)
			cut := got[0].data[8:]
			require.GreaterOrEqual(t, len(cut), 64)
			require.Equal(t, data[:late], cut[:late])
			fcs := binary.LittleEndian.Uint32(cut[len(cut)-4:])
			require.Equal(t, ^crc32.ChecksumIEEE(cut[:len(cut)-4]), fcs, "%d: the FCS is not wrong", late)
			require.Equal(t, mac.Encode(data, false), got[1].data)
		}
	}, verilator.Simulator)
}

func TestTransmitResults(t *testing.T) {
	design, io := hdltest.Build(t, mac.TransmitDef())
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	in := sim.NewSource(s, io.In, sim.Pattern{})
	clock := s.Design().Top.Clocks[0]
	good := sim.NewSinkOf(s, sim.StreamPorts{Clock: clock, Valid: io.Result.Good.Signal()}, sim.Pattern{}, sim.SinkOptions{})
	aborted := sim.NewSinkOf(s, sim.StreamPorts{Clock: clock, Valid: io.Result.Aborted.Signal()}, sim.Pattern{}, sim.SinkOptions{})
	underrun := sim.NewSinkOf(s, sim.StreamPorts{Clock: clock, Valid: io.Result.Underrun.Signal()}, sim.Pattern{}, sim.SinkOptions{})
	s.Reset(2)
	data := make([]byte, 100)
	hdltest.SendFrame(in, data)
	hdltest.SendBadFrame(in, data)
	words := hdltest.PackFrame(in, data, false)
	in.SendWords(words[:len(words)/2])
	s.Run(1000)
	in.SendWords(words[len(words)/2:])
	hdltest.SendFrame(in, data)
	s.Run(1000)
	require.Equal(t, []uint64{2, 1, 1}, []uint64{good.Count(), aborted.Count(), underrun.Count()})
}

// What one end sends the other takes.
func TestEncodeDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 1600; n += 13 {
		data := random(r, n)
		got := mac.Decode(wire(mac.Encode(data, false)), mac.JumboFrame)
		require.Equal(t, mac.Good, got[0].Outcome)
		require.Equal(t, data, got[0].Data[:n])
		require.Equal(t, mac.BadFCS, mac.Decode(wire(mac.Encode(data, true)), mac.JumboFrame)[0].Outcome)
	}
}

func TestValidate(t *testing.T) {
	for _, n := range []int{0, mac.StandardFrame - 1, mac.JumboFrame + 1} {
		require.Error(t, mac.Params{MaxFrame: n}.Validate(), "%d", n)
	}
	require.NoError(t, mac.Params{MaxFrame: mac.StandardFrame}.Validate())
	require.NoError(t, mac.Params{MaxFrame: mac.JumboFrame}.Validate())
}
