package verbs_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/verbs"
)

// area is a region of one end with what it must hold, by virtual address.
type area struct {
	mr   *verbs.MR
	want []byte
	at   func(offset, n int) []byte // what memory holds
}

const areaBytes = 3*4096 + 100

// newArea registers an area, contiguous or of scattered pages, anywhere in the
// virtual address space.
func newArea(t *rapid.T, e *end, access verbs.Access) *area {
	m := e.host.Memory
	size := uint64(4096)
	if rapid.Bool().Draw(t, "contiguous") {
		buf := must(e.dev.AllocBuffer(areaBytes, 1))
		mr := must(e.pd.CreateMR(ctx, verbs.MRInitAttr{
			Addr: rapid.Uint64Range(0, ^uint64(0)-areaBytes).Draw(t, "address"), Length: areaBytes, Access: access, Bus: buf.Addr(),
		}))
		return &area{mr, m.Peek(buf.Addr(), areaBytes), func(offset, n int) []byte { return m.Peek(buf.Addr()+uint64(offset), n) }}
	}
	va := rapid.Uint64Range(0, ^uint64(0)-2*areaBytes).Draw(t, "address")
	var pages []uint64
	for range (va+areaBytes-1)>>12 - va>>12 + 1 {
		pages = append(pages, must(e.dev.AllocBuffer(size, size)).Addr())
	}
	mr := must(e.pd.CreateMR(ctx, verbs.MRInitAttr{Addr: va, Length: areaBytes, Access: access, Pages: pages, PageSize: size}))
	at := func(offset, n int) []byte { return flat(m, pages, int(va%size))[offset : offset+n] }
	return &area{mr, at(0, areaBytes), at}
}

// list draws pieces of the area, n bytes together.
func (a *area) list(t *rapid.T, n, most int) []verbs.SGE {
	var sgl []verbs.SGE
	for n > 0 || len(sgl) < most && rapid.IntRange(0, 3).Draw(t, "empty piece") == 0 {
		length := n
		if len(sgl) < most-1 {
			length = rapid.IntRange(0, n).Draw(t, "length")
		}
		offset := rapid.IntRange(0, areaBytes-length).Draw(t, "offset")
		sgl = append(sgl, a.mr.SGE(uint64(offset), uint32(length)))
		n -= length
	}
	return sgl
}

// gather is what a list holds.
func (a *area) gather(sgl []verbs.SGE) []byte {
	var all []byte
	for _, s := range sgl {
		from := s.Addr - a.mr.Addr()
		all = append(all, a.want[from:from+uint64(s.Length)]...)
	}
	return all
}

// scatter is what a message does to the area.
func (a *area) scatter(sgl []verbs.SGE, message []byte) {
	for _, s := range sgl {
		n := copy(a.want[s.Addr-a.mr.Addr():][:s.Length], message)
		message = message[n:]
	}
}

// Random messages of every kind, from any pieces to any pieces, on all MTUs: each
// byte arrives where it should, nothing else changes, completions tell what was
// sent.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts, alice, bob := newEnds()
		for _, e := range []*end{alice, bob} {
			e.qp = must(e.pd.CreateQP(ctx, verbs.QPInitAttr{
				SendCQ: e.cq, RecvCQ: e.cq, Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 6, MaxRecvSGE: 7, MaxInline: 96},
			}))
		}
		mtu := verbs.MTU(rapid.IntRange(1, 5).Draw(t, "MTU"))
		for _, e := range [][2]*end{{alice, bob}, {bob, alice}} {
			attr := connection()
			attr.AH = verbs.AHAttr{Src: e[0].host.IPv4, Dst: e[1].host.IPv4, DstMAC: e[1].host.MAC}
			attr.PathMTU, attr.DestQPN, attr.RQPSN, attr.SQPSN = mtu, e[1].qp.QPN(), 0xFFFFFA, 0xFFFFFA
			require.NoError(t, e[0].qp.Connect(ctx, attr))
		}
		source := newArea(t, alice, verbs.AccessLocalWrite)
		target := newArea(t, bob, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
		for i := range rapid.IntRange(1, 12).Draw(t, "messages") {
			oneMessage(t, alice, bob, source, target, uint64(i))
		}
		require.True(t, bytes.Equal(source.want, source.at(0, areaBytes)))
		require.True(t, bytes.Equal(target.want, target.at(0, areaBytes)))
		require.NoError(t, hosts.CheckGuards())
	})
}

func oneMessage(t *rapid.T, alice, bob *end, source, target *area, id uint64) {
	wr := verbs.SendWR{WRID: id, Imm: rapid.Uint32().Draw(t, "immediate"), Flags: verbs.SendSignaled}
	wr.Opcode = rapid.SampledFrom([]verbs.Opcode{verbs.WRSend, verbs.WRSendImm, verbs.WRWrite, verbs.WRWriteImm}).Draw(t, "operation")
	var message []byte
	if rapid.Bool().Draw(t, "inline") {
		wr.Flags |= verbs.SendInline
		wr.Inline = rapid.SliceOfN(rapid.Byte(), 0, 96).Draw(t, "payload")
		message = wr.Inline
	} else {
		n := rapid.IntRange(0, 1<<rapid.IntRange(0, 13).Draw(t, "size")).Draw(t, "bytes")
		wr.SGL = source.list(t, n, 6)
		message = source.gather(wr.SGL)
	}
	recv := verbs.RecvWR{WRID: 1000 + id}
	switch wr.Opcode {
	case verbs.WRSend, verbs.WRSendImm:
		recv.SGL = target.list(t, len(message)+rapid.IntRange(0, 100).Draw(t, "spare"), 7)
		target.scatter(recv.SGL, message)
	default:
		offset := rapid.IntRange(0, areaBytes-len(message)).Draw(t, "remote offset")
		wr.RemoteAddr, wr.RKey = target.mr.Addr()+uint64(offset), target.mr.RKey()
		copy(target.want[offset:], message)
	}
	if wr.Opcode != verbs.WRWrite {
		require.NoError(t, bob.qp.PostRecv(ctx, recv))
	}
	require.NoError(t, alice.qp.PostSend(ctx, wr))
	wc := alice.completions(ctx, 1)[0]
	require.NoError(t, wc.Err())
	require.Equal(t, id, wc.WRID)
	if wr.Opcode != verbs.WRWrite {
		require.Equal(t, received(wr, len(message)), arrived(bob.completions(ctx, 1)[0]))
	}
}

// received is how the completion of a message must look.
func received(wr verbs.SendWR, n int) string {
	switch wr.Opcode {
	case verbs.WRSendImm:
		return fmt.Sprintf("%d RECV %d %#x", 1000+wr.WRID, n, wr.Imm)
	case verbs.WRWriteImm:
		return fmt.Sprintf("%d RECV_RDMA_WITH_IMM %d %#x", 1000+wr.WRID, n, wr.Imm)
	}
	return fmt.Sprintf("%d RECV %d", 1000+wr.WRID, n)
}

func arrived(wc verbs.WC) string {
	s := fmt.Sprintf("%d %v %d", wc.WRID, wc.Opcode, wc.ByteLen)
	if wc.Flags&verbs.WCWithImm != 0 {
		s += fmt.Sprintf(" %#x", wc.Imm)
	}
	return s
}
