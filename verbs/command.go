package verbs

import (
	"context"
	"encoding/binary"
	"fmt"

	"gornic/format"
)

// run executes a command of the mailbox.
func run[T any](ctx context.Context, d *Device, code format.CommandCode, arg T) error {
	b, err := format.AppendHost(nil, arg)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return d.command(ctx, code, b)
}

// query executes a command that leaves a result in the mailbox.
func query[R, T any](ctx context.Context, d *Device, code format.CommandCode, arg T) (R, error) {
	var none R
	if err := run(ctx, d, code, arg); err != nil {
		return none, err
	}
	b := make([]byte, 0, format.MailboxBytes)
	for len(b) < format.Size[R]() {
		word, err := d.bus.ReadRegister(ctx, format.RegMailbox+uint32(len(b)))
		if err != nil {
			return none, fmt.Errorf("mailbox: %w", err)
		}
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return format.DecodeHost[R](b)
}

// command puts b into the mailbox and starts the command. It returns when the
// device has executed it; a status other than OK is a [*CommandError].
func (d *Device) command(ctx context.Context, code format.CommandCode, b []byte) error {
	if d.commandRunning { // an earlier one, that its context ended
		if _, err := d.commandDone(ctx); err != nil {
			return err
		}
	}
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	for i := 0; i < len(b); i += 4 {
		word := binary.LittleEndian.Uint32(b[i:])
		if err := d.bus.WriteRegister(ctx, format.RegMailbox+uint32(i), word); err != nil {
			return fmt.Errorf("mailbox: %w", err)
		}
	}
	d.commandRunning = true
	if err := d.bus.WriteRegister(ctx, format.RegMailboxGo, uint32(code)); err != nil {
		return fmt.Errorf("mailbox: %w", err)
	}
	status, err := d.commandDone(ctx)
	if err == nil && status != format.CmdOK {
		err = &CommandError{Command: code, Status: status}
	}
	return err
}

// commandDone waits until no command runs.
func (d *Device) commandDone(ctx context.Context) (format.CommandStatus, error) {
	for {
		done, err := d.bus.ReadRegister(ctx, format.RegMailboxDone)
		if err != nil {
			return 0, fmt.Errorf("mailbox: %w", err)
		}
		if done&format.MailboxBusy == 0 {
			d.commandRunning = false
			return format.CommandStatus(done), nil
		}
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("command still running: %w", err)
		}
		if err := d.bus.Wait(ctx); err != nil {
			return 0, fmt.Errorf("command still running: %w", err)
		}
	}
}
