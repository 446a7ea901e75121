package rxparse_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/blocks/rxparse"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tb/golden/roce"
)

var widths = []int{64, 128, 256, 512}

func build(t testing.TB, width int) (*hdl.Design, *rxparse.IO) {
	t.Helper()
	design, io, err := hdl.Build(rxparse.Def(rxparse.Params{DataWidth: width}))
	require.NoError(t, err)
	return design, io
}

// A sample is a frame from the MAC.
type sample struct {
	data []byte
	bad  bool
}

// parsed is what came out for some frames.
type parsed struct {
	status  []status
	headers []format.RxDescriptor[uint64]
	payload []hdltest.Frame
	raw     []hdltest.Frame
	cycles  uint64 // from the first beat in to the last status
}

type status struct {
	Reason format.Reason
	Packet bool
}

// patterns are those of In and of the four outputs.
type patterns struct{ in, status, header, payload, raw sim.Pattern }

// run sends frames through the parser.
func run(t *testing.T, s *sim.Sim, io *rxparse.IO, all []sample, p patterns) parsed {
	t.Helper()
	in := sim.NewSource(s, io.In, p.in)
	outStatus := sim.NewSink(s, io.Status, p.status)
	header := sim.NewSink(s, io.Header, p.header)
	payload := sim.NewSink(s, io.Payload, p.payload)
	raw := sim.NewSink(s, io.Raw, p.raw)
	s.Reset(2)
	beats := 0
	for _, f := range all {
		in.SendWords(hdltest.PackFrame(in, f.data, f.bad))
		beats += len(f.data)*8/io.In.Data.Data.Width() + 1
	}
	before := s.Cycle()
	s.Await(1000+60*beats, outStatus.Beats(len(all)))
	cycles := s.Cycle() - before
	s.Run(1000) // what is left: at most a beat or a descriptor on each output
	require.NoError(t, s.Err())
	return parsed{
		sim.Received[status](outStatus), sim.Received[format.RxDescriptor[uint64]](header),
		hdltest.TakeFrames(payload), hdltest.TakeFrames(raw), cycles,
	}
}

// checkAll holds what came out against the reference.
func checkAll(t *testing.T, all []sample, got parsed, width int) {
	t.Helper()
	require.Len(t, got.status, len(all), "one status a frame")
	require.Len(t, got.raw, len(all), "one frame on Raw for each, those with Err included")
	var payloads [][]byte
	for _, f := range got.payload {
		if !f.Err {
			payloads = append(payloads, f.Data)
		}
	}
	for i, f := range all {
		want := roce.Parse(f.data, f.bad)
		require.Equal(t, status{want.Reason, want.Packet}, got.status[i], "frame %d: %x", i, f.data)
		passed := want.Reason.Verdict() == format.Passed
		require.Equal(t, !passed, got.raw[i].Err, "Err of frame %d on Raw", i)
		if passed {
			require.Equal(t, f.data, got.raw[i].Data, "frame %d on Raw", i)
		}
		if want.Reason == format.ReasonOK {
			require.NotEmpty(t, got.headers, "descriptor of frame %d", i)
			require.True(t, format.Same(want.Descriptor, got.headers[0]), "frame %d:\nwant %+v\ngot  %+v", i, want.Descriptor, got.headers[0])
			got.headers = got.headers[1:]
		}
		if want.Reason == format.ReasonOK && len(want.Payload) > 0 || leavesEarly(f.data, width/8) {
			require.NotEmpty(t, payloads, "payload of frame %d", i)
			if want.Reason == format.ReasonOK {
				require.Equal(t, want.Payload, payloads[0], "payload of frame %d", i)
			}
			payloads = payloads[1:]
		}
	}
	require.Empty(t, got.headers, "descriptors of no frame")
	require.Empty(t, payloads, "payloads of no frame")
}

// leavesEarly tells whether a frame's payload leaves without Err whatever the
// reason: its headers are sound, and its last beat leaves before the frame's last
// beat of so many bytes is there.
func leavesEarly(frame []byte, beat int) bool {
	p := roce.Parse(frame, false)
	if p.BTH == nil || p.PayloadLen < 1 {
		return false
	}
	whole := append(bytes.Clone(frame), make([]byte, max(0, p.End-len(frame)))...)
	if p = roce.Parse(whole, false); p.Reason != format.ReasonOK {
		return false
	}
	start := p.End - format.ICRCSize - int(p.Descriptor.PadCnt) - p.PayloadLen
	last := start/beat + (p.PayloadLen+beat-1)/beat - 1
	return last < (len(frame)-1)/beat
}

// mixture is frames of every kind, a few of them marked bad.
func mixture(seed uint64, n int) []sample {
	g := frames.NewGenerator(seed)
	g.MaxPayload, g.MaxFrame = 700, 4500
	var all []sample
	for i := range n {
		all = append(all, sample{g.Next().Data, i%13 == 7})
	}
	return all
}

func TestAgainstReference(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, width)
			seed := hdltest.Seed(t)
			all := mixture(seed, 400)
			out := hdltest.Patterns(seed ^ 0xFFFF)
			for name, in := range hdltest.Patterns(seed) {
				p := patterns{in: in, status: out["rare"], header: out["bursts"], payload: out[name], raw: out["half"]}
				if name == "full speed" {
					p = patterns{}
				}
				t.Run(name, func(t *testing.T) {
					hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
						checkAll(t, all, run(t, s, io, all, p), width)
					}, linktest.Others(width)...)
				})
			}
		})
	}
}

// Good frames of every layout and header length, cut after each byte, with a
// frame that is good behind each: it is accepted, whatever came before.
func TestEveryLength(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, width)
			g := frames.NewGenerator(hdltest.Seed(t))
			next, err := frames.Build(packet(format.OpSendOnly, 0, 0, 5), []byte("hello"))
			require.NoError(t, err)
			var all []sample
			for _, op := range []format.Opcode{format.OpSendOnly, format.OpAcknowledge, format.OpWriteOnlyImm, format.OpCmpSwap} {
				for layout := range uint64(4) {
					frame, err := frames.Build(packet(op, layout&1, layout>>1, 37), g.Good().Data[:37])
					require.NoError(t, err)
					for n := 1; n <= len(frame); n++ {
						all = append(all, sample{frame[:n], false}, sample{next, false})
					}
				}
			}
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				checkAll(t, all, run(t, s, io, all, patterns{}), width)
			}, linktest.Others(width)...)
		})
	}
}

// packet describes one with a payload of n bytes.
func packet(op format.Opcode, vlan, ipv6 uint64, n int) format.TxDescriptor[uint64] {
	return format.TxDescriptor[uint64]{
		VLAN: vlan, TCI: 0x2345, IPv6: ipv6, SrcPort: 0xC001, Opcode: uint64(op), PadCnt: uint64(-n) & 3,
		PKey: format.PKeyDefault, DestQP: 0x123456, PSN: 0xABCDEF, PayloadLen: uint64(n),
	}
}

// IPv4 options of every length, before and behind a tag, to the port of RoCEv2
// and to others.
func TestOptions(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, width)
			var all []sample
			for tag := range uint64(2) {
				for words := 1; words <= 10; words++ {
					for _, port := range []uint16{4791, 4790, 0xB712} {
						frame, err := frames.Build(packet(format.OpSendOnly, tag, 0, 8), make([]byte, 8))
						require.NoError(t, err)
						ip := 14 + 4*int(tag)
						frame[ip] += byte(words)
						options := bytes.Repeat([]byte{0x12, 0xB7}, 2*words) // look like the port
						frame = append(frame[:ip+20:ip+20], append(options, frame[ip+20:]...)...)
						udp := ip + 20 + 4*words
						frame[udp+2], frame[udp+3] = byte(port>>8), byte(port)
						all = append(all, sample{frame, false}, sample{frame[:udp+7], false}, sample{frame[:udp+8], false})
					}
				}
			}
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				checkAll(t, all, run(t, s, io, all, patterns{}), width)
			}, linktest.Others(width)...)
		})
	}
}

// Frames of up to 128 KiB, and payloads around the largest.
func TestLongFrames(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, width)
			var all []sample
			for layout := range uint64(4) {
				for _, n := range []int{4095, 4096, 4097, 8191, 65000} {
					frame, err := frames.Build(packet(format.OpWriteOnly, layout&1, layout>>1, n), make([]byte, n))
					require.NoError(t, err)
					all = append(all, sample{frame, false}, sample{frame[:len(frame)-1], false}, sample{frame, true})
				}
				frame, err := frames.Build(packet(format.OpSendMiddle, layout&1, layout>>1, 256), make([]byte, 256))
				require.NoError(t, err)
				for _, behind := range []int{1, 1000, 1<<17 + 5} {
					all = append(all, sample{append(bytes.Clone(frame), make([]byte, behind)...), false})
				}
			}
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				checkAll(t, all, run(t, s, io, all, patterns{}), width)
			}, linktest.Others(width)...)
		})
	}
}

// A beat goes in every cycle, and out: of the shortest packets, of those with a
// payload of 4096 bytes, and of frames of one byte.
func TestBeatEveryCycle(t *testing.T) {
	for _, width := range widths {
		design, io := build(t, width)
		for _, c := range []struct {
			name    string
			op      format.Opcode
			payload int
			cut     int // length of the frame, 0 for all of it
		}{
			{"shortest", format.OpSendOnly, 0, 0},
			{"acknowledge", format.OpAcknowledge, 0, 0},
			{"4096 bytes", format.OpSendMiddle, 4096, 0},
			{"one byte", format.OpSendOnly, 0, 1},
		} {
			t.Run(fmt.Sprint(width, " ", c.name), func(t *testing.T) {
				frame, err := frames.Build(packet(c.op, 0, 0, c.payload), make([]byte, c.payload))
				require.NoError(t, err)
				if c.cut > 0 {
					frame = frame[:c.cut]
				}
				const n = 50
				all := make([]sample, n)
				for i := range all {
					all[i].data = frame
				}
				s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)})
				got := run(t, s, io, all, patterns{})
				checkAll(t, all, got, width)
				beats := uint64(n * ((len(frame) + width/8 - 1) / (width / 8)))
				require.LessOrEqual(t, got.cycles, beats+6, "cycles for %d beats", beats)
				if width == 64 && c.payload == 4096 {
					f := got.payload[n-1]
					require.EqualValues(t, 4096*8/width-1, f.Last-f.First, "cycles of a payload")
				}
			})
		}
	}
}

func TestParams(t *testing.T) {
	for _, width := range []int{0, 8, 32, 96, 1024} {
		p := rxparse.Params{DataWidth: width}
		require.ErrorContains(t, p.Validate(), fmt.Sprintf("%d bits", width))
		_, _, err := hdl.Build(rxparse.Def(p))
		require.ErrorContains(t, err, "64, 128, 256 or 512")
	}
}

func BenchmarkParse(b *testing.B) {
	for _, width := range widths {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			design, io := build(b, width)
			hdltest.BenchmarkCycles(b, sim.NativeSimulator, design, func(s *sim.Sim) func() {
				in := sim.NewSource(s, io.In, sim.Pattern{})
				discard := func(p sim.StreamPorts) { sim.NewSinkOf(s, p, sim.Pattern{}, sim.SinkOptions{Discard: true}) }
				discard(sim.Ports(s, io.Status.Valid, io.Status.Ready, io.Status.Data))
				discard(sim.Ports(s, io.Header.Valid, io.Header.Ready, io.Header.Data))
				discard(sim.Ports(s, io.Payload.Valid, io.Payload.Ready, io.Payload.Data))
				discard(sim.Ports(s, io.Raw.Valid, io.Raw.Ready, io.Raw.Data))
				frame := hdltest.PackFrame(in, frames.NewGenerator(1).Good().Data, false)
				return func() {
					for in.Pending() < 8192 {
						in.SendWords(frame)
					}
				}
			})
		})
	}
}
