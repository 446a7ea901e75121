package rtl

import (
	"context"
	"fmt"
	"net/netip"

	"gornic/tb/host"
	"gornic/verbs"
)

// Host is a host with its NIC: a verbs.Bus to a driver, a wire.End to the wire.
type Host struct {
	*host.Memory
	MAC    verbs.MAC
	IPv4   netip.Addr
	IPv6   netip.Addr
	lab    *Lab
	name   string
	device device
	peer   *Host
}

var _ verbs.Bus = (*Host)(nil)

// Core returns the NIC of a host that has the core; nil for one that has the
// reference.
func (h *Host) Core() *NIC {
	n, _ := h.device.(*NIC)
	return n
}

// Interrupt is the interrupt output of the NIC.
func (h *Host) Interrupt() bool { return h.device.Interrupt() }

// named tells whose error it is.
func (h *Host) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("host %s: %w", h.name, err)
}

func (h *Host) run(cycles int) error { return h.named(h.device.Run(cycles)) }

// room is how many beats may wait for a receive side before the other end has to
// hold its frames back: two of the longest frames.
const roomBytes = 2 * 4400

// Send takes the next frame of the NIC, unless the other end has enough to take in.
func (h *Host) Send() ([]byte, bool) {
	if h.peer.device.Backlog()*h.lab.o.Config.DataWidth/8 > roomBytes {
		return nil, false
	}
	return h.device.Send()
}

// Receive gives the NIC a frame of the wire.
func (h *Host) Receive(frame []byte) { h.device.Receive(frame) }

// ReadRegister reads a register of the NIC. Time passes for both hosts.
func (h *Host) ReadRegister(ctx context.Context, offset uint32) (v uint32, err error) {
	err = h.access(ctx, func() error {
		v, err = h.device.ReadRegister(offset)
		return err
	})
	return v, err
}

// WriteRegister writes a register of the NIC, or rings a doorbell. Time passes for
// both hosts.
func (h *Host) WriteRegister(ctx context.Context, offset, value uint32) error {
	return h.access(ctx, func() error { return h.device.WriteRegister(offset, value) })
}

// access does an access to a register, and then lets the other host catch up.
func (h *Host) access(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := do(); err != nil {
		return h.named(err)
	}
	if behind := h.device.Cycle() - h.peer.device.Cycle(); int64(behind) > 0 {
		if err := h.peer.run(int(behind)); err != nil {
			return err
		}
	}
	h.lab.exchange()
	return nil
}

// Wait lets both hosts work until this one's NIC has an interrupt that it did not
// have before, or has written to memory; or for some time, a multiple of the lab's
// slice, drawn for each call.
func (h *Host) Wait(ctx context.Context) error {
	written, interrupt := h.device.written(), h.device.Interrupt()
	for range 1 + h.lab.random.IntN(max(h.lab.o.Wait/h.lab.o.Slice, 1)) {
		if err := h.lab.Run(h.lab.o.Slice); err != nil {
			return err
		}
		if h.device.written() != written || h.device.Interrupt() && !interrupt {
			break
		}
	}
	return ctx.Err()
}
