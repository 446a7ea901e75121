package play

import (
	"context"
	"net/netip"
	"time"

	"gornic/tb/drill/packet"
	"gornic/tb/host"
	"gornic/tb/wire"
	"gornic/verbs"
)

// slice is how many cycles the NIC runs before its frames are looked for: how exact times are.
const slice = 4

// machine is the host with its NIC, and the clock. It is the Bus of the driver.
type machine struct {
	*host.Memory
	device device
	taps   []wire.Tap
	tick   int // cycles of 4.096 us
	frames int
	sent   func(f *frame) // takes what the NIC sends
}

// frame is a packet that the NIC sent.
type frame struct {
	*packet.Packet
	cycle uint64
	raw   []byte
	err   error // it is no RoCEv2 packet
}

var _ verbs.Bus = (*machine)(nil)

func (m *machine) now() uint64 { return m.device.Cycle() }

// run lets the NIC work for so many cycles at least.
func (m *machine) run(cycles int) error {
	for end := m.now() + uint64(cycles); m.now() < end; {
		if err := m.device.Run(int(min(slice, end-m.now()))); err != nil {
			return err
		}
		m.collect()
	}
	return nil
}

// collect takes what the NIC has sent.
func (m *machine) collect() {
	for raw, ok := m.device.Send(); ok; raw, ok = m.device.Send() {
		f := &frame{cycle: m.now(), raw: raw}
		f.Packet, f.err = packet.Parse(raw)
		m.show(wire.AToB, raw)
		m.sent(f)
	}
}

// receive gives the NIC a frame, and returns when its last byte has come.
func (m *machine) receive(raw []byte) error {
	m.show(wire.BToA, raw)
	m.device.Receive(raw)
	m.collect()
	for m.device.Backlog() > 0 {
		if err := m.run(slice); err != nil {
			return err
		}
	}
	return nil
}

// show shows a frame to the taps, at the time of the protocol.
func (m *machine) show(d wire.Direction, raw []byte) {
	m.frames++
	for _, tap := range m.taps {
		tap(wire.Crossing{Number: m.frames, Direction: d, Time: m.duration(m.now()), Frame: raw, RoCE: true})
	}
}

// duration is the time of so many cycles, as the protocol counts.
func (m *machine) duration(cycles uint64) time.Duration {
	return time.Duration(cycles) * (4096 * time.Nanosecond) / time.Duration(m.tick)
}

// ReadRegister reads a register of the NIC.
func (m *machine) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	v, err := m.device.ReadRegister(offset)
	m.collect()
	return v, err
}

// WriteRegister writes a register of the NIC, or rings a doorbell.
func (m *machine) WriteRegister(ctx context.Context, offset, value uint32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := m.device.WriteRegister(offset, value)
	m.collect()
	return err
}

// Wait lets the NIC work a little.
func (m *machine) Wait(ctx context.Context) error {
	if err := m.run(slice); err != nil {
		return err
	}
	return ctx.Err()
}

// Addresses of host and peer.
var (
	hostMAC = verbs.MAC{2, 0, 0, 0, 0, 1}
	peerMAC = verbs.MAC{2, 0, 0, 0, 0, 2}
	host4   = netip.AddrFrom4([4]byte{10, 0, 0, 1})
	peer4   = netip.AddrFrom4([4]byte{10, 0, 0, 2})
	host6   = netip.AddrFrom16([16]byte{0: 0xFD, 15: 1})
	peer6   = netip.AddrFrom16([16]byte{0: 0xFD, 15: 2})
)
