package rxpath_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/blocks/rxpath"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

var widths = []int{64, 128, 256, 512}

// params are those of a receive side with room for bytes of each kind.
func params(width, bytes int) rxpath.Params {
	return rxpath.Params{DataWidth: width, Beats: bytes * 8 / width, Frames: 64, RawBeats: bytes * 8 / width}
}

func build(t testing.TB, p rxpath.Params) (*hdl.Design, *rxpath.IO) {
	t.Helper()
	design, io, err := hdl.Build(rxpath.Def(p))
	require.NoError(t, err)
	return design, io
}

// eachWidth runs a test on a receive side of each width in each simulator.
func eachWidth(t *testing.T, bytes int, test func(t *testing.T, s *sim.Sim, io *rxpath.IO)) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := build(t, params(width, bytes))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) { test(t, s, io) }, linktest.Others(width)...)
		})
	}
}

// tally counts outcomes.
type tally struct{ accepted, passed, full, refused int }

// check holds outcomes against the reference. Frames that the reference takes may
// have found no room.
func check(t *testing.T, all []rxpath.Frame, got []rxpath.Outcome, count *tally) {
	t.Helper()
	require.Len(t, got, len(all))
	for i, o := range got {
		want := golden.Receive(all[i].Data, all[i].Bad)
		require.Equal(t, uint8(want.ICRC), o.ICRC, "ICRC of frame %d", i)
		if o.Reason == format.ReasonBufferFull {
			require.NotEqual(t, format.Dropped, want.Reason.Verdict(), "frame %d had another reason: %v", i, want.Reason)
			count.full++
			continue
		}
		require.Equal(t, want.Reason, o.Reason, "frame %d: %x", i, all[i].Data)
		switch want.Reason.Verdict() {
		case format.Accepted:
			count.accepted++
			require.True(t, format.Same(want.Descriptor, o.Descriptor), "frame %d:\nwant %+v\ngot  %+v", i, want.Descriptor, o.Descriptor)
			require.Equal(t, len(want.Payload), len(o.Payload))
			if len(want.Payload) > 0 {
				require.Equal(t, want.Payload, o.Payload, "payload of frame %d", i)
			}
		case format.Passed:
			count.passed++
			require.Equal(t, all[i].Data, o.Raw, "frame %d on Raw", i)
		default:
			count.refused++
		}
	}
}

// counters holds the hardware's counters against the outcomes.
func counters(t *testing.T, s *sim.Sim, io *rxpath.IO, count tally) {
	t.Helper()
	s.Run(2)
	got := tally{int(s.Get(io.Accepted)), int(s.Get(io.Passed)), int(s.Get(io.Full)), int(s.Get(io.Refused))}
	require.Equal(t, count, got)
}

// mixture is frames of every kind, a few of them marked bad.
func mixture(g *frames.Generator, n int) []rxpath.Frame {
	var all []rxpath.Frame
	for i := range n {
		all = append(all, rxpath.Frame{Data: g.Next().Data, Bad: i%13 == 7})
	}
	return all
}

// Random, mutated and foreign frames, with gaps and pauses of all kinds.
func TestAgainstReference(t *testing.T) {
	for name, in := range hdltest.Patterns(hdltest.Seed(t)) {
		t.Run(name, func(t *testing.T) {
			eachWidth(t, 8192, func(t *testing.T, s *sim.Sim, io *rxpath.IO) {
				seed := hdltest.Seed(t)
				out := hdltest.Patterns(seed)
				r := rxpath.NewReceiver(s, io, rxpath.Patterns{In: in, Header: out["rare"], Payload: out["rare"], Raw: out["bursts"]})
				g := frames.NewGenerator(seed)
				g.MaxFrame = 9000
				var count tally
				for range 4 {
					all := mixture(g, 60)
					got, err := r.Receive(context.Background(), all)
					require.NoError(t, err)
					check(t, all, got, &count)
				}
				counters(t, s, io, count)
				require.Greater(t, count.accepted, 60)
			})
		})
	}
}

// With buffers that are too small and takers that are slow, frames are dropped
// whole and reported, and what is reported accepted leaves unchanged. A host that
// takes nothing holds up no packet.
func TestNoRoom(t *testing.T) {
	eachWidth(t, 2048, func(t *testing.T, s *sim.Sim, io *rxpath.IO) {
		seed := hdltest.Seed(t)
		slow := sim.Pattern{Kind: sim.Random, Percent: 25, Seed: seed}
		r := rxpath.NewReceiver(s, io, rxpath.Patterns{Header: slow, Payload: slow, Raw: slow})
		g := frames.NewGenerator(seed)
		g.MaxPayload, g.MaxFrame = 1024, 1500
		var count tally
		for range 5 {
			all := mixture(g, 100)
			got, err := r.Receive(context.Background(), all)
			require.NoError(t, err)
			check(t, all, got, &count)
		}
		counters(t, s, io, count)
		require.Greater(t, count.full, 20)
		require.Greater(t, count.accepted, 20)

		good := packet(t, format.OpSendOnly, 1000)
		got, err := r.Receive(context.Background(), []rxpath.Frame{{Data: good}})
		require.NoError(t, err)
		check(t, []rxpath.Frame{{Data: good}}, got, &count)
		require.Equal(t, format.ReasonOK, got[0].Reason, "the next good frame")
	})
}

func packet(t testing.TB, op format.Opcode, payload int) []byte {
	t.Helper()
	frame, err := frames.Build(format.TxDescriptor[uint64]{
		Opcode: uint64(op), PadCnt: uint64(-payload) & 3, PKey: format.PKeyDefault, DestQP: 0x12, SrcPort: 0xC001,
	}, make([]byte, payload))
	require.NoError(t, err)
	return frame
}

// Frames for the host that nobody takes do not hold up packets, nor the other way
// round.
func TestRawAndPacketsAreApart(t *testing.T) {
	never := sim.Pattern{Kind: sim.Never}
	arp := append(make([]byte, 12), append([]byte{8, 6}, make([]byte, 46)...)...)
	eachWidth(t, 1024, func(t *testing.T, s *sim.Sim, io *rxpath.IO) {
		in := sim.NewSource(s, io.In, sim.Pattern{})
		headers := sim.NewSink(s, io.Header, sim.Pattern{})
		payload := sim.NewSink(s, io.Payload, sim.Pattern{})
		raw := sim.NewSink(s, io.Raw, never)
		s.Reset(2)
		const n = 100
		for range n {
			hdltest.SendFrame(in, arp)
			hdltest.SendFrame(in, packet(t, format.OpSendOnly, 100))
		}
		s.Await(50*n, headers.Beats(n))
		s.Await(50*n, payload.Frames(n))
		require.NoError(t, s.Err())
		require.NotZero(t, s.Get(io.Full), "frames for the host had no room")

		s.Run(100)
		headers.SetPattern(never)
		raw.SetPattern(sim.Pattern{})
		s.Run(1000)
		before := raw.Count()
		for range n {
			hdltest.SendFrame(in, packet(t, format.OpSendOnly, 100))
			hdltest.SendFrame(in, arp)
		}
		s.Await(50*n, in.Drained())
		s.Run(500)
		require.NoError(t, s.Err())
		beats := uint64((len(arp)*8 + io.In.Data.Data.Width() - 1) / io.In.Data.Data.Width())
		require.EqualValues(t, n*beats, raw.Count()-before, "beats of frames for the host")
	})
}

// A beat goes in and out every cycle: the shortest packets, back to back, and
// packets of the largest MTU.
func TestBeatEveryCycle(t *testing.T) {
	for _, width := range widths {
		design, io := build(t, params(width, 16384))
		for _, payload := range []int{0, 4, 4096} {
			t.Run(fmt.Sprint(width, " ", payload), func(t *testing.T) {
				s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)})
				in := sim.NewSource(s, io.In, sim.Pattern{})
				headers := sim.NewSink(s, io.Header, sim.Pattern{})
				out := sim.NewSink(s, io.Payload, sim.Pattern{})
				s.Reset(2)
				const n = 200
				frame := packet(t, format.OpSendOnly, payload)
				beats := (len(frame)*8 + width - 1) / width
				for range n {
					hdltest.SendFrame(in, frame)
				}
				before := s.Cycle()
				s.Await(2*n*beats, in.Drained())
				require.LessOrEqual(t, s.Cycle()-before, uint64(n*beats+2), "cycles in")
				s.Await(1000, headers.Beats(n))
				s.Run(1000)
				require.NoError(t, s.Err())
				taken := headers.Take()
				require.Len(t, taken, n)
				require.EqualValues(t, (n-1)*beats, taken[n-1].Cycle-taken[0].Cycle, "cycles from the first descriptor to the last")
				if payload == 4096 {
					f := hdltest.TakeFrames(out)
					require.EqualValues(t, payload*8/width-1, f[n-1].Last-f[n-1].First, "cycles of a payload")
				}
				require.EqualValues(t, n, s.Get(io.Accepted))
			})
		}
	}
}

// Frames that soft-RoCE hosts and other projects' NICs sent.
func TestCaptures(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/rxe/*.pcap")
	require.NoError(t, err)
	vectors, err := filepath.Glob("../../../shared/vectors/*.hex")
	require.NoError(t, err)
	if paths = append(paths, vectors...); len(paths) == 0 {
		t.Skip("no captured frames in ../shared")
	}
	eachWidth(t, 65536, func(t *testing.T, s *sim.Sim, io *rxpath.IO) {
		r := rxpath.NewReceiver(s, io, rxpath.Patterns{})
		var count tally
		for _, path := range paths {
			captured, err := frames.Load(path)
			require.NoError(t, err)
			captured = captured[:min(len(captured), 300)]
			var all []rxpath.Frame
			for _, f := range captured {
				all = append(all, rxpath.Frame{Data: f.Data})
			}
			got, err := r.Receive(context.Background(), all)
			require.NoError(t, err, path)
			check(t, all, got, &count)
		}
		require.Zero(t, count.full)
		require.Greater(t, count.accepted, 500)
	})
}

// A frame that is never reported, because the context ended, is an error.
func TestReceiveCancelled(t *testing.T) {
	design, io := build(t, params(64, 2048))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	r := rxpath.NewReceiver(s, io, rxpath.Patterns{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := r.Receive(ctx, []rxpath.Frame{{Data: make([]byte, 60)}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestParams(t *testing.T) {
	for _, c := range []struct {
		p    rxpath.Params
		want string
	}{
		{rxpath.Params{DataWidth: 63, Beats: 16, Frames: 4, RawBeats: 16}, "data width of 63 bits"},
		{rxpath.Params{DataWidth: 64, Beats: 16, Frames: 4, RawBeats: 5}, "room for 5 beats of raw frames"},
	} {
		require.ErrorContains(t, c.p.Validate(), c.want)
		_, _, err := hdl.Build(rxpath.Def(c.p))
		require.ErrorContains(t, err, c.want)
	}
}

func BenchmarkReceive(b *testing.B) {
	for _, simulator := range []sim.Simulator{sim.NativeSimulator, verilator.Simulator} {
		for _, width := range []int{64, 512} {
			b.Run(fmt.Sprint(simulator.Name, " ", width), func(b *testing.B) {
				design, io := build(b, params(width, 16384))
				hdltest.BenchmarkCycles(b, simulator, design, func(s *sim.Sim) func() {
					in := sim.NewSource(s, io.In, sim.Pattern{})
					discard := func(p sim.StreamPorts) { sim.NewSinkOf(s, p, sim.Pattern{}, sim.SinkOptions{Discard: true}) }
					discard(sim.Ports(s, io.Header.Valid, io.Header.Ready, io.Header.Data))
					discard(sim.Ports(s, io.Payload.Valid, io.Payload.Ready, io.Payload.Data))
					discard(sim.Ports(s, io.Raw.Valid, io.Raw.Ready, io.Raw.Data))
					frame := hdltest.PackFrame(in, packet(b, format.OpSendOnly, 1024), false)
					return func() {
						for in.Pending() < 8192 {
							in.SendWords(frame)
						}
					}
				})
			})
		}
	}
}
