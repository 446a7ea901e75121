package boardregs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/fpga/blocks/boardregs"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
)

var params = boardregs.Params{
	Name: "versa", ClockKHz: 62500, Memory: 64 << 10, Hosts: format.BoardHostSerial | format.BoardHostUDP, Divisor: 543, ResetAfter: 50,
	Ports: []boardregs.Defaults{
		{MAC: 0x02676F726E00, IPv4: 0xC0A80132, RxDelay: 80},
		{MAC: 0x02676F726E01, IPv4: 0xC0A80232, RxDelay: 127},
	},
}

// quiet sets the inputs that are not the bus.
func quiet(s *sim.Sim, io *boardregs.IO) {
	for _, l := range io.Links {
		s.Set(l.Up, 0)
		s.Set(l.Speed, 0)
		s.Set(l.Duplex, 0)
	}
	for _, p := range []hdl.Bits{io.Peer.Up, io.Peer.UDPPort, io.Peer.IPv4, io.Peer.Session, io.Counts} {
		s.Set(p, 0)
	}
}

// answered turns the error of an access into whether it was answered with OKAY.
func answered(t *testing.T, err error) bool {
	if err == nil {
		return true
	}
	var wrong *axi.ResponseError
	require.ErrorAs(t, err, &wrong)
	require.EqualValues(t, 2, wrong.Response)
	return false
}

// Random reads, writes, counts and states of links: everything is as the reference says.
func TestAgainstReference(t *testing.T) {
	for i, pauses := range []int{0, 50} {
		ports := i + 1
		params := params
		params.Ports = params.Ports[:ports]
		design, io := hdltest.Build(t, boardregs.Def(params))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			seed := hdltest.Seed(t)
			r := rand.New(rand.NewPCG(seed, 1))
			quiet(s, io)
			bus := axi.NewLite(s, io.Bus, axi.Alone(s), axi.LiteOptions{Seed: seed, Pauses: pauses})
			s.Reset(2)
			ref := boardregs.NewReference(params)
			all := format.BoardRegisters()
			offset := func() uint32 {
				if r.IntN(3) > 0 {
					return all[r.IntN(len(all))].Offset
				}
				return 4 * r.Uint32N(0x400)
			}
			for range 800 {
				switch r.IntN(4) {
				case 0:
					at, v := offset(), r.Uint32()>>r.IntN(32)
					if at == format.BoardRegReset && v == format.BoardResetKey {
						continue
					}
					require.Equal(t, ref.Write(at, v), answered(t, bus.Write(at, v)), "write %#x to %#x", v, at)
				case 1:
					i, v := r.IntN(ports), r.Uint64N(16)
					s.Set(io.Links[i].Up, v&1)
					s.Set(io.Links[i].Speed, v>>1&3)
					s.Set(io.Links[i].Duplex, v>>3)
					ref.Links[i] = uint32(v)
					port, up := r.Uint32N(1<<16), r.Uint32N(2)
					ref.Peer = [3]uint32{port<<16 | up, r.Uint32(), r.Uint32()}
					s.Set(io.Peer.UDPPort, uint64(port))
					s.Set(io.Peer.Up, uint64(up))
					s.Set(io.Peer.IPv4, uint64(ref.Peer[1]))
					s.Set(io.Peer.Session, uint64(ref.Peer[2]))
					counts := r.Uint64N(1 << format.BoardCounterCount)
					n := 1 + r.IntN(40)
					s.Set(io.Counts, counts)
					s.Run(n)
					s.Set(io.Counts, 0)
					s.Run(3)
					for k := range ref.Counters {
						ref.Counters[k] += uint32(n) * uint32(counts>>k&1)
					}
				default:
					at := offset()
					v, err := bus.Read(at)
					want, ok := ref.Read(at)
					require.Equal(t, ok, answered(t, err), "read of %#x", at)
					require.Equal(t, want, v, "read of %#x", at)
				}
				for i, p := range io.Ports {
					at := format.BoardRegPort + uint32(i)*format.BoardPortBytes
					mac := uint64(ref.Settings[at+4])<<32 | uint64(ref.Settings[at])
					require.Equal(t, mac, s.Get(p.MAC))
					require.EqualValues(t, ref.Settings[at+format.BoardPortIPv4], s.Get(p.IPv4))
					require.EqualValues(t, ref.Settings[at+format.BoardPortRxDelay], s.Get(p.RxDelay))
				}
				require.EqualValues(t, ref.Settings[format.BoardRegDivisor], s.Get(io.Divisor))
				require.EqualValues(t, ref.Settings[format.BoardRegLEDs], s.Get(io.LEDs.Mine)<<8|s.Get(io.LEDs.Value))
				require.Zero(t, s.Get(io.Reset))
			}
		}, verilator.Simulator)
	}
}

// The reset comes when the write that asked for it has long been answered, and by no
// other value.
func TestReset(t *testing.T) {
	design, io := hdltest.Build(t, boardregs.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		quiet(s, io)
		bus := axi.NewLite(s, io.Bus, axi.Alone(s), axi.LiteOptions{})
		s.Reset(2)
		require.False(t, answered(t, bus.Write(format.BoardRegReset, 1)))
		require.Equal(t, -1, s.RunUntil(500, s.High(io.Reset)))
		for range 2 {
			require.NoError(t, bus.Write(format.BoardRegReset, format.BoardResetKey))
			answer := s.Cycle()
			s.Await(100, s.High(io.Reset))
			require.InDelta(t, params.ResetAfter, s.Cycle()-answer, 8)
			start := s.Cycle()
			s.Await(100, s.Is(io.Reset, 0))
			require.InDelta(t, 16, s.Cycle()-start, 4)
		}
		require.Equal(t, -1, s.RunUntil(500, s.High(io.Reset)))
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	for want, change := range map[string]func(*boardregs.Params){
		`the name ""`:          func(p *boardregs.Params) { p.Name = "" },
		"a divisor of 7":       func(p *boardregs.Params) { p.Divisor = 7 },
		"a reset after 0":      func(p *boardregs.Params) { p.ResetAfter = 0 },
		"0 ports":              func(p *boardregs.Params) { p.Ports = nil },
		"a delay of 128 taps":  func(p *boardregs.Params) { p.Ports[1].RxDelay = 128 },
		"port 0 has MAC 0x100": func(p *boardregs.Params) { p.Ports[0].MAC = 1 << 48 },
	} {
		p := params
		p.Ports = slices.Clone(p.Ports)
		change(&p)
		_, _, err := hdl.Build(boardregs.Def(p))
		require.ErrorContains(t, err, want)
	}
}

func TestLint(t *testing.T) {
	design, _ := hdltest.Build(t, boardregs.Def(params))
	lint.Check(t, design)
}
