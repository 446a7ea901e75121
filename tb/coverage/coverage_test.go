package coverage_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/coverage"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tb/wire"
)

// tour is a capture of every opcode in each form.
func tour(t *testing.T) []frames.Frame {
	t.Helper()
	all, err := talk.MadeOpcodes(false)
	require.NoError(t, err)
	return all
}

// see shows a capture to a watch: as the responder, or as the requester.
func see(w *coverage.Watch, all []frames.Frame, responder bool) {
	for _, f := range all {
		if p, _ := talk.Parse(f.Number, f.Data); p.Answers() == responder {
			w.Sent(f.Data)
		} else if responder || p.Op != format.OpCNP {
			w.Received(f.Data)
		}
	}
}

// requests are what a capture's requester may send.
func requests(all []frames.Frame) []frames.Frame {
	var some []frames.Frame
	for _, f := range all {
		if p, _ := talk.Parse(f.Number, f.Data); p.Op != format.OpCNP {
			some = append(some, f)
		}
	}
	return some
}

// A capture of everything fills the table from both ends, and from one end it does not.
func TestHoles(t *testing.T) {
	all := tour(t)
	var table coverage.Table
	see(table.Watch(), all, true)
	holes := table.Holes()
	for _, want := range []string{
		"SEND_FIRST sent", "SEND_LAST_INV sent, solicited", "READ_REQUEST sent, multi-packet", "READ_RESP_ONLY received, zero length",
	} {
		require.Contains(t, holes, want)
	}
	require.NotContains(t, strings.Join(holes, "; "), "CNP")
	see(table.Watch(), requests(all), false)
	require.Empty(t, table.Holes())
	require.NoError(t, table.Err())
}

// Each opcode that a capture lacks leaves a hole.
func TestHoleOfEachOpcode(t *testing.T) {
	for _, info := range format.Opcodes() {
		var table coverage.Table
		var less []frames.Frame
		for _, f := range tour(t) {
			if p, _ := talk.Parse(f.Number, f.Data); p.Op != info.Code {
				less = append(less, f)
			}
		}
		see(table.Watch(), less, true)
		see(table.Watch(), requests(less), false)
		require.Contains(t, table.Holes(), info.Name+" received")
	}
}

// request is a frame that is made up.
func request(t *testing.T, a talk.Asked) []byte {
	t.Helper()
	m := talk.Maker{QPN: 5, Peer: 6}
	m.Request(a)
	require.NoError(t, m.Err)
	return m.Frames[0].Data
}

// What a core should not send is told; what it is given is not counted.
func TestImpossible(t *testing.T) {
	wrong := request(t, talk.Asked{Op: format.OpWriteOnly, Solicited: true})
	var table coverage.Table
	table.Watch().Received(wrong)
	require.NoError(t, table.Err())
	require.Equal(t, 1, table.Count(format.OpWriteOnly, coverage.Any, coverage.Received))
	require.Zero(t, table.Count(format.OpWriteOnly, coverage.Solicited, coverage.Received))
	table.Watch().Sent(wrong)
	require.EqualError(t, table.Err(), "WRITE_ONLY sent, solicited, cannot be: completes nothing at the responder")
}

// Damaged frames, those of other transports and of opcodes that there are not count as nothing.
func TestOthers(t *testing.T) {
	damaged := request(t, talk.Asked{Op: format.OpSendOnly})
	damaged[len(damaged)-1]++
	var table coverage.Table
	for _, frame := range [][]byte{nil, make([]byte, 60), damaged, request(t, talk.Asked{Op: 0x64}), request(t, talk.Asked{Op: 0x1C})} {
		table.Watch().Sent(frame)
	}
	var none coverage.Table
	require.Equal(t, none.Holes(), table.Holes())
}

// A wire: one end is a core, frames are lost, late and doubled.
func TestTap(t *testing.T) {
	send := request(t, talk.Asked{Op: format.OpSendOnly})
	var table coverage.Table
	tap := table.Tap([2]bool{false, true})
	for _, c := range []wire.Crossing{
		{Action: wire.Pass}, {Action: wire.Drop}, {Action: wire.Delay}, {Action: wire.Delay, Late: true},
		{Direction: wire.BToA, Action: wire.Drop}, {Direction: wire.BToA, Action: wire.Delay}, {Direction: wire.BToA, Action: wire.Delay, Late: true},
	} {
		c.Frame = send
		tap(c)
	}
	require.Equal(t, 2, table.Count(format.OpSendOnly, coverage.Any, coverage.Received))
	require.Equal(t, 2, table.Count(format.OpSendOnly, coverage.Any, coverage.Sent))
	var absent *coverage.Table
	absent.Tap([2]bool{true, true})(wire.Crossing{Frame: send})
}

// A READ is of several packets when its response is.
func TestReads(t *testing.T) {
	read := func(n uint64) []byte {
		return request(t, talk.Asked{Op: format.OpReadRequest, PSN: 9, RETH: format.RETH[uint64]{DMALen: n}})
	}
	m := talk.Maker{QPN: 5, Peer: 6}
	m.Respond(format.OpReadResponseFirst, 9, make([]byte, 256), 0, 1)
	require.NoError(t, m.Err)
	for n, want := range map[uint64]int{0: 0, 256: 0, 257: 1} {
		var table coverage.Table
		w := table.Watch()
		w.Sent(read(n))
		w.Received(m.Frames[0].Data)
		require.Equal(t, want, table.Count(format.OpReadRequest, coverage.MultiPacket, coverage.Sent), "%d bytes", n)
	}
}

// The table for people.
func TestWrite(t *testing.T) {
	var table coverage.Table
	see(table.Watch(), tour(t), true)
	var text strings.Builder
	require.NoError(t, table.Write(&text))
	for _, line := range []string{
		"| opcode | sent | received | multi-packet | zero length | imm/inv | solicited |",
		"| SEND_ONLY_INV | **0** | 4 | - e | **0** / 2 | **0** / 4 | **0** / 2 |",
		"| READ_RESP_LAST | 1 | **0** | 1 / **0** | - d | - b | - f |",
		"* d: always 1 byte or more",
	} {
		require.Contains(t, text.String(), line+"\n")
	}
}
