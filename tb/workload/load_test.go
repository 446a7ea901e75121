package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/wire"
)

const good = `direction: both
messages: 10
queue_pairs:
  - {count: 1, path_mtu: 256, ip: 4}
  - count: 2
    path_mtu: 4096
    ip: 6
    send_sges: 6
    recv_sges: 7
    depth: 32
    reads: 8
operations: {write: 1, send_imm: 3, read: 2, cmp_swap: 4, fetch_add: 5, send_inv: 6}
sizes: [0, 1, 256]
inline: 10
signaled: 50
solicited: 5
batch: {min: 1, max: 4}
arrival: {kind: poisson, cycles: 300}
faults:
  - {action: drop, rate: 0.001, packets: responses, attempts: 2}
  - {action: corrupt, rate: 1}
  - {action: drop, opcode: ATOMIC_ACK, nth: 2}
  - {action: delay, rate: 0.5, psn: 7, sender: b, frames: 3}
  - {action: delay, rate: 0.5, for_us: 9}
  - {action: mark, rate: 0.25, nth: 3}
outages: [{at_us: 10, for_us: 20}]
`

func TestParse(t *testing.T) {
	atomicAck := format.OpAtomicAck
	w, err := Parse("dir/good.yaml", []byte(good))
	require.NoError(t, err)
	require.Equal(t, Workload{
		Name: "good", Direction: BothWays, Messages: 10,
		QueuePairs: []QueuePairs{
			{Count: 1, PathMTU: 256, IP: 4, SendSGEs: 2, RecvSGEs: 3, Reads: 2, Depth: 16},
			{Count: 2, PathMTU: 4096, IP: 6, SendSGEs: 6, RecvSGEs: 7, Reads: 8, Depth: 32},
		},
		Operations: Operations{Write: 1, SendImm: 3, Read: 2, CmpSwap: 4, FetchAdd: 5, SendInv: 6},
		Inline:     10, Signaled: 50, Solicited: 5,
		Sizes: Sizes{List: []int{0, 1, 256}}, Batch: Range{1, 4}, Arrival: Arrival{Kind: Poisson, Cycles: 300},
		Rules: []wire.Rule{
			{Action: wire.Drop, Class: wire.Responses, Rate: 1000, Attempts: 2},
			{Action: wire.Corrupt, Rate: wire.Million},
			{Action: wire.Drop, Rate: wire.Million, Opcode: &atomicAck, Nth: 2},
			{Action: wire.Delay, Rate: wire.Million / 2, Only: &wire.Packet{PSN: 7}, Sender: wire.FromB, Frames: 3},
			{Action: wire.Delay, Rate: wire.Million / 2, For: 9 * time.Microsecond},
			{Action: wire.Mark, Rate: wire.Million / 4, Nth: 3},
		},
		Outages: []wire.Outage{{At: 10 * time.Microsecond, For: 20 * time.Microsecond}},
	}, w)
	require.Equal(t, wire.Faults{Seed: 9, Rules: w.Rules, Outages: w.Outages}, w.Faults(9))
	again, err := Parse("good.yaml", w.Text())
	require.NoError(t, err)
	require.Equal(t, w, again)
}

// What a file may leave out.
func TestParseDefaults(t *testing.T) {
	w, err := Parse("w.yaml", []byte("direction: a_to_b\nmessages: 1\nqueue_pairs: [{count: 1, path_mtu: 512, ip: 4}]\noperations: {write: 1}\nsizes: {distribution: uniform, min: 3, max: 5}\n"))
	require.NoError(t, err)
	require.Equal(t, 100, w.Signaled)
	require.Equal(t, Range{1, 1}, w.Batch)
	require.Equal(t, Arrival{}, w.Arrival)
	require.Equal(t, Sizes{Distribution: Uniform, Range: Range{3, 5}}, w.Sizes)
	require.Equal(t, 5, w.Sizes.Most())
}

// Every mistake names file, line, field, and what was expected.
func TestParseMistakes(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"empty", good, "", "w.yaml:1: the file is empty: a list of `field: value` lines was expected"},
		{"no mapping", good, "- 1", "w.yaml:1: a list: a list of `field: value` lines was expected"},
		{"no YAML", good, "a: [", "w.yaml: "},
		{"unknown field", "messages:", "massages:", "w.yaml:2: massages: unknown field: expected one of direction, messages, queue_pairs,"},
		{"missing", "messages: 10\n", "", "w.yaml:1: messages: missing: expected a number from 1 to 2147483647"},
		{"twice", "messages: 10", "messages: 10\nmessages: 11", "w.yaml:3: messages: given twice: first on line 2"},
		{"no number", "messages: 10", "messages: ten", `w.yaml:2: messages: "ten" is not a whole number: expected a number from 1 to`},
		{"a fraction", "messages: 10", "messages: 1.5", `w.yaml:2: messages: "1.5" is not a whole number`},
		{"too small", "messages: 10", "messages: 0", "w.yaml:2: messages: 0: expected a number from 1 to"},
		{"direction", "both", "up", `w.yaml:1: direction: "up": expected one of a_to_b, b_to_a, both`},
		{"nested unknown", "depth: 32", "width: 32", "w.yaml:10: queue_pairs[1].width: unknown field: expected one of count, path_mtu, ip, send_sges, recv_sges, reads, depth"},
		{"nested missing", "    ip: 6\n", "", "w.yaml:5: queue_pairs[1].ip: missing: expected one of 4, 6"},
		{"MTU", "path_mtu: 4096", "path_mtu: 4000", `w.yaml:6: queue_pairs[1].path_mtu: "4000": expected one of 256, 512, 1024, 2048, 4096`},
		{"SGEs", "send_sges: 6", "send_sges: 7", "w.yaml:8: queue_pairs[1].send_sges: 7: expected a number from 1 to 6"},
		{"READs", "reads: 8", "reads: 65", "w.yaml:11: queue_pairs[1].reads: 65: expected a number from 1 to 64"},
		{"a negative weight", "cmp_swap: 4", "cmp_swap: -4", `w.yaml:12: operations.cmp_swap: -4: expected a number from 0 to`},
		{"depth", "depth: 32", "depth: 33", "w.yaml:10: queue_pairs[1].depth: 33: expected a power of two"},
		{"no QPs", "  - {count: 1, path_mtu: 256, ip: 4}\n", "", ""},
		{"QPs no list", "queue_pairs:\n", "queue_pairs: 5\nx:\n", `w.yaml:3: queue_pairs: "5": expected a list of at least one element`},
		{"QP no mapping", "  - {count: 1, path_mtu: 256, ip: 4}", "  - 7", "w.yaml:4: queue_pairs[0]: \"7\": a list of `field: value` lines was expected"},
		{"no weight", "write: 1, send_imm: 3, read: 2, cmp_swap: 4, fetch_add: 5, send_inv: 6", "write: 0", "w.yaml:12: operations: no operation has a weight: expected one of [write write_imm send send_imm send_inv read cmp_swap fetch_add]"},
		{"unknown operation", "send_imm: 3", "flush: 3", "w.yaml:12: operations.flush: unknown field: expected one of write, write_imm, send, send_imm, send_inv, read,"},
		{"size too large", "[0, 1, 256]", "[0, 2147483649]", "w.yaml:13: sizes[1]: 2147483649: expected a number from 0 to 2147483648"},
		{"no sizes", "[0, 1, 256]", "[]", "w.yaml:13: sizes: an empty list: expected at least one number of bytes"},
		{"distribution", "[0, 1, 256]", "{distribution: normal, min: 1, max: 2}", `w.yaml:13: sizes.distribution: "normal": expected one of uniform, log_uniform`},
		{"upside down", "[0, 1, 256]", "{distribution: uniform, min: 4, max: 2}", "w.yaml:13: sizes.max: 2: expected min, which is 4, or more"},
		{"too many packets", "[0, 1, 256]", "2147483648", "w.yaml:4: queue_pairs[0].path_mtu: 256: a message of 2147483648 bytes would take 2^23 packets, expected a larger one"},
		{"percent", "inline: 10", "inline: 101", "w.yaml:14: inline: 101: expected a number from 0 to 100"},
		{"batch", "max: 4}", "max: 17}", "w.yaml:17: batch: 17: expected at most the depth of queue_pairs[0], 16"},
		{"arrival", "poisson, cycles: 300", "poisson", "w.yaml:18: arrival.cycles: missing: expected a number from 1 to 2147483647"},
		{"cycles of closed", "poisson", "closed", "w.yaml:18: arrival.cycles: unknown field: expected one of kind"},
		{"rate", "rate: 0.001", "rate: 1.1", `w.yaml:20: faults[0].rate: "1.1": expected a share from 0.000001 to 1`},
		{"rate no number", "rate: 0.001", "rate: often", `w.yaml:20: faults[0].rate: "often": expected a share`},
		{"rate NaN", "rate: 0.001", "rate: nan", `w.yaml:20: faults[0].rate: "nan": expected a share`},
		{"action", "action: drop", "action: pass", `w.yaml:20: faults[0].action: "pass": expected one of drop, duplicate, corrupt, delay, flip, truncate, mark`},
		{"a rate is missing", "rate: 0.5, for_us", "for_us", "w.yaml:24: faults[4].rate: missing: expected a share from 0.000001 to 1"},
		{"opcode", "ATOMIC_ACK", "CNP", `w.yaml:22: faults[2].opcode: "CNP": expected one of SEND_FIRST, `},
		{"nth", "nth: 2", "nth: 0", "w.yaml:22: faults[2].nth: 0: expected a number from 1 to 2147483647"},
		{"sender", "sender: b", "sender: c", `w.yaml:23: faults[3].sender: "c": expected one of both, a, b`},
		{"PSN", "psn: 7", "psn: 16777216", "w.yaml:23: faults[3].psn: 16777216: expected a number from 0 to 16777215"},
		{"frames and time", "for_us: 9", "for_us: 9, frames: 2", "w.yaml:24: faults[4].for_us: a delay of so many frames has no time: expected either"},
		{"frames of a drop", "nth: 2", "nth: 2, frames: 2", "w.yaml:22: faults[2].frames: unknown field: expected one of action, nth, rate, packets, sender, opcode, psn, attempts"},
		{"outage", "at_us: 10", "at: 10", "w.yaml:26: outages[0].at_us: missing: expected a number from 0 to 2147483647"},
		{"packets", "packets: responses", "packets: acks", `w.yaml:20: faults[0].packets: "acks": expected one of all, requests, responses`},
	} {
		require.Contains(t, good, c.old, c.name)
		_, err := Parse("w.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		if c.want == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, c.want, c.name)
	}
	_, err := Parse("w.yaml", []byte("direction: up\nmessages: 0\n"))
	require.Len(t, strings.Split(err.Error(), "\n"), 5, "all of them: %v", err)
}

// No text makes it fail, and what it takes makes requests.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := Parse("w.yaml", text)
		if err != nil {
			return
		}
		w.Messages = min(w.Messages, 3)
		n := 0
		for range w.Requests(1) {
			if n++; n > 1000 {
				break
			}
		}
	})
}

func TestLoad(t *testing.T) {
	require.ElementsMatch(t, []string{"bulk", "lossy", "mixed", "remote", "small"}, Names())
	for _, name := range Names() {
		w, err := Load(name)
		require.NoError(t, err)
		require.Equal(t, name, w.Name)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(path, []byte(good), 0o600))
	w, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, "mine", w.Name)
	_, err = Load("absent.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "bulk")
}

// The file in the package's comment is one that is taken.
func TestParseDocumented(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var file strings.Builder
	for line := range strings.Lines(string(source)) {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			file.WriteString(text)
		}
	}
	w, err := Parse("doc.yaml", []byte(file.String()))
	require.NoError(t, err)
	require.Equal(t, 1000, w.Messages)
	atomicAck := format.OpAtomicAck
	require.Equal(t, []wire.Rule{
		{Action: wire.Drop, Class: wire.Requests, Sender: wire.FromA, Rate: 1000, Attempts: 3},
		{Action: wire.Drop, Rate: wire.Million, Opcode: &atomicAck, Nth: 2},
		{Action: wire.Delay, Rate: 10000, Only: &wire.Packet{PSN: 1<<24 - 1}, Frames: 4},
		{Action: wire.Delay, Rate: 10000, For: 30 * time.Microsecond},
	}, w.Rules)
	require.Equal(t, []wire.Outage{{At: 100 * time.Microsecond, For: 50 * time.Microsecond}}, w.Outages)
}
