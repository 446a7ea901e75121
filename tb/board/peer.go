package board

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"gornic/configs"
	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/wire"
	"gornic/verbs"
)

// Peer is a host with the reference NIC, at the other end of port 0: a verbs.Bus and a wire.End.
type Peer struct {
	*host.Memory
	MAC  verbs.MAC
	IPv4 netip.Addr
	NIC  *golden.NIC

	lab    *Lab
	memory *counted
}

var _ verbs.Bus = (*Peer)(nil)

// counted counts the writes of a device.
type counted struct {
	host.DeviceSide
	writes uint64
}

func (c *counted) Write(addr uint64, b []byte) error {
	c.writes++
	return c.DeviceSide.Write(addr, b)
}

// NewPeer connects a host to port 0. Its NIC has the numbers of the board's core, and the same
// unit of time.
func NewPeer(l *Lab, seed uint64, faults wire.Faults, taps ...wire.Tap) (*Peer, error) {
	memory, err := host.New(host.Options{Seed: seed})
	if err != nil {
		return nil, fmt.Errorf("tb/board: %w", err)
	}
	side := &counted{DeviceSide: host.DeviceSide{Memory: memory}}
	p := &Peer{
		Memory: memory, MAC: verbs.MAC{2, 0, 0, 0, 0, 9}, IPv4: netip.AddrFrom4([4]byte{192, 168, 1, 9}),
		NIC: golden.NewNIC(referenceOf(l, l.design.Core()), side), lab: l, memory: side,
	}
	l.Connect(0, p.NIC, p.NIC.Tick, faults, taps...)
	return p, nil
}

func referenceOf(l *Lab, core configs.Config) golden.Config {
	c := golden.ConfigOf(core)
	c.Pages, c.Tick = core.QPs, time.Duration(core.AckTick)*l.cycle()
	return c
}

// ReadRegister reads a register of the NIC.
func (p *Peer) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	return p.NIC.ReadRegister(offset), ctx.Err()
}

// WriteRegister writes a register of the NIC, or rings a doorbell.
func (p *Peer) WriteRegister(ctx context.Context, offset, value uint32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.NIC.WriteRegister(offset, value)
	return nil
}

// waitCycles is how long Wait is at most.
const waitCycles = 2048

// Wait lets time pass until the NIC has written to memory, or for some time.
func (p *Peer) Wait(ctx context.Context) error {
	before := p.memory.writes
	for range waitCycles / slice {
		if err := p.lab.Run(slice); err != nil {
			return err
		}
		if p.memory.writes != before {
			break
		}
	}
	return ctx.Err()
}
