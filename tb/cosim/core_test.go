package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gornic/format"
	"gornic/tb/frames"
)

// The scenarios that take no time run with the tests, too, in the smallest core.
func TestCoreScenarios(t *testing.T) {
	code, stdout, stderr := command(core(t.Context()), "-sim", "native", "-config", "tiny", "-run", "^captures$|overflow|line-rate")
	if code != 0 || !strings.HasSuffix(stdout, " passed, 0 failed\n") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// Frames of every length up to and beyond what the buffers of the tiny
// configuration hold: the core and the reference agree on each.
func TestCoreFramesOfAnyLength(t *testing.T) {
	host := func(n int) []byte { return make([]byte, n) }
	packet := func(n int) []byte {
		b, err := frames.Build(format.TxDescriptor[uint64]{
			Opcode: uint64(format.OpSendOnly), PKey: format.PKeyDefault, DestQP: 2, PadCnt: uint64(-n) & 3,
		}, make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	path := pcapFile(t, nil, host(12)[:1], host(13), host(14), host(2048), host(2049), host(65536), host(14),
		packet(0), packet(1024), packet(1025), packet(4096), packet(4097), packet(65000), packet(1))
	want := []string{"truncated", "truncated", "truncated", "ethertype", "ethertype", "buffer-full", "buffer-full", "ethertype",
		"ok", "ok", "buffer-full", "buffer-full", "length", "length", "ok"}

	code, stdout, stderr := command(core(t.Context()), "-config", "tiny", "-json", "-frames", path)
	var got []string
	for line := range strings.Lines(stdout) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Reason)
	}
	if code != 0 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("exit code %d, %s\n got %v\nwant %v", code, stderr, got, want)
	}
}

// -waves writes a file that a viewer reads.
func TestCoreWaves(t *testing.T) {
	waves := filepath.Join(t.TempDir(), "w.vcd")
	code, _, stderr := command(core(t.Context()), "-config", "tiny", "-waves", waves, "-frames", captureFile(t))
	text, err := os.ReadFile(waves)
	if code != 0 || err != nil || !strings.Contains(string(text), "$enddefinitions") {
		t.Errorf("exit code %d, %s, %v, %d bytes of waves", code, stderr, err, len(text))
	}
}
