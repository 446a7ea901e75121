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

// step posts one message, and notes what has to come of it.
func (g *program) step() {
	i := g.r.IntN(2)
	from, to := g.ends[i], g.ends[1-i]
	g.message++
	forms := []struct {
		op         format.WROpcode
		completion format.WCOpcode
	}{{format.WRWrite, format.WCWrite}, {format.WRWriteImm, format.WCWrite}, {format.WRSend, format.WCSend}, {format.WRSendImm, format.WCSend}}
	form := forms[g.r.IntN(len(forms))]
	wr := sendWR{id: uint64(g.message), op: form.op, imm: g.r.Uint32()}
	wr.flags = g.r.Uint64() & (format.WRFlagSignaled | format.WRFlagSolicited)
	from.slots++
	if from.slots == 1<<programLog {
		wr.flags |= format.WRFlagSignaled
	}
	data := g.source(from, &wr)
	g.destination(to, &wr, data)
	from.q.send(wr)
	if wr.flags&format.WRFlagSignaled != 0 {
		from.sends = append(from.sends, fmt.Sprintf("%d SUCCESS %v 0", wr.id, form.completion))
	}
	if from.slots == 1<<programLog || g.r.IntN(6) == 0 {
		g.settle()
	}
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
	imm := ""
	if wr.op == format.WRSendImm || wr.op == format.WRWriteImm {
		imm = fmt.Sprintf(" imm %08x", bits.ReverseBytes32(wr.imm))
	}
	switch wr.op {
	case format.WRWrite, format.WRWriteImm:
		offset := g.r.Uint64N(to.remote.size - uint64(len(data)) + 1)
		wr.remote, wr.rkey = to.remote.va+offset, to.remote.key
		copy(to.image[offset:], data)
		if imm != "" {
			g.receive(to, wr.id)
			to.recvs = append(to.recvs, fmt.Sprintf("%d SUCCESS RECV_RDMA_WITH_IMM %d%s", wr.id, len(data), imm))
		}
	default:
		g.receive(to, wr.id, g.landing(to, data)...)
		to.recvs = append(to.recvs, fmt.Sprintf("%d SUCCESS RECV %d%s", wr.id, len(data), imm))
	}
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
	if n == 0 {
		return nil
	}
	r := to.s.region(uint64(n), format.AccessLocalWrite)
	to.lands = append(to.lands, landing{r, data})
	var list []format.SGE[uint64]
	at := uint64(0)
	for _, size := range g.cut(n, 1+g.r.IntN(format.RecvSGEs(int(to.q.c.logStride)))) {
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
		for _, l := range e.lands {
			want := append(bytes.Clone(l.data), e.s.mem.Pattern(l.addr, int(l.size))[len(l.data):]...)
			require.True(t, bytes.Equal(want, e.s.bytes(l.region)), "end %d: memory of a SEND", i)
			e.s.release(l.region)
			require.NoError(t, e.s.mem.Free(l.addr))
		}
		e.recvs, e.sends, e.lands, e.slots = nil, nil, nil, 0
	}
	g.refill()
}

func (g *program) idle() bool {
	for _, e := range g.ends {
		if e.q.query().SQConsumer != uint64(e.q.posted) {
			return false
		}
	}
	return true
}
