// Package lab is two hosts, each with a reference NIC, on a wire: what it takes to
// run programs over verbs without any hardware. Start with [New].
package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/wire"
	"gornic/verbs"
)

// Options of a [Lab]. The zero value is good.
type Options struct {
	Seed   uint64         // of memory, and of how much happens while a driver waits
	Config *golden.Config // of both NICs; nil: golden.DefaultConfig
	Faults wire.Faults
	Taps   []wire.Tap
}

// Lab is two hosts on a wire. It is used by one goroutine at a time.
type Lab struct {
	A, B *Bus
	Link *wire.Link
	r    *rand.Rand
	now  time.Duration // since the start
}

// Bus is a host with its NIC, as a driver sees them.
type Bus struct {
	*host.Memory
	NIC  *golden.NIC
	MAC  verbs.MAC
	IPv4 netip.Addr
	IPv6 netip.Addr
	lab  *Lab
}

var _ verbs.Bus = (*Bus)(nil)

// New builds a lab. Nobody has opened its devices yet.
func New(o Options) (*Lab, error) {
	config := golden.DefaultConfig()
	if o.Config != nil {
		config = *o.Config
	}
	l := &Lab{r: rand.New(rand.NewPCG(o.Seed, 0x6C6162))}
	var err error
	if l.A, err = l.bus(config, o.Seed, 1); err != nil {
		return nil, err
	}
	if l.B, err = l.bus(config, o.Seed, 2); err != nil {
		return nil, err
	}
	l.Link = wire.NewLink(l.A.NIC, l.B.NIC, o.Faults, o.Taps...)
	l.Link.Clock = func() time.Duration { return l.now }
	return l, nil
}

func (l *Lab) bus(config golden.Config, seed uint64, number byte) (*Bus, error) {
	memory, err := host.New(host.Options{Seed: wire.Hash(seed, uint64(number))})
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return &Bus{
		Memory: memory,
		NIC:    golden.NewNIC(config, deviceView{memory}),
		MAC:    verbs.MAC{2, 0, 0, 0, 0, number},
		IPv4:   netip.AddrFrom4([4]byte{10, 0, 0, number}),
		IPv6:   netip.AddrFrom16([16]byte{0: 0xFD, 15: number}),
		lab:    l,
	}, nil
}

// CheckGuards tells whether a device wrote beside an allocation of either host.
func (l *Lab) CheckGuards() error {
	return errors.Join(l.A.CheckGuards(), l.B.CheckGuards())
}

// deviceView is memory as a device reaches it.
type deviceView struct{ m *host.Memory }

func (v deviceView) Read(addr uint64, b []byte) error  { return v.m.DeviceRead(addr, b) }
func (v deviceView) Write(addr uint64, b []byte) error { return v.m.DeviceWrite(addr, b) }

// ReadRegister reads a register of the NIC.
func (b *Bus) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	return b.NIC.ReadRegister(offset), ctx.Err()
}

// WriteRegister writes a register of the NIC, or rings a doorbell.
func (b *Bus) WriteRegister(ctx context.Context, offset, value uint32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.NIC.WriteRegister(offset, value)
	return nil
}

// quantum is the time that passes while a driver waits.
const quantum = 10 * time.Microsecond

// Wait lets the wire carry a few frames, and a little time pass.
func (b *Bus) Wait(ctx context.Context) error {
	for range 1 + b.lab.r.IntN(8) {
		if b.lab.Link.Step() == 0 {
			break
		}
	}
	b.lab.now += quantum
	b.lab.A.NIC.Tick(quantum)
	b.lab.B.NIC.Tick(quantum)
	return ctx.Err()
}
