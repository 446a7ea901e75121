package registers_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/registers"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

var params = registers.Params{Sizes: link.Sizes{DataWidth: 64, QPBits: 3, CQBits: 2, EQBits: 1, ReplayBits: 4, ReadBits: 3}, MTU: 4096, LineRate: 100000, Tick: 1000}

// bench drives the AXI4-Lite port.
type bench struct {
	t  *testing.T
	s  *sim.Sim
	io *registers.IO
	r  *rand.Rand
}

func newBench(t *testing.T, s *sim.Sim, io *registers.IO) *bench {
	b := &bench{t: t, s: s, io: io, r: rand.New(rand.NewPCG(hdltest.Seed(t), 13))}
	for _, p := range []hdl.Bits{io.Bus.AWValid, io.Bus.WValid, io.Bus.ARValid, io.Bus.BReady, io.Bus.RReady, io.Bus.AWProt, io.Bus.ARProt, io.Counts, io.Raise} {
		s.Set(p, 0)
	}
	s.Reset(2)
	return b
}

func (b *bench) step() {
	b.s.Step()
	require.NoError(b.t, b.s.Err())
}

// write writes a word, address or data first, and returns the response.
func (b *bench) write(offset, data, strb uint32) uint64 {
	bus := b.io.Bus
	b.s.Set(bus.AWAddr, uint64(offset))
	b.s.Set(bus.WData, uint64(data))
	b.s.Set(bus.WStrb, uint64(strb))
	first, second := bus.AWValid, bus.WValid
	if b.r.IntN(2) == 0 {
		first, second = second, first
	}
	b.s.Set(first, 1)
	for range b.r.IntN(3) {
		b.step()
	}
	b.s.Set(second, 1)
	for n := 0; b.s.Get(bus.AWReady) == 0; n++ {
		require.Less(b.t, n, 200)
		b.step()
	}
	b.step()
	b.s.Set(bus.AWValid, 0)
	b.s.Set(bus.WValid, 0)
	for range b.r.IntN(3) {
		b.step()
	}
	require.EqualValues(b.t, 1, b.s.Get(bus.BValid))
	resp := b.s.Get(bus.BResp)
	b.s.Set(bus.BReady, 1)
	b.step()
	b.s.Set(bus.BReady, 0)
	return resp
}

func (b *bench) read(offset uint32) (uint32, uint64) {
	bus := b.io.Bus
	b.s.Set(bus.ARAddr, uint64(offset))
	b.s.Set(bus.ARValid, 1)
	for b.s.Get(bus.ARReady) == 0 {
		b.step()
	}
	b.step()
	b.s.Set(bus.ARValid, 0)
	for n := 0; b.s.Get(bus.RValid) == 0; n++ {
		require.Less(b.t, n, 10+format.CounterCount)
		b.step()
	}
	for range b.r.IntN(3) {
		b.step()
	}
	value, resp := uint32(b.s.Get(bus.RData)), b.s.Get(bus.RResp)
	b.s.Set(bus.RReady, 1)
	b.step()
	b.s.Set(bus.RReady, 0)
	return value, resp
}

// Random reads, writes, counts, interrupts and commands: everything is as the
// reference says.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, registers.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		starts, done := sim.NewSink(s, io.Go, hdltest.Gaps(t, 30)), sim.NewSource(s, io.Done, sim.Pattern{})
		ref := registers.NewReference(100000)
		ref.Caps0, ref.Caps1, ref.Caps2 = 3|2<<8|1<<16|3<<24|5<<28, 8|16<<16, format.CapsCongestion|8<<8|1000<<16
		for i := range uint32(link.MailboxWords) {
			v := b.r.Uint32()
			require.True(t, ref.Write(format.RegMailbox+4*i, v))
			require.Zero(t, b.write(format.RegMailbox+4*i, v, 15))
		}
		taken := false
		offset := func() uint32 {
			if b.r.IntN(2) == 0 {
				all := format.Registers()
				return all[b.r.IntN(len(all))].Offset
			}
			return 4 * b.r.Uint32N(0x300/4)
		}
		for range 1500 {
			switch b.r.IntN(6) {
			case 0, 1:
				at, v := offset(), b.r.Uint32()
				resp := b.write(at, v, 15)
				if ref.Write(at, v) {
					require.Zero(t, resp, "write to %#x", at)
				} else {
					require.EqualValues(t, 2, resp, "write to %#x", at)
				}
			case 2:
				counts, raise := b.r.Uint64N(1<<format.CounterCount), b.r.Uint64N(4)
				s.Set(io.Counts, counts)
				s.Set(io.Raise, raise)
				b.step()
				s.Set(io.Counts, 0)
				s.Set(io.Raise, 0)
				for range 3 { // a read that begins now may not have seen them
					b.step()
				}
				for i := range ref.Counters {
					ref.Counters[i] += uint32(counts >> i & 1)
				}
				ref.Pending |= uint32(raise)
				require.EqualValues(t, ref.Pending, s.Get(io.Pending))
			case 3:
				taken = b.command(starts, done, ref, taken)
			default:
				at := offset()
				v, resp := b.read(at)
				want, ok := ref.Read(at)
				require.Equal(t, want, v, "read of %#x", at)
				require.Equal(t, ok, resp == 0, "read of %#x", at)
			}
		}
		require.EqualValues(t, ref.Settings[format.RegControl], s.Get(io.Settings.Enabled))
		require.EqualValues(t, uint64(ref.Settings[format.RegMACHigh])<<32|uint64(ref.Settings[format.RegMACLow]), s.Get(io.Settings.MAC))
		require.EqualValues(t, uint64(ref.Settings[format.RegKeyBaseHigh])<<32|uint64(ref.Settings[format.RegKeyBaseLow]), s.Get(io.Settings.KeyBase))
		for i, field := range io.Settings.Congestion.Fields() {
			require.EqualValues(t, ref.Settings[format.RegCongestion+4*uint32(i)], s.Get(field))
		}
	}, verilator.Simulator)
}

// Every counter may count every cycle, and wraps at 32 bits at the earliest: none is lost.
func TestCountsEveryCycle(t *testing.T) {
	design, io := hdltest.Build(t, registers.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		const n = 1000
		for i := range n {
			s.Set(io.Counts, 1<<format.CounterCount-1)
			if i == n/2 {
				s.Set(io.Counts, 1<<3)
			}
			b.step()
		}
		s.Set(io.Counts, 0)
		for range 3 {
			b.step()
		}
		for i := range format.CounterCount {
			want := uint32(n - 1)
			if i == 3 {
				want = n
			}
			got, resp := b.read(format.RegCounters + 4*uint32(i))
			require.Zero(t, resp)
			require.Equal(t, want, got, "%v", format.Counter(i))
		}
	}, verilator.Simulator)
}

// started is a link.Go.
type started struct {
	Code uint32
	In   []uint64
}

// command takes a command that was started, or ends it.
func (b *bench) command(starts *sim.Sink, done *sim.Source, ref *registers.Reference, taken bool) bool {
	t := b.t
	if !taken {
		for range 40 {
			b.step()
		}
		got := sim.Received[started](starts)
		require.Equal(t, ref.Running, len(got) == 1)
		if ref.Running {
			require.EqualValues(t, ref.Code, got[0].Code)
			for i := range link.GoWords {
				require.Equal(t, ref.Mailbox[i], uint32(got[0].In[i/2]>>(32*(i%2))), "word %d", i)
			}
		}
		return ref.Running
	}
	type outcome struct {
		Status  int
		Replies bool
		Out     []uint64
	}
	o := outcome{Status: b.r.IntN(8), Replies: b.r.IntN(2) == 0, Out: make([]uint64, 8)}
	for i := range o.Out {
		o.Out[i] = b.r.Uint64()
		if o.Replies {
			ref.Mailbox[2*i], ref.Mailbox[2*i+1] = uint32(o.Out[i]), uint32(o.Out[i]>>32)
		}
	}
	done.Send(o)
	for range 2 + 16 {
		b.step()
	}
	ref.Running, ref.Status = false, uint32(o.Status)
	return false
}

// Where no queue pair can have congestion control there are no registers of it, and the capabilities say so.
func TestNoCongestion(t *testing.T) {
	without := params
	without.NoCongestion = true
	design, io := hdltest.Build(t, registers.Def(without))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		for _, r := range format.CongestionRegisters() {
			require.EqualValues(t, 2, b.write(r.Offset, 1, 15), r.Name)
			value, resp := b.read(r.Offset)
			require.Zero(t, value, r.Name)
			require.EqualValues(t, 2, resp, r.Name)
		}
		require.Zero(t, b.write(format.RegModeration, 1, 15))
		value, resp := b.read(format.RegCaps2)
		require.EqualValues(t, 8<<8|1000<<16, value)
		require.Zero(t, resp)
	})
}

// A doorbell goes on with its page, and the write ends when it has been taken.
func TestDoorbells(t *testing.T) {
	design, io := hdltest.Build(t, registers.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		bells := sim.NewSink(s, io.Bell, hdltest.Gaps(t, 50))
		for i := range 20 {
			page := uint32(i % 8)
			require.Zero(t, b.write(format.DoorbellBase+page*format.DoorbellPageBytes+format.DoorbellArm, 0x12340000+uint32(i), 15))
			require.Equal(t, []struct{ Page, Offset, Index, Number uint32 }{{page, format.DoorbellArm / 4, 0x1234, uint32(i)}},
				sim.Received[struct{ Page, Offset, Index, Number uint32 }](bells))
		}
		require.EqualValues(t, 2, b.write(format.DoorbellBase, 1, 7), "three bytes")
		require.Empty(t, bells.Take())
		_, resp := b.read(format.DoorbellBase)
		require.EqualValues(t, 2, resp)
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	wrong := params
	wrong.LineRate = 1 << 18
	require.Error(t, wrong.Validate())
	wrong = params
	wrong.Tick = 1 << 16
	require.Error(t, wrong.Validate())
	require.Error(t, registers.Params{Sizes: params.Sizes, MTU: 1000}.Validate())
	require.Error(t, registers.Params{MTU: 4096}.Validate())
}
