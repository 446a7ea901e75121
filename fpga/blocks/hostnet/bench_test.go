package hostnet_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/fpga/blocks/hostnet"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	pc "gornic/verbs/hostnet"
)

var ctx = context.Background()

// Addresses of the two sides.
const (
	boardMAC, pcMAC = 0x02_00_00_00_00_01, 0x02_00_00_00_00_99
	boardIP, pcIP   = 0xC0A8_0132, 0xC0A8_0101
	pcPort          = 40001
)

// cycle is the time of one, at 62.5 MHz.
const cycle = 16 * time.Nanosecond

// bench is the block between a master, registers, and a network with a PC.
type bench struct {
	*lan
	io   *hostnet.IO
	last int // when the master was answered last

	ar, aw, w, reply     *sim.Source
	rBeats, bEnds, asked *sim.Sink

	registers map[uint32]uint32
	accesses  int
	mem       *linktest.Memory
	lenient   bool // any burst may fail, as its session may end
	dropped   int
	resent    int
	lost      int

	wantR  []beat
	wantB  []end
	words  [][]byte         // written so far
	golden *linktest.Memory // what writes have to leave
}

// beat and end are those of R and B.
type (
	beat struct {
		Data []byte
		ID   uint64
		Resp uint64
		Last bool
	}
	end struct{ ID, Resp uint64 }
)

func newBench(t *testing.T, s *sim.Sim, io *hostnet.IO, gaps uint32) *bench {
	g := hdltest.Gaps(t, gaps)
	b := &bench{
		lan: newLAN(t, s, io.In, io.Out, g), io: io,
		registers: map[uint32]uint32{}, mem: linktest.NewMemory(), golden: linktest.NewMemory(),
	}
	a := &io.AXI
	b.ar = sim.NewSourceOf(s, sim.Ports(s, a.ARValid, a.ARReady, addressBeat{a.ARAddr, a.ARID, a.ARLen, a.ARSize, a.ARBurst, a.ARLock, a.ARCache, a.ARProt}), g)
	b.aw = sim.NewSourceOf(s, sim.Ports(s, a.AWValid, a.AWReady, addressBeat{a.AWAddr, a.AWID, a.AWLen, a.AWSize, a.AWBurst, a.AWLock, a.AWCache, a.AWProt}), g)
	b.w = sim.NewSourceOf(s, sim.Ports(s, a.WValid, a.WReady, dataBeat{a.WData, a.WStrb, a.WLast}), g)
	b.rBeats = sim.NewSinkOf(s, sim.Ports(s, a.RValid, a.RReady, readBeat{a.RData, a.RID, a.RResp, a.RLast}), g, sim.SinkOptions{})
	b.bEnds = sim.NewSinkOf(s, sim.Ports(s, a.BValid, a.BReady, writeEnd{a.BID, a.BResp}), g, sim.SinkOptions{})
	b.asked, b.reply = sim.NewSink(s, io.Host.Access, g), sim.NewSource(s, io.Host.Reply, g)
	s.Set(io.MAC, boardMAC)
	s.Set(io.IP, boardIP)
	b.each = b.look
	b.session = func() uint64 { return s.Get(io.Session) }
	s.Reset(2)
	return b
}

// look is what a bench does in each cycle.
func (b *bench) look() {
	b.dropped += int(b.s.Get(b.io.Dropped))
	b.resent += int(b.s.Get(b.io.Resent))
	b.lost += int(b.s.Get(b.io.Lost))
	b.serveRegisters()
	b.check()
}

// serveRegisters answers accesses: there are registers at multiples of 4 below 0x1000.
func (b *bench) serveRegisters() {
	type access struct {
		Write, Memory bool
		Addr, Data    uint64
		Strobe        uint64
	}
	for _, a := range sim.Received[access](b.asked) {
		require.False(b.t, a.Memory)
		b.accesses++
		answer := struct {
			Data  uint64
			Fault bool
		}{Fault: a.Addr >= 0x1000}
		if !answer.Fault && a.Write {
			b.registers[uint32(a.Addr)] = uint32(a.Data)
		}
		answer.Data = uint64(b.registers[uint32(a.Addr)])
		b.reply.Send(answer)
	}
}

// check compares what has come back.
func (b *bench) check() {
	for _, got := range sim.Received[beat](b.rBeats) {
		require.NotEmpty(b.t, b.wantR, "a beat that nobody asked for")
		want := b.wantR[0]
		b.wantR = b.wantR[1:]
		if b.lenient && got.Resp == 2 {
			want.Resp = 2
		}
		if want.Resp != 0 {
			got.Data = want.Data
		}
		require.Equal(b.t, want, got)
		b.last = b.now
	}
	for _, got := range sim.Received[end](b.bEnds) {
		require.NotEmpty(b.t, b.wantB, "an end that nobody waits for")
		if b.lenient && got.Resp == 2 {
			b.wantB[0].Resp = 2
		}
		require.Equal(b.t, b.wantB[0], got)
		b.wantB = b.wantB[1:]
		b.last = b.now
	}
}

// read asks for a burst.
func (b *bench) read(addr uint64, beats int, id uint64) {
	b.ar.Send(addressOf(addr, id, beats))
	for i := range beats {
		want := beat{Data: make([]byte, 8), ID: id, Last: i == beats-1}
		if b.mem.Read(addr+uint64(8*i/1024*1024), make([]byte, min(1024, 8*(beats-8*i/1024*128)))) != nil {
			want.Resp = 2
		} else {
			copy(want.Data, b.mem.Peek(addr+uint64(8*i), 8))
		}
		b.wantR = append(b.wantR, want)
	}
}

// write writes a burst of random bytes, with strobes that partial makes for a beat.
func (b *bench) write(addr uint64, beats int, id uint64, strobe func(i int) uint64) {
	b.aw.Send(addressOf(addr, id, beats))
	resp := uint64(0)
	for i := range beats {
		data := make([]byte, 8)
		binary.LittleEndian.PutUint64(data, b.r.Uint64())
		b.words = append(b.words, data)
		s := strobe(i)
		b.w.Send(struct {
			Data []byte
			Strb uint64
			Last bool
		}{data, s, i == beats-1})
		for k, x := range data {
			if s>>k&1 == 0 {
				continue
			}
			if b.mem.Read(addr+uint64(8*i+k), make([]byte, 1)) != nil {
				resp = 2
			}
			b.golden.Poke(addr+uint64(8*i+k), []byte{x})
		}
	}
	b.wantB = append(b.wantB, end{id, resp})
}

// idle tells whether all that was asked has been answered.
func (b *bench) idle() bool { return len(b.wantR) == 0 && len(b.wantB) == 0 && b.aw.Pending() == 0 }

// run lets the PC work until done.
func (b *bench) run(bus *pc.Bus, limit int, done func() bool) {
	b.t.Helper()
	for start := b.now; !done(); {
		require.Less(b.t, b.now-start, limit, "%d beats and %d ends are missing", len(b.wantR), len(b.wantB))
		require.NoError(b.t, bus.Wait(ctx))
	}
}

// open begins a session.
func (b *bench) open(o pc.Options) *pc.Bus {
	o.NoServer, o.Memory = true, memory{b.mem}
	if o.Session == 0 {
		o.Session = 1
	}
	o.Wait, o.Work, o.Timeout = 20*time.Microsecond, time.Microsecond, 40*time.Microsecond
	bus, err := pc.Open(ctx, conn{b.lan}, o)
	require.NoError(b.t, err)
	return bus
}

// memory is the bench's memory as the PC serves it.
type memory struct{ *linktest.Memory }

func (m memory) Write(addr uint64, p []byte) error {
	if err := m.Memory.Read(addr, make([]byte, len(p))); err != nil {
		return err
	}
	return m.Memory.Write(addr, p)
}
