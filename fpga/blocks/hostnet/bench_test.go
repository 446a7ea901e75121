package hostnet_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/format"
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

// wordInFour is a gigabit at 62.5 MHz; beside its words, a frame has preamble, FCS and gap.
var wordInFour = sim.Pattern{Kind: sim.Periodic, On: 1, Off: 3}

const overheadBytes = 24

// wire is one direction of the network, which delays each datagram, and may do worse.
type wire struct {
	r           *rand.Rand
	delay       int // cycles,
	jitter      int // and up to so many more: datagrams overtake each other
	loss, twice int // percent
	dead        bool
	waiting     []parcel
}

type parcel struct {
	due  int
	data []byte
}

func (w *wire) send(now int, data []byte) {
	copies := 1
	if w.r.IntN(100) < w.twice {
		copies = 2
	}
	for range copies {
		if !w.dead && w.r.IntN(100) >= w.loss {
			w.waiting = append(w.waiting, parcel{now + w.delay + w.r.IntN(w.jitter+1), data})
		}
	}
}

// take returns the datagram that is due first.
func (w *wire) take(now int) ([]byte, bool) {
	best := -1
	for i, p := range w.waiting {
		if p.due <= now && (best < 0 || p.due < w.waiting[best].due) {
			best = i
		}
	}
	if best < 0 {
		return nil, false
	}
	data := w.waiting[best].data
	w.waiting = slices.Delete(w.waiting, best, best+1)
	return data, true
}

// bench is the block between a master, registers, and a network with a PC.
type bench struct {
	t   *testing.T
	s   *sim.Sim
	io  *hostnet.IO
	r   *rand.Rand
	now int

	last int // when the master was answered last

	ar, aw, w, in, reply *sim.Source
	rBeats, bEnds, asked *sim.Sink
	frames               *hdltest.Frames
	out                  *sim.Sink

	toPC, toBoard wire
	gigabit       bool // the wires carry a gigabit and no more
	outFree       int  // when the next frame may leave,
	inFree        int  // and come
	junk          int  // percent: so many frames of the network's are none of ours

	registers map[uint32]uint32
	accesses  int
	mem       *linktest.Memory
	frameLog  [][]byte // payloads that the board has sent
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
	r := rand.New(rand.NewPCG(hdltest.Seed(t), 7))
	b := &bench{
		t: t, s: s, io: io, r: r, toPC: wire{r: r}, toBoard: wire{r: r},
		registers: map[uint32]uint32{}, mem: linktest.NewMemory(), golden: linktest.NewMemory(),
	}
	a := &io.AXI
	b.ar = sim.NewSourceOf(s, sim.Ports(s, a.ARValid, a.ARReady, addressBeat{a.ARAddr, a.ARID, a.ARLen, a.ARSize, a.ARBurst, a.ARLock, a.ARCache, a.ARProt}), g)
	b.aw = sim.NewSourceOf(s, sim.Ports(s, a.AWValid, a.AWReady, addressBeat{a.AWAddr, a.AWID, a.AWLen, a.AWSize, a.AWBurst, a.AWLock, a.AWCache, a.AWProt}), g)
	b.w = sim.NewSourceOf(s, sim.Ports(s, a.WValid, a.WReady, dataBeat{a.WData, a.WStrb, a.WLast}), g)
	b.rBeats = sim.NewSinkOf(s, sim.Ports(s, a.RValid, a.RReady, readBeat{a.RData, a.RID, a.RResp, a.RLast}), g, sim.SinkOptions{})
	b.bEnds = sim.NewSinkOf(s, sim.Ports(s, a.BValid, a.BReady, writeEnd{a.BID, a.BResp}), g, sim.SinkOptions{})
	b.in = sim.NewSource(s, io.In, g)
	b.out = sim.NewSink(s, io.Out, g)
	b.frames = hdltest.NewFrames(b.out)
	b.asked, b.reply = sim.NewSink(s, io.Host.Access, g), sim.NewSource(s, io.Host.Reply, g)
	s.Set(io.MAC, boardMAC)
	s.Set(io.IP, boardIP)
	s.Reset(2)
	return b
}

// step goes on a cycle.
func (b *bench) step() {
	b.s.Step()
	b.now++
	require.NoError(b.t, b.s.Err())
	b.dropped += int(b.s.Get(b.io.Dropped))
	b.resent += int(b.s.Get(b.io.Resent))
	b.lost += int(b.s.Get(b.io.Lost))
	for _, f := range b.frames.Take() {
		payload := openFrame(b.t, f.Data)
		b.frameLog = append(b.frameLog, payload)
		b.toPC.send(b.now, payload)
		if b.gigabit {
			b.outFree = b.now + 4*overheadBytes/8
			b.out.SetPattern(sim.Pattern{Kind: sim.Never})
		}
	}
	if b.gigabit && b.now == b.outFree {
		b.out.SetPattern(wordInFour)
	}
	b.deliver()
	b.serveRegisters()
	b.check()
}

// deliver puts what has come over the network at In.
func (b *bench) deliver() {
	if b.in.Pending() > 0 || b.now < b.inFree {
		return
	}
	if b.r.IntN(100) < b.junk {
		b.sendJunk()
		return
	}
	if data, ok := b.toBoard.take(b.now); ok {
		hdltest.SendFrame(b.in, makeFrame(b.t, data))
		if b.gigabit {
			b.inFree = b.now + 4*(len(data)+42+overheadBytes)/8
		}
	}
}

// sendJunk sends a frame that is not for the block.
func (b *bench) sendJunk() {
	h := format.HostnetHeader[uint64]{Magic: format.HostnetMagic, Session: 1, Seq: uint64(b.r.IntN(50)), Answer: 1, Op: uint64(4 + b.r.IntN(2))}
	if b.r.IntN(2) == 0 {
		h.Words = uint64(1 + b.r.IntN(8))
	}
	h.Session = b.s.Get(b.io.Session)
	payload, err := format.Append(nil, h)
	require.NoError(b.t, err)
	payload = append(payload, make([]byte, 8*h.Words)...)
	f := makeFrame(b.t, payload)
	switch b.r.IntN(7) {
	case 0: // cut short
		hdltest.SendFrame(b.in, f[:1+b.r.IntN(len(f)-1)])
	case 1: // longer than it says
		hdltest.SendFrame(b.in, append(f, make([]byte, 1+b.r.IntN(64))...))
	case 2: // damaged, and known to be
		hdltest.SendBadFrame(b.in, f)
	case 3: // to somebody else
		f[[]int{0, 3, 5, 30, 33}[b.r.IntN(5)]] ^= 0x10
		hdltest.SendFrame(b.in, f)
	case 4: // another protocol, version, port, a fragment
		f[[]int{12, 13, 14, 20, 21, 23, 36, 37, 42, 43}[b.r.IntN(10)]] ^= 0x04
		hdltest.SendFrame(b.in, f)
	case 5: // other numbers of words in the two headers
		f[61] ^= 1
		hdltest.SendFrame(b.in, f)
	case 6: // an old session, or a wrong number
		f[44+b.r.IntN(4)] ^= 1 << b.r.IntN(8)
		hdltest.SendFrame(b.in, f)
	}
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
		if want.Resp != 0 {
			got.Data = want.Data
		}
		require.Equal(b.t, want, got)
		b.last = b.now
	}
	for _, got := range sim.Received[end](b.bEnds) {
		require.NotEmpty(b.t, b.wantB, "an end that nobody waits for")
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

// conn is the PC's end of the network: time goes on while it receives.
type conn struct{ *bench }

func (c conn) Send(b []byte) error {
	c.toBoard.send(c.now, slices.Clone(b))
	return nil
}

func (c conn) Receive(b []byte, until time.Duration) (int, error) {
	for {
		if data, ok := c.toPC.take(c.now); ok {
			return copy(b, data), nil
		}
		if c.Now() >= until {
			return 0, os.ErrDeadlineExceeded
		}
		c.step()
	}
}

func (c conn) Now() time.Duration { return time.Duration(c.now) * cycle }
func (c conn) Close() error       { return nil }

// open begins a session.
func (b *bench) open(o pc.Options) *pc.Bus {
	o.NoServer, o.Memory = true, memory{b.mem}
	if o.Session == 0 {
		o.Session = 1
	}
	o.Wait, o.Work, o.Timeout = 20*time.Microsecond, time.Microsecond, 40*time.Microsecond
	bus, err := pc.Open(ctx, conn{b}, o)
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
