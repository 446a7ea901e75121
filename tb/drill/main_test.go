package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/frames"
)

// command runs the command.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// file writes a case.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "case.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	return name
}

const wrongPSN = `about: a wrong expectation
mrs:
  - {name: data, length: 256}
qps:
  - {name: q, rq_psn: 5}
steps:
  - send_packet: {opcode: WRITE_ONLY, payload: {length: 16}}
  - expect_packet: {opcode: ACKNOWLEDGE, psn: +1, syndrome: NAK_SEQUENCE, msn: 1}
`

func TestPass(t *testing.T) {
	code, stdout, stderr := command(t, "-sim", "golden", "examples")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stdout, "pass  golden     examples/01_write.yaml  2 packets")
	require.Contains(t, stdout, "10 passed, 0 failed\n")
	require.Empty(t, stderr)
}

// A failure tells file, line, what was expected and what came, and in which fields.
func TestFail(t *testing.T) {
	name := file(t, wrongPSN)
	code, stdout, _ := command(t, "-sim", "golden", name)
	require.Equal(t, 1, code)
	require.Equal(t, "FAIL  golden     "+name+"\n"+name+`:8: expect_packet
  expected  ACKNOWLEDGE, psn +1, syndrome NAK_SEQUENCE, msn 1
  came      ACKNOWLEDGE, psn 0x000005 (+0), dest_qp 0x000100 (peer of q), syndrome ACK, msn 0x1, 0.000 us (0 cycles) after
  psn: expected 0x000006 (+1), came 0x000005 (+0)
  syndrome: expected NAK_SEQUENCE, came ACK
0 passed, 1 failed
`, stdout)
}

func TestJSON(t *testing.T) {
	code, stdout, _ := command(t, "-json", "-sim", "golden", file(t, wrongPSN))
	require.Equal(t, 1, code)
	var o object
	require.NoError(t, json.Unmarshal([]byte(stdout), &o))
	require.Equal(t, "fail", o.Verdict)
	require.Equal(t, 8, o.Line)
	require.Equal(t, "expect_packet", o.Step)
	require.Equal(t, difference{"syndrome", "NAK_SEQUENCE", "ACK"}, o.Differences[1])
}

func TestVerbose(t *testing.T) {
	_, stdout, _ := command(t, "-v", "-sim", "golden", "examples/01_write.yaml")
	require.Contains(t, stdout, "peer sends  WRITE_ONLY, psn 0x0003e8 (+0)")
	require.Contains(t, stdout, "NIC sends   ACKNOWLEDGE, psn 0x0003e8 (+0)")
}

func TestList(t *testing.T) {
	code, stdout, _ := command(t, "-list", "examples/01_write.yaml")
	require.Equal(t, 0, code)
	require.Equal(t, "examples/01_write.yaml\t4 steps\ta WRITE of one packet\n", stdout)
}

// The capture file has each frame, in order.
func TestPcap(t *testing.T) {
	name := filepath.Join(t.TempDir(), "w.pcap")
	code, stdout, stderr := command(t, "-pcap", name, "-sim", "golden", "examples/06_read.yaml")
	require.Equal(t, 0, code, stdout+stderr)
	all, err := frames.Load(name)
	require.NoError(t, err)
	require.Len(t, all, 10)
}

// Wrong arguments and files with mistakes are code 2, and nothing is played.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no case"},
		{[]string{"nowhere.yaml"}, "there is no such file"},
		{[]string{"-sim", "quantum", "examples"}, "expected one of golden, native, verilator"},
		{[]string{"-config", "huge", "examples"}, "nor is it one of"},
		{[]string{"-pcap", "x", "examples"}, "-pcap goes with one case"},
		{[]string{"-json", "-v", "examples"}, "-json goes without"},
		{[]string{"-nonsense"}, "flag provided but not defined"},
		{[]string{file(t, "steps: 5\nqps: []\n")}, "case.yaml:1: steps: \"5\": expected a list"},
	} {
		code, stdout, stderr := command(t, c.args...)
		require.Equal(t, 2, code, strings.Join(c.args, " "))
		require.Contains(t, stderr, c.want)
		require.Empty(t, stdout)
	}
}

// What the driver refuses is an error with its line, and code 1.
func TestRefused(t *testing.T) {
	name := file(t, `
mrs:
  - {name: data, length: 256}
qps:
  - {name: q, max_send_wr: 2}
steps:
  - repeat:
      times: 5
      steps:
        - post_send: {wr_id: i, opcode: SEND, length: 16}
`)
	code, stdout, _ := command(t, "-sim", "golden", name)
	require.Equal(t, 1, code)
	require.Contains(t, stdout, name+":10: post_send (i = 2): verbs: post send")
	require.Contains(t, stdout, "queue full")
}
