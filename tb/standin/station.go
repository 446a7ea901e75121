package standin

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"gornic/format"
	"gornic/tb/host"
)

// NIC is what takes the place of a responder: an *rtl.NIC.
type NIC interface {
	Receive(frame []byte)
	Send() ([]byte, bool)
	Run(cycles int) error
	ReadRegister(offset uint32) (uint32, error)
	WriteRegister(offset, value uint32) error
}

// A station is a host whose software takes the numbers of queue pairs and keys from a
// capture, where a driver would choose them: it works on registers and rings.
type station struct {
	nic    NIC
	memory *host.Memory
	keys   uint64 // bus address of the key table
	events *ring
}

const (
	captureEvents = 6 // log2 of the entries of the event queue
	keyBytes      = 64
)

// newStation opens a device with a key table of 1 << logKeys entries.
func newStation(nic NIC, memory *host.Memory, logKeys int) (*station, error) {
	s := &station{nic: nic, memory: memory}
	var err error
	if s.keys, err = memory.Alloc(keyBytes<<logKeys, keyBytes); err != nil {
		return nil, err
	}
	if s.events, err = s.newRing(captureEvents, format.Size[format.EQE[uint64]]()); err != nil {
		return nil, err
	}
	for _, w := range [][2]uint32{
		{format.RegKeyBaseLow, uint32(s.keys)}, {format.RegKeyBaseHigh, uint32(s.keys >> 32)}, {format.RegKeyLogSize, uint32(logKeys)},
	} {
		if err := nic.WriteRegister(w[0], w[1]); err != nil {
			return nil, err
		}
	}
	if err := command(s, format.CmdCreateEQ, format.CreateEQ[uint64]{LogSize: captureEvents, Base: s.events.base}); err != nil {
		return nil, err
	}
	return s, nil
}

// enable lets packets in and out of a port with an address.
func (s *station) enable(mac uint64) error {
	for _, w := range [][2]uint32{
		{format.RegMACLow, uint32(mac)}, {format.RegMACHigh, uint32(mac >> 32)}, {format.RegControl, format.ControlEnable},
	} {
		if err := s.nic.WriteRegister(w[0], w[1]); err != nil {
			return err
		}
	}
	return nil
}

// clearKey makes the table's entry for a key one that no key fits.
func (s *station) clearKey(key uint32) error {
	return s.memory.Write(s.keys+uint64(key>>format.KeyTagBits)*keyBytes, make([]byte, keyBytes))
}

// zeros allocates memory that reads as zero.
func (s *station) zeros(size, align uint64) (uint64, error) {
	addr, err := s.memory.Alloc(size, align)
	if err != nil {
		return 0, err
	}
	return addr, s.memory.Write(addr, make([]byte, size))
}

// commandPatience is how many looks at a command that runs are too many.
const commandPatience = 10000

// command runs a command whose argument is v.
func command[T any](s *station, code format.CommandCode, v T) error {
	b, err := format.AppendHost(nil, v)
	if err != nil {
		return err
	}
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	for i := 0; i < len(b); i += 4 {
		if err := s.nic.WriteRegister(format.RegMailbox+uint32(i), binary.LittleEndian.Uint32(b[i:])); err != nil {
			return err
		}
	}
	if err := s.nic.WriteRegister(format.RegMailboxGo, uint32(code)); err != nil {
		return err
	}
	for range commandPatience {
		done, err := s.nic.ReadRegister(format.RegMailboxDone)
		if err != nil {
			return err
		}
		if done&format.MailboxBusy != 0 {
			continue
		}
		if status := format.CommandStatus(done); status != format.CmdOK {
			return fmt.Errorf("command %v %+v: %v", code, v, status)
		}
		return nil
	}
	return fmt.Errorf("command %v does not end", code)
}

// query asks what a queue pair has come to.
func (s *station) query(qpn uint32) (format.QPStatus[uint64], error) {
	var status format.QPStatus[uint64]
	if err := command(s, format.CmdQueryQP, format.QueueRef[uint64]{Number: uint64(qpn)}); err != nil {
		return status, err
	}
	var b []byte
	for len(b) < format.Size[format.QPStatus[uint64]]() {
		word, err := s.nic.ReadRegister(format.RegMailbox + uint32(len(b)))
		if err != nil {
			return status, err
		}
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return format.DecodeHost[format.QPStatus[uint64]](b)
}

// doorbell rings for the low 16 bits of a number.
func (s *station) doorbell(kind uint32, index uint16, number uint32) error {
	return s.nic.WriteRegister(format.DoorbellBase+kind, uint32(index)<<16|number&0xFFFF)
}

// A ring is a queue that the device writes and software reads.
type ring struct {
	base     uint64
	log      int // log2 of its entries
	entry    int // bytes
	consumed uint16
}

func (s *station) newRing(log, entry int) (*ring, error) {
	size := uint64(entry) << log
	base, err := s.zeros(size, size)
	return &ring{base: base, log: log, entry: entry}, err
}

// next returns the next entry, nil if there is none.
func (s *station) next(r *ring) ([]byte, error) {
	b := make([]byte, r.entry)
	if err := s.memory.Read(r.base+uint64(int(r.consumed)&(1<<r.log-1)*r.entry), b); err != nil {
		return nil, err
	}
	if b[r.entry-1]>>7 != byte(1^r.consumed>>r.log&1) {
		return nil, nil
	}
	r.consumed++
	return b, nil
}

// take returns all entries of a ring that have come.
func take[T any](s *station, r *ring) ([]T, error) {
	var all []T
	for {
		b, err := s.next(r)
		if err != nil || b == nil {
			return all, err
		}
		e, err := format.DecodeHost[T](b)
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
}

// logOf is log2 of the least power of two that is no less than n.
func logOf(n int) int { return bits.Len(uint(max(n, 1) - 1)) }
