package standin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames/talk"
	"gornic/tb/host"
	"gornic/tb/standin"
)

// teller is the reference with completion events of its own: they come late, and none comes of completions that the host
// has said it has seen by then.
type teller struct {
	*reference
	t      *testing.T
	late   int // cycles
	change func(event int, at host.Access) []byte

	events int // that the reference wrote
	held   *host.Access
	left   int    // cycles until it comes
	behind uint16 // index behind the completion that it tells of
	quiet  bool   // the host has seen that one
	cqes   uint16
	busy   bool
}

func newTeller(t *testing.T, late int) *teller {
	n := &teller{reference: newReference(t), t: t, late: late, change: func(_ int, at host.Access) []byte { return at.Data }}
	n.memory.OnAccess(n.access)
	return n
}

// access takes completion events out of memory.
func (n *teller) access(a host.Access) {
	switch {
	case n.busy || a.Source != host.Device || !a.Write:
	case len(a.Data) == format.Size[format.CQE[uint64]]():
		n.cqes++
	case len(a.Data) == format.Size[format.EQE[uint64]]():
		e, err := format.DecodeHost[format.EQE[uint64]](a.Data)
		require.NoError(n.t, err)
		if e.Kind == format.EventCompletion {
			n.hold(a)
		}
	}
}

// hold takes an event back: its entry is of the lap before.
func (n *teller) hold(a host.Access) {
	require.Nil(n.t, n.held, "a second event before the queue was armed again")
	n.events++
	a.Data = append([]byte(nil), a.Data...)
	n.held, n.left, n.behind, n.quiet = &a, n.late, n.cqes, false
	n.write(a.Addr, append(a.Data[:15:15], a.Data[15]^0x80))
	if n.late == 0 {
		n.tell()
	}
}

func (n *teller) write(addr uint64, b []byte) {
	n.busy = true
	require.NoError(n.t, n.memory.DeviceWrite(addr, b))
	n.busy = false
}

// tell lets the event come, as it is to be.
func (n *teller) tell() {
	if b := n.change(n.events, *n.held); b != nil && !n.quiet {
		n.write(n.held.Addr, b)
	}
	n.held = nil
}

func (n *teller) Run(cycles int) error {
	if n.held != nil {
		if n.left -= cycles; n.left <= 0 {
			n.tell()
		}
	}
	return n.reference.Run(cycles)
}

func (n *teller) WriteRegister(offset, value uint32) error {
	bell := offset == format.DoorbellBase+format.DoorbellCQ || offset == format.DoorbellBase+format.DoorbellArmSolicited
	if bell && n.held != nil && int16(uint16(value>>16)-n.behind) >= 0 {
		n.quiet = true
	}
	return n.reference.WriteRegister(offset, value)
}

// solicits is a conversation of messages that are solicited or not.
func solicits(t *testing.T, solicited ...bool) *talk.Conversation {
	t.Helper()
	m := &talk.Maker{QPN: 5, Peer: 6}
	for i, is := range solicited {
		m.Request(talk.Asked{Op: format.OpSendOnly, PSN: talk.PSN(i), Payload: make([]byte, 40), Ask: true, Solicited: is})
		m.Answer(talk.PSN(i), format.SyndromeNoCredits, i+1)
	}
	require.NoError(t, m.Err)
	all := talk.Learn(m.Frames)
	require.Len(t, all, 1)
	return all[0]
}

// plays has a conversation played to the NIC.
func (n *teller) plays(c *talk.Conversation, burst int) error {
	s, err := standin.NewStation(n, n.memory, []*talk.Conversation{c})
	require.NoError(n.t, err)
	_, err = s.Play(n.t.Context(), c, standin.Options{Seed: 1, Burst: burst})
	return err
}

// Events may be late. The host does not make it so that they need not come.
func TestEventsLate(t *testing.T) {
	for _, late := range []int{0, 1, 64, 100, 5_000, 25_000} {
		for _, burst := range []int{0, 8 << 10} {
			n := newTeller(t, late)
			require.NoError(t, n.plays(solicits(t, false, true, true, false, true), burst), "%d cycles late, burst of %d", late, burst)
			require.NotZero(t, n.events)
		}
	}
}

// Where each message is waited for, each solicited one has an event.
func TestEventsCounted(t *testing.T) {
	n := newTeller(t, 0)
	require.NoError(t, n.plays(solicits(t, false, true, true, false, true), 0))
	require.Equal(t, 3, n.events)
}

// An event that is lost is found, whichever it is.
func TestFindsLostEvents(t *testing.T) {
	for _, c := range []struct{ lost, burst int }{{1, 0}, {2, 0}, {3, 0}, {1, 8 << 10}} {
		n := newTeller(t, 64)
		n.change = func(event int, at host.Access) []byte {
			if event == c.lost {
				return nil
			}
			return at.Data
		}
		err := n.plays(solicits(t, false, true, true, false, true), c.burst)
		require.ErrorContains(t, err, "have come without their event", "event %d, burst of %d", c.lost, c.burst)
		require.Equal(t, c.lost, n.events)
	}
}

// So is one that nothing asks for.
func TestFindsSecondEvents(t *testing.T) {
	for _, burst := range []int{0, 8 << 10} {
		n := newTeller(t, 0)
		n.change = func(_ int, at host.Access) []byte {
			n.write(at.Addr+16, at.Data)
			return at.Data
		}
		err := n.plays(solicits(t, true, false), burst)
		require.ErrorContains(t, err, "2 events of the completion queue, where 1 completions", "burst of %d", burst)
	}
}

// The event of a completion that fails is owed too.
func TestFindsFailureEvents(t *testing.T) {
	n := newTeller(t, 0)
	n.change = func(int, host.Access) []byte { return nil }
	m := &talk.Maker{QPN: 5, Peer: 6}
	m.Request(talk.Asked{Op: format.OpSendMiddle, PSN: 0, Payload: make([]byte, 256), Ask: true})
	m.Answer(0, format.SyndromeNAK|1, 0)
	require.NoError(t, m.Err)
	require.ErrorContains(t, n.plays(talk.Learn(m.Frames)[0], 0), "have come without their event")
}
