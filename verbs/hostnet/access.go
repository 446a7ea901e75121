package hostnet

import (
	"context"
	"errors"
	"fmt"

	"gornic/format"
)

// accesses are the numbers of the accesses of registers.
type accesses struct {
	last    uint32  // number of the last one
	pending *header // it, if it was not answered: the board may wait for it, and takes none behind it
	ended   error   // the board has ended the session
}

// ReadRegister reads a 32-bit register. An error is [ErrFault], [ErrNoAnswer], [ErrNoSession], [ErrClosed], that of the context, or one of
// the network.
func (b *Bus) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	return b.register(ctx, format.HostnetReadRegister, offset, 0)
}

// WriteRegister writes a 32-bit register, or rings a doorbell. Errors are those of [Bus.ReadRegister].
func (b *Bus) WriteRegister(ctx context.Context, offset, value uint32) error {
	_, err := b.register(ctx, format.HostnetWriteRegister, offset, value)
	return err
}

// register does an access, behind the one before it.
func (b *Bus) register(ctx context.Context, op format.HostnetOp, offset, value uint32) (uint32, error) {
	end, err := b.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", register(op, offset), err)
	}
	defer end()
	answer, err := b.inOrder(ctx, header{Op: op, Addr: format.HostnetRegister(offset, value)})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", register(op, offset), err)
	}
	return uint32(answer.Addr), nil
}

// inOrder does an access when the one before it is answered.
func (b *Bus) inOrder(ctx context.Context, h header) (header, error) {
	a := &b.access
	if a.ended != nil {
		return header{}, a.ended
	}
	if a.pending != nil {
		if _, err := b.exchange(ctx, *a.pending); err != nil && !errors.Is(err, ErrFault) {
			return header{}, err
		}
	}
	a.last++
	h.Session, h.Seq = b.Session(), a.last
	a.pending = &h
	return b.exchange(ctx, h)
}

// exchange sends a request until it is answered.
func (b *Bus) exchange(ctx context.Context, h header) (header, error) {
	answer, err := b.ask(ctx, h)
	if err != nil {
		return header{}, err
	}
	b.access.pending = nil
	switch answer.Status {
	case format.HostnetOK:
		return answer, nil
	case format.HostnetNoSession:
		b.access.ended = ErrNoSession
		return header{}, ErrNoSession
	}
	return header{}, ErrFault
}

// ask sends a request until it is answered, and serves meanwhile.
func (b *Bus) ask(ctx context.Context, h header) (header, error) {
	answer := h
	b.mu.Lock()
	b.answer, b.come = &answer, false
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.answer = nil
		b.mu.Unlock()
	}()
	datagram := h.append(nil)
	for range b.o.Tries {
		if err := b.conn.Send(datagram); err != nil {
			return header{}, err
		}
		come := false
		err := b.await(ctx, b.conn.Now()+b.o.Timeout, func() bool {
			come = b.come
			return come
		})
		if come {
			return answer, nil
		}
		if err != nil {
			return header{}, err
		}
	}
	return header{}, ErrNoAnswer
}

// hello begins a session, a newer one than the board has seen.
func (b *Bus) hello(ctx context.Context) error {
	for session := b.o.Session; ; {
		b.start(session)
		answer, err := b.ask(ctx, header{Session: session, Op: format.HostnetHello})
		if err != nil {
			return err
		}
		if answer.Status == format.HostnetOK {
			return nil
		}
		if session = uint32(answer.Addr) + 1; session == 0 {
			session = 1
		}
	}
}
