package icrc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/icrc"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/frames"
)

// loads are frames back to back: the shortest of RoCEv2, an acknowledgement, and
// those of the largest MTU.
var loads = []struct {
	name    string
	op      format.Opcode
	payload int
	frames  int
}{
	{"ack", format.OpAcknowledge, 0, 1000},
	{"mtu4096", format.OpSendMiddle, 4096, 20},
}

func load(t testing.TB, op format.Opcode, payload int) []byte {
	frame, err := frames.Build(format.TxDescriptor[uint64]{Opcode: uint64(op)}, make([]byte, payload))
	require.NoError(t, err)
	return frame
}

// beats is the number of beats of so many bytes.
func beats(bytes, width int) int { return (8*bytes + width - 1) / width }

// checkCycles sends frames back to back into a Check, and returns the number of
// beats and of the cycles in which they are taken.
func checkCycles(t testing.TB, s *sim.Sim, c checker, width, frames int, frame []byte) (in, cycles int) {
	src := sim.NewSource(s, c.io.In, sim.Pattern{})
	sim.NewSink(s, c.io.Verdict, sim.Pattern{})
	s.Reset(2)
	s.Run(1) // the sink is ready, and the source begins
	for range frames {
		hdltest.SendFrame(src, frame)
	}
	s.Run(1)
	in = frames * beats(len(frame), width)
	start := s.Cycle()
	s.Await(2*in+10, src.Drained())
	return in, int(s.Cycle() - start)
}

// generateCycles sends frames back to back into a Generate. It returns the
// numbers of beats out and of cycles from the first to the last of them.
func generateCycles(t testing.TB, s *sim.Sim, g generator, width, frames int, frame []byte) (out, cycles int) {
	src := sim.NewSource(s, g.io.In, sim.Pattern{})
	sink := sim.NewSink(s, g.io.Out, sim.Pattern{})
	s.Reset(2)
	for range frames {
		hdltest.SendFrame(src, frame[:len(frame)-format.ICRCSize])
	}
	out = frames * beats(len(frame), width)
	s.Await(2*out+50, sink.Frames(frames))
	got := hdltest.TakeFrames(sink)
	require.Len(t, got, frames)
	return out, int(got[frames-1].Last-got[0].First) + 1
}

// A beat every cycle, without one missing, for the shortest and the longest
// frames.
func TestRate(t *testing.T) {
	for _, width := range widths {
		for _, l := range loads {
			t.Run(fmt.Sprintf("%d/%s", width, l.name), func(t *testing.T) {
				frame := load(t, l.op, l.payload)
				c := newChecker(t, width)
				s := hdltest.Open(t, sim.NativeSimulator, c.design, sim.Options{})
				in, cycles := checkCycles(t, s, c, width, l.frames, frame)
				require.Equal(t, in, cycles, "beats in and cycles of Check")

				for _, wordEnd := range []bool{false, true} {
					g := newGenerator(t, icrc.Params{DataWidth: width, WordEnd: wordEnd})
					s = hdltest.Open(t, sim.NativeSimulator, g.design, sim.Options{})
					out, cycles := generateCycles(t, s, g, width, l.frames, frame)
					require.Equal(t, out, cycles, "beats out and cycles of Generate")
				}
			})
		}
	}
}

// A verdict that is not taken stops In before one is lost; none is late.
func TestCheckLatency(t *testing.T) {
	c := newChecker(t, 512)
	s := hdltest.Open(t, sim.NativeSimulator, c.design, sim.Options{})
	in := sim.NewSource(s, c.io.In, sim.Pattern{})
	out := sim.NewSink(s, c.io.Verdict, sim.Pattern{Kind: sim.Never})
	s.Reset(2)
	for range 40 {
		hdltest.SendFrame(in, load(t, format.OpAcknowledge, 0))
	}
	s.Run(200)
	require.Equal(t, 40-16, in.Pending(), "16 verdicts wait")
	out.SetPattern(sim.Pattern{})
	s.Await(100, out.Beats(40))

	hdltest.SendFrame(in, load(t, format.OpAcknowledge, 0))
	s.Await(100, in.Drained())
	taken := s.Cycle()
	s.Await(100, out.Beats(41))
	require.Equal(t, 6, int(s.Cycle()-taken), "cycles from the beat's to the verdict's")
}

func BenchmarkCheck(b *testing.B) {
	for _, width := range []int{64, 512} {
		for _, l := range loads {
			b.Run(fmt.Sprintf("%d/%s", width, l.name), func(b *testing.B) {
				frame, c := load(b, l.op, l.payload), newChecker(b, width)
				total, cycles := 0, 0
				for b.Loop() {
					s := hdltest.Open(b, sim.NativeSimulator, c.design, sim.Options{})
					in, n := checkCycles(b, s, c, width, l.frames, frame)
					total, cycles = total+in, cycles+n
				}
				b.ReportMetric(float64(total)/float64(cycles), "beats/cycle")
				b.ReportMetric(float64(cycles)/b.Elapsed().Seconds(), "cycles/s")
			})
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, width := range []int{64, 512} {
		for _, l := range loads {
			b.Run(fmt.Sprintf("%d/%s", width, l.name), func(b *testing.B) {
				frame, g := load(b, l.op, l.payload), newGenerator(b, icrc.Params{DataWidth: width, WordEnd: true})
				total, cycles := 0, 0
				for b.Loop() {
					s := hdltest.Open(b, sim.NativeSimulator, g.design, sim.Options{})
					out, n := generateCycles(b, s, g, width, l.frames, frame)
					total, cycles = total+out, cycles+n
				}
				b.ReportMetric(float64(total)/float64(cycles), "beats/cycle")
				b.ReportMetric(float64(cycles)/b.Elapsed().Seconds(), "cycles/s")
			})
		}
	}
}
