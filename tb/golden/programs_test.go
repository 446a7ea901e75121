package golden_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
	"gornic/tb/wire"
)

// programs runs programs of so many messages with the faults that faults gives
// for a seed. All packets of a reliable connection occur.
func programs(t *testing.T, seeds, messages uint64, faults func(seed uint64) wire.Faults) (frames, lost, naks int) {
	t.Helper()
	seen := map[format.Opcode]bool{}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			g := newProgram(t, seed, faults(seed))
			for range messages {
				g.step()
			}
			g.settle()
			for _, c := range g.p.log {
				frames++
				seen[format.Opcode(golden.Receive(c.Frame, false).Descriptor.Opcode)] = true
				if c.Action != wire.Pass {
					lost++
				}
			}
			naks += int(g.p.a.nic.Counter(format.CntTxNAKs) + g.p.b.nic.Counter(format.CntTxNAKs))
		})
	}
	for _, info := range format.Opcodes() {
		require.Equal(t, info.Code != format.OpCNP, seen[info.Code], info.Name)
	}
	return frames, lost, naks
}

// Random programs over a good wire: every byte, every completion, and nothing
// beside them.
func TestPrograms(t *testing.T) {
	frames, _, naks := programs(t, 40, 60, func(uint64) wire.Faults { return wire.Faults{} })
	require.Greater(t, frames, 5000)
	require.Greater(t, naks, 100, "RNR NAKs")
}

// The same over a wire that loses, doubles, damages and delays packets.
func TestProgramsWithFaults(t *testing.T) {
	frames, lost, _ := programs(t, 40, 60, func(seed uint64) wire.Faults {
		return wire.Faults{Seed: seed, Rules: []wire.Rule{
			{Action: wire.Drop, Rate: 30000, Attempts: 3},
			{Action: wire.Duplicate, Rate: 20000},
			{Action: wire.Corrupt, Rate: 10000, Attempts: 3},
			{Action: wire.Delay, Rate: 20000, Attempts: 3},
		}}
	})
	require.Greater(t, frames, 5000)
	require.Greater(t, lost, 200)
}

// The same program puts the same frames on the wire.
func TestProgramsRepeat(t *testing.T) {
	run := func() []wire.Crossing {
		g := newProgram(t, 3, wire.Faults{Seed: 3, Rules: []wire.Rule{{Action: wire.Drop, Rate: 50000, Attempts: 2}}})
		for range 40 {
			g.step()
		}
		g.settle()
		return g.p.log
	}
	require.Equal(t, run(), run())
}

// Every frame of some programs is what tshark, too, takes for a good one, and its
// ICRC is right by another computation.
func TestProgramsInTshark(t *testing.T) {
	var all [][]byte
	for seed := range uint64(6) {
		g := newProgram(t, seed, wire.Faults{})
		for range 30 {
			g.step()
		}
		g.settle()
		for _, c := range g.p.log {
			all = append(all, c.Frame)
			again := bytes.Clone(c.Frame)
			require.True(t, frames.FixICRC(again))
			require.Equal(t, again, c.Frame, "ICRC")
		}
	}
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("no tshark to compare with")
	}
	path := filepath.Join(t.TempDir(), "program.pcap")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, frames.WritePcap(file, all))
	require.NoError(t, file.Close())
	require.Equal(t, len(all), compareWithTshark(t, tshark, path))

	// UDP checksum 0 over IPv6 is what RoCEv2 does and tshark complains of.
	filter := "(_ws.expert.severity >= warning || _ws.malformed) && !(ipv6 && udp.checksum == 0)"
	cmd := exec.Command(tshark, "-r", path, "--disable-protocol", "rpcordma", "-Y", filter)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Empty(t, strings.TrimSpace(string(out)))
}
