package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
)

// madeFile is a capture that is made up; change may change its frames.
func madeFile(t *testing.T, change func([]frames.Frame)) string {
	t.Helper()
	made, err := talk.Made(false)
	if err != nil {
		t.Fatal(err)
	}
	change(made)
	var data [][]byte
	for _, f := range made {
		data = append(data, f.Data)
	}
	return pcapFile(t, data...)
}

// The core in the place of those who spoke in a capture of one's own, and a capture
// that claims another answer.
func TestCaptureOfOnesOwn(t *testing.T) {
	bench := core(t.Context())
	path := madeFile(t, func([]frames.Frame) {})
	code, stdout, stderr := command(bench, "-capture", path, "-sim", "native", "-config", "tiny")
	if code != 0 || !strings.Contains(stdout, "4 conversations, each in two paces: 26 requests, 8 messages; 20 answers for 20, 10 of them NAKs; 22 completions; as requester: 4 messages in ") {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	path = madeFile(t, func(all []frames.Frame) {
		nak := all[len(all)-1].Data
		nak[len(nak)-5]++ // MSN
		frames.FixICRC(nak)
	})
	code, stdout, _ = command(bench, "-capture", path, "-sim", "native", "-config", "tiny")
	again := "again: go run ./tb/cosim -run '^captures/others$' -sim native -config 'tiny' -seed 1 -capture '" + path + "'\n"
	if code != 1 || !strings.Contains(stdout, again) || !strings.Contains(stdout, "NAK with PSN 0xa, syndrome 0x63, MSN 0x1, expected PSN 0xa, syndrome 0x63, MSN 0x2") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}

// Captures that cannot be played, and options that do not go together.
func TestCaptureUsage(t *testing.T) {
	bench := testBench(fake{}, captureScenarios()...)
	for want, args := range map[string][]string{
		"absent.pcap: no such file":                       {"-capture", filepath.Join(t.TempDir(), "absent.pcap")},
		"skipped: no conversation":                        {"-capture", pcapFile(t, make([]byte, 60))},
		"no scenario that replays a capture matches":      {"-capture", "x", "-run", "pairs"},
		"-capture goes without -frames, -workload, -pcap": {"-capture", "x", "-workload", "mixed"},
	} {
		code, stdout, stderr := command(bench, append(args, "-sim", "native", "-config", "tiny")...)
		if !strings.Contains(stdout+stderr, want) || code == 0 != strings.HasPrefix(want, "skipped") {
			t.Errorf("%v: exit code %d, %s%s; want %q", args, code, stdout, stderr, want)
		}
	}
}

// A frame with a wrong ICRC is found out, and so is one that the dissector does not like.
func TestCheckSent(t *testing.T) {
	good := frames.NewGenerator(3).Good().Data
	wrong := append([]byte(nil), good...)
	wrong[len(wrong)-1] ^= 1
	if err := checkSent(t.Context(), [][]byte{good, wrong}); err == nil || !strings.Contains(err.Error(), "frame 2 that the core sent has the ICRC") {
		t.Error(err)
	}
	if err := checkSent(t.Context(), [][]byte{make([]byte, 60)}); err == nil {
		t.Error("no error for a frame of zeros")
	}
}

// Every kind of packet has its name.
func TestKinds(t *testing.T) {
	w := sentWorkload(4096, 64, true)
	if n := len(w.QueuePairs); n != 10 {
		t.Errorf("%d queue pairs, want each MTU over both versions of IP", n)
	}
	want := kindsOf(w)
	if n := 4*10 + 8*4 + 2*6; len(want) != n {
		t.Errorf("%d kinds, want %d", len(want), n)
	}
	for kind, d := range map[string]format.TxDescriptor[uint64]{
		"SEND_MIDDLE, 512 bytes, IPv6": {Opcode: uint64(format.OpSendMiddle), IPv6: 1, PayloadLen: 512},
		"WRITE_ONLY_IMM, pad 3":        {Opcode: uint64(format.OpWriteOnlyImm), PadCnt: 3, PayloadLen: 1},
		"ACKNOWLEDGE 0x20, IPv4":       {Opcode: uint64(format.OpAcknowledge), Ext: format.ExtWords[uint64]{0x2C << 24}},
		"ACKNOWLEDGE 0x62, IPv4":       {Opcode: uint64(format.OpAcknowledge), Ext: format.ExtWords[uint64]{0x62 << 24}},
	} {
		frame, err := frames.Build(d, make([]byte, d.PayloadLen))
		if err != nil {
			t.Fatal(err)
		}
		if got := kindOf(frame); got != kind || !want[kind] {
			t.Errorf("%s, want %s", got, kind)
		}
		if missing := want.without([][]byte{frame}); len(missing) != len(want)-1 {
			t.Errorf("%s: %d kinds are missing", kind, len(missing))
		}
	}
}
