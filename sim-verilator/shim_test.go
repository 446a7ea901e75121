package verilator

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/tools/toolset"
)

// A register slice and a counter, in Verilog written by hand: the shim is tested without the emitter.
const handWritten = `
module hand (
    input  wire clk, input wire rst,
    input  wire        in_valid, output wire in_ready, input wire [71:0] in_data, input wire in_last,
    output reg         out_valid, input wire out_ready, output reg [71:0] out_data, output reg out_last,
    output reg  [7:0]  count, output wire top_bit
);
    reg [19:0] a__b;
    assign top_bit = a__b[19];
    assign in_ready = ~out_valid | out_ready;
    always @(posedge clk) begin
        if (rst) begin
            out_valid <= 0; count <= 0; a__b <= 0;
        end else begin
            a__b <= a__b + 20'd3;
            if (in_ready) begin
                out_valid <= in_valid;
                out_data <= in_data;
                out_last <= in_last;
            end
            if (out_valid & out_ready) count <= count + 8'd1;
        end
    end
endmodule
`

func handDesign() (*ir.Design, map[string]*ir.Signal) {
	m := &ir.Module{Name: "hand"}
	m.Clocks = []*ir.Clock{{Clk: "clk", Rst: "rst", Module: m}}
	byName := map[string]*ir.Signal{}
	add := func(name string, width int, kind ir.Kind) {
		s := &ir.Signal{Name: name, Width: width, Kind: kind, Module: m}
		m.Signals = append(m.Signals, s)
		byName[name] = s
	}
	add("in_valid", 1, ir.Input)
	add("in_ready", 1, ir.Output)
	add("in_data", 72, ir.Input)
	add("in_last", 1, ir.Input)
	add("out_valid", 1, ir.Output)
	add("out_ready", 1, ir.Input)
	add("out_data", 72, ir.Output)
	add("out_last", 1, ir.Output)
	add("count", 8, ir.Output)
	add("top_bit", 1, ir.Output)
	add("a__b", 20, ir.Reg)
	return &ir.Design{Top: m, Modules: []*ir.Module{m}, All: []*ir.Module{m}}, byName
}

func openHand(t testing.TB, o sim.Options) (sim.Backend, *ir.Design, map[string]*ir.Signal) {
	t.Helper()
	toolset.Need(t, toolset.Verilator)
	toolset.Need(t, toolset.CXX)
	d, signals := handDesign()
	text := describe(d)
	text.files = []file{{"hand.v", handWritten}}
	text.waves = o.Waves != ""
	tools, err := findTools(context.Background())
	require.NoError(t, err)
	build, err := toolset.BuildDir()
	require.NoError(t, err)
	a, err := (&recipe{text, tools}).build(context.Background(), build+"/verilated")
	require.NoError(t, err)
	b, err := start(d, o, a, "verilator")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b, d, signals
}

func handStreams(d *ir.Design, s map[string]*ir.Signal) (in, out sim.StreamPorts) {
	clock := d.Top.Clocks[0]
	in = sim.StreamPorts{Clock: clock, Valid: s["in_valid"], Ready: s["in_ready"], Data: []*ir.Signal{s["in_data"], s["in_last"]}, Last: s["in_last"]}
	out = sim.StreamPorts{Clock: clock, Valid: s["out_valid"], Ready: s["out_ready"], Data: []*ir.Signal{s["out_data"], s["out_last"]}, Last: s["out_last"]}
	return in, out
}

func TestShimMovesBeats(t *testing.T) {
	b, d, s := openHand(t, sim.Options{Seed: 7})
	clock := d.Top.Clocks[0]
	in, out := handStreams(d, s)
	source := b.AddSource(in, sim.Pattern{Kind: sim.Random, Percent: 60, Seed: 1})
	sink := b.AddSink(out, sim.Pattern{Kind: sim.Burst, On: 5, Off: 3, Seed: 2}, sim.SinkOptions{})
	b.Run(sim.RunRequest{Clock: clock, Edges: 3})
	b.SetReset(clock, false)

	var want []uint64
	for i := range uint64(1000) {
		beat := []uint64{i * 0x9e3779b97f4a7c15, i % 251}
		if i%10 == 9 {
			beat[1] |= 1 << 8
		}
		want = append(want, beat...)
	}
	source.Push(want)
	require.Equal(t, 1000, source.Pending())
	r := b.Run(sim.RunRequest{Clock: clock, Edges: 100_000, Stops: []sim.Stop{{Kind: sim.StopFrames, Sink: sink, Value: 100}}})
	require.Equal(t, 0, r.Stop)
	require.EqualValues(t, 1000, sink.Beats())
	require.EqualValues(t, 100, sink.Frames())
	require.Zero(t, source.Pending())
	words, cycles := sink.Take()
	require.Equal(t, want, words)
	require.Len(t, cycles, 1000)
	require.IsIncreasing(t, cycles)
	require.EqualValues(t, b.Cycle(clock)-1, cycles[999])
	require.EqualValues(t, (b.Cycle(clock)-1)*10_000+5_000, b.Time())

	got := make([]uint64, 1)
	b.Get(s["count"], got)
	require.EqualValues(t, 1000%256, got[0])
	value, err := b.Peek("a__b")
	require.NoError(t, err)
	require.EqualValues(t, (b.Cycle(clock)-3)*3, value[0])
	_, err = b.Peek("nosuch")
	require.Error(t, err)
}
