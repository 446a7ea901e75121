package record

import (
	"context"

	"gornic/format"
	"gornic/tb/host"
	"gornic/tb/rtl"
)

// A swift is a host whose software takes no time, a verbs.Bus: a doorbell is queued, and leaves behind those before it. So what
// it does depends on nothing but when the NIC writes to its memory.
type swift struct {
	*rtl.Host
	game    *game
	leads   bool // once both send, time passes when this one waits
	written bool // the NIC has written since the last wait
}

func newSwift(h *rtl.Host, g *game, leads bool) *swift {
	s := &swift{Host: h, game: g, leads: leads}
	h.OnAccess(func(a host.Access) {
		s.written = s.written || a.Write && a.Source == host.Device
	})
	return s
}

// WriteRegister queues a doorbell; other registers are written while both hosts wait.
func (s *swift) WriteRegister(ctx context.Context, offset, value uint32) error {
	if offset >= format.DoorbellBase {
		return s.Core().PostRegister(offset, value)
	}
	return s.Host.WriteRegister(ctx, offset, value)
}

// ReadRegister does not ask for interrupts that there are none of.
func (s *swift) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	if offset == format.RegIRQPending && !s.Interrupt() {
		return 0, nil
	}
	return s.Host.ReadRegister(ctx, offset)
}

// Wait lets both hosts work until one of their memories has been written to, or it is time to send.
func (s *swift) Wait(ctx context.Context) error {
	if s.game.began && !s.leads {
		return ctx.Err()
	}
	return s.game.pass(ctx)
}
