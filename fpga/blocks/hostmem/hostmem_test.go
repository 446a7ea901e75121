package hostmem_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dma"
	"gornic/blocks/link"
	"gornic/fpga/blocks/hostmem"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
)

const (
	clients   = 3
	areaBytes = 4096  // of each client, on the board and on the PC
	bytes     = 16384 // the last area is the host's
	hostArea  = clients * areaBytes
)

// behindIO is the memory behind blocks/dma, whose clients the test plays.
type behindIO struct {
	Reads  []link.ReadPort  `hdl:"in"`
	Writes []link.WritePort `hdl:"in"`
	Host   port.Client      `hdl:"in"`
	Remote []link.AXI       `hdl:"out" name:"m_axi"`
	Err    hdl.Bits         `hdl:"out" w:"1"`
}

func behind(p hostmem.Params) hdl.Def[behindIO] {
	sizes := link.Sizes{DataWidth: port.DataWidth}
	io := behindIO{Host: port.NewClient()}
	for range clients {
		io.Reads, io.Writes = append(io.Reads, sizes.ReadPort()), append(io.Writes, sizes.WritePort())
	}
	if p.Remote {
		io.Remote = []link.AXI{sizes.AXI()}
	}
	return hdl.Def[behindIO]{
		Name: "behind", IO: io,
		Body: func(m *hdl.Module, io *behindIO) {
			engine := hdl.Instance(m, "u_dma", dma.Def(dma.Params{Sizes: sizes, Reads: clients, Writes: clients}))
			memory := hdl.Instance(m, "u_memory", hostmem.Def(p))
			for i := range clients {
				hdl.Connect(engine.Reads[i], io.Reads[i])
				hdl.Connect(engine.Writes[i], io.Writes[i])
			}
			hdl.Connect(memory.AXI, engine.AXI)
			hdl.Connect(memory.Host, io.Host)
			if p.Remote {
				hdl.Connect(io.Remote[0], memory.Remote[0])
			}
			io.Err.Set(engine.Err)
		},
	}
}

// pc is the memory of the PC: areas of clients from port.RemoteBase on.
type pc struct{ data []byte }

var errNotThere = errors.New("not there")

func (p *pc) DeviceRead(addr uint64, b []byte) error {
	if addr -= port.RemoteBase; addr >= uint64(len(p.data)) {
		return errNotThere
	}
	copy(b, p.data[addr:])
	return nil
}

func (p *pc) DeviceWriteBeat(addr uint64, b []byte, strobe uint64) error {
	if addr -= port.RemoteBase; addr >= uint64(len(p.data)) {
		return errNotThere
	}
	for i := range b {
		if strobe>>i&1 == 1 {
			p.data[addr+uint64(i)] = b[i]
		}
	}
	return nil
}

// burst is a burst under way.
type burst struct {
	addr  uint64
	beats int
	done  int
	want  []byte // nil: an error
}

// client is a client of the DMA engine: it writes for a while, then reads.
type client struct {
	asked, announced, beats *sim.Source
	answers, done           *sim.Sink
	base                    uint64
	writes                  bool
	reading, writing        []*burst
	finished                int
}

// bench plays clients and host against the reference.
type bench struct {
	t       *testing.T
	s       *sim.Sim
	r       *rand.Rand
	run     func(cycles int)
	ref     hostmem.Reference
	remote  bool
	pc      *pc
	wantPC  []byte
	clients []*client

	access   *sim.Source
	replies  *sim.Sink
	expected []expectation
	answered int
}

type expectation struct {
	fault, known bool
	data         uint64
}

type request struct {
	Write, Memory bool
	Addr, Data    uint64
	Strobe        uint8
}

func newBench(t *testing.T, s *sim.Sim, io *behindIO, o axi.Options, gaps uint32) *bench {
	b := &bench{t: t, s: s, r: rand.New(rand.NewPCG(hdltest.Seed(t), 5)), remote: len(io.Remote) > 0}
	b.ref.Bytes = make([]byte, bytes)
	b.pc, b.wantPC = &pc{data: make([]byte, hostArea)}, make([]byte, hostArea)
	b.run = s.Run
	if b.remote {
		o.Seed = b.r.Uint64()
		memory, err := axi.NewMemory(s, io.Remote[0], b.pc, o)
		require.NoError(t, err)
		b.run = func(cycles int) {
			_, err := memory.Run(cycles)
			require.NoError(t, err)
		}
	}
	for i := range clients {
		b.clients = append(b.clients, &client{
			asked: sim.NewSource(s, io.Reads[i].Burst, hdltest.Gaps(t, gaps)), announced: sim.NewSource(s, io.Writes[i].Burst, hdltest.Gaps(t, gaps)),
			beats: sim.NewSource(s, io.Writes[i].Beat, hdltest.Gaps(t, gaps)), answers: sim.NewSink(s, io.Reads[i].Beat, sim.Pattern{}),
			done: sim.NewSink(s, io.Writes[i].Done, sim.Pattern{}), base: uint64(i * areaBytes), writes: true,
		})
	}
	b.access, b.replies = sim.NewSource(s, io.Host.Access, hdltest.Gaps(t, gaps)), sim.NewSink(s, io.Host.Reply, hdltest.Gaps(t, gaps))
	s.Reset(2)
	for at := uint64(0); at < bytes; at += 8 { // RAMs start with anything
		b.hostWrite(at, 0, 0xFF)
	}
	b.settle()
	return b
}

// draw is a burst within a client's area on the board, or that of the PC, or nowhere.
func (b *bench) draw(c *client) *burst {
	n := 1 + b.r.IntN(16)
	u := &burst{beats: n, addr: c.base + uint64(b.r.IntN(areaBytes/8-n+1)*8)}
	switch b.r.IntN(5) {
	case 0:
		u.addr += 1 << (14 + b.r.IntN(18)) // beyond the board
	case 1, 2:
		u.addr += port.RemoteBase
	}
	return u
}

// bytesAt is where the reference has the bytes of a burst, nil if nowhere.
func (b *bench) bytesAt(u *burst) []byte {
	switch b.ref.Place(u.addr, b.remote) {
	case hostmem.Here:
		return b.ref.Bytes[u.addr:][:8*u.beats]
	case hostmem.Remote:
		return b.wantPC[u.addr-port.RemoteBase:][:8*u.beats]
	}
	return nil
}

func (b *bench) write(c *client) {
	u := b.draw(c)
	want := b.bytesAt(u)
	u.want = want
	c.announced.Send(struct{ Addr, Len uint64 }{u.addr, uint64(u.beats - 1)})
	for i := range u.beats {
		data, strobe := b.r.Uint64(), uint8(b.r.Uint32()|b.r.Uint32())
		c.beats.Send(struct {
			Data uint64
			Strb uint8
			Last bool
		}{data, strobe, i == u.beats-1})
		for k := range 8 {
			if want != nil && strobe>>k&1 == 1 {
				want[8*i+k] = byte(data >> (8 * k))
			}
		}
	}
	c.writing = append(c.writing, u)
}

func (b *bench) read(c *client) {
	u := b.draw(c)
	if at := b.bytesAt(u); at != nil {
		u.want = append([]byte{}, at...)
	}
	c.asked.Send(struct{ Addr, Len uint64 }{u.addr, uint64(u.beats - 1)})
	c.reading = append(c.reading, u)
}

// collect checks what clients and host have got.
func (b *bench) collect() {
	for _, c := range b.clients {
		for _, failed := range sim.Received[bool](c.done) {
			require.Equal(b.t, c.writing[0].want == nil, failed, "write at %#x", c.writing[0].addr)
			c.writing = c.writing[1:]
			c.finished++
		}
		type beat struct {
			Data      uint64
			Err, Last bool
		}
		for _, got := range sim.Received[beat](c.answers) {
			u := c.reading[0]
			require.Equal(b.t, u.want == nil, got.Err, "read at %#x", u.addr)
			if u.want != nil {
				require.Equal(b.t, binary.LittleEndian.Uint64(u.want[8*u.done:]), got.Data, "read at %#x, beat %d", u.addr, u.done)
			}
			u.done++
			require.Equal(b.t, u.done == u.beats, got.Last)
			if got.Last {
				c.reading = c.reading[1:]
				c.finished++
			}
		}
	}
	for _, got := range sim.Received[struct {
		Data  uint64
		Fault bool
	}](b.replies) {
		want := b.expected[b.answered]
		b.answered++
		require.Equal(b.t, want.fault, got.Fault)
		if want.known {
			require.Equal(b.t, want.data, got.Data)
		}
	}
}

func (b *bench) hostWrite(addr, data uint64, strobe uint8) {
	b.access.Send(request{Write: true, Memory: true, Addr: addr, Data: data, Strobe: strobe})
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], data)
	b.expected = append(b.expected, expectation{fault: !b.ref.Write(addr, word, strobe)})
}

func (b *bench) hostRead(addr uint64) {
	b.access.Send(request{Memory: true, Addr: addr})
	word, ok := b.ref.Read(addr)
	shared := addr < hostArea // a client may write it meanwhile
	b.expected = append(b.expected, expectation{fault: !ok, known: ok && !shared, data: binary.LittleEndian.Uint64(word[:])})
}

// host makes an access: to its own area, to that of a client, or to nowhere.
func (b *bench) host() {
	addr := hostArea + 8*uint64(b.r.IntN(areaBytes/8))
	switch b.r.IntN(6) {
	case 0:
		addr = 1<<b.r.IntN(64) + 4*b.r.Uint64N(2)
		if addr < hostArea {
			b.hostRead(addr)
			return
		}
	case 1:
		b.hostRead(8 * uint64(b.r.IntN(hostArea/8)))
		return
	}
	if b.r.IntN(2) == 0 {
		b.hostWrite(addr, b.r.Uint64(), uint8(b.r.Uint32()))
	} else {
		b.hostRead(addr)
	}
}

// settle runs until nothing is under way.
func (b *bench) settle() {
	for turns := 0; ; turns++ {
		require.Less(b.t, turns, 30000, "answers that never come")
		busy := b.answered < len(b.expected)
		for _, c := range b.clients {
			busy = busy || len(c.reading)+len(c.writing) > 0
		}
		if !busy {
			return
		}
		b.run(10)
		b.collect()
	}
}

// play runs so many phases: in each a client either writes or reads.
func (b *bench) play(phases int) {
	for range phases {
		for range 20 {
			for _, c := range b.clients {
				if len(c.reading)+len(c.writing) > 5 || b.r.IntN(3) == 0 {
					continue
				}
				if c.writes {
					b.write(c)
				} else {
					b.read(c)
				}
			}
			if b.access.Pending() < 4 {
				b.host()
			}
			b.run(1 + b.r.IntN(12))
			b.collect()
		}
		b.settle()
		for _, c := range b.clients {
			c.writes = b.r.IntN(2) == 0
		}
	}
	require.Equal(b.t, b.wantPC, b.pc.data)
	for at := uint64(0); at < bytes; at += 8 {
		b.access.Send(request{Memory: true, Addr: at})
		b.expected = append(b.expected, expectation{known: true, data: binary.LittleEndian.Uint64(b.ref.Bytes[at:])})
	}
	b.settle()
}

// Random bursts to the board, the PC and nowhere, and accesses of the host at the same time: all
// that is read was written, and the answers of each client come in order.
func TestTraffic(t *testing.T) {
	design, io := hdltest.Build(t, behind(hostmem.Params{Bytes: bytes, Remote: true}))
	for name, c := range map[string]struct {
		o    axi.Options
		gaps uint32
	}{
		"fast PC": {axi.Options{Strict: true}, 0},
		"slow PC": {axi.Options{LatencyMin: 50, LatencyMax: 90, Reorder: true, Strict: true}, 20},
		"mixed":   {axi.Options{LatencyMax: 40, Interleave: true, Pauses: 50, Strict: true}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, c.o, c.gaps)
				b.play(12)
				for _, c := range b.clients {
					require.Greater(t, c.finished, 50)
				}
			}, verilator.Simulator)
		})
	}
}

// Without a PC its addresses are nowhere.
func TestAlone(t *testing.T) {
	design, io := hdltest.Build(t, behind(hostmem.Params{Bytes: bytes}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		newBench(t, s, io, axi.Options{}, 20).play(15)
	}, verilator.Simulator)
}

// With every client busy a beat is read in each cycle, and written in each but two a burst; the host does
// not wait long.
func TestRate(t *testing.T) {
	design, io := hdltest.Build(t, behind(hostmem.Params{Bytes: bytes}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, axi.Options{}, 0)
		const bursts, beats = 20, 16
		for _, c := range b.clients {
			for range bursts {
				c.asked.Send(struct{ Addr, Len uint64 }{c.base, beats - 1})
				c.announced.Send(struct{ Addr, Len uint64 }{c.base + 1024, beats - 1})
				for k := range beats {
					c.beats.Send(struct {
						Data uint64
						Strb uint8
						Last bool
					}{1, 0xFF, k == beats-1})
				}
			}
		}
		start := s.Cycle()
		s.Run(500)
		read, written := 0, 0
		for _, c := range b.clients {
			read += len(c.answers.Take())
			written += beats * len(c.done.Take())
		}
		require.Greater(t, read, 500-10)
		require.Greater(t, written, 500*beats/(beats+2)-2*beats)
		b.access.Send(request{Memory: true, Addr: hostArea})
		start = s.Cycle()
		s.Await(20, b.replies.Beats(b.answered+1))
		require.Less(t, s.Cycle()-start, uint64(10))
	}, verilator.Simulator)
}

func TestParams(t *testing.T) {
	for want, p := range map[string]hostmem.Params{
		"12288 bytes": {Bytes: 12288},
		"2048 bytes":  {Bytes: 2048},
	} {
		_, _, err := hdl.Build(hostmem.Def(p))
		require.ErrorContains(t, err, want)
	}
}

func TestLint(t *testing.T) {
	for _, remote := range []bool{false, true} {
		design, _ := hdltest.Build(t, hostmem.Def(hostmem.Params{Bytes: 4096, Remote: remote}))
		lint.Check(t, design)
	}
}
