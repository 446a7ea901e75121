package board_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/hdl/hdltest"
	"gornic/tb/board"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	hosts "gornic/tb/host"
	"gornic/tb/standin"
	"gornic/verbs/hostnet"
)

// pinned is the board as a standin.NIC: frames at the pins of port 0, registers and memory over UDP.
type pinned struct {
	lab *board.Lab
	bus *hostnet.Bus
}

func (p pinned) Receive(frame []byte) { p.lab.Ports[0].Receive(frame) }

// Send returns the next frame without the pad of its MAC.
func (p pinned) Send() ([]byte, bool) {
	frame, ok := p.lab.Ports[0].Send()
	if !ok {
		return nil, false
	}
	const ethernet = 14
	if n := ethernet + int(binary.BigEndian.Uint16(frame[ethernet+2:])); frame[ethernet]>>4 == 4 && n < len(frame) {
		frame = frame[:n]
	}
	return frame, true
}

// Run serves the board's accesses to memory while it works.
func (p pinned) Run(cycles int) error {
	for end := p.lab.Cycle() + uint64(cycles); p.lab.Cycle() < end; {
		if err := p.bus.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p pinned) ReadRegister(offset uint32) (uint32, error) { return p.bus.ReadRegister(ctx, offset) }

func (p pinned) WriteRegister(offset, value uint32) error {
	return p.bus.WriteRegister(ctx, offset, value)
}

// A conversation of two Linux hosts with soft-RoCE, as it was captured: the board takes the place of either, from pin to
// pin, and its memory is on a PC. Its frames are those that Linux sent and expected.
func TestCapture(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "rxe", "send_all.pcap")
	// Captures of others are no part of this repository.
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped: %v", err)
	}
	captured, err := frames.Load(path)
	require.NoError(t, err)
	l := open(t, verilated, board.Options{})
	memory, err := hosts.New(hosts.Options{Seed: hdltest.Seed(t), AddressBits: 33})
	require.NoError(t, err)
	require.NoError(t, memory.AllocAt(0, session<<32-hosts.PageBytes)) // what is left are the addresses of the session
	nic := pinned{l, udpHost(t, l, hostnet.Options{Memory: hosts.DeviceSide{Memory: memory}, Work: time.Microsecond, Wait: time.Nanosecond}).Bus.(*hostnet.Bus)}

	var fit []*talk.Conversation
	for _, c := range talk.Learn(captured) {
		if d, _ := small(); c.Playable() && c.PathMTU <= d.Core().PathMTU {
			fit = append(fit, c)
		}
	}
	require.NotEmpty(t, fit)
	station, err := standin.NewStation(nic, memory, fit)
	require.NoError(t, err)
	for i, c := range fit {
		report, err := station.Play(ctx, c, standin.Options{Seed: uint64(i)})
		require.NoError(t, err)
		t.Log(report)
		require.NotZero(t, report.Messages)
		asked, err := station.Ask(ctx, c)
		require.NoError(t, err)
		t.Log(asked)
		require.NotZero(t, asked.Messages)
	}
	require.NoError(t, memory.CheckGuards())
}
