package format_test

import (
	"bytes"
	"fmt"
	"testing"

	"gornic/format"
)

// The header lengths and rules of protocol section 1.5, copied by hand.
func TestOpcodeTable(t *testing.T) {
	want := []struct {
		op      format.Opcode
		name    string
		bytes   int
		payload string
		ends    string
	}{
		{0x00, "SEND_FIRST", 12, "= MTU", "S"},
		{0x01, "SEND_MIDDLE", 12, "= MTU", ""},
		{0x02, "SEND_LAST", 12, "1..MTU", "E"},
		{0x03, "SEND_LAST_IMM", 16, "1..MTU", "E"},
		{0x04, "SEND_ONLY", 12, "0..MTU", "SE"},
		{0x05, "SEND_ONLY_IMM", 16, "0..MTU", "SE"},
		{0x06, "WRITE_FIRST", 28, "= MTU", "S"},
		{0x07, "WRITE_MIDDLE", 12, "= MTU", ""},
		{0x08, "WRITE_LAST", 12, "1..MTU", "E"},
		{0x09, "WRITE_LAST_IMM", 16, "1..MTU", "E"},
		{0x0A, "WRITE_ONLY", 28, "0..MTU", "SE"},
		{0x0B, "WRITE_ONLY_IMM", 32, "0..MTU", "SE"},
		{0x0C, "READ_REQUEST", 28, "none", "SE"},
		{0x0D, "READ_RESP_FIRST", 16, "= MTU", "S"},
		{0x0E, "READ_RESP_MIDDLE", 12, "= MTU", ""},
		{0x0F, "READ_RESP_LAST", 16, "1..MTU", "E"},
		{0x10, "READ_RESP_ONLY", 16, "0..MTU", "SE"},
		{0x11, "ACKNOWLEDGE", 16, "none", "SE"},
		{0x12, "ATOMIC_ACK", 24, "none", "SE"},
		{0x13, "CMP_SWAP", 40, "none", "SE"},
		{0x14, "FETCH_ADD", 40, "none", "SE"},
		{0x16, "SEND_LAST_INV", 16, "1..MTU", "E"},
		{0x17, "SEND_ONLY_INV", 16, "0..MTU", "SE"},
		{0x81, "CNP", 12, "16", "SE"},
	}
	table := format.Opcodes()
	if len(table) != len(want) {
		t.Fatalf("%d opcodes, want %d", len(table), len(want))
	}
	for i, w := range want {
		got := table[i]
		ends := ""
		if got.Start {
			ends += "S"
		}
		if got.End {
			ends += "E"
		}
		if got.Code != w.op || got.Name != w.name || got.HeaderBytes() != w.bytes ||
			got.Payload.String() != w.payload || ends != w.ends {
			t.Errorf("row %d: %+v (%d bytes, payload %s, %q), want %+v", i, got, got.HeaderBytes(), got.Payload, ends, w)
		}
		if !got.Code.Ours() {
			t.Errorf("%s is not ours", got.Name)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		op      format.Opcode
		name    string
		defined bool
		ours    bool
		bytes   int
	}{
		{0x15, "undefined", false, true, 12},
		{0x1C, "undefined", false, true, 12}, // FLUSH
		{0x1D, "undefined", false, true, 12}, // ATOMIC_WRITE
		{0x24, "UC_SEND_ONLY", true, false, 12},
		{0x2B, "UC_WRITE_ONLY_IMM", true, false, 32},
		{0x2C, "undefined", false, false, 12},
		{0x64, "UD_SEND_ONLY", true, false, 20},
		{0x65, "UD_SEND_ONLY_IMM", true, false, 24},
		{0x80, "undefined", false, false, 12},
		{0x81, "CNP", true, true, 12},
		{0xA4, "undefined", false, false, 12},
	} {
		got, defined := format.Lookup(c.op)
		if got.Name != c.name || defined != c.defined || c.op.Ours() != c.ours || got.HeaderBytes() != c.bytes || got.Code != c.op {
			t.Errorf("%#x: %+v, defined %v, ours %v", c.op, got, defined, c.op.Ours())
		}
	}
}

func TestReasonTable(t *testing.T) {
	names := map[string]bool{}
	codes := map[format.Reason]bool{}
	for _, r := range format.Reasons() {
		if names[r.Name] || codes[r.Reason] {
			t.Errorf("%d %s stands twice", r.Reason, r.Name)
		}
		names[r.Name], codes[r.Reason] = true, true
		if r.Reason >= 1<<format.ReasonBits {
			t.Errorf("%s: code %d needs more than %d bits", r.Name, r.Reason, format.ReasonBits)
		}
		if r.Reason.String() != r.Name || r.Text == "" {
			t.Errorf("%+v", r)
		}
		want := format.Dropped
		switch {
		case r.Reason == 0:
			want = format.Accepted
		case r.Reason < 8:
			want = format.Passed
		}
		if r.Reason.Verdict() != want {
			t.Errorf("%s: %v, want %v", r.Name, r.Reason.Verdict(), want)
		}
	}
	if got := format.Reason(31).String(); got != "unknown" {
		t.Errorf("reason 31: %q", got)
	}
}

// The values of protocol section 1.2.
func TestSourcePort(t *testing.T) {
	for _, c := range []struct {
		lqpn, rqpn uint32
		want       uint16
	}{
		{1, 1, 0xC001}, {1, 0xFFFFFF, 0xFFCF}, {0xFFFFFF, 0xFFFFFF, 0xFF21}, {0x123456, 0xABCDEF, 0xC3C8},
	} {
		if got := format.SourcePort(c.lqpn, c.rqpn); got != c.want {
			t.Errorf("SourcePort(%#x, %#x) = %#x, want %#x", c.lqpn, c.rqpn, got, c.want)
		}
		if got := format.SourcePort(c.rqpn, c.lqpn); got != c.want {
			t.Errorf("SourcePort(%#x, %#x) = %#x, want %#x", c.rqpn, c.lqpn, got, c.want)
		}
	}
	for label, want := range map[uint32]uint16{1: 0xC001, 0x4000: 0xC001, 0xFFFFF: 0xFFC0} {
		if got := format.FlowLabelPort(label); got != want {
			t.Errorf("FlowLabelPort(%#x) = %#x, want %#x", label, got, want)
		}
	}
}

func TestExtWords(t *testing.T) {
	b := make([]byte, 20)
	for i := range b {
		b[i] = byte(i + 1)
	}
	w, err := format.DecodeExt(b, 20)
	if err != nil {
		t.Fatal(err)
	}
	if w[0] != 0x01020304 || w[4] != 0x11121314 || w[5] != 0 {
		t.Errorf("%+v", w)
	}
	if got := format.AppendExt(nil, w, 20); !bytes.Equal(got, b) {
		t.Errorf("%x became %x", b, got)
	}
	reth, ok := format.ExtHeaderOf[format.RETH[uint64]](w, format.OpWriteOnlyImm, format.ExtRETH)
	if !ok || reth.VA != 0x0102030405060708 || reth.RKey != 0x090A0B0C || reth.DMALen != 0x0D0E0F10 {
		t.Errorf("RETH %+v, %v", reth, ok)
	}
	imm, ok := format.ExtHeaderOf[format.ImmDt[uint64]](w, format.OpWriteOnlyImm, format.ExtImmDt)
	if !ok || imm.Imm != 0x11121314 {
		t.Errorf("ImmDt after RETH %+v, %v", imm, ok)
	}
	ack, ok := format.ExtHeaderOf[format.AtomicAckETH[uint64]](w, format.OpAtomicAck, format.ExtAtomicAckETH)
	if !ok || ack.Original != 0x05060708090A0B0C {
		t.Errorf("AtomicAckETH %+v, %v", ack, ok)
	}
	if _, ok := format.ExtHeaderOf[format.AETH[uint64]](w, format.OpSendOnly, format.ExtAETH); ok {
		t.Error("SEND_ONLY has an AETH")
	}
	if _, err := format.DecodeExt(b, 24); err == nil {
		t.Error("24 of 20 bytes were decoded")
	}
}

// Same looks at every defined field and at no other.
func TestSame(t *testing.T) {
	a := format.RxDescriptor[uint64]{Opcode: uint64(format.OpAcknowledge), PSN: 7}
	b := a
	b.TCI, b.Ext[1], b.Ext[6] = 5, 6, 7
	if !format.Same(a, b) {
		t.Error("undefined fields were compared")
	}
	for name, change := range map[string]func(*format.RxDescriptor[uint64]){
		"PSN":  func(d *format.RxDescriptor[uint64]) { d.PSN++ },
		"AETH": func(d *format.RxDescriptor[uint64]) { d.Ext[0]++ },
		"VLAN": func(d *format.RxDescriptor[uint64]) { d.VLAN++ },
	} {
		c := a
		if change(&c); format.Same(a, c) {
			t.Errorf("%s was not compared", name)
		}
	}
}

// A value without a name is shown as its number, not as another's name.
func TestNamesOfInvalidValues(t *testing.T) {
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{format.Dropped, "dropped"}, {format.Verdict(3), "verdict 3"},
		{format.PayloadSixteen, "16"}, {format.PayloadRule(5), "payload rule 5"},
		{format.ExtDETH, "DETH"}, {format.ExtHeader(7), "extension header 7"},
		{format.WriteOnly, "write"}, {format.RegisterAccess(3), "access 3"},
		{format.QPError, "ERR"}, {format.QPState(7), "state 7"}, {format.QPState(8), "state 8"},
		{format.CmdBusError, "bus error"}, {format.CommandStatus(200), "status 200"},
		{format.Status(3), "status(3)"}, {format.Counter(-1), "counter -1"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if n := format.ExtHeader(7).Size(); n != 0 {
		t.Errorf("a header that does not exist has %d bytes", n)
	}
}
