package verbs

import (
	"context"
	"errors"

	"gornic/format"
)

// takeOver destroys what is in a device that nobody closed: queue pairs, then the
// queues that they use. Then the device is disabled, and holds no key.
func (d *Device) takeOver(ctx context.Context) error {
	for index := range d.attr.MaxQP {
		if err := d.destroyAt(ctx, uint32(index)); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		code  format.CommandCode
		count int
	}{{format.CmdDestroyCQ, d.attr.MaxCQ}, {format.CmdDestroyEQ, d.attr.MaxEQ}} {
		for number := range c.count {
			if err := absent(run(ctx, d, c.code, format.QueueRef[uint64]{Number: uint64(number)})); err != nil {
				return err
			}
		}
	}
	if err := d.bus.WriteRegister(ctx, format.RegControl, 0); err != nil {
		return err
	}
	return d.command(ctx, format.CmdForgetKeys, nil)
}

// enabled tells whether somebody enabled the device. A command that is still running
// ends first.
func (d *Device) enabled(ctx context.Context) (bool, error) {
	if _, err := d.commandDone(ctx); err != nil {
		return false, err
	}
	control, err := d.bus.ReadRegister(ctx, format.RegControl)
	return control&format.ControlEnable != 0, err
}

// destroyAt destroys the queue pair at an index, if there is one.
func (d *Device) destroyAt(ctx context.Context, index uint32) error {
	s, err := query[format.QPStatus[uint64]](ctx, d, format.CmdQPAt, format.QueueRef[uint64]{Number: uint64(index)})
	if err != nil {
		return absent(err)
	}
	d.qpTags[index] = uint32(s.QPN)>>d.logQPs + 1 // packets for it may still be on their way
	return run(ctx, d, format.CmdDestroyQP, format.QueueRef[uint64]{Number: s.QPN})
}

// absent makes no error of one that says that there is no such object.
func absent(err error) error {
	if refusedWith(err, format.CmdBadNumber) {
		return nil
	}
	return err
}

func refusedWith(err error, s format.CommandStatus) bool {
	var e *CommandError
	return errors.As(err, &e) && e.Status == s
}
