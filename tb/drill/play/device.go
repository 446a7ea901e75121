package play

import (
	"time"

	"gornic/configs"
	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/rtl"
)

// device is a NIC of either kind.
type device interface {
	Receive(frame []byte)
	Send() ([]byte, bool)
	Run(cycles int) error
	ReadRegister(offset uint32) (uint32, error)
	WriteRegister(offset, value uint32) error
	Backlog() int // beats that wait for the receive side
	Cycle() uint64
	Hold(hold bool) // stops the wire from taking what the NIC sends
	Close() error
}

var _ device = (*rtl.NIC)(nil)

// reference is the golden NIC as a device.
type reference struct {
	*golden.NIC
	cycle uint64
	held  bool
}

func newReference(config configs.Config, memory *host.Memory) *reference {
	c := golden.ConfigOf(config)
	c.Pages, c.Tick = config.QPs, time.Duration(config.AckTick)*rtl.Cycle
	return &reference{NIC: golden.NewNIC(c, host.DeviceSide{Memory: memory})}
}

func (r *reference) Run(cycles int) error {
	r.cycle += uint64(cycles)
	r.Tick(time.Duration(cycles) * rtl.Cycle)
	return nil
}

func (r *reference) Send() ([]byte, bool) {
	if r.held {
		return nil, false
	}
	return r.NIC.Send()
}

func (r *reference) ReadRegister(offset uint32) (uint32, error) {
	return r.NIC.ReadRegister(offset), nil
}

func (r *reference) WriteRegister(offset, value uint32) error {
	r.NIC.WriteRegister(offset, value)
	return nil
}

func (r *reference) Hold(hold bool) { r.held = hold }
func (r *reference) Backlog() int   { return 0 }
func (r *reference) Cycle() uint64  { return r.cycle }
func (r *reference) Close() error   { return nil }
