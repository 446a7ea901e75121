package icrc_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/icrc"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tb/golden/roce"
)

var widths = []int{64, 128, 256, 512}

// checker is a Check of some width in a simulator.
type checker struct {
	design *hdl.Design
	io     *icrc.CheckIO
}

func newChecker(t testing.TB, width int) checker {
	design, io, err := hdl.Build(icrc.CheckDef(icrc.Params{DataWidth: width}))
	require.NoError(t, err)
	return checker{design, io}
}

// verdicts sends frames through and returns the verdicts.
func (c checker) verdicts(t *testing.T, s *sim.Sim, all [][]byte, gaps, pauses sim.Pattern) []bool {
	in := sim.NewSource(s, c.io.In, gaps)
	out := sim.NewSink(s, c.io.Verdict, pauses)
	s.Reset(2)
	bytes := 0
	for _, f := range all {
		hdltest.SendFrame(in, f)
		bytes += len(f)
	}
	s.Await(20*(bytes/8+10*len(all)), out.Beats(len(all)))
	s.Run(50)
	require.NoError(t, s.Err())
	got := sim.Received[bool](out)
	require.Len(t, got, len(all), "one verdict a frame")
	return got
}

// wantGood is the verdict by the reference: Good is for a whole IP packet of the
// version of its ethertype, long enough for a BTH and an ICRC.
func wantGood(frame []byte) bool {
	at := 14
	if len(frame) >= 14 && binary.BigEndian.Uint16(frame[12:]) == format.EtherTypeVLAN {
		at = 18
	}
	if len(frame) < at+20 {
		return false
	}
	packet, length, least := frame[at:], 0, 0
	switch etherType := binary.BigEndian.Uint16(frame[at-2:]); {
	case etherType == format.EtherTypeIPv4 && packet[0]>>4 == 4:
		length, least = int(binary.BigEndian.Uint16(packet[2:])), 44
	case etherType == format.EtherTypeIPv6 && packet[0]>>4 == 6:
		length, least = 40+int(binary.BigEndian.Uint16(packet[4:])), 64
	default:
		return false
	}
	if length < least || length > len(packet) {
		return false
	}
	good, err := roce.CheckICRC(packet[:length])
	return good && err == nil
}

// samples are frames of every kind: good, damaged, foreign, runts of every length
// that ends in the first beats, and frames of which a shorter packet is a part.
func samples(seed uint64, n int) [][]byte {
	g := frames.NewGenerator(seed)
	g.MaxPayload, g.MaxFrame = 600, 3000
	var all [][]byte
	for range n {
		all = append(all, g.Next().Data)
	}
	for length := 1; length < 140; length++ {
		good := g.Good().Data
		all = append(all, good[:min(length, len(good))])
	}
	for pad := range 70 {
		all = append(all, append(g.Good().Data, make([]byte, pad)...))
	}
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func TestCheck(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			c := newChecker(t, width)
			seed := hdltest.Seed(t)
			all := samples(seed, 300)
			pauses := hdltest.Patterns(seed ^ 0xFF)
			for name, gaps := range hdltest.Patterns(seed) {
				t.Run(name, func(t *testing.T) {
					hdltest.EachSim(t, c.design, func(t *testing.T, s *sim.Sim) {
						good := 0
						for i, got := range c.verdicts(t, s, all, gaps, pauses[name]) {
							require.Equal(t, wantGood(all[i]), got, "frame %d: %x", i, all[i])
							if got {
								good++
							}
						}
						require.Greater(t, good, 150)
						require.Less(t, good, 450)
					}, linktest.Others(width)...)
				})
			}
		})
	}
}

// Good frames of the lengths around which something wraps, up to the longest
// packets that IP can tell, with and without bytes behind the packet.
func TestCheckLongFrames(t *testing.T) {
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			c := newChecker(t, width)
			var all [][]byte
			for _, payload := range []int{4096, 8192, 65000, 65480} {
				for _, ipv6 := range []uint64{0, 1} {
					f, err := frames.Build(format.TxDescriptor[uint64]{IPv6: ipv6, VLAN: ipv6}, make([]byte, payload))
					require.NoError(t, err)
					bad := bytes.Clone(f)
					bad[len(bad)-1] ^= 1
					all = append(all, f, append(bytes.Clone(f), make([]byte, 1<<17)...), bad, f[:len(f)-1])
				}
			}
			s := hdltest.Open(t, sim.NativeSimulator, c.design, sim.Options{Seed: hdltest.Seed(t)})
			for i, got := range c.verdicts(t, s, all, sim.Pattern{}, sim.Pattern{}) {
				require.Equal(t, i%4 < 2, got, "frame %d of %d bytes", i, len(all[i]))
			}
		})
	}
}

// Frames of other implementations: every ICRC but those of NEG_* is right.
// RoCEv1 has no IP header.
func TestCheckVectors(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/vectors/*.hex")
	if err != nil || len(paths) == 0 {
		t.Skip("no captured frames in ../shared/vectors")
	}
	var all [][]byte
	for _, path := range paths {
		loaded, err := frames.Load(path)
		require.NoError(t, err)
		all = append(all, loaded[0].Data)
	}
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			c := newChecker(t, width)
			hdltest.EachSim(t, c.design, func(t *testing.T, s *sim.Sim) {
				for i, got := range c.verdicts(t, s, all, sim.Pattern{}, sim.Pattern{}) {
					name := filepath.Base(paths[i])
					require.Equal(t, !strings.HasPrefix(name, "NEG_") && !strings.Contains(name, "rocev1"), got, name)
				}
			}, linktest.Others(width)...)
		})
	}
}

// generator is a Generate of some width.
type generator struct {
	design *hdl.Design
	io     *icrc.GenerateIO
}

func newGenerator(t testing.TB, p icrc.Params) generator {
	design, io, err := hdl.Build(icrc.GenerateDef(p))
	require.NoError(t, err)
	return generator{design, io}
}

// frames sends frames through, each third one with Err, and returns what comes
// out.
func (g generator) frames(t *testing.T, s *sim.Sim, all [][]byte, gaps, pauses sim.Pattern) []hdltest.Frame {
	in := sim.NewSource(s, g.io.In, gaps)
	out := sim.NewSink(s, g.io.Out, pauses)
	s.Reset(2)
	bytes := 0
	for i, f := range all {
		if i%3 == 2 {
			hdltest.SendBadFrame(in, f)
		} else {
			hdltest.SendFrame(in, f)
		}
		bytes += len(f)
	}
	s.Await(20*(bytes/8+10*len(all)), out.Frames(len(all)))
	s.Run(50)
	require.NoError(t, s.Err())
	got := hdltest.TakeFrames(out)
	require.Len(t, got, len(all))
	return got
}

// withoutICRC are frames for Generate with what the reference makes of them.
func withoutICRC(t *testing.T, seed uint64, wordEnd bool) (in, want [][]byte) {
	g := frames.NewGenerator(seed)
	g.MaxPayload = 600
	r := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		f := g.Good().Data
		at := 14
		if binary.BigEndian.Uint16(f[12:]) == format.EtherTypeVLAN {
			at = 18
		}
		f = f[:len(f)-format.ICRCSize]
		if !wordEnd { // any length
			f = append(f, make([]byte, r.IntN(80))...)
		}
		in = append(in, f)
		packet, err := roce.AppendICRC(bytes.Clone(f[at:]))
		require.NoError(t, err)
		want = append(want, append(bytes.Clone(f[:at]), packet...))
	}
	return in, want
}

func TestGenerate(t *testing.T) {
	for _, width := range widths {
		for _, wordEnd := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/wordEnd=%v", width, wordEnd), func(t *testing.T) {
				g := newGenerator(t, icrc.Params{DataWidth: width, WordEnd: wordEnd})
				seed := hdltest.Seed(t)
				in, want := withoutICRC(t, seed, wordEnd)
				pauses := hdltest.Patterns(seed ^ 0xFF)
				for name, gaps := range hdltest.Patterns(seed) {
					t.Run(name, func(t *testing.T) {
						hdltest.EachSim(t, g.design, func(t *testing.T, s *sim.Sim) {
							for i, got := range g.frames(t, s, in, gaps, pauses[name]) {
								require.Equal(t, want[i], got.Data, "frame %d", i)
								require.Equal(t, i%3 == 2, got.Err, "frame %d", i)
							}
						}, linktest.Others(width)...)
					})
				}
			})
		}
	}
}

// What Generate appends, Check finds good, and any single bit that is turned
// over makes it bad, but for those that the CRC does not cover.
func TestGeneratedFramesAreGood(t *testing.T) {
	for _, width := range []int{64, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			g, c := newGenerator(t, icrc.Params{DataWidth: width}), newChecker(t, width)
			in, _ := withoutICRC(t, hdltest.Seed(t), false)
			s := hdltest.Open(t, sim.NativeSimulator, g.design, sim.Options{})
			var all [][]byte
			for i, f := range g.frames(t, s, in[:30], sim.Pattern{}, sim.Pattern{}) {
				at := 14
				if binary.BigEndian.Uint16(f.Data[12:]) == format.EtherTypeVLAN {
					at = 18
				}
				if f.Data[at]>>4 == 4 { // the packet may have lost its end
					binary.BigEndian.PutUint16(f.Data[at+2:], uint16(len(f.Data)-at))
				} else {
					binary.BigEndian.PutUint16(f.Data[at+4:], uint16(len(f.Data)-at-40))
				}
				require.True(t, frames.FixICRC(f.Data))
				turned := bytes.Clone(f.Data)
				turned[at+4+i%2*7] ^= 1 << (i % 8) // IP id or flow label, TTL or hop limit
				all = append(all, f.Data, turned)
			}
			s = hdltest.Open(t, sim.NativeSimulator, c.design, sim.Options{})
			for i, got := range c.verdicts(t, s, all, sim.Pattern{}, sim.Pattern{}) {
				require.Equal(t, wantGood(all[i]), got, "frame %d", i)
			}
		})
	}
}
