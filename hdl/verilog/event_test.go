package verilog_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// SenderIO are the ports of a sender.
type SenderIO struct {
	Send    hdl.Bits `hdl:"in" w:"1"`
	Ack     hdl.Bits `hdl:"in" w:"1"`
	Length  hdl.Bits `hdl:"in" w:"40"`
	PSN     hdl.Bits `hdl:"out" w:"24"`
	Waiting hdl.Bits `hdl:"out" w:"1"`
}

// Sender exercises events: a state with names, sums, state of properties, a long
// list of fields, none at all. With checks the properties have wires of their
// own that the events have no use for, one of a single bit.
func Sender(name string, checks bool) hdl.Def[SenderIO] {
	return hdl.Def[SenderIO]{
		Name: name,
		Doc:  "Numbers packets and waits for each to be acknowledged.",
		Body: func(m *hdl.Module, io *SenderIO) {
			st := hdl.NewFSM(m, "st", stHeader, stPayload)
			psn := m.Reg("psn_now", 24, 0)
			sent := st.Is(stHeader).And(io.Send)
			acked := st.Is(stPayload).And(io.Ack)
			m.If(sent, func() { st.Goto(stPayload) })
			m.If(acked, func() {
				st.Goto(stHeader)
				psn.Set(psn.AddK(1))
			})
			io.PSN.Set(psn)
			io.Waiting.Set(st.Is(stPayload))
			m.Unused(io.Length)

			earlier := m.PastReset("psn_before", psn, 0)
			step := psn.Sub(earlier)
			if checks {
				m.Assert("one_by_one", step.LtK(2))
				m.Cover("advances", step.Any())
				m.Cover("waits_on", st.Is(stPayload).And(m.PastReset("waited", st.Is(stPayload), 0)))
			}

			// A packet leaves.
			m.Event("sent", sent,
				hdl.Field("psn", psn), hdl.Field("length", io.Length), hdl.Field("end", io.Length.Add(psn.ZExt(40))),
				hdl.Field("state", st.Reg), hdl.Field("kind", hdl.K(8, 4).Named(opcodes)))
			m.Event("acked", acked, hdl.Field("psn", psn))
			m.Event("next", psn.Ne(earlier), hdl.Field("before", earlier))
			m.Event("ack_ignored", io.Ack.And(acked.Not()))
		},
	}
}

// Senders is two senders, with an event about the input of one of them.
func Senders() hdl.Def[SenderIO] {
	return hdl.Def[SenderIO]{Name: "senders", Body: func(m *hdl.Module, io *SenderIO) {
		first := hdl.Instance(m, "u_first", Sender("first_sender", true))
		second := hdl.Instance(m, "u_second", Sender("second_sender", false))
		for _, u := range []*SenderIO{first, second} {
			u.Length.Set(io.Length)
			u.Ack.Set(io.Ack)
		}
		first.Send.Set(io.Send)
		second.Send.Set(first.Waiting.And(io.Ack.Not()))
		m.Event("passed_on", second.Send, hdl.Field("psn", first.PSN))
		io.Waiting.Set(second.Waiting)
		io.PSN.Set(first.PSN.Xor(second.PSN))
	}}
}

// The text without events is that of a design that has none.
func TestEventsCostNothing(t *testing.T) {
	options := verilog.Options{Checks: true, Waves: true, Positions: true}
	with := emit(t, of(Senders()).build(t), options)
	d := of(Senders()).build(t)
	for _, m := range d.All {
		m.Events = nil
	}
	for i, f := range emit(t, d, options) {
		if !bytes.Equal(f.Text, with[i].Text) {
			t.Errorf("%s differs\n%s", f.Name, with[i].Text)
		}
	}
}

// Events have the state that they share with properties where those are left out.
func TestEventsWithoutChecks(t *testing.T) {
	verilator, iverilog := toolset.Need(t, toolset.Verilator), toolset.Need(t, toolset.Icarus)
	dir := t.TempDir()
	names, err := verilog.Write(dir, emit(t, of(Senders()).build(t), verilog.Options{Events: true}))
	if err != nil {
		t.Fatal(err)
	}
	for _, define := range []string{"-DNONE", "-DGORNIC_TRACE"} {
		command(t, dir, verilator, append([]string{"--lint-only", "-Wall", define, "--top-module", "senders"}, names...)...)
		out := command(t, dir, iverilog, append([]string{"-Wall", "-g2005", define, "-o", "senders.vvp", "-s", "senders"}, names...)...)
		if out != "" {
			t.Errorf("%s: %s", define, out)
		}
	}
}

func TestParseTrace(t *testing.T) {
	for _, c := range []struct {
		line string
		want verilog.Trace
		ok   bool
	}{
		{"TRACE 1250 tb.dut.u_sq sent psn=1f end=ffffffffffffffff", verilog.Trace{
			Time: 1250, Path: "tb.dut.u_sq", Name: "sent",
			Fields: []verilog.TraceField{{Name: "psn", Value: 0x1f}, {Name: "end", Value: ^uint64(0)}},
		}, true},
		{"  TRACE 0 top idle\r", verilog.Trace{Path: "top", Name: "idle"}, true},
		{"TRACE 5 top sent psn=1x", verilog.Trace{
			Time: 5, Path: "top", Name: "sent", Fields: []verilog.TraceField{{Name: "psn", Unknown: true}},
		}, true},
		{"TRACE 5 top", verilog.Trace{}, false},
		{"TRACE five top sent", verilog.Trace{}, false},
		{"TRACE 5 top sent psn", verilog.Trace{}, false},
		{"TRACE 5 top sent psn=g", verilog.Trace{}, false},
		{"ASSERT tb.dut bounded ?", verilog.Trace{}, false},
	} {
		got, ok := verilog.ParseTrace(c.line)
		if ok != c.ok || !equalTrace(got, c.want) {
			t.Errorf("%q: %v %v", c.line, got, ok)
		}
	}
}

func equalTrace(a, b verilog.Trace) bool {
	return a.Time == b.Time && a.Path == b.Path && a.Name == b.Name && slices.Equal(a.Fields, b.Fields)
}

const sendersBench = `module tb;
    reg clk = 1'b0, rst = 1'b1, ack = 1'b0;
    wire [23:0] psn;
    wire waiting;
    senders dut (.clk(clk), .rst(rst), .send(1'b1), .ack(ack), .length(40'h123), .psn(psn), .waiting(waiting));
    initial begin
        repeat (60) begin
            #5 clk = 1'b1;
            #1 rst = 1'b0;
            ack = !ack;
            #4 clk = 1'b0;
        end
        $finish(0);
    end
endmodule
`

// What Icarus prints is what the native simulator collects, at the same times.
func TestEventsOfIcarus(t *testing.T) {
	iverilog, vvp := toolset.Need(t, toolset.Icarus), toolset.Need(t, toolset.Vvp)
	dir := t.TempDir()
	files := emit(t, of(Senders()).build(t), verilog.Options{Checks: true, Events: true})
	names, err := verilog.Write(dir, append(files, verilog.File{Name: "tb.v", Text: []byte(sendersBench)}))
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, iverilog, append([]string{"-g2005", "-DGORNIC_TRACE", "-o", "tb.vvp", "-s", "tb"}, names...)...)
	got := eventLines(command(t, dir, vvp, "-n", "tb.vvp"))
	want := sendersEvents(t)
	if len(want) < 60 || !slices.Equal(got, want) {
		t.Errorf("Icarus:\n%s\nnative:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// eventLines are the events in the output of a simulator, in an order of their own.
func eventLines(out string) []string {
	var list []string
	for line := range strings.Lines(out) {
		if e, ok := verilog.ParseTrace(line); ok {
			list = append(list, fmt.Sprint(e.Time, strings.TrimPrefix(e.Path, "tb.dut"), e.Name, e.Fields))
		}
	}
	slices.Sort(list)
	return list
}

// sendersEvents runs the bench of senders in the native simulator.
func sendersEvents(t *testing.T) []string {
	d, io, err := hdl.Build(Senders())
	if err != nil {
		t.Fatal(err)
	}
	s, err := sim.New(d, sim.Options{Events: true, Clocks: map[string]sim.Timing{"": {Period: 10}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Reset(1)
	s.Set(io.Send, 1)
	s.Set(io.Length, 0x123)
	for i := range uint64(59) {
		s.Set(io.Ack, 1-i%2)
		s.Step()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range s.Events() {
		var fields []verilog.TraceField
		for _, f := range e.Fields {
			fields = append(fields, verilog.TraceField{Name: f.Name, Value: f.Value})
		}
		path := ""
		if e.Path != "" {
			path = "." + e.Path
		}
		list = append(list, fmt.Sprint(e.Time, path, e.Name, fields))
	}
	slices.Sort(list)
	return list
}
