package hostqueue_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/hostqueue"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// queues are the registers of the two queues, where their rings are, and their vectors.
var queues = [2]struct {
	offset uint32
	ring   uint64
	vector int
}{{format.RegHostReceive, ringRx, 1}, {format.RegHostSend, ringTx, 2}}

const noMemory = 5 * page // behind a ring: a ring there has no memory

// hole tells whether an address has no memory.
func hole(addr uint64) bool { return addr/page%8 == 5 }

// posted is a buffer that software has given away.
type posted struct {
	addr uint64
	room int
}

// program is software, with the reference beside the block, each with a memory of its own.
type program struct {
	*bench
	ref      hostqueue.Reference
	refMem   *linktest.Memory
	base     [2]uint64
	log      [2]int
	on       [2]bool
	index    [2]uint16 // behind the last entry that is written
	slots    [2]map[uint16]posted
	all      []posted // for received frames
	next     uint64   // buffer
	want     []int    // interrupts
	expected [][]byte // frames that are sent
	count    map[string]int
}

func newProgram(t *testing.T, s *sim.Sim, io *hostqueue.IO, gaps uint32) *program {
	p := &program{
		bench: newBench(t, s, io, hdltest.Gaps(t, gaps)), refMem: linktest.NewMemory(), next: buffers,
		slots: [2]map[uint16]posted{{}, {}}, count: map[string]int{},
	}
	p.ref = hostqueue.Reference{Memory: p.refMem, FrameMax: buffer, Vectors: vectors, Enabled: true}
	p.mem.Fault(hole)
	p.refMem.Fault(hole)
	return p
}

func (p *program) poke(addr uint64, b []byte) {
	p.mem.Poke(addr, b)
	p.refMem.Poke(addr, b)
}

// set writes a register of both.
func (p *program) set(offset, value uint32) {
	require.Equal(p.t, p.ref.Write(offset, value), p.write(offset, value), "write of %#x to %#x", value, offset)
	p.want = append(p.want, p.ref.Interrupts()...)
}

// enable makes a ring of zeros and enables the queue.
func (p *program) enable(q int) {
	at := queues[q]
	p.base[q], p.log[q], p.index[q], p.on[q] = at.ring, p.r.IntN(5), 0, true
	if p.r.IntN(8) == 0 {
		p.base[q] += noMemory
	}
	p.slots[q] = map[uint16]posted{}
	p.poke(p.base[q], make([]byte, 16<<p.log[q]))
	p.set(at.offset+format.HostBaseLow, uint32(p.base[q])|uint32(p.r.IntN(64)))
	p.set(at.offset+format.HostBaseHigh, uint32(p.base[q]>>32))
	p.set(at.offset+format.HostControl, format.HostEnable|uint32(p.log[q])<<format.HostLogShift|uint32(at.vector)<<format.HostVectorShift)
}

func (p *program) disable(q int) {
	p.on[q] = false
	p.set(queues[q].offset+format.HostControl, 0)
}

// post writes entries, as many as the ring has room for or fewer, and moves the producer over them.
func (p *program) post(q int) {
	consumer, _ := p.ref.Read(queues[q].offset + format.HostConsumer)
	free := 1<<p.log[q] - int(p.index[q]-uint16(consumer))
	for range p.r.IntN(min(free, 4) + 1) {
		n := p.length(q)
		slot := posted{addr: p.next + 64*uint64(p.r.IntN(64)), room: n}
		p.next += page * uint64(n/page+3)
		p.slots[q][p.index[q]] = slot
		p.entry(q, slot)
		if q == hostqueue.Send {
			p.poke(slot.addr, p.data(n))
		} else {
			p.all = append(p.all, slot)
		}
		p.index[q]++
	}
	p.set(queues[q].offset+format.HostProducer, uint32(p.index[q])|p.r.Uint32()<<16)
}

// entry writes the entry at the producer.
func (p *program) entry(q int, slot posted) {
	b, err := format.AppendHost(nil, format.FrameDescriptor[uint64]{
		Addr: slot.addr | uint64(p.r.IntN(64)), Length: uint64(slot.room), Phase: uint64(p.index[q] >> p.log[q] & 1),
	})
	require.NoError(p.t, err)
	p.poke(p.base[q]|uint64(p.index[q])&(1<<p.log[q]-1)*16, b)
}

// length is that of a buffer or of a frame.
func (p *program) length(q int) int {
	if q == hostqueue.Send && p.r.IntN(8) == 0 {
		return []int{0, 1, 13, 14, buffer, buffer + 1, 65535}[p.r.IntN(7)]
	}
	return 14 + p.r.IntN(1<<p.r.IntN(12))
}

// receive has a frame come.
func (p *program) receive() {
	frame := p.data(14 + p.r.IntN(1<<p.r.IntN(12)))
	dropped, _ := p.ref.Read(format.RegHostReceive + format.HostDropped)
	p.ref.Receive(frame)
	if now, _ := p.ref.Read(format.RegHostReceive + format.HostDropped); now != dropped {
		p.count["dropped"]++
	} else {
		p.count["received"]++
	}
	p.want = append(p.want, p.ref.Interrupts()...)
	hdltest.SendFrame(p.in, frame)
}

// arm arms a queue, for an entry near the one that comes next.
func (p *program) arm(q int) {
	consumer, _ := p.ref.Read(queues[q].offset + format.HostConsumer)
	p.set(queues[q].offset+format.HostArm, (consumer+uint32(p.r.IntN(4))-1)&0xFFFF)
}

// act does something at random.
func (p *program) act() {
	q := p.r.IntN(2)
	switch n := p.r.IntN(20); {
	case !p.on[q]:
		p.enable(q)
	case n == 0:
		p.disable(q)
	case n < 3:
		p.arm(q)
	case n == 3: // an index that software cannot have reached
		consumer, _ := p.ref.Read(queues[q].offset + format.HostConsumer)
		p.set(queues[q].offset+format.HostProducer, (consumer+1<<p.log[q]+1+uint32(p.r.IntN(1000)))&0xFFFF)
	case n == 4: // what cannot be written now, or at all
		offsets := []uint32{format.HostBaseLow, format.HostBaseHigh, format.HostStatus, format.HostConsumer, format.HostDropped}
		p.set(queues[q].offset+offsets[p.r.IntN(len(offsets))], p.r.Uint32())
		p.set(queues[q].offset+format.HostControl, format.HostEnable|p.r.Uint32())
		p.set(format.RegHostFrameMax, 1)
	case n < 13:
		p.post(q)
	default:
		p.receive()
	}
}

// compare holds the block against the reference when both have come to rest.
func (p *program) compare() {
	t := p.t
	for {
		frame, ok := p.ref.Send()
		p.want = append(p.want, p.ref.Interrupts()...)
		if !ok {
			break
		}
		p.count["sent"]++
		p.expected = append(p.expected, frame)
	}
	for _, f := range p.frames.Take() {
		require.NotEmpty(t, p.expected, "a frame that nobody sent")
		require.True(t, bytes.Equal(p.expected[0], f.Data))
		require.False(t, f.Err)
		p.expected = p.expected[1:]
	}
	require.Empty(t, p.expected, "frames that did not leave")
	for offset := uint32(format.RegHostReceive); offset < format.RegHostReceive+0x80; offset += 4 {
		got, there := p.read(offset)
		want, ok := uint32(0), false
		if offset <= format.RegHostFrameMax {
			want, ok = p.ref.Read(offset)
		}
		require.Equal(t, ok, there, "%#x", offset)
		require.Equal(t, want, got, "%#x", offset)
	}
	require.ElementsMatch(t, p.want, p.raised)
	p.raised, p.want = nil, nil
	for q := range queues {
		require.Equal(t, p.refMem.Peek(p.base[q], 16<<p.log[q]), p.mem.Peek(p.base[q], 16<<p.log[q]))
	}
}

// buffersOf compares what was received, and that nothing was written beside the buffers.
func (p *program) buffersOf() {
	for _, slot := range p.all {
		ref, got := p.refMem.Peek(slot.addr, 2*page), p.mem.Peek(slot.addr, 2*page)
		n := len(bytes.TrimRight(ref, "\x00"))
		require.True(p.t, bytes.Equal(ref[:n], got[:n]), "buffer at %#x", slot.addr)
		require.Empty(p.t, bytes.Trim(got[min(slot.room, len(got)):], "\x00"), "beside the buffer at %#x", slot.addr)
	}
}
