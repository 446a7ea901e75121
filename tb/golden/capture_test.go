package golden_test

import (
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// conversation is one direction of a capture: the requests to a queue pair, and
// what it answered.
type conversation struct {
	requests, answers []frames.Frame
}

// conversations splits a capture by the queue pair that is spoken to.
func conversations(t *testing.T, name string) map[uint64]*conversation {
	t.Helper()
	path := filepath.Join(shared, "rxe", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("no capture ../shared/rxe/" + name)
	}
	all, err := frames.Load(path)
	require.NoError(t, err)
	out, speaksTo, last := map[uint64]*conversation{}, map[uint64]uint64{}, uint64(0) // speaksTo: the QP that a QP answers
	for _, f := range all {
		d := golden.Receive(f.Data, false).Descriptor
		if isAnswer(format.Opcode(d.Opcode)) {
			if _, known := speaksTo[d.DestQP]; !known {
				speaksTo[d.DestQP] = last
			}
			c := out[speaksTo[d.DestQP]]
			c.answers = append(c.answers, f)
			continue
		}
		if last = d.DestQP; out[last] == nil {
			out[last] = &conversation{}
		}
		out[last].requests = append(out[last].requests, f)
	}
	return out
}

func isAnswer(op format.Opcode) bool {
	return op >= format.OpReadResponseFirst && op <= format.OpAtomicAck
}

// The NIC takes the place of either end of conversations that soft-RoCE had, and
// answers as the one that it stands for did: bit for bit, but for the IPv4
// identification. Memory and completions are right.
func TestCaptures(t *testing.T) {
	for _, name := range []string{"send_all.pcap", "write_all.pcap"} {
		all := conversations(t, name)
		for _, qpn := range slices.Sorted(maps.Keys(all)) {
			c := all[qpn]
			t.Run(name, func(t *testing.T) {
				r := newReplay(t, qpn, c, format.MTU1024)
				for _, f := range c.requests {
					r.request(f)
				}
				require.Equal(t, len(c.answers), r.answered, "answers")
				require.Greater(t, r.messages, 8)
				require.NoError(t, r.s.mem.CheckGuards())
			})
		}
	}
}

// replay is a NIC that stands for one end of a capture.
type replay struct {
	t        *testing.T
	s        *station
	q        *qp
	c        *conversation
	answered int
	messages int
	buffer   region // of receive WQEs
	remote   map[uint32]region

	reth    format.RETH[uint64]
	payload []byte // of the message so far
}

func newReplay(t *testing.T, qpn uint64, c *conversation, mtu uint64) *replay {
	s := newStation(t, 5, golden.DefaultConfig())
	r := &replay{t: t, s: s, c: c, remote: map[uint32]region{}}
	r.hugeKeyTable()
	r.q = s.newQP(qpConfig{mtu: mtu})
	r.q.renumber(qpn)
	r.buffer = s.region(4096, format.AccessLocalWrite)
	r.connect(golden.Receive(c.requests[0].Data, false).Descriptor.PSN, 0)
	return r
}

// renumber makes a QP in RESET anew, under another number.
func (q *qp) renumber(qpn uint64) {
	q.s.must(format.CmdDestroyQP, format.QueueRef[uint64]{Number: q.number})
	q.number = qpn
	q.s.must(format.CmdCreateQP, format.CreateQP[uint64]{
		QPN: qpn, PD: testPD, SendCQ: q.sendCQ.number, RecvCQ: q.recvCQ.number, Page: testPage,
		SQLogSize: defaultSize, RQLogSize: defaultSize, SQBase: q.sq, RQBase: q.rq,
	})
}

// hugeKeyTable makes a key table for any index of a capture; entries are zeroed
// as they are needed.
func (r *replay) hugeKeyTable() {
	addr, err := r.s.mem.Alloc(64<<24, 64)
	require.NoError(r.t, err)
	r.s.nic.WriteRegister(format.RegKeyBaseLow, uint32(addr))
	r.s.nic.WriteRegister(format.RegKeyBaseHigh, uint32(addr>>32))
	r.s.nic.WriteRegister(format.RegKeyLogSize, 24)
	for i := range uint64(4) {
		r.s.write(addr+i*64, make([]byte, 64))
	}
	for _, index := range []uint64{0xABCD, 0x80001, 2} {
		r.s.write(addr+index*64, make([]byte, 64))
	}
}

// connect makes the QP expect psn, with the addresses of the captured answers.
func (r *replay) connect(psn uint64, msn uint32) {
	answer := r.c.answers[0].Data
	d := golden.Receive(answer, false).Descriptor
	mac := func(at int) uint64 {
		return uint64(binary.BigEndian.Uint16(answer[at:]))<<32 | uint64(binary.BigEndian.Uint32(answer[at+2:]))
	}
	r.s.nic.WriteRegister(format.RegMACLow, uint32(mac(6)))
	r.s.nic.WriteRegister(format.RegMACHigh, uint32(mac(6)>>32))
	r.q.c.psn, r.q.posted, r.q.recv = psn, 0, 0
	r.s.must(format.CmdModifyQP, r.q.toInit())
	m := r.q.toRTR(d.DestQP, mac(0), [2]uint64{})
	m.AV = format.AV[uint64]{
		DstMAC: mac(0), HopLimit: uint64(answer[22]), TrafficClass: d.TrafficClass, SrcPort: d.SrcPort, SrcLo: d.SrcLo, DstLo: d.DstLo,
	}
	r.s.must(format.CmdModifyQP, m)
	r.s.nic.PresetMSN(r.q.number, msn)
}

// request gives a captured request to the NIC.
func (r *replay) request(f frames.Frame) {
	p := golden.Receive(f.Data, false)
	op := format.Opcode(p.Descriptor.Opcode)
	info, _ := format.Lookup(op)
	if info.Start {
		r.payload = nil
		r.reth, _ = format.ExtHeaderOf[format.RETH[uint64]](p.Descriptor.Ext, op, format.ExtRETH)
	}
	r.payload = append(r.payload, p.Payload...)
	ieth, invalidates := format.ExtHeaderOf[format.IETH[uint64]](p.Descriptor.Ext, op, format.ExtIETH)
	if invalidates {
		r.revocable(uint32(ieth.RKey))
	}
	imm, hasImm := format.ExtHeaderOf[format.ImmDt[uint64]](p.Descriptor.Ext, op, format.ExtImmDt)
	isSend := op <= format.OpSendOnlyImm || invalidates
	if isSend && info.Start || !isSend && hasImm {
		r.q.receive(uint64(f.Number), r.buffer.whole()...)
	}
	if r.reth.DMALen > 0 {
		r.target(uint32(r.reth.RKey), r.reth.VA)
	}
	r.s.nic.Receive(f.Data)
	if p.Descriptor.AckReq != 0 {
		r.compareAnswer(f.Number)
	}
	if !info.End {
		return
	}
	r.messages++
	if r.q.state() == format.QPError {
		return // the last request of one capture, as there
	}
	r.checkMessage(isSend, hasImm, imm.Imm)
	if invalidates {
		require.Equal(r.t, uint64(format.KeyFree), r.s.entryOf(uint32(ieth.RKey)).State)
	}
}

// checkMessage checks memory and completion of a message.
func (r *replay) checkMessage(isSend, hasImm bool, imm uint64) {
	t, n := r.t, len(r.payload)
	cqes := r.s.poll(r.q.recvCQ)
	if !isSend && !hasImm {
		require.Empty(t, cqes)
	} else {
		require.Len(t, cqes, 1)
		require.Equal(t, uint64(format.StatusSuccess), cqes[0].Status)
		require.Equal(t, uint64(n), cqes[0].ByteLen)
		require.Equal(t, hasImm, cqes[0].Flags == format.WCFlagWithImm)
		if hasImm {
			require.Equal(t, imm, uint64(binary.BigEndian.Uint32(binary.LittleEndian.AppendUint32(nil, uint32(cqes[0].Imm)))))
		}
	}
	if isSend {
		require.Equal(t, r.payload, append([]byte(nil), r.s.bytes(r.buffer)[:n]...))
	} else if n > 0 {
		require.Equal(t, r.payload, r.s.bytes(r.remote[uint32(r.reth.RKey)])[:n])
	}
}

// target makes the region that a WRITE of the capture names: at va.
func (r *replay) target(key uint32, va uint64) {
	if _, ok := r.remote[key]; ok {
		return
	}
	addr, err := r.s.mem.Alloc(4096, 1)
	require.NoError(r.t, err)
	r.s.must(format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: uint64(key), PD: testPD, State: format.KeyValid, VA: va, Length: 4096, Translation: addr, Rights: allAccess,
	})
	r.remote[key] = region{addr: addr, va: va, size: 4096, key: key}
}

// revocable makes the key of a region for fast registration, in the place of one
// before it.
func (r *replay) revocable(key uint32) {
	for old := range r.remote {
		if old>>format.KeyTagBits == key>>format.KeyTagBits {
			r.s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(old)})
			delete(r.remote, old)
		}
	}
	r.s.must(format.CmdWriteKey, format.KeyEntry[uint64]{Key: uint64(key), PD: testPD, State: format.KeyValid, Type: format.KeyFastRegion})
	r.remote[key] = region{key: key}
}

// compareAnswer compares what the NIC answers with what the capture has.
func (r *replay) compareAnswer(number int) {
	want := r.c.answers[r.answered].Data
	r.answered++
	got, ok := r.s.nic.Send()
	require.True(r.t, ok, "no answer to frame %d", number)
	require.Equal(r.t, withoutID(want), withoutID(got), "the answer to frame %d", number)
}

// withoutID is a frame with the IPv4 identification zero, and without the sums
// that cover it. What the capture has behind the packet is cut.
func withoutID(frame []byte) []byte {
	const ip = 14
	end := ip + int(binary.BigEndian.Uint16(frame[ip+2:]))
	out := append([]byte(nil), frame[:end-format.ICRCSize]...)
	clear(out[ip+4 : ip+6])
	clear(out[ip+10 : ip+12])
	return out
}
