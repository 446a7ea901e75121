package hostnet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"gornic/format"
)

// Errors of a Bus.
var (
	ErrNoAnswer  = errors.New("the board does not answer")
	ErrNoSession = errors.New("the board has ended the session")
	ErrFault     = errors.New("no such register")
	ErrClosed    = errors.New("the bus is closed")
)

// Options are the options of a [Bus]. The zero value is good.
type Options struct {
	Memory   Memory        // what the board reads and writes; nil: what the Bus allocates
	NoServer bool          // no goroutine: the board is served while somebody waits, and Memory is used by that goroutine alone
	Session  uint32        // its number, if the board agrees; 0: random
	Timeout  time.Duration // after which an access is repeated; 0: 20 ms
	Tries    int           // of an access, before it is ErrNoAnswer; 0: 100
	Wait     time.Duration // how long Wait waits for something new; 0: 1 ms
	Work     time.Duration // with NoServer, how long Wait lets the board work at least; 0: 20 us
}

// defaults fills in what is zero.
func (o Options) defaults() Options {
	if o.Session == 0 {
		o.Session = rand.Uint32() | 1
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Millisecond
	}
	if o.Tries == 0 {
		o.Tries = 100
	}
	if o.Wait == 0 {
		o.Wait = time.Millisecond
	}
	if o.Work == 0 {
		o.Work = 20 * time.Microsecond
	}
	return o
}

// slice is how long somebody receives before others have a turn, and before the end of a context is seen.
const slice = 5 * time.Millisecond

// Bus drives a board over UDP: it is a verbs.Bus.
type Bus struct {
	conn  Conn
	o     Options
	arena *arena

	calls chan struct{} // held by the call under way
	turn  chan struct{} // held by who receives
	wake  chan struct{} // there is something for the call under way
	done  chan struct{} // the Bus is closed
	ended sync.WaitGroup

	closing sync.Once
	failed  error // to close conn

	access accesses // of the call under way
	buf    []byte   // of who receives

	mu     sync.Mutex // the rest is its
	server server
	answer *header // what the call under way waits for: its request, then its answer
	come   bool    // the latter
	seen   uint64  // of what was written, by Wait
}

// Open begins a session with the board at the other end of conn, which the Bus closes. It fails with [ErrNoAnswer], with what the context
// ends with, or with an error of conn; conn is open then.
func Open(ctx context.Context, conn Conn, o Options) (*Bus, error) {
	o = o.defaults()
	b := &Bus{
		conn: conn, o: o, buf: make([]byte, 2048),
		calls: make(chan struct{}, 1), turn: make(chan struct{}, 1), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if err := b.hello(ctx); err != nil {
		return nil, fmt.Errorf("hostnet: open: %w", err)
	}
	if !o.NoServer {
		b.ended.Go(b.run)
	}
	return b, nil
}

// start makes a session the one that is served.
func (b *Bus) start(session uint32) {
	b.arena = &arena{base: uint64(session) << 32}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.server = server{memory: b.o.Memory, session: session}
	if b.server.memory == nil {
		b.server.memory = b.arena
	}
}

// Close ends the service: the board then finds no memory any more. It does not wait for a call under way.
func (b *Bus) Close() error {
	b.closing.Do(func() {
		close(b.done)
		b.failed = b.conn.Close()
		b.ended.Wait()
	})
	return b.failed
}

// run serves the board until the Bus is closed or conn fails.
func (b *Bus) run() {
	for b.receive(context.Background(), b.conn.Now()+slice, nil) == nil {
	}
}

// receive takes a turn, and in it handles what comes next, if anything does until then. While it waits for its turn, wake
// ends it.
func (b *Bus) receive(ctx context.Context, until time.Duration, wake <-chan struct{}) error {
	select {
	case <-b.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case <-wake:
		return nil
	case b.turn <- struct{}{}:
	}
	defer func() { <-b.turn }()
	n, err := b.conn.Receive(b.buf, until)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	if err != nil {
		select {
		case <-b.done:
			return ErrClosed
		default:
			return err
		}
	}
	b.handle(b.buf[:n])
	return nil
}

// handle takes a datagram: an answer to the call under way, or a request.
func (b *Bus) handle(datagram []byte) {
	h, data, ok := parse(datagram)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.Answer {
		if a := b.answer; a != nil && !b.come && h.Session == a.Session && h.Seq == a.Seq && h.Op == a.Op {
			*a, b.come = h, true
			b.notify()
		}
		return
	}
	before := b.server.written
	answer := b.server.serve(h, data)
	if b.server.written != before {
		b.notify()
	}
	if answer != nil {
		_ = b.conn.Send(answer) // as if it were lost: the board asks again
	}
}

// notify wakes the call under way.
func (b *Bus) notify() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// begin makes the caller the one whose call is under way. end ends that.
func (b *Bus) begin(ctx context.Context) (end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-b.done:
		return nil, ErrClosed
	default:
	}
	select {
	case b.calls <- struct{}{}:
		return func() { <-b.calls }, nil
	case <-b.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ReadMemory copies len(p) bytes of shared memory at a bus address. An error wraps [ErrNotAllocated].
func (b *Bus) ReadMemory(_ context.Context, addr uint64, p []byte) error {
	return b.arena.Read(addr, p)
}

// WriteMemory copies p to shared memory. An error wraps [ErrNotAllocated].
func (b *Bus) WriteMemory(_ context.Context, addr uint64, p []byte) error {
	return b.arena.Write(addr, p)
}

// Alloc reserves memory for the board and the program, of zeros. Errors are [ErrNoRoom] and [ErrParameter].
func (b *Bus) Alloc(size, align uint64) (uint64, error) { return b.arena.alloc(size, align) }

// Free gives memory back: the board finds none there any more. An error is [ErrNotAllocated].
func (b *Bus) Free(addr uint64) error { return b.arena.free(addr) }

// Session is the number of the session.
func (b *Bus) Session() uint32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.server.session
}

// Wait returns when the board has written to memory or raised its interrupt since the last Wait, or after [Options.Wait].
func (b *Bus) Wait(ctx context.Context) error {
	end, err := b.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if b.o.NoServer {
		if err := b.await(ctx, b.conn.Now()+b.o.Work, func() bool { return false }); err != nil {
			return err
		}
	}
	return b.await(ctx, b.conn.Now()+b.o.Wait, func() bool {
		seen := b.seen != b.server.written
		b.seen = b.server.written
		return seen
	})
}

// await serves until ready, which is called with the lock held, or until then.
func (b *Bus) await(ctx context.Context, until time.Duration, ready func() bool) error {
	for {
		b.mu.Lock()
		is := ready()
		b.mu.Unlock()
		now := b.conn.Now()
		if is || now >= until {
			return ctx.Err()
		}
		if err := b.receive(ctx, min(until, now+slice), b.wake); err != nil {
			return err
		}
	}
}

// register is the offset and value of a register's access as an error shows them.
func register(op format.HostnetOp, offset uint32) string {
	if op == format.HostnetReadRegister {
		return fmt.Sprintf("hostnet: read of register %#x", offset)
	}
	return fmt.Sprintf("hostnet: write of register %#x", offset)
}
