package hostnet_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/format"
	board "gornic/fpga/blocks/hostnet"
	"gornic/verbs"
	"gornic/verbs/hostnet"
)

var _ verbs.Bus = (*hostnet.Bus)(nil)

// traffic is a board at work in buffers of a bus.
type traffic struct {
	t   *rapid.T
	n   *network
	bus *hostnet.Bus

	buffers map[uint64][]byte // what they have to hold
	addrs   []uint64
	asked   int
	done    int
	writes  int
}

// Whatever the network does: what the board writes is written, what it reads is what is there, in its order; registers are accessed once.
func TestTraffic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNetwork(rapid.Uint64().Draw(t, "seed"))
		n.loss, n.twice, n.junk = rapid.IntRange(0, 20).Draw(t, "loss"), rapid.IntRange(0, 20).Draw(t, "twice"), rapid.IntRange(0, 20).Draw(t, "junk")
		n.jitter = time.Duration(rapid.IntRange(0, 50).Draw(t, "jitter")) * tick
		bus, err := hostnet.Open(ctx, n, options())
		require.NoError(t, err)
		x := &traffic{t: t, n: n, bus: bus, buffers: map[uint64][]byte{}}
		x.alloc()
		t.Repeat(map[string]func(*rapid.T){
			"alloc":    func(*rapid.T) { x.alloc() },
			"read":     func(*rapid.T) { x.read() },
			"write":    func(*rapid.T) { x.write() },
			"outside":  func(*rapid.T) { x.outside() },
			"register": func(*rapid.T) { x.register() },
			"wait":     func(*rapid.T) { require.NoError(t, bus.Wait(ctx)) },
		})
		x.settle()
		require.Equal(t, x.writes, n.registers.writes)
		for addr, want := range x.buffers {
			got := make([]byte, len(want))
			require.NoError(t, bus.ReadMemory(ctx, addr, got))
			require.Equal(t, want, got)
			require.NoError(t, bus.Free(addr))
		}
		require.NoError(t, bus.Close())
		require.True(t, n.closed)
	})
}

func (x *traffic) alloc() {
	size := uint64(rapid.IntRange(8, 3000).Draw(x.t, "size"))
	addr, err := x.bus.Alloc(size, 1<<rapid.IntRange(0, 12).Draw(x.t, "align"))
	require.NoError(x.t, err)
	x.addrs = append(x.addrs, addr)
	x.buffers[addr] = make([]byte, size)
}

// words draws a piece of a buffer, of whole words.
func (x *traffic) words() (base uint64, offset, n int) {
	base = rapid.SampledFrom(x.addrs).Draw(x.t, "buffer")
	all := len(x.buffers[base]) / 8
	n = rapid.IntRange(1, min(all, 128)).Draw(x.t, "words")
	return base, 8 * rapid.IntRange(0, all-n).Draw(x.t, "offset"), n
}

func (x *traffic) write() {
	base, offset, words := x.words()
	r := board.Request{
		Op: format.HostnetWrite, Addr: base + uint64(offset), Data: rapid.SliceOfN(rapid.Byte(), 8*words, 8*words).Draw(x.t, "data"),
		First: rapid.Byte().Draw(x.t, "first"), Done: x.outcome(true),
	}
	if words > 1 {
		r.Last = rapid.Byte().Draw(x.t, "last")
	}
	for i, b := range r.Data {
		strobe := byte(0xFF)
		switch i / 8 {
		case 0:
			strobe = r.First
		case words - 1:
			strobe = r.Last
		}
		if strobe>>(i%8)&1 == 1 {
			x.buffers[base][offset+i] = b
		}
	}
	x.n.board.Ask(r)
}

func (x *traffic) read() {
	base, offset, words := x.words()
	want := bytes.Clone(x.buffers[base][offset : offset+8*words])
	done := x.outcome(true)
	x.settle() // a read that is repeated sees what is written behind it
	x.n.board.Ask(board.Request{Op: format.HostnetRead, Addr: base + uint64(offset), Words: words, Done: func(data []byte, ok bool) {
		done(data, ok)
		require.Equal(x.t, want, data)
	}})
	x.settle()
}

// outside asks for what is not there, as a whole or at its end.
func (x *traffic) outside() {
	base := rapid.SampledFrom(x.addrs).Draw(x.t, "buffer")
	end := (base + uint64(len(x.buffers[base])) + 63) / 64 * 64
	words := rapid.IntRange(1, 128).Draw(x.t, "words")
	r := board.Request{Addr: end - uint64(8*rapid.IntRange(0, min(words-1, len(x.buffers[base])/8)).Draw(x.t, "inside")), Done: x.outcome(false)}
	if rapid.Bool().Draw(x.t, "read") {
		r.Op, r.Words = format.HostnetRead, words
	} else {
		r.Addr = end // so that nothing of it is written
		r.Op, r.Data, r.First, r.Last = format.HostnetWrite, make([]byte, 8*words), 0xFF, 0xFF
	}
	x.n.board.Ask(r)
}

func (x *traffic) outcome(want bool) func([]byte, bool) {
	x.asked++
	return func(_ []byte, ok bool) {
		x.done++
		require.Equal(x.t, want, ok)
	}
}

func (x *traffic) register() {
	offset, value := uint32(4*rapid.IntRange(0, 1023).Draw(x.t, "register")), rapid.Uint32().Draw(x.t, "value")
	require.NoError(x.t, x.bus.WriteRegister(ctx, offset, value))
	got, err := x.bus.ReadRegister(ctx, offset)
	require.NoError(x.t, err)
	require.Equal(x.t, value, got)
	x.writes++
}

// settle waits until the board has its answers.
func (x *traffic) settle() {
	for i := 0; !x.n.board.Idle(); i++ {
		require.Less(x.t, i, 100_000)
		require.NoError(x.t, x.bus.Wait(ctx))
	}
	require.True(x.t, x.n.board.Open())
}

func open(t *testing.T, n *network, o hostnet.Options) *hostnet.Bus {
	bus, err := hostnet.Open(ctx, n, o)
	require.NoError(t, err)
	return bus
}

// A register that is not there is a fault of that access alone.
func TestRegisterFault(t *testing.T) {
	bus := open(t, newNetwork(1), options())
	_, err := bus.ReadRegister(ctx, 0x2000)
	require.ErrorIs(t, err, hostnet.ErrFault)
	require.ErrorContains(t, err, "read of register 0x2000")
	require.ErrorIs(t, bus.WriteRegister(ctx, 0x2000, 1), hostnet.ErrFault)
	require.NoError(t, bus.WriteRegister(ctx, 0x20, 1))
}

// Who gives an access up does not know whether it was done; the next one is, behind it.
func TestAccessGivenUp(t *testing.T) {
	n := newNetwork(1)
	o := options()
	o.Tries = 3
	bus := open(t, n, o)
	n.cut = true
	require.ErrorIs(t, bus.WriteRegister(ctx, 4, 1), hostnet.ErrNoAnswer)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err := bus.ReadRegister(ended, 4)
	require.ErrorIs(t, err, context.Canceled)
	n.cut = false
	require.NoError(t, bus.WriteRegister(ctx, 4, 2))
	got, err := bus.ReadRegister(ctx, 4)
	require.NoError(t, err)
	require.EqualValues(t, 2, got)
	require.Equal(t, 2, n.registers.writes)
}

// A board that was reset knows nobody: every later access says so.
func TestBoardRestarts(t *testing.T) {
	n := newNetwork(1)
	bus := open(t, n, options())
	require.NoError(t, bus.WriteRegister(ctx, 4, 1))
	n.restart()
	for range 2 {
		require.ErrorIs(t, bus.WriteRegister(ctx, 4, 1), hostnet.ErrNoSession)
	}
	require.Zero(t, n.registers.writes)
	again := open(t, n, options())
	require.NoError(t, again.WriteRegister(ctx, 4, 1))
}

// A program that is gone leaves a board that gives it up; one that begins again has other addresses, and
// what the first one had is nowhere.
func TestProgramRestarts(t *testing.T) {
	n := newNetwork(1)
	first := open(t, n, options())
	require.NoError(t, first.WriteRegister(ctx, 4, 1))
	old, err := first.Alloc(64, 8)
	require.NoError(t, err)
	second := open(t, n, options()) // the session is not newer: the board names its own
	require.EqualValues(t, 8, second.Session())
	again, err := second.Alloc(64, 8)
	require.NoError(t, err)
	require.NotEqual(t, old, again)
	var outcomes []bool
	for _, addr := range []uint64{old, again} {
		n.board.Ask(board.Request{Op: format.HostnetRead, Addr: addr, Words: 8, Done: func(_ []byte, ok bool) { outcomes = append(outcomes, ok) }})
	}
	for !n.board.Idle() {
		require.NoError(t, second.Wait(ctx))
	}
	require.Equal(t, []bool{false, true}, outcomes)
	require.ErrorIs(t, first.WriteRegister(ctx, 4, 1), hostnet.ErrNoSession)

	n.board.Ask(board.Request{Op: format.HostnetRead, Addr: again, Words: 8, Done: func(_ []byte, ok bool) { outcomes = append(outcomes, ok) }})
	n.cut = true
	for n.board.Open() {
		n.now += tick
		n.work()
	}
	require.Equal(t, []bool{false, true, false}, outcomes)
}

// Sessions go round: 0 is none.
func TestSessionsGoRound(t *testing.T) {
	n := newNetwork(1)
	o := options()
	o.Session = 0xFFFF_FFFF
	require.NoError(t, open(t, n, o).WriteRegister(ctx, 4, 1))
	require.EqualValues(t, 1, open(t, n, o).Session())
	o.Session = 0
	require.NotZero(t, open(t, n, o).Session())
}

func TestNobodyThere(t *testing.T) {
	n := newNetwork(1)
	n.cut = true
	o := options()
	o.Tries = 5
	_, err := hostnet.Open(ctx, n, o)
	require.ErrorIs(t, err, hostnet.ErrNoAnswer)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = hostnet.Open(ended, n, o)
	require.ErrorIs(t, err, context.Canceled)
}

// Wait ends early with a write or an interrupt, and otherwise in its time.
func TestWait(t *testing.T) {
	n := newNetwork(1)
	o := options()
	o.Wait = time.Millisecond
	bus := open(t, n, o)
	addr, err := bus.Alloc(8, 8)
	require.NoError(t, err)
	wait := func() time.Duration {
		before := n.now
		require.NoError(t, bus.Wait(ctx))
		return n.now - before
	}
	require.GreaterOrEqual(t, wait(), o.Wait)
	for _, r := range []board.Request{{Op: format.HostnetWrite, Addr: addr, Data: make([]byte, 8), First: 1}, {Op: format.HostnetInterrupt}} {
		n.board.Ask(r)
		require.Less(t, wait(), o.Wait/2)
		require.GreaterOrEqual(t, wait(), o.Wait)
	}
	n.board.Ask(board.Request{Op: format.HostnetRead, Addr: addr, Words: 1})
	require.GreaterOrEqual(t, wait(), o.Wait, "a read is nothing new")
}

func TestClosed(t *testing.T) {
	bus := open(t, newNetwork(1), options())
	require.NoError(t, bus.Close())
	require.NoError(t, bus.Close())
	require.ErrorIs(t, bus.Wait(ctx), hostnet.ErrClosed)
	_, err := bus.ReadRegister(ctx, 0)
	require.ErrorIs(t, err, hostnet.ErrClosed)
}

// The memory that a program gives is what the board reaches.
func TestOwnMemory(t *testing.T) {
	n := newNetwork(1)
	o := options()
	o.Memory = echo{}
	bus := open(t, n, o)
	var got []byte
	n.board.Ask(board.Request{Op: format.HostnetRead, Addr: 0x55, Words: 1, Done: func(data []byte, _ bool) { got = data }})
	for !n.board.Idle() {
		require.NoError(t, bus.Wait(ctx))
	}
	require.Equal(t, bytes.Repeat([]byte{0x55}, 8), got)
}

// echo is memory in which every byte of a read is the low byte of its address.
type echo struct{}

func (echo) Read(addr uint64, b []byte) error {
	copy(b, bytes.Repeat([]byte{byte(addr)}, len(b)))
	return nil
}

func (echo) Write(uint64, []byte) error { return nil }
