package flow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/tools/toolset"
)

type counterIO struct {
	Step  hdl.Bits `hdl:"in" w:"8"`
	Count hdl.Bits `hdl:"out" w:"24"`
}

// counter is a design with a path through an instance.
func counter() hdl.Def[counterIO] {
	return hdl.Def[counterIO]{Name: "counter", IO: counterIO{}, Body: func(m *hdl.Module, io *counterIO) {
		held := hdl.Instance(m, "u_held", register())
		held.D.Set(io.Step)
		sum := m.Reg("sum", 24, 0)
		sum.Set(sum.Add(held.Q.ZExt(24)))
		io.Count.Set(sum.Not())
	}}
}

type registerIO struct {
	D hdl.Bits `hdl:"in" w:"8"`
	Q hdl.Bits `hdl:"out" w:"8"`
}

func register() hdl.Def[registerIO] {
	return hdl.Def[registerIO]{Name: "held_byte", IO: registerIO{}, Body: func(m *hdl.Module, io *registerIO) {
		held := m.Reg("held", 8, 0)
		held.Set(io.D)
		io.Q.Set(held)
	}}
}

func counterDesign(t *testing.T) *hdl.Design {
	t.Helper()
	d, _, err := hdl.Build(counter())
	require.NoError(t, err)
	return d
}

// need skips the test without the tools. nextpnr is no part of what `make test` sets up.
func need(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := toolset.Find(name); err != nil {
			t.Skipf("needs %v", err)
		}
	}
}

func target(hz int) Target {
	return Target{
		Name: "counter", Device: "LFE5U-25F", Package: "CABGA381", Speed: 6,
		Constraints: []byte("SYSCONFIG COMPRESS_CONFIG=ON;\n"),
		Clocks:      []Clock{{Name: "clk", Hz: hz, Margin: 1.15}},
	}
}

// steps notes what a build was at.
type steps struct {
	Quiet
	again []bool
}

func (s *steps) End(_ time.Duration, again bool) { s.again = append(s.again, again) }

func TestBuildOutOfContext(t *testing.T) {
	need(t, toolset.Yosys, toolset.Nextpnr)
	out := t.TempDir()
	counted := &steps{}
	o := Options{Dir: out, Progress: counted}
	wanted := target(50_000_000)
	wanted.OutOfContext = true
	r, err := Build(t.Context(), wanted, counterDesign(t), o)
	require.NoError(t, err)
	require.Equal(t, []bool{false, false}, counted.again)
	require.FileExists(t, filepath.Join(out, "counter", "rtl", "held_byte.v"))
	require.FileExists(t, filepath.Join(out, "counter", "report.json"))

	require.Equal(t, 32, r.Blocks[0].FF)
	require.Equal(t, "counter", r.Blocks[0].Module)
	require.Greater(t, r.Used[placeComb].Used, 8)
	clk := r.Clocks[0]
	require.InDelta(t, 57.5, clk.Needs, 0.001)
	require.Greater(t, clk.Reaches, clk.Needs)
	last := clk.Path[len(clk.Path)-1]
	require.Equal(t, "sum", last.Name)
	require.Contains(t, last.Line, "fpga/flow/build_test.go:")

	// What did not change is not done again, and a clock that is asked for too much fails.
	wanted.Clocks[0].Hz = 900_000_000
	r, err = Build(t.Context(), wanted, counterDesign(t), o)
	var slow *TimingError
	require.ErrorAs(t, err, &slow)
	require.ErrorContains(t, err, "clk reaches")
	require.Equal(t, []bool{false, false, true, false}, counted.again)
	require.Len(t, slow.Clocks, 1)
	require.NotEmpty(t, r.Clocks)
}

func TestBuildMakesABitstream(t *testing.T) {
	need(t, toolset.Yosys, toolset.Nextpnr, toolset.Ecppack)
	out := t.TempDir()
	wanted := target(50_000_000)
	place := func(port, site string) {
		wanted.Constraints = fmt.Appendf(wanted.Constraints, "LOCATE COMP %q SITE %q;\nIOBUF PORT %[1]q IO_TYPE=LVCMOS33;\n", port, site)
	}
	place("clk", "P3")
	place("rst", "K18")
	_, err := Build(t.Context(), wanted, counterDesign(t), Options{Dir: out})
	require.ErrorContains(t, err, "unconstrained", "a port without a pin is an error")

	for i, site := range []string{
		"K2", "L1", "N1", "P1", "G2", "H1", "J1", "J3",
		"P20", "N19", "N20", "M19", "U20", "T19", "T20", "R20", "L19", "M20", "U19", "P19", "H2", "P2", "G1", "K1",
		"B13", "C14", "A16", "A17", "B16", "B15", "A14", "A13",
	} {
		place(portBit(i), site)
	}
	r, err := Build(t.Context(), wanted, counterDesign(t), Options{Dir: out})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(out, "counter", BitFile), r.Bitstream)
	info, err := os.Stat(r.Bitstream)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(1000))

	// A build that fails leaves no bitstream of an earlier one.
	wanted.Clocks[0].Hz = 900_000_000
	_, err = Build(t.Context(), wanted, counterDesign(t), Options{Dir: out})
	require.Error(t, err)
	require.NoFileExists(t, r.Bitstream)
}

type storeIO struct {
	Write hdl.Bits `hdl:"in" w:"1"`
	At    hdl.Bits `hdl:"in" w:"16"`
	In    hdl.Bits `hdl:"in" w:"18"`
	Out   hdl.Bits `hdl:"out" w:"18"`
}

// A design of more block RAMs than the device has is not given to the placer: nextpnr is not needed to say so.
func TestTooLargeForItsDevice(t *testing.T) {
	need(t, toolset.Yosys)
	store := hdl.Def[storeIO]{Name: "store", IO: storeIO{}, Body: func(m *hdl.Module, io *storeIO) {
		ram := m.RAM("ram", 1<<16, 18, hdl.ReadOld)
		ram.Write(io.At, io.Write, io.In)
		io.Out.Set(ram.Read("word", io.At, hdl.K(1, 1)))
	}}
	d, _, err := hdl.Build(store)
	require.NoError(t, err)
	out := t.TempDir()
	r, err := Build(t.Context(), target(50_000_000), d, Options{Dir: out})
	var large *SizeError
	require.ErrorAs(t, err, &large)
	require.ErrorContains(t, err, "counter: too large for an LFE5U-25F: 64 DP16KD of 56")
	require.InDelta(t, 64, r.Blocks[0].RAM, 0)
	require.FileExists(t, filepath.Join(out, "counter", "report.json"))
}

func TestAnInterruptedBuildEnds(t *testing.T) {
	need(t, toolset.Yosys, toolset.Nextpnr)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Build(ctx, target(50_000_000), counterDesign(t), Options{Dir: t.TempDir()})
	require.ErrorIs(t, err, context.Canceled)
}

func TestTargetsThatCannotBe(t *testing.T) {
	for name, spoil := range map[string]func(*Target){
		"no ECP5":        func(t *Target) { t.Device = "XC7A35T" },
		"no name":        func(t *Target) { t.Name = "a/b" },
		"without clocks": func(t *Target) { t.Clocks = nil },
		"margin 0.5":     func(t *Target) { t.Clocks[0].Margin = 0.5 },
	} {
		wrong := target(1)
		spoil(&wrong)
		_, err := Build(t.Context(), wrong, nil, Options{Dir: t.TempDir()})
		require.ErrorContains(t, err, name)
	}
}

func TestSizeForUltraScale(t *testing.T) {
	need(t, toolset.Yosys)
	r, err := Size(t.Context(), "xcup", counterDesign(t), Options{Dir: t.TempDir()})
	require.NoError(t, err)
	require.Equal(t, 32, r.Blocks[0].FF)
	require.Positive(t, r.Blocks[0].Carry)
}

func portBit(i int) string {
	if i < 8 {
		return fmt.Sprintf("step[%d]", i)
	}
	return fmt.Sprintf("count[%d]", i-8)
}
