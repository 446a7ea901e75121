package verilator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	"gornic/tools/toolset"
)

// prefix is the name of the C++ class that Verilator makes.
const prefix = "Vdesign"

// tools are the programs of a build, with the versions and flags that its result depends on.
type tools struct {
	verilator, cxx toolset.Tool
	version        string // of Verilator
	cxxBanner      string
	include        string // Verilator's C++ runtime
	processor      string // what -march=native means
}

// knownTools looks for the tools once in a process: asking each for its version takes longer than opening a library.
var knownTools = sync.OnceValues(func() (*tools, error) { return findTools(context.Background()) })

func findTools(ctx context.Context) (*tools, error) {
	t := &tools{processor: processor()}
	var err error
	if t.verilator, err = toolset.Find(toolset.Verilator); err != nil {
		return nil, err
	}
	if t.cxx, err = toolset.Find(toolset.CXX); err != nil {
		return nil, err
	}
	if t.version, err = t.verilator.Version(ctx); err != nil {
		return nil, err
	}
	if t.cxxBanner, err = t.cxx.Banner(ctx); err != nil {
		return nil, err
	}
	root, err := t.verilator.Command(ctx, "--getenv", "VERILATOR_ROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --getenv VERILATOR_ROOT: %w", t.verilator.Path, err)
	}
	t.include = filepath.Join(strings.TrimSpace(string(root)), "include")
	return t, nil
}

// processor is the line of the system's description that says which instructions there are; empty where unknown.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "flags") || strings.HasPrefix(line, "Features") {
			return line
		}
	}
	return runtime.GOARCH
}

func (t *tools) addTo(h io.Writer) {
	fmt.Fprintln(h, t.version, t.cxxBanner, t.include, t.processor, verilatorFlags(true, true), compilerFlags(true))
}

func verilatorFlags(waves, events bool) []string {
	flags := []string{
		"--cc", "-O3", "--prefix", prefix, "--Mdir", "obj", "--timescale", "1ps/1ps",
		// State without reset starts as the seed says.
		"--x-initial", "unique", "--x-assign", "unique",
		// One class holds every variable, so the shim can find each by its name.
		"--flatten",
		// Style is judged by the lint tests.
		"-Wno-fatal", "-DGORNIC_CHECK",
	}
	if waves {
		flags = append(flags, "--trace-fst", "--trace-structs", "--trace-max-width", "4096", "-DGORNIC_WAVES")
	}
	if events {
		flags = append(flags, "-DGORNIC_TRACE", "-DGORNIC_TRACE_QUIET")
	}
	return flags
}

// verilate turns rtl/ into C++ in obj/.
func (t *tools) verilate(ctx context.Context, dir string, d text) error {
	args := append(verilatorFlags(d.waves, len(d.events)+len(d.parts) > 0), "--top-module", d.top)
	for _, f := range d.files {
		args = append(args, filepath.Join("rtl", f.name))
	}
	return run(ctx, t.verilator, dir, args)
}

func compilerFlags(waves bool) []string {
	trace := "0"
	if waves {
		trace = "1"
	}
	return append(instructionSet(),
		"-std=gnu++17", "-fPIC", "-fcf-protection=none", "-w",
		// Several libraries with a runtime each live in one process: none may use the symbols of another.
		"-fvisibility=hidden", "-fno-gnu-unique",
		"-DVM_TRACE="+trace, "-DVM_TRACE_FST="+trace, "-DVM_TRACE_VCD=0", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0",
		"-DVL_TIME_CONTEXT",
	)
}

// instructionSet is that of this machine, but for AVX-512, with which a model was 4 to 10 % slower: docs/measurements.md.
func instructionSet() []string {
	if runtime.GOARCH == "amd64" {
		return []string{"-march=native", "-mno-avx512f"}
	}
	return []string{"-march=native"}
}

// compile makes the library from two files that include all others: what runs in each cycle, and what runs once, which is
// not worth the compiler's effort.
func (t *tools) compile(ctx context.Context, dir, runtimeDir string, d text) error {
	fast, slow, err := t.unite(dir)
	if err != nil {
		return err
	}
	shimDir := filepath.Join(runtimeDir, "shim")
	flags := slices.Concat(compilerFlags(d.waves), t.includes(),
		[]string{"-I.", "-Iobj", "-Ishim", "-I" + shimDir, "-include", filepath.Join(shimDir, commonHeader)})
	err = together(
		func() error { return t.object(ctx, dir, slices.Concat(flags, []string{d.level()}), "fast", fast) },
		func() error { return t.object(ctx, dir, slices.Concat(flags, []string{"-O0"}), "slow", slow) },
	)
	if err != nil {
		return err
	}
	objects, err := filepath.Glob(filepath.Join(runtimeDir, "*.o"))
	if err != nil {
		return err
	}
	args := append([]string{"-shared", "-Wl,-Bsymbolic", "-o", libraryName, "fast.o", "slow.o"}, objects...)
	return run(ctx, t.cxx, dir, append(args, linkLibraries(d.waves)...))
}

func linkLibraries(waves bool) []string {
	if waves {
		return []string{"-lz", "-llz4", "-pthread"}
	}
	return []string{"-pthread"}
}

// unite sorts the C++ files of a build.
func (t *tools) unite(dir string) (fast, slow []string, err error) {
	made, err := filepath.Glob(filepath.Join(dir, "obj", "*.cpp"))
	if err != nil {
		return nil, nil, err
	}
	sort.Strings(made)
	slow = []string{"shim/design.cpp"}
	for _, path := range made {
		name := filepath.Join("obj", filepath.Base(path))
		if strings.Contains(name, "Slow") || strings.Contains(name, "__Trace") {
			slow = append(slow, name)
		} else {
			fast = append(fast, name)
		}
	}
	return fast, slow, nil
}

func (t *tools) object(ctx context.Context, dir string, flags []string, name string, sources []string) error {
	var all strings.Builder
	for _, source := range sources {
		fmt.Fprintf(&all, "#include %q\n", source)
	}
	if err := writeFile(filepath.Join(dir, name+".cpp"), all.String()); err != nil {
		return err
	}
	return run(ctx, t.cxx, dir, append(flags, "-c", name+".cpp", "-o", name+".o"))
}

// together runs a few compilations side by side.
func together(tasks ...func() error) error {
	errs := make([]error, len(tasks))
	var group sync.WaitGroup
	for i, task := range tasks {
		group.Go(func() { errs[i] = task() })
	}
	group.Wait()
	return errors.Join(errs...)
}

// run runs a tool in a folder; its error has what the tool said.
func run(ctx context.Context, tool toolset.Tool, dir string, args []string) error {
	cmd := tool.Command(ctx, args...)
	cmd.Dir = dir
	if ctx.Done() != nil {
		endWithChildren(cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s in %s: %w\n%s", tool.Name, dir, err, out)
	}
	return nil
}

// endWithChildren makes a cancelled tool take along what it started: g++ and verilator are parents of the programs that do
// the work.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}
