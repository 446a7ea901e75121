package program_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/tb/golden/lab"
	"gornic/tb/program"
	"gornic/verbs"
)

// meddler is a host whose driver sees other memory than there is, and whose device
// does not see all register writes.
type meddler struct {
	*lab.Bus
	read  func(b []byte)
	write func(offset uint32) bool
}

func (m meddler) ReadMemory(ctx context.Context, addr uint64, b []byte) error {
	err := m.Bus.ReadMemory(ctx, addr, b)
	m.read(b)
	return err
}

func (m meddler) WriteRegister(ctx context.Context, offset, value uint32) error {
	if !m.write(offset) {
		return nil
	}
	return m.Bus.WriteRegister(ctx, offset, value)
}

// meddled has two references do a program, of which host B is a meddler.
func meddled(t *testing.T, c configs.Config, p program.Program, read func([]byte), write func(uint32) bool) error {
	t.Helper()
	l := references(t, c, p)
	var hosts [2]program.Host
	for i, h := range []*lab.Bus{l.A, l.B} {
		bus := verbs.Bus(h)
		if i == 1 {
			bus = meddler{h, read, write}
		}
		d, err := verbs.Open(ctx, bus, verbs.Config{MAC: h.MAC})
		require.NoError(t, err)
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: true}
	}
	_, err := program.Run(ctx, p, hosts, program.Options{Patience: 200})
	return err
}

// Whatever is not as it should be is found, and told in words that lead there.
func TestFinds(t *testing.T) {
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	const completion, event = 32, 8 // bytes
	anything := func(uint32) bool { return true }
	nothing := func([]byte) {}
	doorbell := func(kinds ...uint32) func(uint32) bool {
		return func(offset uint32) bool {
			for _, kind := range kinds {
				if offset >= format.DoorbellBase && offset%format.DoorbellPageBytes == kind {
					return false
				}
			}
			return true
		}
	}
	for _, x := range []struct {
		name  string
		read  func([]byte)
		write func(uint32) bool
		want  string
	}{
		{"a byte of a message", func(b []byte) {
			if len(b) > 100 && len(b) < 256 {
				b[99] ^= 1
			}
		}, anything, `message \d+, SEND.* of \d+ bytes: byte \d+ is 0x..?, expected 0x..?, in region \d+ \(.*\) at \d+`},
		{"a byte beside all messages", func(b []byte) {
			if len(b) > 0 && len(b)%completion != 0 && len(b)%event != 0 {
				b[len(b)-1] ^= 1
			}
		}, anything, `host b, region \d+: byte -?\d+ of \d+`},
		{"a completion", func(b []byte) {
			if len(b) == completion {
				b[8]++
			}
		}, anything, `completion \{WRID:.*, expected \{WRID:`},
		{"events that do not come", nothing, doorbell(format.DoorbellArm), "nothing happens any more: not done is\nhost b, queue pair"},
		{"solicited events that do not come", nothing, doorbell(format.DoorbellArmSolicited), "nothing happens any more: not done is\nhost b, queue pair"},
		{"a doorbell of a send queue", nothing, doorbell(format.DoorbellSQ), "waits for [1-9].* completions of messages"},
	} {
		found := false
		for seed := uint64(0); seed < 60 && !found; seed++ {
			err := meddled(t, c, program.Random(seed, program.LimitsOf(c)), x.read, x.write)
			found = err != nil && regexp.MustCompile(x.want).MatchString(err.Error())
		}
		require.True(t, found, "%s: no error like %s", x.name, x.want)
	}
	require.NoError(t, meddled(t, c, program.Random(1, program.LimitsOf(c)), nothing, anything))
}
