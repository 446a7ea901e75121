package litex_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/fpga/litex"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	verilator "gornic/sim-verilator"
	"gornic/tb/rtl"
	"gornic/tools/toolset"
	"gornic/verbs"
)

var pypi = flag.Bool("pypi", false, "fetch LiteX from PyPI where it is not there")

// python is an interpreter that has LiteX, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	build, err := toolset.BuildDir()
	require.NoError(t, err)
	dir := filepath.Join(build, "fpga", "venv")
	path := filepath.Join(dir, "bin", "python")
	if exec.Command(path, "-c", "import litex, liteeth, migen").Run() == nil {
		return path
	}
	// A test does not go to the network unless it is asked to.
	if !*pypi {
		t.Skip("needs LiteX: go test ./fpga/litex -pypi fetches it from PyPI")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for _, argv := range [][]string{
		{"python3", "-m", "venv", dir},
		{path, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", "requirements.txt"},
	} {
		if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("LiteX was asked for: %v: %v\n%s", argv, err, out)
		}
	}
	return path
}

// generated has the core written, then LiteX's SoC around it, and returns all files.
func generated(t *testing.T) []verilog.File {
	t.Helper()
	interpreter := python(t)
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	design, _, err := rtl.Build(config)
	require.NoError(t, err)
	files, err := verilog.Emit(design, verilog.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	var list strings.Builder
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o644))
		fmt.Fprintln(&list, f.Name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gornic.f"), []byte(list.String()), 0o644))
	out, err := exec.CommandContext(t.Context(), interpreter, "gornic_litex.py", "--rtl", dir, "--out", dir,
		fmt.Sprintf("--registers=%#x", litex.Registers), fmt.Sprintf("--memory=%#x", litex.Memory),
		fmt.Sprintf("--memory-bytes=%d", litex.MemoryBytes)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(filepath.Join(dir, "gornic_litex.v"))
	require.NoError(t, err)
	return append(files, verilog.File{Name: "gornic_litex.v", Text: undated(t, text)})
}

// undated is LiteX's Verilog without the lines that say when it was made: what did not change is not compiled again.
func undated(t *testing.T, text []byte) []byte {
	t.Helper()
	var kept strings.Builder
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), "//") {
			fmt.Fprintln(&kept, lines.Text())
		}
	}
	require.NoError(t, lines.Err())
	return []byte(kept.String())
}

func open(t *testing.T) *litex.Host {
	t.Helper()
	toolset.Need(t, toolset.Verilator)
	files := generated(t)
	design, io, err := hdl.Build(litex.Def())
	require.NoError(t, err)
	start, err := verilator.PrepareReplaced(t.Context(), design, files)
	require.NoError(t, err)
	s, err := sim.Start(start, design, sim.Options{Seed: 1, NoChecks: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	h, err := litex.NewHost(s, io)
	require.NoError(t, err)
	return h
}

// end is a queue pair and its buffer.
type end struct {
	buffer *verbs.Buffer
	mr     *verbs.MR
	cq     *verbs.CQ
	qp     *verbs.QP
}

func newEnd(t *testing.T, d *verbs.Device, pd *verbs.PD) end {
	t.Helper()
	ctx := t.Context()
	var e end
	var err error
	e.buffer, err = d.AllocBuffer(4096, 64)
	require.NoError(t, err)
	e.mr, err = pd.RegMR(ctx, e.buffer.Addr(), e.buffer.Size(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	require.NoError(t, err)
	e.cq, err = d.CreateCQ(ctx, verbs.CQInitAttr{Entries: 8})
	require.NoError(t, err)
	e.qp, err = pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.cq, RecvCQ: e.cq, Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	require.NoError(t, err)
	return e
}

// TestWriteThroughLiteX opens the device behind LiteX's bus, and has one queue pair write to another through the
// MAC and back, in packets of several sizes.
func TestWriteThroughLiteX(t *testing.T) {
	h := open(t)
	ctx := t.Context()
	mac := verbs.MAC{2, 0, 0, 0, 0, 1}
	address := netip.AddrFrom4([4]byte{10, 0, 0, 1})
	d, err := verbs.Open(ctx, h, verbs.Config{MAC: mac})
	require.NoError(t, err, "the device says what it is")
	pd, err := d.AllocPD()
	require.NoError(t, err)
	ends := [2]end{newEnd(t, d, pd), newEnd(t, d, pd)}
	for i, e := range ends {
		peer := ends[1-i]
		require.NoError(t, e.qp.Connect(ctx, verbs.QPAttr{
			Access: verbs.AccessRemoteWrite, Port: 1, PathMTU: verbs.MTU256, AH: verbs.AHAttr{Src: address, Dst: address, DstMAC: mac},
			DestQPN: peer.qp.QPN(), SQPSN: 10, RQPSN: 10, MaxRDAtomic: 1, MaxDestRDAtomic: 1, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
		}))
	}
	for i, n := range []int{64, 1, 256, 700} {
		data := make([]byte, n)
		for j := range data {
			data[j] = byte(i*37 + j*11)
		}
		a, b := ends[i%2], ends[1-i%2]
		require.NoError(t, a.buffer.Write(ctx, 0, data))
		require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
			WRID: uint64(i), Opcode: verbs.WRWrite, Flags: verbs.SendSignaled,
			SGL: []verbs.SGE{a.mr.SGE(0, uint32(n))}, RemoteAddr: b.mr.Addr() + 2048 + uint64(i), RKey: b.mr.RKey(),
		}))
		require.Equal(t, verbs.StatusSuccess, completion(t, h, a.cq).Status, "%d bytes", n)
		got := make([]byte, n)
		require.NoError(t, b.buffer.Read(ctx, 2048+uint64(i), got))
		require.Equal(t, data, got, "%d bytes", n)
	}
	require.NoError(t, d.Close(ctx))
}

// completion waits for the next one, in a bounded number of waits.
func completion(t *testing.T, h *litex.Host, cq *verbs.CQ) verbs.WC {
	t.Helper()
	wc := make([]verbs.WC, 1)
	for range 100 {
		n, err := cq.Poll(t.Context(), wc)
		require.NoError(t, err)
		if n == 1 {
			return wc[0]
		}
		require.NoError(t, h.Wait(t.Context()))
	}
	t.Fatal("no completion")
	return verbs.WC{}
}
