package golden_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
)

// deviceView is host memory as the device reaches it.
type deviceView struct{ *host.Memory }

func (v deviceView) Read(addr uint64, b []byte) error  { return v.DeviceRead(addr, b) }
func (v deviceView) Write(addr uint64, b []byte) error { return v.DeviceWrite(addr, b) }

// station is a host with its NIC, driven by raw rings and registers.
type station struct {
	t    testing.TB
	mem  *host.Memory
	nic  *golden.NIC
	mac  uint64
	ip   [2]uint64 // IPv4 in the low half of the second; see stationIP
	eq   *ring
	keys uint32   // key indices used so far
	free []uint32 // keys whose index can be used again
	cqs  uint64   // CQNs given out so far
	qps  uint64   // and QPNs
}

const (
	testPD      = 7
	keyLogSize  = 8
	testPage    = 3 // doorbell page of CQs and QPs
	defaultSize = 4 // log2 of WQEs in a ring
)

// newStation makes an enabled NIC with a key table and event queue 0.
func newStation(t testing.TB, side byte, config golden.Config) *station {
	t.Helper()
	mem, err := host.New(host.Options{Seed: uint64(side)})
	require.NoError(t, err)
	s := &station{t: t, mem: mem, nic: golden.NewNIC(config, deviceView{mem}), mac: 0x020000000000 | uint64(side)}
	s.ip = [2]uint64{0xFE80 << 48, uint64(side)}
	table := s.zeros(64<<keyLogSize, 64)
	for offset, value := range map[uint32]uint64{
		format.RegMACLow: s.mac & 0xFFFFFFFF, format.RegMACHigh: s.mac >> 32,
		format.RegKeyBaseLow: table & 0xFFFFFFFF, format.RegKeyBaseHigh: table >> 32, format.RegKeyLogSize: keyLogSize,
	} {
		s.nic.WriteRegister(offset, uint32(value))
	}
	s.eq = s.newRing(6, 16)
	s.must(format.CmdCreateEQ, format.CreateEQ[uint64]{EQN: 0, LogSize: 6, Vector: 2, Base: s.eq.base})
	s.nic.WriteRegister(format.RegControl, format.ControlEnable)
	return s
}

// zeros allocates zeroed memory.
func (s *station) zeros(size, align uint64) uint64 {
	s.t.Helper()
	addr, err := s.mem.Alloc(size, align)
	require.NoError(s.t, err)
	s.write(addr, make([]byte, size))
	return addr
}

func (s *station) write(addr uint64, b []byte) {
	s.t.Helper()
	require.NoError(s.t, s.mem.Write(addr, b))
}

func (s *station) read(addr uint64, n int) []byte {
	s.t.Helper()
	b := make([]byte, n)
	require.NoError(s.t, s.mem.Read(addr, b))
	return b
}

// command runs a command whose argument is v.
func command[T any](s *station, code format.CommandCode, v T) format.CommandStatus {
	s.t.Helper()
	b, err := format.AppendHost(nil, v)
	require.NoError(s.t, err)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	for i := 0; i < len(b); i += 4 {
		s.nic.WriteRegister(format.RegMailbox+uint32(i), binary.LittleEndian.Uint32(b[i:]))
	}
	s.nic.WriteRegister(format.RegMailboxGo, uint32(code))
	return format.CommandStatus(s.nic.ReadRegister(format.RegMailboxDone))
}

// must is command, which has to succeed.
func (s *station) must(code format.CommandCode, v any) {
	s.t.Helper()
	var status format.CommandStatus
	switch v := v.(type) {
	case format.CreateEQ[uint64]:
		status = command(s, code, v)
	case format.CreateCQ[uint64]:
		status = command(s, code, v)
	case format.CreateQP[uint64]:
		status = command(s, code, v)
	case format.ModifyQP[uint64]:
		status = command(s, code, v)
	case format.KeyEntry[uint64]:
		status = command(s, code, v)
	case format.KeyRef[uint64]:
		status = command(s, code, v)
	case format.QueueRef[uint64]:
		status = command(s, code, v)
	default:
		require.Fail(s.t, "no such argument", "%T", v)
	}
	require.Equal(s.t, format.CmdOK, status, "%v: %+v", code, v)
}

// mailbox reads a result.
func mailbox[T any](s *station) T {
	var b []byte
	for i := range uint32(format.MailboxBytes / 4) {
		b = binary.LittleEndian.AppendUint32(b, s.nic.ReadRegister(format.RegMailbox+4*i))
	}
	v, err := format.DecodeHost[T](b)
	require.NoError(s.t, err)
	return v
}

// ring is a queue that software reads: of CQEs or EQEs.
type ring struct {
	base     uint64
	log      int
	entry    int
	consumed uint16
}

func (s *station) newRing(log, entry int) *ring {
	s.t.Helper()
	size := uint64(entry) << log
	return &ring{base: s.zeros(size, size), log: log, entry: entry}
}

// next returns the next entry by its phase bit alone, nil if there is none.
func (s *station) next(r *ring) []byte {
	s.t.Helper()
	b := s.read(r.base+uint64(int(r.consumed)&(1<<r.log-1)*r.entry), r.entry)
	if b[r.entry-1]>>7 != byte(1^r.consumed>>r.log&1) {
		return nil
	}
	r.consumed++
	return b
}

func (s *station) doorbell(page, kind uint32, index uint16, number uint64) {
	offset := format.DoorbellBase + page*format.DoorbellPageBytes + kind
	s.nic.WriteRegister(offset, uint32(index)<<16|uint32(number&0xFFFF))
}

// event returns the next event.
func (s *station) event() (format.EQE[uint64], bool) {
	s.t.Helper()
	b := s.next(s.eq)
	if b == nil {
		return format.EQE[uint64]{}, false
	}
	e, err := format.DecodeHost[format.EQE[uint64]](b)
	require.NoError(s.t, err)
	s.doorbell(0, format.DoorbellEQ, s.eq.consumed, 0)
	return e, true
}

// events returns all events, as words.
func (s *station) events() []string {
	s.t.Helper()
	var all []string
	for e, ok := s.event(); ok; e, ok = s.event() {
		if e.Kind == format.EventCompletion {
			all = append(all, fmt.Sprintf("completion %d", e.Number))
		} else {
			all = append(all, fmt.Sprintf("%v %#x", format.AsyncEvent(e.Code), e.Number))
		}
	}
	return all
}

// cq is a completion queue.
type cq struct {
	*ring
	number uint64
}

func (s *station) newCQ(log int) *cq {
	s.t.Helper()
	c := &cq{ring: s.newRing(log, 32), number: s.cqs}
	s.cqs++
	s.must(format.CmdCreateCQ, format.CreateCQ[uint64]{CQN: c.number, EQN: 0, LogSize: uint64(log), Page: testPage, Base: c.base})
	return c
}

// poll returns the CQEs that are there, and tells the device.
func (s *station) poll(c *cq) []format.CQE[uint64] {
	s.t.Helper()
	var all []format.CQE[uint64]
	for b := s.next(c.ring); b != nil; b = s.next(c.ring) {
		e, err := format.DecodeHost[format.CQE[uint64]](b)
		require.NoError(s.t, err)
		e.Phase = 0
		all = append(all, e)
	}
	s.doorbell(testPage, format.DoorbellCQ, c.consumed, c.number)
	return all
}

// region is registered memory.
type region struct {
	addr, va, size uint64
	key            uint32
	pages          []uint64 // bus addresses of its pages; nil: contiguous, at addr
}

const allAccess = format.AccessLocalWrite | format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic

// entry is the key of a region of fresh memory, not yet written to the device.
func (s *station) entry(size uint64, rights uint64) format.KeyEntry[uint64] {
	s.t.Helper()
	addr, err := s.mem.Alloc(size, 1)
	require.NoError(s.t, err)
	return format.KeyEntry[uint64]{
		Key: uint64(s.newKey()), PD: testPD, State: format.KeyValid, Type: format.KeyRegion,
		VA: addr, Length: size, Translation: addr, Rights: rights,
	}
}

// newKey returns a key that is not in use.
func (s *station) newKey() uint32 {
	if n := len(s.free); n > 0 {
		key := s.free[n-1]
		s.free = s.free[:n-1]
		return key&^0xFF | (key+1)&0xFF
	}
	s.keys++
	return s.keys<<8 | 0x5A
}

// release ends the key of a region.
func (s *station) release(r region) {
	s.t.Helper()
	s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(r.key)})
	s.free = append(s.free, r.key)
}

func (s *station) region(size, rights uint64) region {
	s.t.Helper()
	e := s.entry(size, rights)
	s.must(format.CmdWriteKey, e)
	return region{addr: e.Translation, va: e.VA, size: size, key: uint32(e.Key)}
}

// bytes reads a region.
func (s *station) bytes(r region) []byte { return s.read(r.addr, int(r.size)) }

// noise fills a region with bytes of a seed and returns them.
func (s *station) noise(r region, seed int) []byte {
	b := noise(seed, int(r.size))
	s.write(r.addr, b)
	return b
}

func noise(seed, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(wire.Hash(uint64(seed), uint64(i)))
	}
	return b
}

// qpConfig is how a test wants its queue pairs.
type qpConfig struct {
	mtu        uint64 // format.MTU256 and others; 0: MTU256
	ipv6       bool
	logSize    uint64 // of both rings; 0: defaultSize
	logStride  uint64
	sigAll     uint64
	access     uint64 // 0: allAccess
	psn        uint64 // first PSN in both directions
	retry      uint64
	rnrRetry   uint64
	timeout    uint64
	minRNR     uint64
	state      format.QPState // 0: RTS
	cq, recvCQ *cq            // nil: their own
}

// qp is a queue pair of a station.
type qp struct {
	s            *station
	number       uint64
	c            qpConfig
	sq, rq       uint64 // bus addresses
	posted, recv uint16 // producer indices
	sendCQ       *cq
	recvCQ       *cq
}

func (s *station) newQP(c qpConfig) *qp {
	s.t.Helper()
	if c.mtu == 0 {
		c.mtu = format.MTU256
	}
	if c.logSize == 0 {
		c.logSize = defaultSize
	}
	if c.access == 0 {
		c.access = allAccess
	}
	if c.state == 0 {
		c.state = format.QPRTS
	}
	q := &qp{s: s, c: c, number: 0xA50002 + s.qps, sendCQ: c.cq, recvCQ: c.recvCQ}
	s.qps++
	if q.sendCQ == nil {
		q.sendCQ = s.newCQ(6)
	}
	if q.recvCQ == nil {
		q.recvCQ = s.newCQ(6)
	}
	q.sq, q.rq = s.zeros(64<<(c.logSize+c.logStride), 4096), s.zeros(64<<(c.logSize+c.logStride), 4096)
	s.must(format.CmdCreateQP, format.CreateQP[uint64]{
		QPN: q.number, SigAll: c.sigAll, PD: testPD, SendCQ: q.sendCQ.number, RecvCQ: q.recvCQ.number, Page: testPage,
		SQLogSize: c.logSize, SQLogStride: c.logStride, RQLogSize: c.logSize, RQLogStride: c.logStride, SQBase: q.sq, RQBase: q.rq,
	})
	return q
}

// connect takes both ends of a connection to the state that they want.
func connect(a, b *qp) {
	a.connect(b.number, b.s.mac, b.s.ip)
	b.connect(a.number, a.s.mac, a.s.ip)
}

func (q *qp) connect(peer, mac uint64, ip [2]uint64) {
	q.s.t.Helper()
	q.s.must(format.CmdModifyQP, q.toInit())
	if q.c.state >= format.QPRTR {
		q.s.must(format.CmdModifyQP, q.toRTR(peer, mac, ip))
	}
	if q.c.state >= format.QPRTS {
		q.s.must(format.CmdModifyQP, q.toRTS())
	}
}

func (q *qp) toInit() format.ModifyQP[uint64] {
	return format.ModifyQP[uint64]{
		QPN: q.number, State: uint64(format.QPInit), Mask: format.AttrState | format.AttrPKeyIndex | format.AttrPort | format.AttrAccess,
		Port: 1, Access: q.c.access,
	}
}

func (q *qp) toRTR(peer, mac uint64, ip [2]uint64) format.ModifyQP[uint64] {
	return format.ModifyQP[uint64]{
		QPN: q.number, State: uint64(format.QPRTR),
		Mask: format.AttrState | format.AttrAV | format.AttrPathMTU | format.AttrDestQPN | format.AttrRQPSN |
			format.AttrMaxDestRD | format.AttrMinRNR,
		DestQPN: peer, PathMTU: q.c.mtu, RQPSN: q.c.psn, MinRNR: q.c.minRNR, MaxDestRD: 4, AV: q.av(peer, mac, ip),
	}
}

// av is the way to a peer: over VLAN 5 with IPv6.
func (q *qp) av(peer, mac uint64, ip [2]uint64) format.AV[uint64] {
	v := format.AV[uint64]{
		DstMAC: mac, HopLimit: 64, TrafficClass: 2,
		SrcPort: uint64(format.SourcePort(uint32(q.number), uint32(peer))),
		SrcLo:   0x0A000000 | q.s.ip[1], DstLo: 0x0A000000 | ip[1],
	}
	if q.c.ipv6 {
		v.IPv6, v.VLAN, v.TCI, v.FlowLabel = 1, 1, 5, uint64(format.QPFlowLabel(uint32(q.number), uint32(peer)))
		v.SrcHi, v.SrcLo, v.DstHi, v.DstLo = q.s.ip[0], q.s.ip[1], ip[0], ip[1]
	}
	return v
}

func (q *qp) toRTS() format.ModifyQP[uint64] {
	return format.ModifyQP[uint64]{
		QPN: q.number, State: uint64(format.QPRTS),
		Mask:  format.AttrState | format.AttrSQPSN | format.AttrMaxRD | format.AttrRetryCnt | format.AttrRNRRetry | format.AttrTimeout,
		SQPSN: q.c.psn, RetryCnt: q.c.retry, RNRRetry: q.c.rnrRetry, Timeout: q.c.timeout, MaxRD: 4,
	}
}

// modify changes the state alone.
func (q *qp) modify(to format.QPState) {
	q.s.t.Helper()
	q.s.must(format.CmdModifyQP, format.ModifyQP[uint64]{QPN: q.number, State: uint64(to), Mask: format.AttrState})
}

func (q *qp) query() format.QPStatus[uint64] {
	q.s.t.Helper()
	q.s.must(format.CmdQueryQP, format.QueueRef[uint64]{Number: q.number})
	return mailbox[format.QPStatus[uint64]](q.s)
}

func (q *qp) state() format.QPState { return format.QPState(q.query().State) }

// sendWR is a send work request.
type sendWR struct {
	id     uint64
	op     format.WROpcode
	flags  uint64
	imm    uint32 // as it stands in memory
	remote uint64
	rkey   uint32
	list   []format.SGE[uint64]
	inline []byte
}

// post writes a send WQE without a doorbell.
func (q *qp) post(w sendWR) {
	q.s.t.Helper()
	c := format.SendControl[uint64]{
		Opcode: uint64(w.op), Flags: w.flags, NumSGE: uint64(len(w.list)), InlineLen: uint64(len(w.inline)),
		Imm: uint64(w.imm), WRID: w.id, RemoteAddr: w.remote, RKey: uint64(w.rkey),
	}
	if w.inline != nil {
		c.Flags |= format.WRFlagInline
	}
	b, err := format.AppendHost(nil, c)
	require.NoError(q.s.t, err)
	b = append(appendList(q.s.t, b, w.list), w.inline...)
	q.put(q.sq, q.posted, b)
	q.posted++
}

// send posts and rings.
func (q *qp) send(all ...sendWR) {
	q.s.t.Helper()
	for _, w := range all {
		q.post(w)
	}
	q.s.doorbell(testPage, format.DoorbellSQ, q.posted, q.number)
}

// receive posts a receive WQE and rings.
func (q *qp) receive(id uint64, list ...format.SGE[uint64]) {
	q.s.t.Helper()
	b, err := format.AppendHost(nil, format.RecvControl[uint64]{WRID: id, NumSGE: uint64(len(list))})
	require.NoError(q.s.t, err)
	q.put(q.rq, q.recv, appendList(q.s.t, b, list))
	q.recv++
	q.s.doorbell(testPage, format.DoorbellRQ, q.recv, q.number)
}

func (q *qp) put(base uint64, index uint16, b []byte) {
	q.s.t.Helper()
	stride := uint64(64) << q.c.logStride
	slot := make([]byte, stride)
	copy(slot, b)
	q.s.write(base+uint64(index)&(1<<q.c.logSize-1)*stride, slot)
}

func appendList(t testing.TB, b []byte, list []format.SGE[uint64]) []byte {
	t.Helper()
	for _, e := range list {
		var err error
		b, err = format.AppendHost(b, e)
		require.NoError(t, err)
	}
	return b
}

// part is a piece of a region.
func (r region) part(offset, length uint64) format.SGE[uint64] {
	return format.SGE[uint64]{Addr: r.va + offset, Length: length, LKey: uint64(r.key)}
}

// whole is the region in one piece.
func (r region) whole() []format.SGE[uint64] { return []format.SGE[uint64]{r.part(0, r.size)} }

// pair is two stations on a wire.
type pair struct {
	t     testing.TB
	a, b  *station
	link  *wire.Link
	log   []wire.Crossing
	watch *monitor.Monitor
}

func newPair(t testing.TB, faults wire.Faults) *pair {
	t.Helper()
	config := golden.DefaultConfig()
	p := &pair{t: t, a: newStation(t, 1, config), b: newStation(t, 2, config), watch: monitor.New()}
	p.watch.Payloads = true
	p.link = wire.NewLink(p.a.nic, p.b.nic, faults, p.watch.Tap, func(c wire.Crossing) { p.log = append(p.log, c) })
	return p
}

// qps connects two queue pairs of one kind.
func (p *pair) qps(c qpConfig) (a, b *qp) {
	p.t.Helper()
	a, b = p.a.newQP(c), p.b.newQP(c)
	connect(a, b)
	p.watch.Add(monitor.Connection{
		QPN: [2]uint32{uint32(a.number), uint32(b.number)}, PSN: [2]uint32{uint32(c.psn), uint32(c.psn)}, PathMTU: 128 << a.c.mtu,
	})
	return a, b
}

// run lets the wire carry what there is.
func (p *pair) run() {
	p.t.Helper()
	_, err := p.link.Run(context.Background(), 100000)
	require.NoError(p.t, err)
	require.NoError(p.t, p.watch.Err())
	require.NoError(p.t, p.a.mem.CheckGuards())
	require.NoError(p.t, p.b.mem.CheckGuards())
}

// wireLog is what crossed the wire, as words.
func (p *pair) wireLog() []string {
	p.t.Helper()
	var all []string
	for _, c := range p.log {
		all = append(all, c.Direction.String()[:1]+": "+packetWords(p.t, c.Frame))
	}
	return all
}

// packetWords tells a packet: opcode, PSN, what it carries.
func packetWords(t testing.TB, frame []byte) string {
	t.Helper()
	r := golden.Receive(frame, false)
	require.Equal(t, format.ReasonOK, r.Reason)
	d := r.Descriptor
	op := format.Opcode(d.Opcode)
	s := fmt.Sprintf("%v %#x", op, d.PSN)
	if h, ok := format.ExtHeaderOf[format.AETH[uint64]](d.Ext, op, format.ExtAETH); ok {
		s += fmt.Sprintf(" %#x msn %d", h.Syndrome, h.MSN)
	}
	if h, ok := format.ExtHeaderOf[format.RETH[uint64]](d.Ext, op, format.ExtRETH); ok {
		s += fmt.Sprintf(" dma %d", h.DMALen)
	}
	if h, ok := format.ExtHeaderOf[format.ImmDt[uint64]](d.Ext, op, format.ExtImmDt); ok {
		s += fmt.Sprintf(" imm %08x", h.Imm)
	}
	if len(r.Payload) > 0 {
		s += fmt.Sprintf(" %d bytes", len(r.Payload))
	}
	if d.SE != 0 {
		s += " SE"
	}
	if d.AckReq != 0 {
		s += " A"
	}
	return s
}

// brief is a CQE in words: wr_id, status, opcode, bytes, immediate in the order
// of the wire; of an error only what has a meaning.
func brief(all []format.CQE[uint64]) []string {
	var out []string
	for _, e := range all {
		s := fmt.Sprintf("%d %v", e.WRID, format.Status(e.Status))
		if format.Status(e.Status) == format.StatusSuccess {
			s += fmt.Sprintf(" %v %d", format.WCOpcode(e.Opcode), e.ByteLen)
			if e.Flags&format.WCFlagWithImm != 0 {
				s += fmt.Sprintf(" imm %08x", bits.ReverseBytes32(uint32(e.Imm)))
			}
		} else {
			s += fmt.Sprintf(" (%v)", format.VendorCode(e.Vendor))
		}
		out = append(out, s)
	}
	return out
}
