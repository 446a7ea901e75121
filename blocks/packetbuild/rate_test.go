package packetbuild_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/packetbuild"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// loads are packets back to back: the shortest of RoCEv2, an acknowledgement; those
// of the largest MTU; and one whose payload is a beat or less.
var loads = []struct {
	name    string
	desc    format.TxDescriptor[uint64]
	packets int
}{
	{"ack", format.TxDescriptor[uint64]{Opcode: uint64(format.OpAcknowledge)}, 1000},
	{"mtu4096", format.TxDescriptor[uint64]{Opcode: uint64(format.OpSendMiddle), PayloadLen: 4096}, 20},
	{"write_first", format.TxDescriptor[uint64]{Opcode: uint64(format.OpWriteFirst), PayloadLen: 4096, IPv6: 1, VLAN: 1}, 20},
	{"small", format.TxDescriptor[uint64]{Opcode: uint64(format.OpSendOnly), PayloadLen: 64}, 300},
	{"atomic", format.TxDescriptor[uint64]{Opcode: uint64(format.OpCmpSwap), IPv6: 1}, 300},
}

// cycles sends equal packets back to back. It returns the numbers of beats out
// and of cycles from the first to the last of them.
func (b builder) cycles(t testing.TB, s *sim.Sim, width, n int, desc format.TxDescriptor[uint64]) (beats, cycles int) {
	packets := make([]packet, n)
	for i := range packets {
		packets[i] = packet{desc: desc, payload: make([]byte, desc.PayloadLen)}
	}
	got := b.frames(t, s, packets, patterns{})
	requireFrames(t, packets[:1], got[:1])
	return n * ((8*len(got[0].Data) + width - 1) / width), int(got[n-1].Last-got[0].First) + 1
}

// A beat every cycle, without one missing.
func TestRate(t *testing.T) {
	for _, width := range widths {
		b := newBuilder(t, width)
		for _, l := range loads {
			t.Run(fmt.Sprintf("%d/%s", width, l.name), func(t *testing.T) {
				s := hdltest.Open(t, sim.NativeSimulator, b.design, sim.Options{})
				beats, cycles := b.cycles(t, s, width, l.packets, l.desc)
				require.Equal(t, beats, cycles, "beats and cycles")
			})
		}
	}
}

// The first beat leaves so many cycles after its descriptor is there.
func TestLatency(t *testing.T) {
	for width, want := range map[int]uint64{64: 9, 128: 11, 256: 13, 512: 14} {
		b := newBuilder(t, width)
		s := hdltest.Open(t, sim.NativeSimulator, b.design, sim.Options{})
		desc := sim.NewSource(s, b.io.Desc, sim.Pattern{})
		out := sim.NewSink(s, b.io.Out, sim.Pattern{})
		s.Reset(2)
		desc.Send(loads[0].desc)
		s.Run(1) // it is there from now on
		start := s.Cycle()
		s.Await(100, out.Beats(1))
		require.Equal(t, want, s.Cycle()-1-start, "%d bits", width)
	}
}

// A descriptor that waits for its payload, or the other way round, holds up
// nothing before it; and a frame once begun goes on as its payload comes.
func TestWaiting(t *testing.T) {
	b := newBuilder(t, 512)
	s := hdltest.Open(t, sim.NativeSimulator, b.design, sim.Options{})
	desc := sim.NewSource(s, b.io.Desc, sim.Pattern{})
	payload := sim.NewSource(s, b.io.Payload, sim.Pattern{})
	out := sim.NewSink(s, b.io.Out, sim.Pattern{})
	s.Reset(2)
	ack, send := loads[0].desc, loads[3].desc
	desc.Send(ack, send, ack)
	s.Await(40, out.Frames(1))
	s.Run(100)
	require.Equal(t, uint64(1), out.Count(), "the second packet waits for its payload")
	hdltest.SendFrame(payload, make([]byte, 64))
	s.Await(40, out.Frames(3))

	hdltest.SendFrame(payload, make([]byte, 64))
	s.Run(100)
	require.Equal(t, 1, payload.Pending(), "a payload waits for its descriptor")
	desc.Send(send)
	s.Await(40, out.Frames(4))
	require.NoError(t, s.Err())
}

func TestParams(t *testing.T) {
	for _, width := range []int{0, -64, 32, 96, 1024} {
		_, _, err := hdl.Build(packetbuild.Def(packetbuild.Params{DataWidth: width}))
		require.ErrorContains(t, err, fmt.Sprintf("data width of %d bits", width))
	}
}

func Benchmark(b *testing.B) {
	for _, width := range []int{64, 512} {
		build := newBuilder(b, width)
		for _, l := range loads {
			b.Run(fmt.Sprintf("%d/%s", width, l.name), func(b *testing.B) {
				total, cycles := 0, 0
				for b.Loop() {
					s := hdltest.Open(b, sim.NativeSimulator, build.design, sim.Options{})
					beats, n := build.cycles(b, s, width, l.packets, l.desc)
					total, cycles = total+beats, cycles+n
				}
				b.ReportMetric(float64(total)/float64(cycles), "beats/cycle")
				b.ReportMetric(float64(cycles)/b.Elapsed().Seconds(), "cycles/s")
			})
		}
	}
}

// Every design of the list builds under its name, less the solver that is asked again, and has properties.
func TestProofsBuild(t *testing.T) {
	for _, p := range packetbuild.Proofs() {
		d, err := p.Build()
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(p.Name, "_z3"), d.Top.Name)
		require.NotEmpty(t, d.Top.Checks)
	}
}
