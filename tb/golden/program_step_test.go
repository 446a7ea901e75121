package golden_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// cut makes count pieces of n bytes in all; some have none.
func (g *program) cut(n, count int) []int {
	var sizes []int
	for i := range count {
		size := n
		if i < count-1 {
			size = g.r.IntN(n + 1)
		}
		sizes = append(sizes, size)
		n -= size
	}
	return sizes
}

// list makes a list of n bytes, anywhere in an end's memory.
func (g *program) list(e *end, n, count int) []format.SGE[uint64] {
	var list []format.SGE[uint64]
	for _, size := range g.cut(n, count) {
		r := e.local[g.r.IntN(len(e.local))]
		list = append(list, r.part(g.r.Uint64N(r.size-uint64(size)+1), uint64(size)))
	}
	return list
}

// gathered is what a list holds.
func (e *end) gathered(list []format.SGE[uint64]) []byte {
	var b []byte
	for _, s := range list {
		for _, r := range e.local {
			if uint64(r.key) == s.LKey {
				b = append(b, e.s.load(r)[s.Addr-r.va:][:s.Length]...)
			}
		}
	}
	return b
}

// size is the length of a message, now and then long or a whole number of MTUs.
func (g *program) size() int {
	switch g.r.IntN(8) {
	case 0:
		return 0
	case 1:
		return g.r.IntN(localBytes + 1)
	case 2, 3:
		return min(128<<g.ends[0].q.c.mtu*g.r.IntN(4), localBytes)
	}
	return g.r.IntN(600)
}

// forms are the operations, with what their completions say.
var forms = []struct {
	op         format.WROpcode
	completion format.WCOpcode
}{
	{format.WRWrite, format.WCWrite}, {format.WRWriteImm, format.WCWrite}, {format.WRSend, format.WCSend}, {format.WRSendImm, format.WCSend},
	{format.WRSendInv, format.WCSend}, {format.WRRead, format.WCRead}, {format.WRRead, format.WCRead},
	{format.WRCompSwap, format.WCCompSwap}, {format.WRFetchAdd, format.WCFetchAdd},
}

// step posts one message, and notes what has to come of it.
func (g *program) step() {
	i := g.r.IntN(2)
	from, to := g.ends[i], g.ends[1-i]
	g.message++
	form := forms[g.r.IntN(len(forms))]
	wr := sendWR{id: uint64(g.message), op: form.op, imm: g.r.Uint32()}
	wr.flags = g.r.Uint64() & (format.WRFlagSignaled | format.WRFlagSolicited | format.WRFlagFence)
	from.slots++
	if from.slots == 1<<programLog {
		wr.flags |= format.WRFlagSignaled
	}
	size := 0
	switch form.op {
	case format.WRRead:
		size = g.read(from, to, &wr)
	case format.WRCompSwap, format.WRFetchAdd:
		size = g.atomic(from, to, &wr)
	default:
		data := g.source(from, &wr)
		g.destination(to, &wr, data)
	}
	from.q.send(wr)
	if wr.flags&format.WRFlagSignaled != 0 {
		from.sends = append(from.sends, fmt.Sprintf("%d SUCCESS %v %d", wr.id, form.completion, size))
	}
	if from.slots == 1<<programLog || g.r.IntN(6) == 0 {
		g.settle()
	}
}

// read chooses what a READ gets, and where it puts it.
func (g *program) read(from, to *end, wr *sendWR) int {
	n := g.size()
	offset := g.r.Uint64N(to.static.size - uint64(n) + 1)
	wr.remote, wr.rkey = to.static.va+offset, to.static.key
	wr.list = g.room(from, to.s.load(to.static)[offset:][:n], n, format.SendSGEs(int(from.q.c.logStride)))
	return n
}

// atomic works on one of the peer's numbers, whose old value lands in a region.
func (g *program) atomic(from, to *end, wr *sendWR) int {
	i := g.r.IntN(programWords)
	old := to.values[i]
	wr.remote, wr.rkey, wr.swap = to.words.va+8*uint64(i), to.words.key, g.r.Uint64()
	switch {
	case wr.op == format.WRFetchAdd:
		to.values[i] += wr.swap
	case g.r.IntN(2) == 0:
		wr.cmp, to.values[i] = old, wr.swap
	default:
		wr.cmp = ^old
	}
	wr.list = g.room(from, wordBytes(old), 8, 1)
	return 8
}

// source chooses what a message sends, and returns its bytes.
func (g *program) source(from *end, wr *sendWR) []byte {
	stride := int(from.q.c.logStride)
	if g.r.IntN(4) == 0 {
		wr.inline = noise(g.message, g.r.IntN(format.InlineMax(stride)+1))
		return wr.inline
	}
	if n := g.size(); n > 0 {
		wr.list = g.list(from, n, 1+g.r.IntN(format.SendSGEs(stride)))
	}
	return from.gathered(wr.list)
}

// destination chooses where a message goes, and notes what it does there.
func (g *program) destination(to *end, wr *sendWR, data []byte) {
	carries := ""
	switch wr.op {
	case format.WRSendImm, format.WRWriteImm:
		carries = fmt.Sprintf(" imm %08x", bits.ReverseBytes32(wr.imm))
	case format.WRSendInv:
		carries = g.ended(to, wr)
	}
	switch wr.op {
	case format.WRWrite, format.WRWriteImm:
		offset := g.place(to, wr, uint64(len(data)))
		copy(to.image[offset:], data)
		if carries != "" {
			g.receive(to, wr.id)
			to.recvs = append(to.recvs, fmt.Sprintf("%d SUCCESS RECV_RDMA_WITH_IMM %d%s", wr.id, len(data), carries))
		}
	default:
		g.receive(to, wr.id, g.landing(to, data)...)
		to.recvs = append(to.recvs, fmt.Sprintf("%d SUCCESS RECV %d%s", wr.id, len(data), carries))
	}
}

// ended chooses the key that a SEND ends. Without one it is a plain SEND.
func (g *program) ended(to *end, wr *sendWR) string {
	for _, l := range to.lends {
		if l.valid && g.r.IntN(2) == 0 {
			l.valid, wr.imm = false, l.key
			return fmt.Sprintf(" inv %x", l.key)
		}
	}
	wr.op = format.WRSend
	return ""
}

// place chooses where a WRITE goes, and under which key; it returns the offset in
// the peer's remote.
func (g *program) place(to *end, wr *sendWR, n uint64) uint64 {
	key, start, size := to.remote.key, uint64(0), to.remote.size
	for _, l := range to.lends {
		if l.valid && n <= l.size && g.r.IntN(2) == 0 {
			key, start, size = l.key, l.offset, l.size
		}
	}
	offset := start + g.r.Uint64N(size-n+1)
	wr.remote, wr.rkey = to.remote.va+offset, key
	return offset
}

// receive posts a receive WQE, at times too late, and then all behind it as well.
func (g *program) receive(to *end, id uint64, list ...format.SGE[uint64]) {
	post := func() { to.q.receive(id, list...) }
	if len(to.late) > 0 || g.r.IntN(8) == 0 {
		to.late = append(to.late, post)
	} else {
		post()
	}
}

// landing makes a receive WQE with room for a SEND, at times for more.
func (g *program) landing(to *end, data []byte) []format.SGE[uint64] {
	n := len(data) + g.r.IntN(2)*g.r.IntN(100)
	return g.room(to, data, n, format.RecvSGEs(int(to.q.c.logStride)))
}

// room makes a list of n bytes, in a region of its own, where data has to land.
func (g *program) room(e *end, data []byte, n, pieces int) []format.SGE[uint64] {
	if n == 0 {
		return nil
	}
	r := e.s.region(uint64(n), format.AccessLocalWrite)
	e.lands = append(e.lands, landing{r, data})
	var list []format.SGE[uint64]
	at := uint64(0)
	for _, size := range g.cut(n, 1+g.r.IntN(pieces)) {
		list = append(list, r.part(at, uint64(size)))
		at += uint64(size)
	}
	return list
}

// settle lets the wire work, with time for retries, and checks everything.
func (g *program) settle() {
	t := g.t
	for range 1000 {
		if g.p.run(); g.idle() {
			break
		}
		for _, e := range g.ends {
			for _, post := range e.late {
				post()
			}
			e.late = nil
		}
		g.p.a.nic.Tick(200 * time.Microsecond)
		g.p.b.nic.Tick(200 * time.Microsecond)
	}
	for i, e := range g.ends {
		require.Equal(t, e.recvs, brief(e.s.poll(e.q.recvCQ)), "end %d", i)
		require.Equal(t, e.sends, brief(e.s.poll(e.q.sendCQ)), "end %d", i)
		require.Equal(t, format.QPRTS, e.q.state())
		require.Empty(t, e.s.events())
		require.True(t, bytes.Equal(e.image, e.s.load(e.remote)), "end %d: memory of WRITEs", i)
		for j, value := range e.values {
			require.Equal(t, wordBytes(value), e.s.read(e.words.addr+8*uint64(j), 8), "end %d: a number", i)
		}
		for _, l := range e.lands {
			want := append(bytes.Clone(l.data), e.s.mem.Pattern(l.addr, int(l.size))[len(l.data):]...)
			require.True(t, bytes.Equal(want, e.s.bytes(l.region)), "end %d: memory of a SEND or READ", i)
			e.s.release(l.region)
			require.NoError(t, e.s.mem.Free(l.addr))
		}
		e.recvs, e.sends, e.lands, e.slots = nil, nil, nil, 0
	}
	g.refill()
	g.renew()
}

func (g *program) idle() bool {
	for _, e := range g.ends {
		if e.q.query().SQConsumer != uint64(e.q.posted) {
			return false
		}
	}
	return true
}
