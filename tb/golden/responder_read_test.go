package golden_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
)

// word is the first whole number in the target's region.
func (q *target) word() uint64 { return (q.va + 7) &^ 7 }

func (q *target) load64(va uint64) uint64 { return binary.LittleEndian.Uint64(q.s.read(va, 8)) }

func (q *target) store64(va, x uint64) { q.s.write(va, binary.LittleEndian.AppendUint64(nil, x)) }

// read and atomic are good requests.
func (q *target) read(psn, length uint64) packetSpec {
	return packetSpec{op: format.OpReadRequest, psn: psn, va: q.va, key: q.key, dma: length}
}

func (q *target) add(psn, addend uint64) packetSpec {
	return packetSpec{op: format.OpFetchAdd, psn: psn, va: q.word(), key: q.key, swap: addend}
}

func (q *target) swap(psn, swap, compare uint64) packetSpec {
	return packetSpec{op: format.OpCmpSwap, psn: psn, va: q.word(), key: q.key, swap: swap, cmp: compare}
}

// Each check of a READ or atomic, refused, and the same but for that accepted; where
// two fail, the first of protocol section 3.4.
func TestResponderRefusesReads(t *testing.T) {
	type change = func(*target, *packetSpec)
	const noRead, noAtomic = allAccess &^ format.AccessRemoteRead, allAccess &^ format.AccessRemoteAtomic
	badKey := func(_ *target, p *packetSpec) { p.key = 0x00FF00FF }
	odd := func(_ *target, p *packetSpec) { p.va++ }
	payload := func(_ *target, p *packetSpec) { p.size = 8 }
	both := func(all ...change) change {
		return func(q *target, p *packetSpec) {
			for _, f := range all {
				f(q, p)
			}
		}
	}
	for _, c := range []struct {
		name     string
		op       format.Opcode
		config   qpConfig
		change   change
		syndrome int
		vendor   format.VendorCode
	}{
		{"step 3: the QP grants no reading", format.OpReadRequest, qpConfig{access: noRead}, nil, 0x61, format.VendorAccess},
		{"step 3: not even nothing", format.OpReadRequest, qpConfig{access: noRead}, func(_ *target, p *packetSpec) { p.dma = 0 }, 0x61, format.VendorAccess},
		{"step 3: no compare-and-swap", format.OpCmpSwap, qpConfig{access: noAtomic}, nil, 0x61, format.VendorAccess},
		{"step 3: no fetch-and-add", format.OpFetchAdd, qpConfig{access: noAtomic}, nil, 0x61, format.VendorAccess},
		{"step 3 before 4: ", format.OpReadRequest, qpConfig{access: noRead, destReads: none}, nil, 0x61, format.VendorAccess},
		{"step 4: a READ, where none may come", format.OpReadRequest, qpConfig{destReads: none}, nil, 0x61, format.VendorResources},
		{"step 4: an atomic, where none may come", format.OpFetchAdd, qpConfig{destReads: none}, nil, 0x61, format.VendorResources},
		{"step 4 before 5", format.OpReadRequest, qpConfig{destReads: none}, payload, 0x61, format.VendorResources},
		{"step 5: a READ with payload", format.OpReadRequest, qpConfig{}, payload, 0x61, format.VendorLength},
		{"step 5: an atomic with payload", format.OpCmpSwap, qpConfig{}, payload, 0x61, format.VendorLength},
		{"step 5: longer than 2^31", format.OpReadRequest, qpConfig{}, func(_ *target, p *packetSpec) { p.dma = 1<<31 + 1 }, 0x61, format.VendorLength},
		{"step 5 before 6", format.OpCmpSwap, qpConfig{}, both(payload, odd), 0x61, format.VendorLength},
		{"step 6: not aligned", format.OpCmpSwap, qpConfig{}, odd, 0x61, format.VendorAlignment},
		{"step 6: not aligned to 8", format.OpFetchAdd, qpConfig{}, func(_ *target, p *packetSpec) { p.va += 4 }, 0x61, format.VendorAlignment},
		{"step 6 before 7", format.OpFetchAdd, qpConfig{}, both(odd, badKey), 0x61, format.VendorAlignment},
		{"behind step 7: not aligned on the bus", format.OpFetchAdd, qpConfig{}, keyOf(func(e *format.KeyEntry[uint64]) { e.Translation++; e.Length -= 8 }), 0x61, format.VendorAlignment},
		{"step 7: no such key", format.OpReadRequest, qpConfig{}, badKey, 0x62, format.VendorKeyUnknown},
		{"step 7: no such key of an atomic", format.OpFetchAdd, qpConfig{}, badKey, 0x62, format.VendorKeyUnknown}, // protocol section 9, case 12
		{"step 7: another domain", format.OpReadRequest, qpConfig{}, keyOf(func(e *format.KeyEntry[uint64]) { e.PD++ }), 0x62, format.VendorKeyPD},
		{"step 7: no right to read", format.OpReadRequest, qpConfig{}, keyOf(func(e *format.KeyEntry[uint64]) { e.Rights &^= format.AccessRemoteRead }), 0x62, format.VendorKeyRights},
		{"step 7: no right to atomics", format.OpCmpSwap, qpConfig{}, keyOf(func(e *format.KeyEntry[uint64]) { e.Rights &^= format.AccessRemoteAtomic }), 0x62, format.VendorKeyRights},
		{"step 7: a byte too far", format.OpReadRequest, qpConfig{}, func(q *target, p *packetSpec) { p.dma = bufSize + 1 }, 0x62, format.VendorKeyRange},
		{"step 7: a byte too early", format.OpReadRequest, qpConfig{}, func(q *target, p *packetSpec) { p.va-- }, 0x62, format.VendorKeyRange},
		{"step 7: an atomic too far", format.OpFetchAdd, qpConfig{}, func(q *target, p *packetSpec) { p.va = (q.va + bufSize) &^ 7 }, 0x62, format.VendorKeyRange},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, good := range []bool{false, true} {
				config := c.config
				if good {
					config = qpConfig{}
				}
				q, open := newTarget(t, config)
				p := map[format.Opcode]packetSpec{
					format.OpReadRequest: q.read(0, 20), format.OpCmpSwap: q.swap(0, 1, 2), format.OpFetchAdd: q.add(0, 1),
				}[c.op]
				if c.change != nil && !good {
					c.change(q, &p)
				}
				before := q.s.bytes(open)
				q.receive(3)
				reply := q.inject(p)
				if good {
					require.Len(t, reply, 1)
					require.NotContains(t, reply[0], "ACKNOWLEDGE")
					require.Equal(t, format.QPRTS, q.state())
					continue
				}
				require.Equal(t, []string{nak(100, c.syndrome, 0)}, reply)
				require.Equal(t, before, q.s.bytes(open))
				require.Equal(t, []string{"3 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.recvCQ)))
				event, ok := q.s.event()
				require.True(t, ok)
				require.Equal(t, c.vendor, format.VendorCode(event.Vendor))
				want := format.EventQPReqErr
				if c.syndrome == 0x62 {
					want = format.EventQPAccessErr
				}
				require.Equal(t, want, format.AsyncEvent(event.Code))
			}
		})
	}
}

// none is a QP that takes no READs and atomics.
const none = ^uint64(0)

// keyOf makes a key of the region, but for a change.
func keyOf(change func(*format.KeyEntry[uint64])) func(*target, *packetSpec) {
	return func(q *target, p *packetSpec) {
		e := format.KeyEntry[uint64]{
			Key: uint64(q.s.newKey()), PD: testPD, State: format.KeyValid, VA: q.va, Length: bufSize, Translation: q.va, Rights: allAccess,
		}
		change(&e)
		q.s.must(format.CmdWriteKey, e)
		p.key = uint32(e.Key)
	}
}

// A READ of no bytes looks at no key, when it comes and when it comes again (protocol
// section 9, case 8).
func TestResponderZeroRead(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	p := packetSpec{op: format.OpReadRequest, va: ^uint64(0) - 3, key: 0xFFFFFFFF}
	for range 3 {
		require.Equal(t, []string{"READ_RESP_ONLY 0x64 0x1f msn 1"}, q.inject(p))
	}
	require.Equal(t, uint64(101), q.query().ExpPSN)
	require.Equal(t, uint64(1), q.query().MSN)
}

// What atomics do to memory, and answer: numbers, little-endian.
func TestResponderAtomics(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	const big = 0xFEDCBA9876543210
	q.store64(q.word(), big)
	for i, c := range []struct {
		p         packetSpec
		was, then uint64
	}{
		{q.add(0, 1), big, big + 1},
		{q.add(1, ^uint64(0)), big + 1, big},
		{q.add(2, 1<<63), big, big ^ 1<<63},
		{q.swap(3, 7, 8), big ^ 1<<63, big ^ 1<<63},
		{q.swap(4, 7, big^1<<63), big ^ 1<<63, 7},
		{q.swap(5, 9, 7), 7, 9},
		{q.add(6, 0), 9, 9},
	} {
		require.Equal(t, []string{fmt.Sprintf("ATOMIC_ACK %#x 0x1f msn %d was %d", 100+i, i+1, c.was)}, q.inject(c.p))
		require.Equal(t, c.then, q.load64(q.word()))
	}
	require.NoError(t, q.s.mem.CheckGuards())
}

// A duplicate atomic is answered with what memory had, and not executed; one that is
// forgotten, or that another opcode had, is dropped (protocol section 3.7).
func TestResponderAtomicAgain(t *testing.T) {
	q, _ := newTarget(t, qpConfig{destReads: 2})
	q.store64(q.word(), 10)
	for i := range uint64(3) {
		q.inject(q.add(i, 1))
	}
	answer := func(psn, msn, was int) string { return fmt.Sprintf("ATOMIC_ACK %#x 0x1f msn %d was %d", psn, msn, was) }
	require.Empty(t, q.inject(q.add(0, 1)), "forgotten: the QP keeps two")
	require.Equal(t, []string{answer(102, 3, 12)}, q.inject(q.add(2, 1)))
	require.Equal(t, []string{answer(101, 2, 11), answer(102, 3, 12)}, q.inject(q.add(1, 1)), "and what is behind it, too")
	require.Empty(t, q.inject(q.swap(2, 1, 1)), "another opcode")
	require.Empty(t, q.inject(q.read(2, 0)), "another opcode")
	require.Equal(t, uint64(13), q.load64(q.word()))
	require.Equal(t, uint64(3), q.query().MSN)
	require.Equal(t, uint32(5), q.s.nic.Counter(format.CntRxDuplicate))
}

// Parts of a READ that are asked for again (protocol section 3.7).
func TestResponderReadAgain(t *testing.T) {
	rest := func(q *target, psn, from, length uint64) packetSpec {
		p := q.read(psn, length)
		p.va += from
		return p
	}
	first, middle, last := "READ_RESP_FIRST 0x64 0x1f msn 1 256 bytes", "READ_RESP_MIDDLE 0x65 256 bytes", "READ_RESP_LAST 0x66 0x1f msn 1 88 bytes"
	for _, c := range []struct {
		name  string
		again func(q *target) packetSpec
		want  []string
	}{
		{"all", func(q *target) packetSpec { return rest(q, 0, 0, 600) }, []string{first, middle, last}},
		{"the second half", func(q *target) packetSpec { return rest(q, 1, 256, 344) }, []string{"READ_RESP_FIRST 0x65 0x1f msn 1 256 bytes", last}},
		{"the end", func(q *target) packetSpec { return rest(q, 2, 512, 88) }, []string{"READ_RESP_ONLY 0x66 0x1f msn 1 88 bytes"}},
		{"another length", func(q *target) packetSpec { return rest(q, 1, 256, 343) }, nil},
		{"another address", func(q *target) packetSpec { return rest(q, 1, 255, 344) }, nil},
		{"another key", func(q *target) packetSpec { p := rest(q, 1, 256, 344); p.key ^= 1; return p }, nil},
		{"a PSN before it", func(q *target) packetSpec { return rest(q, 0xFFFFFF, 0, 600) }, nil},
		{"its PSN, but an atomic", func(q *target) packetSpec { return q.add(0, 1) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, open := newTarget(t, qpConfig{})
			before := q.s.bytes(open)
			require.Equal(t, []string{first, middle, last}, q.inject(q.read(0, 600)))
			require.Equal(t, c.want, q.inject(c.again(q)))
			require.Equal(t, c.want, q.inject(c.again(q)), "once more")
			require.Equal(t, uint64(103), q.query().ExpPSN)
			require.Equal(t, uint64(1), q.query().MSN)
			require.Equal(t, format.QPRTS, q.state())
			require.Equal(t, before, q.s.bytes(open))
		})
	}
}

// A READ that comes again while it is answered begins there; one that is still to be
// answered is left alone.
func TestResponderReadAgainInTheMiddle(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.nic.Receive(q.frame(q.read(0, 600)))
	q.s.nic.Receive(q.frame(q.read(3, 10)))
	q.s.nic.Receive(q.frame(q.read(3, 10)))
	next := func() string {
		f, ok := q.s.nic.Send()
		require.True(t, ok)
		return packetWords(t, f)
	}
	require.Equal(t, "READ_RESP_FIRST 0x64 0x1f msn 1 256 bytes", next())
	again := q.read(1, 344)
	again.va += 256
	q.s.nic.Receive(q.frame(q.read(0, 600)))
	require.Equal(t, "READ_RESP_FIRST 0x64 0x1f msn 1 256 bytes", next())
	require.Equal(t, "READ_RESP_MIDDLE 0x65 256 bytes", next())
	q.s.nic.Receive(q.frame(again))
	require.Equal(t, []string{
		"READ_RESP_FIRST 0x65 0x1f msn 1 256 bytes", "READ_RESP_LAST 0x66 0x1f msn 1 88 bytes", "READ_RESP_ONLY 0x67 0x1f msn 2 10 bytes",
	}, q.inject())
}

// A READ again returns what memory has now (protocol section 9, case 33).
func TestResponderReadAgainNewData(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.nic.Receive(q.frame(q.read(0, 8)))
	q.frames()
	q.inject(packetSpec{op: format.OpWriteOnly, psn: 1, size: 8, dma: 8, va: q.va, key: q.key, seed: 5, a: 1})
	q.s.nic.Receive(q.frame(q.read(0, 8)))
	got := q.frames()
	require.Len(t, got, 1)
	require.Contains(t, string(got[0]), string(noise(5, 8)))
}

// Answers wait for the responses before them: an ACK, which a newer one replaces, and
// a NAK, which an ACK of a duplicate does not; a READ behind an ACK makes it needless.
func TestResponderAnswersInOrder(t *testing.T) {
	send := func(psn uint64) packetSpec { return packetSpec{op: format.OpSendOnly, psn: psn, a: 1} }
	response := "READ_RESP_ONLY 0x64 0x1f msn 1 8 bytes"
	for _, c := range []struct {
		name    string
		receive int
		packets func(*target) []packetSpec
		want    []string
	}{
		{"one ACK for two", 2, func(*target) []packetSpec { return []packetSpec{send(1), send(2)} }, []string{response, nak(102, 0x1F, 3)}},
		{"an ACK of a duplicate", 1, func(*target) []packetSpec { return []packetSpec{send(1), send(1)} }, []string{response, nak(101, 0x1F, 2)}},
		{"RNR", 0, func(*target) []packetSpec { return []packetSpec{send(1), send(0xFFFFFF)} }, []string{response, nak(101, 0x20, 1)}},
		{"a gap", 0, func(*target) []packetSpec { return []packetSpec{send(7), send(0xFFFFFF)} }, []string{response, nak(101, 0x60, 1)}},
		{"a gap that is closed", 1, func(*target) []packetSpec { return []packetSpec{send(7), send(1)} }, []string{response, nak(101, 0x1F, 2)}},
		{"the end", 1, func(*target) []packetSpec { return []packetSpec{{op: 0x1F, psn: 1}, send(1)} }, []string{response, nak(101, 0x61, 1)}},
		{"a READ behind an ACK", 1, func(q *target) []packetSpec { return []packetSpec{send(1), q.read(2, 0)} }, []string{response, "READ_RESP_ONLY 0x66 0x1f msn 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{})
			for i := range c.receive {
				q.receive(uint64(i))
			}
			require.Equal(t, c.want, q.inject(append([]packetSpec{q.read(0, 8)}, c.packets(q)...)...))
		})
	}
}

// More READs and atomics than agreed, none of them answered, end the QP; what was
// accepted is answered first. As many are no fault, nor any number one by one (protocol
// section 9, case 23; section 10, row 9).
func TestResponderResources(t *testing.T) {
	q, _ := newTarget(t, qpConfig{destReads: 2})
	for i := range uint64(10) {
		require.Len(t, q.inject(q.add(i, 1)), 1)
	}
	require.Len(t, q.inject(q.read(10, 8), q.add(11, 1)), 2)
	require.Equal(t, []string{
		"READ_RESP_FIRST 0x70 0x1f msn 13 256 bytes", "READ_RESP_LAST 0x71 0x1f msn 13 44 bytes", "READ_RESP_ONLY 0x72 0x1f msn 14 8 bytes", nak(115, 0x61, 14),
	}, q.inject(q.read(12, 300), q.read(14, 8), q.read(15, 8)))
	require.Equal(t, reqErr, q.s.events())
	require.Equal(t, format.QPError, q.state())
}

// A key that dies while a READ is answered: a NAK in the place of the next response, and
// nothing behind it (protocol section 3.8; section 10, rows 12 and 22).
func TestResponderReadKeyDies(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	fast := q.s.fast(1024, allAccess)
	p := q.read(0, 600)
	p.va, p.key = fast.va, fast.key
	q.receive(1)
	q.s.nic.Receive(q.frame(p))
	q.s.nic.Receive(q.frame(packetSpec{op: format.OpSendOnlyInv, psn: 3, inv: fast.key, a: 1}))
	f, ok := q.s.nic.Send()
	require.True(t, ok)
	require.Equal(t, nak(100, 0x62, 1), packetWords(t, f), "a later SEND ended the key before a response had left")
	require.Empty(t, q.drain())
	require.Equal(t, accessErr, q.s.events())
	require.Equal(t, format.QPError, q.state())

	q, _ = newTarget(t, qpConfig{})
	q.s.nic.Receive(q.frame(q.read(0, 600)))
	_, _ = q.s.nic.Send()
	q.s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(q.key)})
	require.Equal(t, []string{nak(101, 0x62, 1)}, q.drain())
	require.Equal(t, accessErr, q.s.events())

	q, _ = newTarget(t, qpConfig{})
	require.Len(t, q.inject(q.read(0, 600)), 3)
	q.s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(q.key)})
	again := q.read(1, 344)
	again.va += 256
	require.Equal(t, []string{nak(101, 0x62, 1)}, q.inject(again))
	require.Equal(t, format.QPError, q.state())
}

// Memory that fails: NAK 0x63 in the place of what it spoilt (protocol section 3.8).
func TestResponderReadFaults(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.mem.InjectFault(q.va+300, 1, host.Reads)
	require.Equal(t, []string{"READ_RESP_FIRST 0x64 0x1f msn 1 256 bytes", nak(101, 0x63, 1)}, q.inject(q.read(0, 600)))
	require.Equal(t, fatalErr, q.s.events())

	for _, kind := range []host.Kinds{host.Reads, host.Writes} {
		q, _ = newTarget(t, qpConfig{})
		q.store64(q.word(), 5)
		f := q.s.mem.InjectFault(q.word(), 8, kind)
		require.Equal(t, []string{nak(100, 0x63, 0)}, q.inject(q.add(0, 1)))
		require.Equal(t, fatalErr, q.s.events())
		f.Remove()
		require.Equal(t, uint64(5), q.load64(q.word()))
	}
}

// What was accepted is answered in ERR, too; not after RESET.
func TestResponderAnswersInError(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.nic.Receive(q.frame(q.read(0, 300)))
	q.modify(format.QPError)
	require.Len(t, q.drain(), 2)

	q, _ = newTarget(t, qpConfig{})
	q.s.nic.Receive(q.frame(q.read(0, 300)))
	q.modify(format.QPReset)
	require.Empty(t, q.drain())
}

// A QP in RTR answers READs.
func TestResponderReadInRTR(t *testing.T) {
	q, _ := newTarget(t, qpConfig{state: format.QPRTR})
	require.Equal(t, []string{"READ_RESP_ONLY 0x64 0x1f msn 1 8 bytes"}, q.inject(q.read(0, 8)))
	require.Equal(t, []string{"COMM_EST " + qpName}, q.s.events())
}
