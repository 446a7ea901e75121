package scatter_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/scatter"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func params(width int) scatter.Params {
	return scatter.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 4, CQBits: 3}}
}

// bench is the block between translator, receive path, responder and memory, and
// a memory of the reference beside it.
type bench struct {
	t                      *testing.T
	s                      *sim.Sim
	mem, ref               *linktest.Memory
	writes                 *linktest.Writes
	piece, payload, commit *sim.Source
	placed                 *sim.Sink

	packets []scatter.Packet
	want    []linktest.Placed
	got     []linktest.Placed
	next    uint64 // the first address that no packet has
	r       *rand.Rand
}

const base = 0x12_3456_7000

func newBench(t *testing.T, s *sim.Sim, io *scatter.IO, gaps uint32, latency int) *bench {
	g := hdltest.Gaps(t, gaps)
	b := &bench{t: t, s: s, mem: linktest.NewMemory(), ref: linktest.NewMemory(), next: base, r: rand.New(rand.NewPCG(hdltest.Seed(t), uint64(gaps)))}
	b.writes = linktest.NewWrites(s, io.Write, b.mem, g, hdltest.Seed(t))
	b.writes.Latency = latency
	b.piece, b.commit = sim.NewSource(s, io.Piece, g), sim.NewSource(s, io.Commit, g)
	b.payload = sim.NewSource(s, io.Payload, sim.Pattern{}) // whole in its buffer
	b.placed = sim.NewSink(s, io.Placed, g)
	s.Reset(2)
	return b
}

// fault makes holes in both memories.
func (b *bench) fault(bad func(addr uint64) bool) {
	b.mem.Fault(bad)
	b.ref.Fault(bad)
}

// write is the reference's memory, by the byte: what is not in a hole is written.
func (b *bench) write(addr uint64, data []byte) (err error) {
	for i := range data {
		if e := b.ref.Write(addr+uint64(i), data[i:i+1]); e != nil {
			err = e
		}
	}
	return err
}

// step goes on a cycle. A packet that is reported is in memory.
func (b *bench) step() {
	b.s.Step()
	b.writes.Step()
	require.NoError(b.t, b.s.Err())
	for _, p := range sim.Received[linktest.Placed](b.placed) {
		require.Equal(b.t, b.want[len(b.got)], p, "commit %d", len(b.got))
		for _, piece := range b.packets[len(b.got)].Pieces {
			if !piece.Skip {
				require.True(b.t, bytes.Equal(b.ref.Peek(piece.Addr, piece.Len), b.mem.Peek(piece.Addr, piece.Len)), "packet %d at %#x", len(b.got), piece.Addr)
			}
		}
		b.got = append(b.got, p)
	}
}

// give sends a packet, and what the reference says becomes of it to the list.
func (b *bench) give(p scatter.Packet, c linktest.Commit) {
	type piece struct {
		Addr       uint64
		Len        int
		Skip, Last bool
	}
	for i, x := range p.Pieces {
		b.piece.Send(piece{x.Addr, x.Len, x.Skip, i == len(p.Pieces)-1})
	}
	if len(p.Payload) > 0 {
		hdltest.SendFrame(b.payload, p.Payload)
	}
	if c.Kind != link.CommitFence {
		c.Payload, c.Placed = len(p.Payload) > 0, p.Placed
	}
	b.commit.Send(c)
	b.packets = append(b.packets, p)
	b.want = append(b.want, linktest.Placed{Commit: c, BusErr: scatter.Reference(b.write, p)})
}

// finish steps until all has come, and compares the memories, guard bytes and all.
func (b *bench) finish(limit int) {
	b.t.Helper()
	for n := 0; len(b.got) < len(b.want) || !b.writes.Idle(); n++ {
		require.Less(b.t, n, limit, "%d of %d commits", len(b.got), len(b.want))
		b.step()
	}
	for range 50 {
		b.step()
	}
	require.Len(b.t, b.got, len(b.want))
	require.NoError(b.t, b.writes.Broken)
	size := int(b.next-base) + 3*4096
	require.True(b.t, bytes.Equal(b.ref.Peek(base-4096, size), b.mem.Peek(base-4096, size)))
}

// place returns room for n bytes, with guard bytes around it.
func (b *bench) place(n int) uint64 {
	at := b.next + 1 + uint64(b.r.IntN(1<<b.r.IntN(10)))
	b.next = at + uint64(n) + 1
	return at
}

func (b *bench) bytes(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(1 + b.r.IntN(255)) // memory is zero where nothing was written
	}
	return data
}

// randomPacket draws a packet: its pieces long or short, few or many, the rest dropped or none.
func (b *bench) randomPacket() scatter.Packet {
	r := b.r
	p := scatter.Packet{Payload: b.bytes(1 + r.IntN(1<<(1+r.IntN(12)))), Placed: r.IntN(6) > 0}
	left, most := len(p.Payload), 1+r.IntN(1<<(1+r.IntN(12)))
	dropped := 0
	if r.IntN(5) == 0 {
		p.Placed = false
		dropped = r.IntN(left + 1)
	}
	for left > dropped && len(p.Pieces) < 40 {
		n := min(left-dropped, 1+r.IntN(most))
		p.Pieces = append(p.Pieces, scatter.Piece{Addr: b.place(n), Len: n})
		left -= n
	}
	if left > 0 || len(p.Pieces) == 0 {
		p.Pieces = append(p.Pieces, scatter.Piece{Skip: true, Len: r.IntN(4097)})
	}
	r.Shuffle(len(p.Pieces)/2, func(i, j int) { // where they lie, not how long they are
		if p.Pieces[i].Len == p.Pieces[j].Len {
			p.Pieces[i].Addr, p.Pieces[j].Addr = p.Pieces[j].Addr, p.Pieces[i].Addr
		}
	})
	return p
}

func (b *bench) randomCommit() linktest.Commit {
	r := b.r
	flag := func() bool { return r.IntN(2) == 0 }
	kinds := []int{link.CommitRequest, link.CommitRequest, link.CommitResponse, link.CommitResponse, link.CommitDead}
	return linktest.Commit{
		Kind: kinds[r.IntN(len(kinds))], Match: r.IntN(8), Fault: format.VendorCode(r.IntN(32)),
		Resource: linktest.Resource{Kind: r.IntN(4), Duplicate: flag(), VA: r.Uint64(), RKey: r.Uint32(), Length: r.Uint32()},
		QP:       r.IntN(16), Reply: r.IntN(3), PSN: r.Uint32() >> 8, RequestPSN: r.Uint32() >> 8, Syndrome: r.IntN(256),
		Message: flag(), Fatal: flag(), HasEvent: flag(), Event: format.AsyncEvent(r.IntN(256)), Complete: flag(), Open: flag(),
		Completion: linktest.Completion{
			CQ: r.IntN(8), WRID: r.Uint64(), ByteLen: r.Uint32(), Imm: r.Uint32(), QP: r.IntN(16), QPN: r.Uint32() >> 8, Status: format.Status(r.IntN(256)),
			WQEIndex: uint16(r.Uint32()), Opcode: format.WCOpcode(r.IntN(256)), Flags: r.IntN(16), Vendor: format.VendorCode(r.IntN(32)), Queue: r.IntN(2), Solicited: flag(),
		},
	}
}

// Random packets, with and without payload, and holes in a memory that takes its time.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct{ width, latency int }{{64, 50}, {128, 0}, {256, 9}, {512, 60}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, scatter.Def(params(c.width)))
			for _, gaps := range []uint32{0, 30} {
				hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
					b := newBench(t, s, io, gaps, c.latency)
					b.fault(func(addr uint64) bool { return (addr-base)>>7%100 == 77 })
					for range 200 {
						b.random()
					}
					b.finish(400_000)
				}, linktest.Others(c.width)...)
			}
		})
	}
}

// random gives a packet, or one without payload, or a fence; some cycles may pass.
func (b *bench) random() {
	c := b.randomCommit()
	switch b.r.IntN(6) {
	case 0:
		b.give(scatter.Packet{}, c)
	case 1:
		c.Kind, c.Payload, c.Placed = link.CommitFence, b.r.IntN(2) == 0, b.r.IntN(2) == 0
		b.give(scatter.Packet{}, c)
	default:
		b.give(b.randomPacket(), c)
	}
	for range b.r.IntN(3) * b.r.IntN(40) {
		b.step()
	}
}

// Placed waits for the answers to its packet and to all before it, and for nothing else.
func TestOrder(t *testing.T) {
	design, io := hdltest.Build(t, scatter.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		b.writes.Hold = true
		plain := func() { b.give(scatter.Packet{}, b.randomCommit()) }
		whole := func(n int) {
			b.give(scatter.Packet{Payload: b.bytes(n), Pieces: []scatter.Piece{{Addr: b.place(n), Len: n}}, Placed: true}, b.randomCommit())
		}
		dropped := func(n int) {
			b.give(scatter.Packet{Payload: b.bytes(n), Pieces: []scatter.Piece{{Skip: true}}}, b.randomCommit())
		}
		plain()
		dropped(300)
		plain()
		whole(100)
		plain()
		whole(4096)
		dropped(1)
		for range 300 {
			b.step()
		}
		require.Len(t, b.got, 3, "those before the first burst")
		require.Equal(t, 4096+100, b.written(), "all is written meanwhile")
		b.writes.Hold = false
		b.finish(300)
	}, verilator.Simulator)
}

// written is the number of bytes in memory that are not zero.
func (b *bench) written() int {
	n := 0
	for _, x := range b.mem.Peek(base, int(b.next-base)) {
		if x != 0 {
			n++
		}
	}
	return n
}

// A burst is not announced before the payload of its packet is here.
func TestNoBurstWithoutPayload(t *testing.T) {
	design, io := hdltest.Build(t, scatter.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		burst := sim.NewSink(s, io.Write.Burst, sim.Pattern{})
		piece, payload := sim.NewSource(s, io.Piece, sim.Pattern{}), sim.NewSource(s, io.Payload, sim.Pattern{})
		s.Reset(2)
		piece.Send(struct {
			Addr       uint64
			Len        int
			Skip, Last bool
		}{0x1001, 100, false, true})
		s.Run(50)
		require.Zero(t, burst.Count())
		hdltest.SendFrame(payload, make([]byte, 100))
		s.Await(50, burst.Beats(1))
	})
}

// An error response counts where its packet was to be placed, and there alone.
func TestBusErrors(t *testing.T) {
	for _, width := range []int{64, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, scatter.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, 0, 20)
				const hole, other = base + 0x8000, base + 0xC000
				b.fault(func(addr uint64) bool { return addr>>6 == hole>>6 || addr>>6 == other>>6 })
				b.next = base + 0x10000
				var errors []bool
				give := func(wrong, isPlaced bool, list ...scatter.Piece) {
					n := 0
					for _, piece := range list {
						n += piece.Len
					}
					b.give(scatter.Packet{Payload: b.bytes(n), Pieces: list, Placed: isPlaced}, b.randomCommit())
					b.give(scatter.Packet{}, b.randomCommit())
					errors = append(errors, wrong, false)
				}
				give(false, true, scatter.Piece{Addr: hole - 64, Len: 64})
				give(true, true, scatter.Piece{Addr: hole + 63, Len: 1})
				give(false, true, scatter.Piece{Addr: hole + 64, Len: 64})
				give(false, false, scatter.Piece{Addr: hole, Len: 1})
				give(true, true, scatter.Piece{Addr: other - 4000, Len: 4096})
				give(true, true, scatter.Piece{Addr: hole + 5, Len: 9}, scatter.Piece{Addr: base + 7, Len: 1}, scatter.Piece{Addr: base + 9, Len: 1})
				give(true, true, scatter.Piece{Addr: base + 11, Len: 500}, scatter.Piece{Addr: hole + 5, Len: 9})
				give(false, false, scatter.Piece{Addr: hole + 5, Len: 9}, scatter.Piece{Len: 70, Skip: true})
				give(false, true, scatter.Piece{Addr: base + 0x700, Len: 64})
				b.finish(5000)
				for i, p := range b.got {
					require.Equal(t, errors[i], p.BusErr, "commit %d", i)
				}
			}, linktest.Others(width)...)
		})
	}
}

// At full speed: a packet of one piece in as many cycles as the beats that it touches.
func TestCycles(t *testing.T) {
	const packets = 100
	for _, width := range []int{64, 512} {
		n := width / 8
		for _, c := range []struct{ length, offset, beats int }{
			{64, 0, 64 / n}, {64, 5, 64/n + 1}, {4096, 0, 4096 / n}, {4096, 3, 4096/n + 1}, {1, 1, 1}, {4096, 4000, 4096/n + 1},
		} {
			t.Run(fmt.Sprintf("%d/%d bytes at %d", width, c.length, c.offset), func(t *testing.T) {
				design, io := hdltest.Build(t, scatter.Def(params(width)))
				hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
					b := newBench(t, s, io, 0, 0)
					for i := range packets {
						at := base + uint64(i*8192+c.offset)
						b.next = at + uint64(c.length)
						b.give(scatter.Packet{Payload: b.bytes(c.length), Pieces: []scatter.Piece{{Addr: at, Len: c.length}}, Placed: true}, linktest.Commit{})
					}
					first, last := 0, 0
					for i := 0; len(b.got) < packets; i++ {
						require.Less(t, i, 100_000)
						b.step()
						if len(b.got) == 1 && first == 0 {
							first = i
						}
						last = i
					}
					b.finish(100)
					t.Logf("%.2f cycles a packet", float64(last-first)/(packets-1))
					require.LessOrEqual(t, last-first, (packets-1)*c.beats+1)
				})
			})
		}
	}
}

// Many short packets wait for a slow memory at once, those whose payload is dropped among them.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		drops  bool // every other one, from the third on: the 65th that waits
		bursts int
	}{{false, 64}, {true, 33}} {
		design, io := hdltest.Build(t, scatter.Def(params(512)))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			b := newBench(t, s, io, 0, 0)
			b.writes.Hold = true
			for i := range 80 {
				p := scatter.Packet{Payload: b.bytes(20), Pieces: []scatter.Piece{{Skip: true}}}
				if !c.drops || i == 0 || i%2 == 1 {
					p.Placed, p.Pieces = true, []scatter.Piece{{Addr: b.place(62) &^ 63, Len: 20}}
				}
				b.give(p, b.randomCommit())
			}
			for range 500 {
				b.step()
			}
			require.Empty(t, b.got)
			require.Equal(t, c.bursts, b.writes.Bursts)
			b.writes.Hold = false
			b.finish(500)
		})
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64).Validate())
	require.Error(t, params(96).Validate())
	require.Error(t, scatter.Params{Sizes: link.Sizes{DataWidth: 64, CQBits: 1}}.Validate())
	require.Error(t, scatter.Params{Sizes: link.Sizes{DataWidth: 64, QPBits: 1}}.Validate())
}
