package program_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
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
	word := func(b []byte) {
		if len(b) == 8 && b[7] != 0 {
			b[7]--
		}
	}
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
		{"a byte of a READ", func(b []byte) {
			if len(b) > 256 && len(b) < 4096 {
				b[200] ^= 1
			}
		}, anything, `message \d+, RDMA_READ of \d+ bytes: byte \d+ is`},
		{"the result of an atomic", word, anything, `message \d+, ATOMIC_.* of 8 bytes: byte 7 is`},
		{"what a shared word was", word, anything, `word at \d+ of region \d+: (no atomic found|.* found 0x[0-9a-f]+, which there never was)`},
		{"a byte that many write and read", func(b []byte) {
			if len(b) > 20 && len(b) < 30 {
				b[3] ^= 0x10
			}
		}, anything, `RDMA_READ of \d+ bytes: byte \d+ of region \d+, where many write: .* WRITEs bring`},
		{"what is left where many write", func(b []byte) {
			if len(b) == 320 {
				b[77] ^= 0x10
			}
		}, anything, `in the end: byte \d+ of region \d+, where many write`},
		{"a byte under a key that has ended", func() func([]byte) {
			times := 0
			return func(b []byte) {
				if len(b) > 300 && len(b)%64 != 0 {
					times++
					b[times%300]++
				}
			}
		}(), anything, `of the region was 0x..? when the end of the key had completed, and is`},
		{"the event of a refusal", func(b []byte) {
			if len(b) > 0 && len(b)%16 == 0 && b[0] == format.EventAsync {
				b[2]++
			}
		}, anything, `host b: event .*, which nobody expects`},
		{"a byte that no racer wrote", func(b []byte) {
			if len(b) > 40 && len(b) < 60 {
				b[31] ^= 1
			}
		}, anything, `race of .*: racer .*message.* refused, so .* were executed, none of which is true`},
		{"a byte that no racer read", func(b []byte) {
			if len(b) > 40 && len(b) < 60 {
				b[31] ^= 1
			}
		}, anything, `race of .*: racer .*message \d+, RDMA_READ of \d+ bytes, has not brought`},
		{"a doorbell of a send queue", nothing, doorbell(format.DoorbellSQ), "waits for [1-9].* completions of messages"},
	} {
		found := false
		for seed := uint64(0); seed < 400 && !found; seed++ {
			err := meddled(t, c, program.Random(seed, program.LimitsOf(c)), x.read, x.write)
			found = err != nil && regexp.MustCompile(x.want).MatchString(err.Error())
		}
		assert.True(t, found, "%s: no error like %s", x.name, x.want)
	}
	require.NoError(t, meddled(t, c, program.Random(1, program.LimitsOf(c)), nothing, anything))
}
