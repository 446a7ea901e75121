package golden_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/host"
)

// deviceView is host memory as the device reaches it.
type deviceView struct{ *host.Memory }

func (v deviceView) Read(addr uint64, b []byte) error { return v.DeviceRead(addr, b) }

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
	for _, w := range [][2]uint32{
		{format.RegMACLow, uint32(s.mac)}, {format.RegMACHigh, uint32(s.mac >> 32)},
		{format.RegKeyBaseLow, uint32(table)}, {format.RegKeyBaseHigh, uint32(table >> 32)}, {format.RegKeyLogSize, keyLogSize},
	} {
		s.nic.WriteRegister(w[0], w[1])
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
