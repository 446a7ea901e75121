package golden_test

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// Conversations of soft-RoCE with READs and atomics, at every path MTU: the NIC takes the
// place of either end, as responder and as requester, and sends what that one sent.
func TestCapturedReads(t *testing.T) {
	for _, name := range []string{"read_all.pcap", "atomics.pcap", "mtus.pcap"} {
		all := conversations(t, name)
		for _, qpn := range slices.Sorted(maps.Keys(all)) {
			c := all[qpn]
			t.Run(name, func(t *testing.T) {
				c.asResponder(t, qpn)
				c.asRequester(t)
			})
		}
	}
}

// mtu is the code of the path MTU: that of the first packet that begins a longer message.
func (c *conversation) mtu() uint64 {
	for _, f := range append(append([]frames.Frame(nil), c.requests...), c.answers...) {
		r := golden.Receive(f.Data, false)
		if info, _ := format.Lookup(format.Opcode(r.Descriptor.Opcode)); info.Payload == format.PayloadFull {
			return uint64(bits.Len(uint(len(r.Payload)))) - 8
		}
	}
	return format.MTU1024
}

// answersTo are the answers between request i and the next.
func (c *conversation) answersTo(i int) []frames.Frame {
	var all []frames.Frame
	for _, f := range c.answers {
		if f.Number > c.requests[i].Number && (i+1 == len(c.requests) || f.Number < c.requests[i+1].Number) {
			all = append(all, f)
		}
	}
	return all
}

// payloads are those of frames, one after the other.
func payloads(all []frames.Frame) []byte {
	var b []byte
	for _, f := range all {
		b = append(b, golden.Receive(f.Data, false).Payload...)
	}
	return b
}

func ext[T any](f frames.Frame, h format.ExtHeader) (T, bool) {
	d := golden.Receive(f.Data, false).Descriptor
	return format.ExtHeaderOf[T](d.Ext, format.Opcode(d.Opcode), h)
}

// remote is the memory that a conversation works on: its key and its first address.
func (c *conversation) remote() (key uint32, va uint64) {
	va = ^uint64(0)
	for _, f := range c.requests {
		if h, ok := ext[format.RETH[uint64]](f, format.ExtRETH); ok {
			key, va = uint32(h.RKey), min(va, h.VA)
		}
		if h, ok := ext[format.AtomicETH[uint64]](f, format.ExtAtomicETH); ok {
			key, va = uint32(h.RKey), min(va, h.VA)
		}
	}
	return key, va
}

// asResponder gives the requests to a NIC, whose memory is what the answers tell of it.
func (c *conversation) asResponder(t *testing.T, qpn uint64) {
	r := newReplay(t, qpn, c, c.mtu())
	key, va := c.remote()
	const size = 16 << 10
	addr, err := r.s.mem.Alloc(size, 8)
	require.NoError(t, err)
	r.s.must(format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: uint64(key), PD: testPD, State: format.KeyValid, VA: va, Length: size, Translation: addr, Rights: allAccess,
	})
	psns, written := map[uint64]bool{}, []byte(nil)
	for i, f := range c.requests {
		answers := c.answersTo(i)
		p := golden.Receive(f.Data, false)
		again := psns[p.Descriptor.PSN]
		psns[p.Descriptor.PSN] = true
		if h, ok := ext[format.RETH[uint64]](f, format.ExtRETH); ok && format.Opcode(p.Descriptor.Opcode) == format.OpReadRequest {
			r.s.write(addr+h.VA-va, payloads(answers))
		}
		h, atomic := ext[format.AtomicETH[uint64]](f, format.ExtAtomicETH)
		was, _ := ext[format.AtomicAckETH[uint64]](c.answers[min(r.answered, len(c.answers)-1)], format.ExtAtomicAckETH)
		at := addr + h.VA - va
		if atomic && !again {
			r.s.write(at, wordBytes(was.Original))
		}
		before := r.s.read(addr, size)
		r.s.nic.Receive(f.Data)
		for range answers {
			r.compareAnswer(f.Number)
		}
		if atomic && again {
			require.Equal(t, before, r.s.read(addr, size), "frame %d came again", f.Number)
		} else if atomic {
			require.Equal(t, after(format.Opcode(p.Descriptor.Opcode), h, was.Original), binary.LittleEndian.Uint64(r.s.read(at, 8)), "frame %d", f.Number)
		}
		written = append(written, p.Payload...)
	}
	require.Equal(t, written, append([]byte(nil), r.s.read(addr, len(written))...), "one WRITE, if any")
	require.Equal(t, len(c.answers), r.answered)
	require.Len(t, r.s.events(), 1, "the first request in RTR")
	require.Equal(t, format.QPRTR, r.q.state())
}

// after is what an atomic makes of a number.
func after(op format.Opcode, h format.AtomicETH[uint64], was uint64) uint64 {
	switch {
	case op == format.OpFetchAdd:
		return was + h.SwapAdd
	case was == h.Compare:
		return h.SwapAdd
	}
	return was
}

// asRequester gives a NIC the work that makes the requests, and the answers.
func (c *conversation) asRequester(t *testing.T) {
	q := standIn(t, c.requests[0].Data, golden.Receive(c.answers[0].Data, false).Descriptor.DestQP, c.mtu())
	dest := q.s.region(16<<10, format.AccessLocalWrite)
	psns := map[uint64]bool{}
	for i, f := range c.requests {
		d := golden.Receive(f.Data, false).Descriptor
		if psns[d.PSN] || format.Opcode(d.Opcode) == format.OpWriteMiddle || format.Opcode(d.Opcode) == format.OpWriteLast {
			continue // sent again, or a later packet of a WRITE
		}
		psns[d.PSN] = true
		wr, sent, answers := c.work(t, q, i, dest)
		q.send(wr)
		for _, f := range sent {
			q.sends(f)
		}
		for _, f := range answers {
			q.s.nic.Receive(f.Data)
		}
		cqes := q.s.poll(q.sendCQ)
		require.Len(t, cqes, 1)
		require.Equal(t, []string{"success"}, statusOf(cqes[0]))
		switch got := payloads(answers); {
		case wr.op == format.WRRead:
			require.Equal(t, uint64(len(got)), cqes[0].ByteLen)
			require.Equal(t, got, append([]byte(nil), q.s.bytes(dest)[1:1+len(got)]...))
		case wr.op != format.WRWrite:
			was, _ := ext[format.AtomicAckETH[uint64]](answers[0], format.ExtAtomicAckETH)
			require.Equal(t, was.Original, binary.LittleEndian.Uint64(q.s.bytes(dest)[1:]))
		}
	}
}

// work is the work request of request i, the frames that it makes, and their answers.
func (c *conversation) work(t *testing.T, q *qp, i int, dest region) (wr sendWR, sent, answers []frames.Frame) {
	f := c.requests[i]
	op := format.Opcode(golden.Receive(f.Data, false).Descriptor.Opcode)
	wr, sent, answers = sendWR{flags: format.WRFlagSignaled}, c.requests[i:i+1], c.answersTo(i)
	if h, ok := ext[format.AtomicETH[uint64]](f, format.ExtAtomicETH); ok {
		wr.op, wr.remote, wr.rkey, wr.swap, wr.cmp = format.WRFetchAdd, h.VA, uint32(h.RKey), h.SwapAdd, h.Compare
		if op == format.OpCmpSwap {
			wr.op = format.WRCompSwap
		}
		wr.list = []format.SGE[uint64]{dest.part(1, 8)}
		return wr, sent, answers
	}
	h, ok := ext[format.RETH[uint64]](f, format.ExtRETH)
	require.True(t, ok, "frame %d", f.Number)
	wr.op, wr.remote, wr.rkey = format.WRRead, h.VA, uint32(h.RKey)
	if op != format.OpReadRequest {
		wr.op, sent, answers = format.WRWrite, c.requests[i:i+3], c.answersTo(i+2) // all of mtus.pcap have three packets
		q.s.write(dest.addr+1, payloads(sent))
	}
	wr.list = []format.SGE[uint64]{dest.part(1, h.DMALen)}
	return wr, sent, answers
}
