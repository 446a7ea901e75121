package pads_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/pads"
	"gornic/fpga/board"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
	"gornic/tools/toolset"
)

// icarus runs modules, the models of the primitives and a bench, and returns what the bench prints.
func icarus(t *testing.T, bench string, designs ...*hdl.Design) []string {
	iverilog, vvp := toolset.Need(t, toolset.Icarus), toolset.Need(t, toolset.Vvp)
	files := []verilog.File{{Name: "models.v", Text: []byte(pads.Models())}, {Name: "tb.v", Text: []byte(bench)}}
	for _, d := range designs {
		emitted, err := verilog.Emit(d, verilog.Options{})
		require.NoError(t, err)
		files = append(files, emitted...)
	}
	dir := t.TempDir()
	names, err := verilog.Write(dir, files)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := func(tool toolset.Tool, args ...string) string {
		cmd := tool.Command(ctx, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	run(iverilog, append([]string{"-g2005", "-o", "tb.vvp", "-s", "tb"}, names...)...)
	return strings.Split(run(vvp, "-n", filepath.Join(dir, "tb.vvp")), "\n")
}

func build[IO any](t *testing.T, def hdl.Def[IO]) *hdl.Design {
	d, _ := hdltest.Build(t, def)
	return d
}

const loopback = "`timescale 1ps / 1ps" + `
module tb;
    reg clock = 0;
    always #4000 clock = ~clock;
    reg reset = 1;
    reg [3:0] rise = 0, fall = 0;
    reg rise_ctl = 0, fall_ctl = 0;
    wire txc, ctl;
    wire [3:0] data;
    rgmii_tx_pads_%d tx (.clock(clock), .reset(reset), .pins_rise_data(rise), .pins_rise_ctl(rise_ctl),
        .pins_fall_data(fall), .pins_fall_ctl(fall_ctl), .txc(txc), .ctl(ctl), .data(data));
    wire [3:0] got_rise, got_fall;
    wire got_rise_ctl, got_fall_ctl;
    wire #%d inside = txc; // the way of the clock through the FPGA
    rgmii_rx_pads_%d rx (.clock(inside), .reset(reset), .ctl(ctl), .data(data), .delay_load_n(1'b1), .delay_move(1'b0), .delay_direction(1'b0),
        .pins_rise_data(got_rise), .pins_rise_ctl(got_rise_ctl), .pins_fall_data(got_fall), .pins_fall_ctl(got_fall_ctl));
    integer n;
    initial begin
        #20000 reset = 0;
        for (n = 0; n < 64; n = n + 1) begin
            @(posedge clock);
            #1000;
            rise = n; fall = n >> 2; rise_ctl = n[0]; fall_ctl = n[1];
        end
        #100000 $finish;
    end
    always @(negedge inside) if (!reset) $display("%%h %%h %%h %%h", got_rise, got_fall, got_rise_ctl, got_fall_ctl);
endmodule
`

// What goes in at one end comes out at the other, nibble by nibble, if the sender has the clock in the middle of the data
// and the receiver delays the data as its clock is delayed inside.
func TestLoopback(t *testing.T) {
	for name, c := range map[string]struct {
		tx, inside, rx int // taps, ps, taps
		same           bool
	}{
		"no delay inside": {80, 0, 0, true}, "made good for": {80, 2000, 80, true}, "nearly": {80, 2000, 30, true},
		"not made good for": {80, 2100, 0, false}, "too much": {80, 0, 90, false},
	} {
		t.Run(name, func(t *testing.T) {
			out := icarus(t, fmt.Sprintf(loopback, c.tx, c.inside, c.rx), build(t, pads.TxDef(c.tx)), build(t, pads.RxDef(c.rx)))
			var want []string
			for n := 1; n < 64; n++ {
				want = append(want, fmt.Sprintf("%x %x %x %x", n&15, n>>2&15, n&1, n>>1&1))
			}
			text := strings.Join(out, "\n")
			require.Equal(t, c.same, strings.Contains(text, strings.Join(want, "\n")), "%s", text)
		})
	}
}

const delays = "`timescale 1ps / 1ps" + `
module tb;
    reg clk = 0;
    always #8000 clk = ~clk;
    reg rst = 1;
    reg [6:0] target = 80;
    wire [6:0] taps;
    wire load_n, move, direction, z, flag;
    delay_stepper_80 stepper (.clk(clk), .rst(rst), .target(target), .taps(taps), .moves_load_n(load_n), .moves_move(move), .moves_direction(direction));
    reg a = 0;
    DELAYF #(.DEL_VALUE(80)) line (.A(a), .LOADN(load_n), .MOVE(move), .DIRECTION(direction), .Z(z), .CFLAG(flag));
    time at;
    task measure;
        begin
            a = ~a;
            at = $time;
            @(z) $display("%0d %0d", taps, $time - at);
        end
    endtask
    initial begin
        #100000 rst = 0;
        #100000 measure;
        target = 127; #10000000 measure;
        target = 3;   #20000000 measure;
        target = 4;   #1000000  measure;
        target = 1;   #1000000  measure;
        rst = 1; #100000 rst = 0; target = 80; #100000 measure;
        $finish;
    end
endmodule
`

func TestStepperMovesTheDelay(t *testing.T) {
	out := icarus(t, delays, build(t, pads.StepperDef(80)))
	require.Equal(t, []string{"80 2000", "127 3175", "3 75", "4 100", "1 25", "80 2000"}, out)
}

const clocks = "`timescale 1ps / 1ps" + `
module tb;
    reg in = 0;
    always #%d in = ~in;
    wire net, core, locked, reset;
    reg hold = 0;
    %s u (.in(in), .net(net), .core(core), .locked(locked));
    reset_release r (.clock(core), .hold(~locked | hold), .reset(reset));
    integer nets = 0, cores = 0, cycles = 0;
    time at;
    initial begin
        #1 if (!reset) $display("no reset at the start");
        @(negedge reset);
        at = $time;
        fork
            repeat (1000) @(posedge net) nets = nets + 1;
            begin #8000000; $display("%%0d %%0d", nets, cores); end
            repeat (10000) @(posedge core) cores = cores + 1;
            begin
                #1000100 hold = 1;
                #1 $display("reset %%b", reset);
                #100000 hold = 0;
                repeat (3) @(posedge core);
                #1 $display("reset %%b", reset);
                @(posedge core);
                #1 $display("reset %%b", reset);
            end
            begin #8000001 $finish; end
        join
    end
endmodule
`

// In 8 us there are 1000 cycles of 125 MHz, and as many of the core as the board says.
func TestClocks(t *testing.T) {
	for _, b := range board.All() {
		t.Run(b.Name, func(t *testing.T) {
			pll := build(t, pads.PLLDef(b.PLL))
			bench := fmt.Sprintf(clocks, 1_000_000_000_000/b.PLL.Hz/2, pll.Top.Name)
			out := icarus(t, bench, pll, build(t, pads.ResetDef()))
			require.Equal(t, []string{"reset 1", "reset 1", "reset 0"}, out[:3])
			var nets, cores int
			_, err := fmt.Sscan(out[3], &nets, &cores)
			require.NoError(t, err)
			require.InDelta(t, 1000, nets, 1)
			require.InDelta(t, b.PLL.CoreHz()/125_000, cores, 1)
		})
	}
}

func TestStepper(t *testing.T) {
	design, io := hdltest.Build(t, pads.StepperDef(10))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		s.Set(io.Target, 10)
		s.Reset(2)
		for _, target := range []uint64{10, 13, 0, 127, 126} {
			s.Set(io.Target, target)
			s.Run(8*127 + 8)
			require.Equal(t, target, s.Get(io.Taps))
			require.Zero(t, s.Get(io.Moves.Move))
		}
	}, verilator.Simulator)
}

func TestLint(t *testing.T) {
	for _, d := range []*hdl.Design{
		build(t, pads.RxDef(80)), build(t, pads.TxDef(0)), build(t, pads.StepperDef(80)), build(t, pads.PLLDef(board.I9().PLL)),
		build(t, pads.ResetDef()),
	} {
		lint.Check(t, d)
	}
}

func TestDelaysThatDoNotExist(t *testing.T) {
	for _, taps := range []int{-1, 128} {
		_, _, err := hdl.Build(pads.RxDef(taps))
		require.ErrorContains(t, err, "not 0 to 127")
		_, _, err = hdl.Build(pads.TxDef(taps))
		require.ErrorContains(t, err, "not 0 to 127")
		_, _, err = hdl.Build(pads.StepperDef(taps))
		require.ErrorContains(t, err, "not 0 to 127")
	}
}
