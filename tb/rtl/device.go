package rtl

import (
	"time"

	"gornic/configs"
	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/wire"
)

// Kind is what a host of a [Lab] has for a NIC.
type Kind uint8

// Kinds of NIC.
const (
	Core      Kind = iota // the core in a simulator
	Reference             // golden.NIC
)

func (k Kind) String() string { return [...]string{"core", "reference"}[k&1] }

// device is a NIC of either kind.
type device interface {
	wire.End
	Run(cycles int) error
	ReadRegister(offset uint32) (uint32, error)
	WriteRegister(offset, value uint32) error
	Backlog() int // beats that wait for the receive side
	Interrupt() bool
	Cycle() uint64
	Close() error
	// written counts writes to memory.
	written() uint64
}

var _ device = (*NIC)(nil)

func (n *NIC) written() uint64 { return n.memory.Counters().Writes.Bursts }

// reference is a golden.NIC as a device.
type reference struct {
	*golden.NIC
	cycle  uint64
	memory *counted
}

// counted counts the writes of a device.
type counted struct {
	host.DeviceSide
	writes uint64
}

func (c *counted) Write(addr uint64, b []byte) error {
	c.writes++
	return c.DeviceSide.Write(addr, b)
}

func newReference(config configs.Config, memory *host.Memory) *reference {
	side := &counted{DeviceSide: host.DeviceSide{Memory: memory}}
	c := golden.ConfigOf(config)
	c.Pages, c.Tick = config.QPs, time.Duration(config.AckTick)*Cycle
	return &reference{NIC: golden.NewNIC(c, side), memory: side}
}

func (r *reference) Run(cycles int) error {
	r.cycle += uint64(cycles)
	r.Tick(time.Duration(cycles) * Cycle)
	return nil
}

func (r *reference) ReadRegister(offset uint32) (uint32, error) {
	return r.NIC.ReadRegister(offset), nil
}

func (r *reference) WriteRegister(offset, value uint32) error {
	r.NIC.WriteRegister(offset, value)
	return nil
}

func (r *reference) Backlog() int    { return 0 }
func (r *reference) Cycle() uint64   { return r.cycle }
func (r *reference) Close() error    { return nil }
func (r *reference) written() uint64 { return r.memory.writes }
