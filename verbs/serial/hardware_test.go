package serial_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/fpga/blocks/access"
	"gornic/fpga/blocks/boardregs"
	"gornic/fpga/blocks/hostmem"
	bridge "gornic/fpga/blocks/serial"
	"gornic/fpga/blocks/uart"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/verbs/board"
	"gornic/verbs/serial"
)

// hostIO is the ports of the host's side of a board: all but the core and the network.
type hostIO struct {
	RxPin  hdl.Bits `hdl:"in" w:"1"`
	TxPin  hdl.Bits `hdl:"out" w:"1"`
	LEDs   hdl.Bits `hdl:"out" w:"8" name:"leds"`
	Counts hdl.Bits `hdl:"out" w:"4"`
}

const (
	divisor     = 8
	boardMemory = 8192
)

// hostSide is that side, with the registers of the core missing: nothing answers there.
func hostSide() hdl.Def[hostIO] {
	return hdl.Def[hostIO]{Name: "host_side", Body: func(m *hdl.Module, io *hostIO) {
		line, frames := hdl.Instance(m, "u_uart", uart.Def()), hdl.Instance(m, "u_serial", bridge.Def())
		reach := hdl.Instance(m, "u_access", access.Def(access.Params{Clients: 1, CoreBits: 13}))
		memory := hdl.Instance(m, "u_memory", hostmem.Def(hostmem.Params{Bytes: boardMemory}))
		registers := hdl.Instance(m, "u_registers", boardregs.Def(boardregs.Params{
			Name: "lab", ClockKHz: 62500, Memory: boardMemory, Hosts: format.BoardHostSerial, Divisor: divisor, ResetAfter: 1000,
			Ports: make([]boardregs.Defaults, 1),
		}))
		line.RxPin.Set(io.RxPin)
		io.TxPin.Set(line.TxPin)
		line.Divisor.Set(registers.Divisor)
		hdl.Connect(frames.Received, line.Received)
		hdl.Connect(line.Send, frames.Send)
		hdl.Connect(reach.Clients[0], frames.Client)
		hdl.Connect(registers.Bus, reach.Board)
		hdl.Connect(memory.Host, reach.Memory)
		refuse(m, &reach.Core)
		quiet(m, &memory.AXI)
		hdl.Set(registers.Links[0], boardregs.Link{Up: hdl.K(1, 1), Speed: hdl.K(2, 2), Duplex: hdl.K(1, 1)})
		hdl.Set(registers.Peer, boardregs.Peer{Up: hdl.K(1, 0), UDPPort: hdl.K(16, 0), IPv4: hdl.K(32, 0), Session: hdl.K(32, 0)})
		registers.Counts.Set(frames.Counts.ZExt(format.BoardCounterCount).ShlK(int(format.BoardSerialFraming)))
		io.Counts.Set(frames.Counts)
		io.LEDs.Set(registers.LEDs.Value)
		m.Unused(registers.LEDs.Mine, registers.Reset)
		for _, p := range registers.Ports {
			m.Unused(p.MAC, p.IPv4, p.RxDelay)
		}
	}}
}

// refuse answers every access with an error.
func refuse(m *hdl.Module, bus *link.AXILite) {
	m.Unused(bus.AWAddr, bus.AWProt, bus.WData, bus.WStrb, bus.ARAddr, bus.ARProt, bus.WValid)
	writes, reads := m.Reg("core_writes", 1, 0), m.Reg("core_reads", 1, 0)
	bus.AWReady.SetK(1)
	bus.WReady.SetK(1)
	bus.ARReady.SetK(1)
	m.If(bus.BReady, func() { writes.SetK(0) })
	m.If(bus.AWValid, func() { writes.SetK(1) })
	m.If(bus.RReady, func() { reads.SetK(0) })
	m.If(bus.ARValid, func() { reads.SetK(1) })
	bus.BValid.Set(writes)
	bus.BResp.SetK(3)
	bus.RValid.Set(reads)
	bus.RResp.SetK(3)
	bus.RData.SetK(0)
}

// quiet is a core that accesses no memory.
func quiet(m *hdl.Module, bus *link.AXI) {
	for _, x := range []hdl.Bits{
		bus.AWID, bus.AWAddr, bus.AWLen, bus.AWSize, bus.AWBurst, bus.AWLock, bus.AWCache, bus.AWProt, bus.AWValid,
		bus.WData, bus.WStrb, bus.WLast, bus.WValid, bus.ARID, bus.ARAddr, bus.ARLen, bus.ARSize, bus.ARBurst, bus.ARLock, bus.ARCache,
		bus.ARProt, bus.ARValid,
	} {
		x.SetK(0)
	}
	bus.BReady.SetK(1)
	bus.RReady.SetK(1)
	m.Unused(bus.AWReady, bus.WReady, bus.BID, bus.BResp, bus.BValid, bus.ARReady, bus.RID, bus.RData, bus.RResp, bus.RLast, bus.RValid)
}

// wire is the line to a simulated board, sample by sample; it loses and damages bits.
type wire struct {
	s    *sim.Sim
	io   *hostIO
	r    *rand.Rand
	spot int // parts in a hundred thousand: of the bits that are wrong

	timeout int // cycles
	out     []bool
	in      []byte
	last    int  // cycles since the start bit of the byte that comes, -1: none comes
	byte    byte // so far
}

func (w *wire) Write(b []byte) (int, error) {
	w.out = append(w.out, uart.Encode(b, divisor)...)
	return len(b), nil
}

func (w *wire) SetReadTimeout(d time.Duration) error {
	w.timeout = int(d/time.Microsecond) * 4
	return nil
}

func (w *wire) Read(b []byte) (int, error) {
	for idle := 0; len(w.in) == 0 && idle < w.timeout; idle++ {
		if len(w.out) > 0 {
			idle = 0
		}
		w.cycle()
	}
	n := copy(b, w.in)
	w.in = w.in[n:]
	return n, w.s.Err()
}

// cycle is a cycle of the board.
func (w *wire) cycle() {
	pin := uint64(1)
	if len(w.out) > 0 {
		if !w.out[0] {
			pin = 0
		}
		if len(w.out)%divisor == 0 && w.wrong() { // a bit is wrong from here on
			for i := range min(divisor, len(w.out)) {
				w.out[i] = !w.out[i]
			}
		}
		w.out = w.out[1:]
	}
	w.s.Set(w.io.RxPin, pin)
	w.s.Step()
	w.sample(w.s.Get(w.io.TxPin) == 1)
}

func (w *wire) wrong() bool { return w.spot > 0 && w.r.IntN(100000) < w.spot }

// sample looks at the line from the board in the middle of each bit.
func (w *wire) sample(level bool) {
	switch {
	case w.last < 0 && !level:
		w.last, w.byte = 0, 0
		return
	case w.last < 0:
		return
	}
	w.last++
	if w.last%divisor != divisor/2 {
		return
	}
	switch bit := w.last / divisor; {
	case bit >= 1 && bit <= 8 && level != w.wrong():
		w.byte |= 1 << (bit - 1)
	case bit == 9:
		w.in = append(w.in, w.byte)
		w.last = -1
	}
}

func newWire(t *testing.T, s *sim.Sim, io *hostIO) *wire {
	w := &wire{s: s, io: io, r: rand.New(rand.NewPCG(hdltest.Seed(t), 1)), last: -1}
	s.Set(io.RxPin, 1)
	s.Reset(2)
	return w
}

// The driver and the hardware, down to the bits on the line: registers and memory hold what was written, on a good line and
// on one that damages.
func TestHardware(t *testing.T) {
	design, io := hdltest.Build(t, hostSide())
	for name, spot := range map[string]int{"good line": 0, "bad line": 30} {
		t.Run(name, func(t *testing.T) {
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				ctx, w := t.Context(), newWire(t, s, io)
				w.spot = spot
				b, err := serial.New(ctx, w, serial.Options{Timeout: time.Millisecond, Tries: 100})
				require.NoError(t, err)
				require.Equal(t, board.Info{Name: "lab", ClockKHz: 62500, Memory: boardMemory, Serial: true, Ports: 1}, b.Board())
				want := make([]byte, boardMemory)
				require.NoError(t, b.WriteMemory(ctx, 0, want[:1024]))
				for range 8 {
					at, n := w.r.IntN(900), 1+w.r.IntN(120)
					for i := range n {
						want[at+i] = byte(w.r.Uint32())
					}
					require.NoError(t, b.WriteMemory(ctx, uint64(at), want[at:at+n]))
					at, n = w.r.IntN(900), 1+w.r.IntN(120)
					got := make([]byte, n)
					require.NoError(t, b.ReadMemory(ctx, uint64(at), got))
					require.Equal(t, want[at:at+n], got)
					led := w.r.Uint32N(256)
					_, err := b.ModifyRegister(ctx, format.BoardRegisterBase+format.BoardRegLEDs, 0xFF, led)
					require.NoError(t, err)
					require.EqualValues(t, led, s.Get(io.LEDs))
				}
				_, err = b.ReadRegister(ctx, format.RegID)
				require.ErrorIs(t, err, serial.ErrFault)
				require.ErrorIs(t, b.WriteRegister(ctx, format.RegControl, 1), serial.ErrFault)
				require.ErrorIs(t, b.ReadMemory(ctx, boardMemory, make([]byte, 8)), serial.ErrFault)
				bad, err := board.Counter(ctx, b, format.BoardSerialBad)
				require.NoError(t, err)
				require.Equal(t, spot > 0, bad > 0)
				link, err := board.LinkOf(ctx, b, 0)
				require.NoError(t, err)
				require.Equal(t, board.Link{Up: true, Mbps: 1000, Duplex: true}, link)
			}, verilator.Simulator)
		})
	}
}
