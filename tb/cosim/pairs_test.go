package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gornic/tb/frames"
	"gornic/tb/rtl"
)

// references is a bench of a pair of references: what can be told without a core.
func references() bench { return testBench(fake{}, pairOf(rtl.Reference, rtl.Reference)) }

// The built-in workload runs, in every configuration, and is counted.
func TestPair(t *testing.T) {
	for config, note := range map[string]string{"tiny": "16 messages", "board": "16 messages"} {
		code, stdout, stderr := command(references(), "-sim", "native", "-config", config)
		if code != 0 || !strings.Contains(stdout, note) || !strings.HasSuffix(stdout, "\n1 passed, 0 failed\n") {
			t.Errorf("%s: exit code %d, %s%s", config, code, stdout, stderr)
		}
	}
}

// A workload of one's own is played, with what it wants of the wire; -pcap writes what
// crossed it: 20 SENDs of two packets, and answers.
func TestPairWorkload(t *testing.T) {
	work := textFile(t, "sends.yaml", "direction: a_to_b\nmessages: 20\nqueue_pairs: [{count: 1, path_mtu: 256, ip: 4}]\noperations: {send: 1}\nsizes: 300\n")
	capture := filepath.Join(t.TempDir(), "w.pcap")
	code, stdout, stderr := command(references(), "-workload", work, "-pcap", capture)
	if code != 0 || !strings.Contains(stdout, "20 messages, 6000 bytes in 40 packets, 40 completions") {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	crossed, err := frames.Load(capture)
	if err != nil || len(crossed) <= 40 {
		t.Errorf("%d frames, %v", len(crossed), err)
	}
}

// A wire on which everything is lost is a failure that says who waits for what, and how
// to see it again.
func TestPairFails(t *testing.T) {
	work := textFile(t, "lost.yaml", "direction: a_to_b\nmessages: 2\nqueue_pairs: [{count: 1, path_mtu: 256, ip: 4}]\noperations: {write: 1}\nsizes: 8\n"+
		"faults: [{action: drop, rate: 1}]\n")
	code, stdout, _ := command(references(), "-workload", work, "-sim", "native", "-seed", "7")
	again := "again: go run ./tb/cosim -run '^pairs/reference-reference$' -sim native -config 'tiny' -seed 7 -workload '" + work + "'\n"
	if code != 1 || !strings.Contains(stdout, again) || !strings.Contains(stdout, "workload lost, seed 7: host a, queue pair 0") ||
		!strings.Contains(stdout, "\nhost b counts") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}

// What a configuration does not have, and options that do not go together.
func TestPairUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"path MTU of 4096 bytes":            {"-workload", "bulk", "-config", "tiny", "-sim", "native"},
		"16 queue pairs":                    {"-workload", "small", "-config", "tiny", "-sim", "native"},
		"no scenario that plays a workload": {"-workload", "mixed", "-run", "captures"},
		"no such file or directory":         {"-pcap", filepath.Join(t.TempDir(), "absent", "x.pcap")},
	} {
		if code, stdout, stderr := command(references(), args...); code != 1 || !strings.Contains(stdout+stderr, want) {
			t.Errorf("%v: exit code %d, %s%s; want %q", args, code, stdout, stderr, want)
		}
	}
	twice := testBench(fake{}, pairOf(rtl.Reference, rtl.Reference), pairOf(rtl.Reference, rtl.Reference))
	if code, _, stderr := command(twice, "-waves", "x.vcd"); code != 1 || !strings.Contains(stderr, "want one scenario") {
		t.Errorf("two pairs: exit code %d, %s", code, stderr)
	}
}

// The real core at both ends, with waves of either.
func TestPairOfCores(t *testing.T) {
	work := textFile(t, "one.yaml", "direction: both\nmessages: 1\nqueue_pairs: [{count: 1, path_mtu: 256, ip: 4}]\noperations: {write: 1, send_imm: 1}\nsizes: 300\n")
	waves := filepath.Join(t.TempDir(), "w.vcd")
	code, stdout, stderr := command(core(t.Context()), "-run", "core-core", "-workload", work, "-waves", waves)
	if code != 0 || !strings.Contains(stdout, "2 messages, 600 bytes in 4 packets") {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	for _, host := range []string{".a.vcd", ".b.vcd"} {
		text, err := os.ReadFile(strings.TrimSuffix(waves, ".vcd") + host)
		if err != nil || !strings.Contains(string(text), "$enddefinitions") {
			t.Errorf("%v, %d bytes of waves", err, len(text))
		}
	}
}

// Path MTUs that the smallest configuration does not have, over both versions of IP.
func TestPairOfCoresMTU(t *testing.T) {
	work := textFile(t, "mtus.yaml", "direction: both\nmessages: 1\nqueue_pairs:\n"+
		"  - {count: 1, path_mtu: 1024, ip: 6, send_sges: 6, recv_sges: 7}\n"+
		"  - {count: 1, path_mtu: 4096, ip: 4}\n"+
		"operations: {write_imm: 1, send: 1}\nsizes: 4200\n")
	code, stdout, stderr := command(core(t.Context()), "-run", "core-core", "-sim", "native", "-config", "board", "-workload", work)
	if code != 0 || !strings.Contains(stdout, "4 messages, 16800 bytes in 14 packets") {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
}
