package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/wire"
)

// endpoint sends what is in its queue, and keeps what it gets.
type endpoint struct{ out, in [][]byte }

func (e *endpoint) Receive(frame []byte) { e.in = append(e.in, frame) }

func (e *endpoint) Send() ([]byte, bool) {
	if len(e.out) == 0 {
		return nil, false
	}
	frame := e.out[0]
	e.out = e.out[1:]
	return frame, true
}

func packet(t testing.TB, op format.Opcode, psn uint64) []byte {
	t.Helper()
	b, err := frames.Build(format.TxDescriptor[uint64]{Opcode: uint64(op), PKey: format.PKeyDefault, DestQP: 7, PSN: psn}, nil)
	require.NoError(t, err)
	return b
}

// Frames arrive in order, at the other end, as they were sent.
func TestLinkCarries(t *testing.T) {
	a, b := &endpoint{}, &endpoint{}
	for i := range uint64(5) {
		a.out = append(a.out, packet(t, format.OpSendOnly, i))
	}
	b.out = [][]byte{[]byte("not RoCE"), packet(t, format.OpAcknowledge, 1)}
	fromA, fromB := a.out, b.out
	var seen []string
	link := wire.NewLink(a, b, wire.Faults{}, func(c wire.Crossing) {
		require.Equal(t, time.Duration(c.Number)*time.Microsecond, c.Time)
		seen = append(seen, fmt.Sprint(c.Number, " ", c.Direction, " ", c.RoCE, " ", c.Packet.PSN))
	})
	n, err := link.Run(context.Background(), 10)
	require.NoError(t, err)
	require.Equal(t, 7, n)
	require.Equal(t, fromA, b.in)
	require.Equal(t, fromB, a.in)
	require.Equal(t, []string{
		"1 a to b true 0", "2 b to a false 0", "3 a to b true 1", "4 b to a true 1", "5 a to b true 2", "6 a to b true 3", "7 a to b true 4",
	}, seen)
}

// Each kind of fault does what it says, and attempts are counted for each packet
// of each class.
func TestLinkFaults(t *testing.T) {
	a, b := &endpoint{}, &endpoint{}
	request := packet(t, format.OpSendOnly, 3)
	other := packet(t, format.OpSendOnly, 4)
	response := packet(t, format.OpAcknowledge, 3)
	a.out = [][]byte{request, other, response, request, request}
	only := &wire.Packet{QP: 7, PSN: 3}
	faults := wire.Faults{Rules: []wire.Rule{
		{Action: wire.Drop, Class: wire.Requests, Rate: wire.Million, Attempts: 1, Only: only},
		{Action: wire.Duplicate, Class: wire.Requests, Rate: wire.Million, Attempts: 2, Only: only},
		{Action: wire.Corrupt, Class: wire.Responses, Rate: wire.Million},
	}}
	var actions []wire.Action
	var attempts []int
	link := wire.NewLink(a, b, faults, func(c wire.Crossing) {
		actions, attempts = append(actions, c.Action), append(attempts, c.Packet.Attempt)
	})
	_, err := link.Run(context.Background(), 10)
	require.NoError(t, err)
	require.Equal(t, []wire.Action{wire.Drop, wire.Pass, wire.Corrupt, wire.Duplicate, wire.Pass}, actions)
	require.Equal(t, []int{0, 0, 0, 1, 2}, attempts)
	require.Len(t, b.in, 5)
	require.Equal(t, other, b.in[0])
	require.NotEqual(t, response, b.in[1])
	require.Equal(t, [][]byte{request, request, request}, b.in[2:])
	b.in[2][0]++
	require.NotEqual(t, b.in[2], b.in[3], "a copy, not the same memory")
}

// A delayed frame is overtaken by as many as its hash says, or by all there are,
// and is shown twice.
func TestLinkDelays(t *testing.T) {
	faults := func(seed uint64) wire.Faults {
		return wire.Faults{Seed: seed, Rules: []wire.Rule{{Action: wire.Delay, Rate: wire.Million, Only: &wire.Packet{QP: 7, PSN: 0}}}}
	}
	places := map[int]bool{}
	for seed := range uint64(100) {
		a, b := &endpoint{}, &endpoint{}
		for i := range uint64(12) {
			a.out = append(a.out, packet(t, format.OpSendOnly, i))
		}
		sent := a.out
		shown, late := 0, 0
		link := wire.NewLink(a, b, faults(seed), func(c wire.Crossing) {
			shown++
			if c.Late {
				late++
				require.Equal(t, sent[0], c.Frame)
			}
			require.Equal(t, c.Action != wire.Delay || c.Late, c.Arrives())
		})
		_, err := link.Run(context.Background(), 100)
		require.NoError(t, err)
		require.Equal(t, []int{13, 1}, []int{shown, late})
		place := slices.IndexFunc(b.in, func(f []byte) bool { return bytes.Equal(f, sent[0]) })
		require.Equal(t, sent[1:], slices.Delete(slices.Clone(b.in), place, place+1), "the others in order")
		places[place] = true
	}
	require.Len(t, places, 8)
	require.True(t, places[1] && places[8])

	a, b := &endpoint{out: [][]byte{packet(t, format.OpSendOnly, 0)}}, &endpoint{}
	_, err := wire.NewLink(a, b, faults(1)).Run(context.Background(), 100)
	require.NoError(t, err)
	require.Len(t, b.in, 1, "alone")
}

// babbler always has something to say.
type babbler struct{}

func (babbler) Receive([]byte)       {}
func (babbler) Send() ([]byte, bool) { return []byte("hello"), true }

func TestLinkRunEnds(t *testing.T) {
	link := wire.NewLink(babbler{}, babbler{}, wire.Faults{})
	_, err := link.Run(context.Background(), 10)
	require.ErrorContains(t, err, "more than 10 frames")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(io.ErrClosedPipe)
	_, err = link.Run(ctx, 1000)
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestPcap(t *testing.T) {
	var file bytes.Buffer
	p, err := wire.NewPcap(&file)
	require.NoError(t, err)
	a := &endpoint{out: [][]byte{packet(t, format.OpSendOnly, 1), packet(t, format.OpSendOnly, 2)}}
	sent := a.out
	drop := wire.Faults{Rules: []wire.Rule{{Action: wire.Drop, Rate: wire.Million}}}
	_, err = wire.NewLink(a, &endpoint{}, drop, p.Tap).Run(context.Background(), 10)
	require.NoError(t, err)
	require.NoError(t, p.Err())
	r, err := pcapgo.NewReader(&file)
	require.NoError(t, err)
	for i, want := range sent {
		got, info, err := r.ReadPacketData()
		require.NoError(t, err)
		require.Equal(t, want, got, "lost ones, too")
		require.Equal(t, int64(i+1), info.Timestamp.UnixMicro())
	}
	_, _, err = r.ReadPacketData()
	require.ErrorIs(t, err, io.EOF)
}

// full is a file that has no room after its first bytes.
type full struct{ room int }

var errFull = errors.New("full")

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestPcapErrors(t *testing.T) {
	_, err := wire.NewPcap(&full{})
	require.ErrorIs(t, err, errFull)
	p, err := wire.NewPcap(&full{room: 24 + 16})
	require.NoError(t, err)
	for i := range 3 {
		p.Tap(wire.Crossing{Number: i + 1, Frame: []byte("frame")})
	}
	require.ErrorIs(t, p.Err(), errFull)
	require.ErrorContains(t, p.Err(), "frame 1 ")
}

// A link between two ends that loses one packet in a hundred.
func ExampleLink() {
	a, b := &endpoint{out: [][]byte{[]byte("a frame")}}, &endpoint{}
	faults := wire.Faults{Seed: 1, Rules: []wire.Rule{{Action: wire.Drop, Rate: wire.Million / 100}}}
	link := wire.NewLink(a, b, faults, func(c wire.Crossing) {
		fmt.Println(c.Number, c.Direction, c.Action, len(c.Frame), "bytes")
	})
	n, err := link.Run(context.Background(), 1000)
	fmt.Println(n, err)
	// Output:
	// 1 a to b pass 7 bytes
	// 1 <nil>
}
