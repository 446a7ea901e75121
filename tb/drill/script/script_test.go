package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/tb/drill/packet"
	"gornic/tb/drill/script"
)

// head is a case up to its steps; they begin on line 8.
const head = `about: a case
mrs:
  - {name: data, length: 256}
  - {name: fast, length: 256, fast: true}
qps:
  - {name: q}
steps:
`

// Each mistake is told with file, line, field, what was found and what was expected.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "c.yaml:1: an empty file"},
		{"- 5\n", `c.yaml:1: a case: a list: expected keys with values: about, config,`},
		{"a: [\n", "c.yaml:1: did not find expected node content"},
		{head + "---\na: 5\n", "c.yaml:8: a second document"},
		{"qps: []\n", "c.yaml:1: steps: missing in a case"},
		{"abuot: x\nqps: []\nsteps: []\n", "c.yaml:1: abuot: unknown in a case: expected one of about, config, seed,"},
		{"seed: 1\nseed: 2\nqps: []\nsteps: []\n", "c.yaml:2: seed: given twice: first on line 1"},
		{"config: {width: 8}\nqps: []\nsteps: []\n", "c.yaml:1: width: unknown in config: expected one of name, data_width"},
		{"mrs:\n  - {name: x, length: 0}\nqps: []\nsteps: []\n", `c.yaml:2: length: "0": expected a whole number from 1 to 0x100000`},
		{"mrs:\n  - {name: x}\n  - {name: x}\nqps: []\nsteps: []\n", `c.yaml:3: name: "x" is taken`},
		{"mrs:\n  - {name: 9x}\nqps: []\nsteps: []\n", `c.yaml:2: name: "9x": expected letters`},
		{"mrs:\n  - {name: x, access: REMOTE}\nqps: []\nsteps: []\n", `c.yaml:2: access: "REMOTE": expected one of LOCAL_WRITE, MW_BIND, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE`},
		{"qps:\n  - {name: q, path_mtu: 300}\nsteps: []\n", "c.yaml:2: path_mtu: 300: expected 256, 512, 1024, 2048 or 4096"},
		{"qps:\n  - {name: q, qp_state: UP}\nsteps: []\n", `c.yaml:2: qp_state: "UP": expected one of ERR, INIT, RESET, RTR, RTS, SQD`},
		{head + "  - sned_packet: {}\n", "c.yaml:8: sned_packet: unknown as a step: expected one of create_qp,"},
		{head + "  - send_packet: {opcode: SEND_ONLY}\n    wait: 5us\n", "c.yaml:9: wait: a second verb beside send_packet"},
		{head + "  - just words\n", `c.yaml:8: steps: "just words": expected a verb with its value`},
		{head + "  - send_packet: {opcode: SEND}\n", `c.yaml:8: send_packet.opcode: "SEND": expected an opcode such as SEND_ONLY`},
		{head + "  - send_packet: {psn: 5}\n", "c.yaml:8: send_packet.opcode: missing in send_packet"},
		{head + "  - send_packet: {opcode: ACKNOWLEDGE}\n", "c.yaml:8: send_packet.psn: missing: a response has the PSN of what it answers"},
		{head + "  - send_packet: {opcode: SEND_ONLY, rkey: data}\n", "c.yaml:8: send_packet.rkey: SEND_ONLY has no RETH, AtomicETH"},
		{head + "  - send_packet: {opcode: WRITE_ONLY, rkey: date}\n", `c.yaml:8: send_packet.rkey: "date": expected a number, or one of data, fast`},
		{head + "  - send_packet: {opcode: WRITE_ONLY, psn: 0x1000000}\n", "c.yaml:8: send_packet.psn: 0x1000000 does not fit 24 bits"},
		{head + "  - send_packet: {opcode: WRITE_ONLY, psn: +i}\n", "c.yaml:8: send_packet.psn: i counts the rounds of a repeat"},
		{head + "  - send_packet: {opcode: WRITE_ONLY, psn: [1, 2]}\n", "c.yaml:8: send_packet.psn: a list: expected one value"},
		{head + "  - send_packet: {opcode: READ_REQUEST, payload: \"00\"}\n", "c.yaml:8: send_packet.payload: READ_REQUEST has no payload"},
		{head + "  - send_packet: {opcode: SEND_ONLY, payload: 16}\n", "c.yaml:8: send_packet.payload: \"16\": expected bytes in hexadecimal in quotes, or keys"},
		{head + "  - send_packet: {opcode: SEND_ONLY, payload: {pattern: 1}}\n", "c.yaml:8: send_packet.length: missing in payload"},
		{head + "  - send_packet: {opcode: SEND_ONLY, payload: {pattern: 1, mr: data, length: 4}}\n", "c.yaml:8: send_packet.payload: expected one of bytes, pattern, mr, zeros"},
		{head + "  - send_packet: {again: x}\n", `c.yaml:8: send_packet.again: "x": expected the label of a step before this one; no step has one`},
		{head + "  - wait: 1us\n    label: x\n  - send_packet: {again: x}\n", `c.yaml:10: send_packet.again: "x" is the label of wait`},
		{head + "  - wait: 1us\n    label: x\n  - wait: 1us\n    label: x\n", `c.yaml:10: wait.label: "x" is taken`},
		{head + "  - wait: soon\n", `c.yaml:8: wait: "soon": expected a number with a unit: ns, us, ms, s, ticks (of 4.096 us), or cycles`},
		{head + "  - expect_packet: {opcode: ACKNOWLEDGE, syndrome: NAK}\n", `c.yaml:8: expect_packet.syndrome: "NAK": expected one of ACK, RNR_NAK, NAK_SEQUENCE`},
		{head + "  - expect_packet: {opcode: ACKNOWLEDGE, syndrome: RNR_NAK 32}\n", `c.yaml:8: expect_packet.syndrome: "RNR_NAK 32"`},
		{head + "  - expect_packet: {opcode: ACKNOWLEDGE, after: 5us, optional: true}\n", "c.yaml:8: expect_packet.after: of a packet that is optional"},
		{head + "  - expect_packet: {qp: p}\n", `c.yaml:8: expect_packet.qp: "p": no such queue pair: expected one of q`},
		{head + "  - expect_cqe: {wr_id: 7}\n", `c.yaml:8: expect_cqe.wr_id: 7 was not posted to "q" before this step: expected one of none`},
		{head + "  - post_recv: {wr_id: 1}\n  - expect_cqe: {wr_id: 7}\n", `c.yaml:9: expect_cqe.wr_id: 7 was not posted to "q" before this step: expected one of 1`},
		{head + "  - post_recv: {wr_id: 1}\n  - post_send: {wr_id: 1, opcode: SEND}\n  - expect_cqe: {wr_id: 1}\n", "c.yaml:10: expect_cqe.queue: missing: work requests with wr_id 1 were posted to both queues"},
		{head + "  - post_recv: {wr_id: 1}\n  - expect_cqe: {wr_id: 1, status: WR_FLUSH_ERR, byte_len: 5}\n", "c.yaml:9: expect_cqe.status: an error completion has wr_id and status alone"},
		{head + "  - expect_event: {event: PANIC}\n", `c.yaml:8: expect_event.event: "PANIC": expected COMPLETION or one of COMM_EST, CQ_ERR`},
		{head + "  - expect_counter: {lost: 1}\n", "c.yaml:8: expect_counter.lost: unknown in expect_counter: expected one of bad_doorbell"},
		{head + "  - expect_memory: {mr: data}\n", "c.yaml:8: expect_memory.data: expected either data or unchanged: true"},
		{head + "  - expect_memory: {mr: dada, unchanged: true}\n", `c.yaml:8: expect_memory.mr: "dada": no such region: expected one of data, fast`},
		{head + "  - expect_memory: {unchanged: true}\n", "c.yaml:8: expect_memory.mr: missing in expect_memory"},
		{head + "  - destroy_qp: q\n  - post_recv: {wr_id: 1}\n", `c.yaml:9: post_recv.qp: "q" was destroyed on line 8`},
		{head + "  - destroy_qp: q\n  - expect_cqe: {qp: q, queue: send}\n", `c.yaml:9: expect_cqe.qp: "q" was destroyed on line 8`},
		{head + "  - create_qp: q\n", `c.yaml:8: create_qp.qp: "q" has not been destroyed`},
		{head + "  - modify_qp: {qp_state: RESET}\n  - post_send: {wr_id: 1, opcode: SEND}\n", `c.yaml:9: post_send.qp: "q" is in RESET: expected it in RTS, SQD, ERR`},
		{head + "  - modify_qp: {}\n", "c.yaml:8: modify_qp: changes nothing"},
		{head + "  - dereg_mr: data\n  - dereg_mr: data\n", `c.yaml:9: dereg_mr: "data" was deregistered on line 8`},
		{head + "  - post_send: {wr_id: 1, opcode: REG_MR}\n", "c.yaml:8: post_send.reg_mr: missing of a REG_MR"},
		{head + "  - post_send: {wr_id: 1, opcode: REG_MR, reg_mr: {mr: data, access: LOCAL_WRITE}}\n", `c.yaml:8: post_send.mr: "data": expected a region for fast registration`},
		{head + "  - repeat: {times: 2, steps: [{wait: 1}]}\n", `c.yaml:8: wait: "1": expected a number with a unit`},
		{head + "  - repeat: &again {times: 2, steps: [{repeat: *again}]}\n", "more than 40 lists and mappings within each other"},
		{head + "  - send_raw: xyz\n", `c.yaml:8: send_raw: "xyz": expected the bytes of a frame`},
	} {
		_, err := script.Parse("c.yaml", []byte(c.text))
		require.Error(t, err, c.text)
		require.Contains(t, err.Error(), c.want, c.text)
	}
}

// All mistakes of a file are told at once.
func TestAllMistakes(t *testing.T) {
	_, err := script.Parse("c.yaml", []byte(head+"  - wait: soon\n  - wait: 5us\n  - wait: never\n"))
	require.Len(t, strings.Split(err.Error(), "\n"), 2)
}

func TestLoad(t *testing.T) {
	_, err := script.Load("nowhere.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// env has a region at 0x1000 whose key is 0x500.
type env struct{ round uint64 }

func (e env) FirstPSN() uint64 { return 0xFFFFFF }

func (e env) Symbol(kind packet.Kind, name string) (uint64, error) {
	switch {
	case name == "i":
		return e.round, nil
	case kind == packet.Key:
		return 0x500, nil
	}
	return 0x1000, nil
}

// Numbers are sums; a sign before a PSN counts from the first one, modulo 2^24.
func TestNumbers(t *testing.T) {
	c, err := script.Parse("c.yaml", []byte(head+`
  - repeat:
      times: 2
      steps:
        - expect_packet: {opcode: WRITE_ONLY, psn: +2*i - 1, va: data + 0x10 - i, rkey: data + 1, dma_len: 10 + 3*i}
`))
	require.NoError(t, err)
	fields := c.Steps[0].Do.(script.Repeat).Steps[0].Do.(script.ExpectPacket).Fields
	want := map[string]uint64{"opcode": 10, "psn": 3, "va": 0x1000 + 0x10 - 3, "rkey": 0x501, "dma_len": 19}
	want["psn"] = (0xFFFFFF + 6 - 1) & 0xFFFFFF
	for _, f := range fields {
		v, err := f.Any[0].Eval(env{round: 3})
		require.NoError(t, err)
		require.Equal(t, want[f.Name], v, f.Name)
	}
	require.Len(t, fields, len(want))
}

// A time of the protocol takes at least as many cycles as it is long.
func TestTimes(t *testing.T) {
	for text, cycles := range map[string]int{"4.096us": 16, "1 tick": 16, "4097ns": 17, "0.64ms": 2500, "1s": 3906250, "7cycles": 7} {
		c, err := script.Parse("c.yaml", []byte(head+"  - wait: "+text+"\n"))
		require.NoError(t, err)
		require.Equal(t, cycles, c.Steps[0].Do.(script.Wait).For.In(16), text)
	}
	require.Equal(t, 4096*time.Nanosecond, script.Tick)
}

// Whatever is in a file, reading it ends, with a case or a mistake.
func FuzzParse(f *testing.F) {
	for _, folder := range []string{"examples", "cases", "security"} {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.yaml"))
		require.NoError(f, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(f, err)
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := script.Parse("c.yaml", text)
		require.True(t, (c == nil) == (err != nil))
	})
}

func TestPattern(t *testing.T) {
	require.Equal(t, byte(0), script.Pattern(0, 0))
	require.Equal(t, byte(17+5), script.Pattern(1, 5))
	require.NotEqual(t, script.Pattern(1, 5), script.Pattern(1, 5+256))
}
