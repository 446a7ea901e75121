package packetbuild_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/blocks/packetbuild"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tb/golden"
	"gornic/tb/golden/roce"
)

var widths = []int{64, 128, 256, 512}

// A packet is what goes into the builder.
type packet struct {
	desc    format.TxDescriptor[uint64]
	payload []byte // as it is sent: of the descriptor's length, unless a fault is meant
	err     bool   // of the payload's last beat
}

// bad tells that the frame has to end with Err.
func (p packet) bad() bool { return p.err || uint64(len(p.payload)) != p.desc.PayloadLen }

// builder is a builder of some width.
type builder struct {
	design *hdl.Design
	io     *packetbuild.IO
}

func newBuilder(t testing.TB, width int) builder {
	design, io, err := hdl.Build(packetbuild.Def(packetbuild.Params{DataWidth: width}))
	require.NoError(t, err)
	return builder{design, io}
}

// patterns are the gaps of the two inputs and the pauses of the output.
type patterns struct{ desc, payload, out sim.Pattern }

// frames sends packets and returns the frames that come out.
func (b builder) frames(t testing.TB, s *sim.Sim, packets []packet, p patterns) []hdltest.Frame {
	desc := sim.NewSource(s, b.io.Desc, p.desc)
	payload := sim.NewSource(s, b.io.Payload, p.payload)
	out := sim.NewSink(s, b.io.Out, p.out)
	s.Reset(1)
	bytes := 0
	for _, p := range packets {
		desc.Send(p.desc)
		switch {
		case p.desc.PayloadLen == 0:
		case p.err:
			hdltest.SendBadFrame(payload, p.payload)
		default:
			hdltest.SendFrame(payload, p.payload)
		}
		bytes += 110 + len(p.payload)
	}
	s.Await(30*(bytes/8+10*len(packets)), out.Frames(len(packets)))
	s.Run(50)
	require.NoError(t, s.Err())
	got := hdltest.TakeFrames(out)
	require.Len(t, got, len(packets), "one frame a packet")
	return got
}

// requireFrames compares the frames with the reference. Of a packet with a fault
// only Err is looked at.
func requireFrames(t testing.TB, packets []packet, got []hdltest.Frame) {
	t.Helper()
	for i, p := range packets {
		require.Equal(t, p.bad(), got[i].Err, "packet %d", i)
		if p.bad() {
			continue
		}
		want, err := roce.Build(p.desc, p.payload)
		require.NoError(t, err)
		require.Equal(t, want, got[i].Data, "packet %d: %v, payload of %d bytes", i, format.Opcode(p.desc.Opcode), len(p.payload))
	}
}

// random returns packets of any opcode and any legal payload.
func random(seed uint64, n int) []packet {
	g := frames.NewGenerator(seed)
	g.MaxPayload = 600
	packets := make([]packet, n)
	for i := range packets {
		packets[i].desc, packets[i].payload = g.Packet()
	}
	return packets
}

func TestFrames(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			b := newBuilder(t, width)
			seed := hdltest.Seed(t)
			packets := random(seed, 300)
			payload, out := hdltest.Patterns(seed+10), hdltest.Patterns(seed+20)
			for name, gaps := range hdltest.Patterns(seed) {
				t.Run(name, func(t *testing.T) {
					hdltest.EachSim(t, b.design, func(t *testing.T, s *sim.Sim) {
						requireFrames(t, packets, b.frames(t, s, packets, patterns{gaps, payload[name], out[name]}))
					}, linktest.Others(width)...)
				})
			}
		})
	}
}

// Every opcode, defined or not, with every combination of tag and IP version, and payloads
// of every length around one and two beats.
func TestEveryHeaderAndLength(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			b := newBuilder(t, width)
			r := rand.New(rand.NewPCG(hdltest.Seed(t), 0))
			var packets []packet
			add := func(op, variant, length int) {
				g := frames.NewGenerator(r.Uint64())
				p := packet{payload: make([]byte, length)}
				p.desc, _ = g.Packet()
				p.desc.Opcode, p.desc.VLAN, p.desc.IPv6 = uint64(op), uint64(variant&1), uint64(variant>>1)
				p.desc.PayloadLen, p.desc.PadCnt = uint64(length), uint64(-length)&3
				p.desc.SrcHi, p.desc.DstHi = r.Uint64(), r.Uint64()
				for i := range p.payload {
					p.payload[i] = byte(r.Uint32())
				}
				for i := range p.desc.Ext {
					p.desc.Ext[i] = uint64(r.Uint32())
				}
				packets = append(packets, p)
			}
			for op := range 256 {
				for v := range 4 {
					add(op, v, r.IntN(2)*r.IntN(20))
				}
			}
			for length := range 2*width/8 + 10 {
				for v := range 4 {
					add(int(format.OpSendOnly)+r.IntN(20), v, length)
				}
			}
			add(int(format.OpSendOnly), 0, format.MTUMax)
			s := hdltest.Open(t, sim.NativeSimulator, b.design, sim.Options{Seed: r.Uint64()})
			requireFrames(t, packets, b.frames(t, s, packets, patterns{}))
		})
	}
}

// Every frame of the captures that a receiver accepts, taken apart, is built
// again byte for byte.
func TestCaptures(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/rxe/*.pcap")
	if err != nil || len(paths) == 0 {
		t.Skip("no captured frames in ../shared/rxe")
	}
	vectors, err := filepath.Glob("../../../shared/vectors/*.hex")
	require.NoError(t, err)
	var packets []packet
	var want [][]byte
	for _, path := range append(paths, vectors...) {
		all, err := frames.Load(path)
		require.NoError(t, err)
		for _, f := range all {
			rx := golden.Receive(f.Data, false)
			if rx.Reason != format.ReasonOK {
				continue
			}
			d, err := roce.Rebuild(rx.Descriptor, f.Data)
			require.NoError(t, err)
			packets = append(packets, packet{desc: d, payload: rx.Payload})
			want = append(want, f.Data)
		}
	}
	require.Greater(t, len(packets), 800)
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			b := newBuilder(t, width)
			hdltest.EachSim(t, b.design, func(t *testing.T, s *sim.Sim) {
				for i, got := range b.frames(t, s, packets, patterns{}) {
					require.Equal(t, want[i], got.Data, "packet %d", i)
				}
			}, linktest.Others(width)...)
		})
	}
}

// A payload that is too short, too long or marked bad ends its frame with Err,
// and the next packets are whole.
func TestFaults(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			b := newBuilder(t, width)
			seed := hdltest.Seed(t)
			r := rand.New(rand.NewPCG(seed, 0))
			packets := random(seed, 300)
			for i := range packets {
				p := &packets[i]
				if len(p.payload) == 0 {
					continue
				}
				switch r.IntN(6) {
				case 0:
					p.err = true
				case 1:
					p.payload = p.payload[:1+r.IntN(len(p.payload))]
				case 2:
					p.payload = append(p.payload, make([]byte, r.IntN(200))...)
				case 3: // by little
					p.payload = append(p.payload, make([]byte, 1)...)
				}
			}
			payload, out := hdltest.Patterns(seed+10), hdltest.Patterns(seed+20)
			for name, gaps := range hdltest.Patterns(seed) {
				t.Run(name, func(t *testing.T) {
					hdltest.EachSim(t, b.design, func(t *testing.T, s *sim.Sim) {
						requireFrames(t, packets, b.frames(t, s, packets, patterns{gaps, payload[name], out[name]}))
					}, linktest.Others(width)...)
				})
			}
		})
	}
}
