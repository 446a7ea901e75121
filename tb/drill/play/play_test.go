package play_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/drill/play"
	"gornic/tb/drill/script"
)

// result plays a case on the reference.
func result(t *testing.T, text string) play.Result {
	t.Helper()
	c, err := script.Parse("c.yaml", []byte("mrs:\n  - {name: data, length: 256}\nqps:\n  - {name: q, timeout: 6}\nsteps:\n"+text))
	require.NoError(t, err)
	return play.NewBench(play.Options{Simulator: play.Golden}).Play(context.Background(), c)
}

// The first step of each case is on line 6. What differs is told in the words of the protocol.
func TestFailures(t *testing.T) {
	const write = "  - send_packet: {opcode: WRITE_ONLY, payload: {length: 16}}\n"
	const send = "  - post_send: {wr_id: 1, opcode: SEND, length: 16}\n"
	for _, c := range []struct {
		what, text string
		line       int
		want       string
	}{
		{"left over packet", write, 6, "expected  nothing more\n  came      ACKNOWLEDGE, psn 0x0003e8 (+0)"},
		{"nothing comes", "  - expect_packet: {opcode: ACKNOWLEDGE}\n", 6, "came      nothing, until"},
		{"something else waits", write + "  - expect_packet: {opcode: SEND_ONLY}\n", 7, "not looked at yet: ACKNOWLEDGE"},
		{"not nothing", write + "  - expect_nothing: 5us\n", 7, "expected  nothing for 5us\n  came      ACKNOWLEDGE"},
		{"too early", send + "  - expect_packet: {opcode: SEND_ONLY, after: 5us}\n", 7, "time: expected no earlier than 5us, came 0.000 us"},
		{"too late", send + "  - expect_packet: {opcode: SEND_ONLY}\n  - expect_packet: {opcode: SEND_ONLY, after: 300us}\n", 8, "time: expected no earlier than 300us, came 262"},
		{"no such field", write + "  - expect_packet: {psn: +0, va: 5}\n", 7, "va: expected 5, came none: ACKNOWLEDGE has no RETH, AtomicETH"},
		{"other bytes", write + "  - expect_packet: {opcode: ACKNOWLEDGE}\n  - expect_memory: {data: \"00 01 03\"}\n", 8, "data from byte 2 on: expected 03, came 02"},
		{"changed", write + "  - expect_packet: {opcode: ACKNOWLEDGE}\n  - expect_memory: {unchanged: true}\n", 8, "data from byte 1 on"},
		{"no completion", "  - post_recv: {wr_id: 1}\n  - expect_cqe: {wr_id: 1}\n", 7, "expected  a completion of the recv queue, wr_id 1, SUCCESS\n  came      none"},
		{"a state", "  - expect_qp: {qp_state: ERR, rq_psn: +1}\n", 6, "qp_state: expected ERR, came RTS\n  rq_psn: expected 0x3e9 (+1), came 0x3e8 (+0)"},
		{"a counter", write + "  - expect_packet: {opcode: ACKNOWLEDGE}\n  - expect_counter: {rx_accepted: 2}\n", 8, "rx_accepted: expected 2, came 1"},
		{"no event", "  - expect_event: {event: COMM_EST}\n", 6, "expected  COMM_EST of q\n  came      none"},
		{"not until", "  - wait: {until: packet, within: 10us}\n", 6, "expected  a packet within 10us\n  came      none"},
	} {
		r := result(t, c.text)
		require.NoError(t, r.Err, c.what)
		require.NotNil(t, r.Failure, c.what)
		require.Equal(t, c.line, r.Failure.Line, c.what)
		require.Contains(t, r.Failure.Error(), c.want, c.what)
	}
}

// What cannot be done in a later round of a repeat is an error of its line.
func TestRounds(t *testing.T) {
	for text, want := range map[string]string{
		"  - repeat: {times: 2, steps: [{destroy_qp: q}]}\n":                                  "c.yaml:6: destroy_qp (i = 1): queue pair q has been destroyed",
		"  - destroy_qp: q\n  - repeat: {times: 2, steps: [{create_qp: q}]}\n":                "c.yaml:7: create_qp (i = 1): queue pair q has not been destroyed",
		"  - expect_memory: {offset: 0xFFFFFFFFFFFFFFFF, data: \"00 00\"}\n":                  "c.yaml:6: expect_memory: 2 bytes: 00 00 from 18446744073709551615 on: region data has 256",
		"  - send_packet: {opcode: SEND_ONLY, payload: {mr: data, offset: 250, length: 7}}\n": "c.yaml:6: send_packet: 7 bytes from 250 on: region data has 256",
	} {
		r := result(t, text)
		require.ErrorContains(t, r.Err, want)
	}
}

// A timer of the reference runs out after as many cycles as the configuration says.
func TestTicks(t *testing.T) {
	for _, tick := range []string{"4", "16", "256"} {
		c, err := script.Parse("c.yaml", []byte(`
config: {ack_tick: `+tick+`}
mrs:
  - {name: data, length: 256}
qps:
  - {name: q, timeout: 7, retry_cnt: 1}
steps:
  - post_send: {wr_id: 1, opcode: SEND, length: 16}
  - expect_packet: {opcode: SEND_ONLY}
  - expect_packet: {opcode: SEND_ONLY, after: 128 ticks, within: 129 ticks}
  - send_packet: {opcode: ACKNOWLEDGE, psn: +0}
  - expect_cqe: {wr_id: 1}
`))
		require.NoError(t, err)
		r := play.NewBench(play.Options{Simulator: play.Golden}).Play(context.Background(), c)
		require.NoError(t, r.Err)
		require.Nil(t, r.Failure, "%v", r.Failure)
	}
}

// A configuration that cannot be is told with its field.
func TestConfig(t *testing.T) {
	c, err := script.Parse("c.yaml", []byte("config: {reads: 3}\nqps:\n  - {name: q}\nsteps: []\n"))
	require.NoError(t, err)
	r := play.NewBench(play.Options{Simulator: play.Golden}).Play(context.Background(), c)
	require.ErrorContains(t, r.Err, "reads: 3: expected a power of two")
}

// A cancelled context ends a case.
func TestCancel(t *testing.T) {
	c, err := script.Parse("c.yaml", []byte("qps:\n  - {name: q}\nsteps:\n  - wait: 1s\n"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := play.NewBench(play.Options{Simulator: play.Golden}).Play(ctx, c)
	require.ErrorIs(t, r.Err, context.Canceled)
}
