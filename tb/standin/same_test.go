package standin_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/frames"
	"gornic/tb/frames/talk"
	"gornic/tb/host"
	"gornic/tb/standin"
)

// trace is all that a station does with its NIC and its memory, in order.
type trace struct {
	*reference
	calls []string
}

func (n *trace) note(format string, args ...any) {
	n.calls = append(n.calls, fmt.Sprintf(format, args...))
}

func (n *trace) Receive(frame []byte) {
	n.note("receive %x", frame)
	n.reference.Receive(frame)
}

func (n *trace) Run(cycles int) error {
	n.note("run %d", cycles)
	return n.reference.Run(cycles)
}

func (n *trace) ReadRegister(offset uint32) (uint32, error) {
	n.note("read register %#x", offset)
	return n.reference.ReadRegister(offset)
}

func (n *trace) WriteRegister(offset, value uint32) error {
	n.note("write register %#x: %#x", offset, value)
	return n.reference.WriteRegister(offset, value)
}

// traced is what is done for a capture that is made up, by a station of its own.
func traced(t *testing.T, make func(ipv6 bool) ([]frames.Frame, error)) []string {
	t.Helper()
	captured, err := make(false)
	require.NoError(t, err)
	all := talk.Learn(captured)
	n := &trace{reference: newReference(t)}
	n.memory.OnAccess(func(a host.Access) { n.note("%+v", a) })
	s, err := standin.NewStation(n, n.memory, all)
	require.NoError(t, err)
	for i, c := range all {
		for _, burst := range []int{0, 8 << 10} {
			_, err := s.Play(t.Context(), c, standin.Options{Seed: uint64(i), Burst: burst})
			require.NoError(t, err)
		}
		_, err := s.Ask(t.Context(), c)
		require.NoError(t, err)
	}
	return n.calls
}

// The NIC sees the same each time that a capture is played with one seed: what fails once fails again.
func TestSame(t *testing.T) {
	for _, make := range []func(bool) ([]frames.Frame, error){talk.Made, talk.MadeReads, talk.MadeOpcodes} {
		want := traced(t, make)
		require.Greater(t, len(want), 1000)
		for range 4 {
			got := traced(t, make)
			for i, call := range want {
				require.Less(t, i, len(got))
				require.Equal(t, call, got[i], "call %d of %d", i, len(want))
			}
			require.Len(t, got, len(want))
		}
	}
}
