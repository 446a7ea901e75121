package golden_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

const shared = "../../../shared"

// The verdicts on frames of other implementations.
func TestReceiveVectors(t *testing.T) {
	want := map[string]string{
		"NEG_roomsoc_rtl_ack_wrong_icrc":                   "swapped-port bad",
		"OURICRC_liteeth_seq_read_request_psn_fedff1":      "ok good",
		"OURICRC_liteeth_seq_write_first_psn_fedfed":       "ok good",
		"OURICRC_liteeth_seq_write_last_psn_fedff0_ackreq": "ok good",
		"OURICRC_liteeth_seq_write_middle_psn_fedfee":      "ok good",
		"OURICRC_liteeth_seq_write_middle_psn_fedfef":      "ok good",
		"connectx_rc_ack_frame1":                           "ok good",
		"gem5_ipv6_ack_credit1f":                           "ok good",
		"gem5_ipv6_nak_invreq":                             "ok good",
		"gem5_ipv6_nak_remacc":                             "ok good",
		"gem5_ipv6_nak_seq":                                "ok good",
		"gem5_ipv6_send_only_3B_pad1":                      "ok good",
		"liteeth_mlx_cm_req_ud_vlan":                       "qp1 good",
		"liteeth_mlx_rc_ack_vlan_1":                        "ok good",
		"liteeth_mlx_rc_send_only_vlan":                    "ok good",
		"liteeth_rxe_cm_req_ud":                            "qp1 good",
		"liteeth_rxe_rc_send_only":                         "ok good",
		"pcapplusplus_rc_read_request_64KiB":               "ok good",
		"roomsoc_driver_write_only_16B":                    "ok good",
		"scapy_cnp_cx4lx":                                  "ok good",
		"scapy_ipv4_uc_send_only_pad2":                     "transport good",
		"scapy_ipv6_uc_send_only_pad2":                     "transport good",
		"scapy_rocev1_ack":                                 "rocev1 absent",
		"scapy_rocev1_write_only_pad3":                     "rocev1 absent",
		"scapycontrib_cnp_tos88":                           "ok good",
	}
	paths, err := filepath.Glob(shared + "/vectors/*.hex")
	if err != nil || len(paths) == 0 {
		t.Skip("no captured frames in ../shared/vectors")
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".hex")
		all, err := frames.Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		r := golden.Receive(all[0].Data, false)
		if got := fmt.Sprint(r.Reason, " ", r.ICRC); got != want[name] {
			t.Errorf("%s: %s, want %q", name, got, want[name])
		}
	}
}

// Every frame that soft-RoCE sent or took is accepted, but for the neighbour
// solicitation and the UC packet that are among them.
func TestReceiveCaptures(t *testing.T) {
	paths, err := filepath.Glob(shared + "/rxe/*.pcap")
	if err != nil || len(paths) == 0 {
		t.Skip("no captured frames in ../shared/rxe")
	}
	reasons := map[format.Reason]int{}
	for _, path := range paths {
		for f, err := range frames.All(path) {
			if err != nil {
				t.Fatal(err)
			}
			r := golden.Receive(f.Data, false)
			reasons[r.Reason]++
			if r.Reason != format.ReasonOK && filepath.Base(path) != "guest_naks.pcap" {
				t.Errorf("%s frame %d: %v", path, f.Number, r.Reason)
			}
		}
	}
	if reasons[format.ReasonTransport] != 1 || reasons[format.ReasonNotUDP]+reasons[format.ReasonUDPPort] != 1 || len(reasons) != 3 {
		t.Errorf("reasons: %v", reasons)
	}
}

// The ICRC is judged wherever there is one, whatever the verdict; a wrong one
// is a reason only where the headers give none.
func TestReceiveICRC(t *testing.T) {
	build := func(change func(*format.TxDescriptor[uint64])) []byte {
		d := format.TxDescriptor[uint64]{Opcode: 4, PKey: format.PKeyDefault, DestQP: 9}
		change(&d)
		b, err := frames.Build(d, make([]byte, 8))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := build(func(*format.TxDescriptor[uint64]) {})
	uc := build(func(d *format.TxDescriptor[uint64]) { d.Opcode = 0x24 })
	cm := build(func(d *format.TxDescriptor[uint64]) { d.DestQP = 1 })
	wrong := func(b []byte) []byte { b = bytes.Clone(b); b[len(b)-1]++; return b }
	for _, c := range []struct {
		name   string
		frame  []byte
		bad    bool
		reason format.Reason
		icrc   golden.ICRC
	}{
		{"good", good, false, format.ReasonOK, golden.ICRCGood},
		{"wrong", wrong(good), false, format.ReasonICRC, golden.ICRCBad},
		{"bad frame", good, true, format.ReasonBadFrame, golden.ICRCGood},
		{"cut", good[:len(good)-1], false, format.ReasonTruncated, golden.ICRCAbsent},
		{"UC", uc, false, format.ReasonTransport, golden.ICRCGood},
		{"UC, wrong", wrong(uc), false, format.ReasonTransport, golden.ICRCBad},
		{"QP 1", cm, false, format.ReasonQP1, golden.ICRCGood},
		{"QP 1, wrong", wrong(cm), false, format.ReasonQP1, golden.ICRCBad},
		{"ARP", append(good[:12:12], 8, 6, 0, 0), false, format.ReasonEtherType, golden.ICRCAbsent},
	} {
		r := golden.Receive(c.frame, c.bad)
		if r.Reason != c.reason || r.ICRC != c.icrc || (r.Reason == format.ReasonOK) != (r.Payload != nil) {
			t.Errorf("%s: %v, ICRC %v, payload %x; want %v, %v", c.name, r.Reason, r.ICRC, r.Payload, c.reason, c.icrc)
		}
	}
}

// No frame makes the reference panic, and what it accepts is consistent.
func FuzzReceive(f *testing.F) {
	g := frames.NewGenerator(1)
	g.MaxFrame = 5000
	for range 50 {
		f.Add(g.Next().Data)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		r := golden.Receive(frame, false)
		if r.Reason == format.ReasonOK && (uint64(len(r.Payload)) != r.Descriptor.PayloadLen || r.ICRC != golden.ICRCGood) {
			t.Errorf("accepted: %+v", r)
		}
	})
}

// Wireshark reads the same opcode, queue pair, PSN and lengths.
func TestReceiveAgainstTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("no tshark to compare with")
	}
	g := frames.NewGenerator(5)
	var data [][]byte
	for len(data) < 300 {
		b := g.Good().Data
		if op := golden.Receive(b, false).BTH.Opcode; op == 0x81 || format.Opcode(op).String() != "undefined" {
			data = append(data, b) // tshark names defined opcodes alone
		}
	}
	path := filepath.Join(t.TempDir(), "good.pcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := frames.WritePcap(file, data); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(shared + "/rxe/*.pcap")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, path := range append(paths, path) {
		compared += compareWithTshark(t, tshark, path)
	}
	if compared < 300 {
		t.Errorf("only %d frames were compared", compared)
	}
}

func compareWithTshark(t *testing.T, tshark, path string) int {
	t.Helper()
	fields := []string{"opcode", "destqp", "psn", "padcnt", "a", "m", "se"}
	args := []string{"-r", path, "-T", "fields", "-E", "occurrence=f"}
	for _, f := range fields {
		args = append(args, "-e", "infiniband.bth."+f)
	}
	args = append(args, "-e", "udp.length")
	cmd := exec.Command(tshark, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	lines := strings.Split(string(out), "\n")
	all, err := frames.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, f := range all {
		r := golden.Receive(f.Data, false)
		if r.Reason != format.ReasonOK {
			continue
		}
		d := r.Descriptor
		info, _ := format.Lookup(format.Opcode(d.Opcode))
		length := 8 + uint64(info.HeaderBytes()) + d.PayloadLen + d.PadCnt + 4
		want := []uint64{d.Opcode, d.DestQP, d.PSN, d.PadCnt, d.AckReq, d.MigReq, d.SE, length}
		got := strings.Split(lines[i], "\t")
		for k, w := range want {
			if x, err := number(got[k]); err != nil || x != w {
				t.Errorf("%s frame %d: column %d of %q: %d, want %d, %v", filepath.Base(path), f.Number, k, lines[i], x, w, err)
			}
		}
		compared++
	}
	return compared
}

// number reads a column of tshark, which writes flags as words in some versions.
func number(s string) (uint64, error) {
	switch strings.ToLower(s) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	return strconv.ParseUint(s, 0, 32)
}
