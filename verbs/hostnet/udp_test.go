package hostnet_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	board "gornic/fpga/blocks/hostnet"
	"gornic/verbs/hostnet"
)

// lossy is a PacketConn that loses datagrams, doubles them, and holds some back until the next.
type lossy struct {
	net.PacketConn
	r    *rand.Rand
	held []byte
}

func (l *lossy) WriteTo(b []byte, to net.Addr) (int, error) {
	switch l.r.IntN(20) {
	case 0:
		return len(b), nil
	case 1:
		l.held = append([]byte(nil), b...)
		return len(b), nil
	case 2:
		if _, err := l.PacketConn.WriteTo(b, to); err != nil {
			return 0, err
		}
	}
	n, err := l.PacketConn.WriteTo(b, to)
	if l.held != nil && err == nil {
		_, err = l.PacketConn.WriteTo(l.held, to)
		l.held = nil
	}
	return n, err
}

// remote is a board behind a socket, with a goroutine of its own. What others touch of it they touch with the lock.
type remote struct {
	mu        sync.Mutex
	board     *board.Board
	registers *registers
	conn      net.PacketConn
	ended     sync.WaitGroup
}

func newRemote(t testing.TB, wrap func(net.PacketConn) net.PacketConn) *remote {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	// Where sockets are forbidden, as in some sandboxes, the tests over a simulated network remain.
	if err != nil {
		t.Skipf("no UDP on this machine: %v", err)
	}
	r := &remote{registers: &registers{values: map[uint32]uint32{}}, conn: wrap(conn)}
	r.board = board.NewBoard(r.registers, 16, 1000)
	r.ended.Go(r.run)
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		r.ended.Wait()
	})
	return r
}

func (r *remote) run() {
	var peer net.Addr
	b := make([]byte, 2048)
	for {
		_ = r.conn.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
		n, from, err := r.conn.ReadFrom(b)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		r.mu.Lock()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			r.board.Timeout()
		} else if err == nil {
			peer = from
			if answer := r.board.Take(b[:n]); answer != nil {
				_, _ = r.conn.WriteTo(answer, peer)
			}
		}
		for d := r.board.Send(); d != nil; d = r.board.Send() {
			_, _ = r.conn.WriteTo(d, peer)
		}
		r.mu.Unlock()
	}
}

// ask queues a request.
func (r *remote) ask(q board.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.board.Ask(q)
}

func dial(t testing.TB, r *remote) *hostnet.Bus {
	bus, err := hostnet.Dial(ctx, r.conn.LocalAddr().String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, bus.Close()) })
	return bus
}

// Over real sockets, with losses, while the program accesses registers and memory: everything once and in order.
func TestUDP(t *testing.T) {
	r := newRemote(t, func(c net.PacketConn) net.PacketConn { return &lossy{PacketConn: c, r: rand.New(rand.NewPCG(1, 2))} })
	bus := dial(t, r)
	const words, rounds = 16, 100
	addr, err := bus.Alloc(8*words*rounds, 4096)
	require.NoError(t, err)
	var done sync.WaitGroup
	for i := range rounds {
		data := make([]byte, 8*words)
		binary.BigEndian.PutUint64(data, uint64(i))
		done.Add(2)
		at := addr + uint64(8*words*i)
		r.ask(board.Request{Op: format.HostnetWrite, Addr: at, Data: data, First: 0xFF, Last: 0xFF, Done: func(_ []byte, ok bool) {
			if !ok {
				t.Errorf("write %d failed", i)
			}
			done.Done()
		}})
		r.ask(board.Request{Op: format.HostnetRead, Addr: at, Words: words, Done: func(got []byte, ok bool) {
			if !ok || string(got) != string(data) {
				t.Errorf("read %d: %v, %x", i, ok, got)
			}
			done.Done()
		}})
	}
	for i := range uint32(20) {
		require.NoError(t, bus.WriteRegister(ctx, 4*i, i))
		got, err := bus.ReadRegister(ctx, 4*i)
		require.NoError(t, err)
		require.Equal(t, i, got)
		require.NoError(t, bus.Wait(ctx))
	}
	done.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Equal(t, 20, r.registers.writes)
}

// Names that lead nowhere.
func TestDialErrors(t *testing.T) {
	_, err := hostnet.Dial(ctx, "127.0.0.1:no")
	require.Error(t, err)
}

// What a server does in a second: reads and writes, with a window of 16 under way.
func BenchmarkServer(b *testing.B) {
	for _, c := range []struct {
		name  string
		op    format.HostnetOp
		words int
	}{
		{"read8", format.HostnetRead, 1}, {"read1024", format.HostnetRead, 128}, {"write8", format.HostnetWrite, 1}, {"write1024", format.HostnetWrite, 128},
	} {
		b.Run(c.name, func(b *testing.B) {
			q := board.Request{Op: c.op}
			if c.op == format.HostnetWrite {
				q.Data, q.First, q.Last = make([]byte, 8*c.words), 0xFF, 0xFF
			} else {
				q.Words = c.words
			}
			r := newRemote(b, func(c net.PacketConn) net.PacketConn { return c })
			bus := dial(b, r)
			addr, err := bus.Alloc(1024, 8)
			require.NoError(b, err)
			q.Addr = addr
			var done sync.WaitGroup
			done.Add(b.N)
			q.Done = func([]byte, bool) { done.Done() }
			b.SetBytes(int64(8 * c.words))
			b.ResetTimer()
			for range b.N {
				r.ask(q)
			}
			done.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// The time of an access of a register.
func BenchmarkRegister(b *testing.B) {
	bus := dial(b, newRemote(b, func(c net.PacketConn) net.PacketConn { return c }))
	for b.Loop() {
		if _, err := bus.ReadRegister(ctx, 0); err != nil {
			b.Fatal(err)
		}
	}
}
