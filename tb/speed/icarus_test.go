package speed

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gornic/blocks/rxpath"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"

	"github.com/stretchr/testify/require"
)

// icarusCycles is how many cycles Icarus is given, whatever b.N is: it takes a
// second for a thousand.
const icarusCycles = 2000

// icarus measures a testbench in Verilog: the same frames from a file, every
// output taken at once.
func icarus(b *testing.B, design *hdl.Design, io *rxpath.IO) {
	iverilog, vvp := toolset.Need(b, toolset.Icarus), toolset.Need(b, toolset.Vvp)
	dir := b.TempDir()
	files, err := verilog.Emit(design, verilog.Options{})
	require.NoError(b, err)
	args := []string{"-g2005", "-o", "tb.vvp", "-s", "tb", "tb.v"}
	for _, f := range files {
		require.NoError(b, os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), f.Text, 0o644))
		args = append(args, filepath.Base(f.Name))
	}
	s, err := sim.New(design, sim.Options{})
	require.NoError(b, err)
	in := sim.NewSource(s, io.In, sim.Pattern{})
	bits := in.Ports().BeatWidth()
	require.NoError(b, os.WriteFile(filepath.Join(dir, "beats.hex"), hexBeats(traffic(in, icarusCycles), bits), 0o644))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "tb.v"), []byte(bench(design.Top.Name, bits)), 0o644))

	compile := iverilog.Command(b.Context(), args...)
	compile.Dir = dir
	out, err := compile.CombinedOutput()
	require.NoError(b, err, "%s", out)
	run := vvp.Command(b.Context(), "-n", "tb.vvp")
	run.Dir = dir
	b.ResetTimer()
	out, err = run.CombinedOutput()
	b.StopTimer()
	require.NoError(b, err, "%s", out)
	require.Contains(b, string(out), fmt.Sprintf("%d cycles", icarusCycles))
	used := run.ProcessState.UserTime() + run.ProcessState.SystemTime()
	b.ReportMetric(icarusCycles/max(used, time.Millisecond).Seconds(), "cycles/CPU-s")
}

// hexBeats writes beats as $readmemh reads them.
func hexBeats(words []uint64, bits int) []byte {
	var out bytes.Buffer
	n := (bits + 63) / 64
	for ; len(words) > 0; words = words[n:] {
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(&out, "%016x", words[i])
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// bench is the testbench. The fields of a beat lie as in sim.StreamPorts.
func bench(top string, bits int) string {
	return fmt.Sprintf(`module tb;
    reg clk = 0, rst = 1;
    reg [%[2]d:0] beats [0:65535];
    reg [31:0] at = 0, cycles = 0;
    wire ready;
    wire [%[3]d:0] beat = beats[at];
    %[1]s dut (
        .clk(clk), .rst(rst), .in_valid(!rst), .in_ready(ready),
        .in_data(beat[511:0]), .in_keep(beat[575:512]), .in_last(beat[576]), .in_err(beat[577]),
        .header_ready(1'b1), .payload_ready(1'b1), .raw_ready(1'b1)
    );
    initial $readmemh("beats.hex", beats);
    always #5 clk = !clk;
    always @(posedge clk) begin
        cycles <= cycles + 1;
        rst <= cycles < 2;
        if (!rst && ready) at <= at + 1;
        if (cycles == %[4]d) begin
            $display("%%0d cycles", cycles);
            $finish;
        end
    end
endmodule
`, top, (bits+63)/64*64-1, bits-1, icarusCycles)
}
