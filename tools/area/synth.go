package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// A synthesizer runs Yosys and remembers what came out.
type synthesizer struct {
	yosys   toolset.Tool
	version string
	cache   string // folder

	families []family // that are wanted
}

func newSynthesizer(ctx context.Context, yosysPath string) (*synthesizer, error) {
	build, err := toolset.BuildDir()
	if err != nil {
		return nil, err
	}
	yosys := toolset.Tool{Name: toolset.Yosys, Path: yosysPath}
	if yosysPath == "" {
		if yosys, err = toolset.Find(toolset.Yosys); err != nil {
			return nil, err
		}
	}
	version, err := yosys.Version(ctx)
	if err != nil {
		return nil, err
	}
	return &synthesizer{yosys: yosys, version: version, cache: filepath.Join(build, "area"), families: families()}, nil
}

// size synthesizes a design for a family.
func (s *synthesizer) size(ctx context.Context, d *ir.Design, f family) (Size, error) {
	files, err := verilog.Emit(d, verilog.Options{})
	if err != nil {
		return Size{}, err
	}
	known := filepath.Join(s.cache, s.hash(d, f, files)+".json")
	if size, err := readSize(known); err == nil {
		return size, nil
	}
	size, err := s.run(ctx, d.Top.Name, files, f)
	if err != nil {
		return Size{}, fmt.Errorf("%s for %s: %w", d.Top.Name, f.Name, err)
	}
	return size, writeSize(known, size)
}

// measure is raised when the same netlist would give other numbers.
const measure = 2

func (s *synthesizer) hash(d *ir.Design, f family, files []verilog.File) string {
	h := sha256.New()
	fmt.Fprintln(h, measure, s.version, d.Top.Name, f.script)
	for _, file := range files {
		fmt.Fprintf(h, "%s %d\n%s", file.Name, len(file.Text), file.Text)
	}
	return hex.EncodeToString(h.Sum(nil))[:20]
}

func (s *synthesizer) run(ctx context.Context, top string, files []verilog.File, f family) (Size, error) {
	dir, err := os.MkdirTemp("", "area")
	if err != nil {
		return Size{}, err
	}
	defer os.RemoveAll(dir)
	var names []string
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, file.Name), file.Text, 0o644); err != nil {
			return Size{}, err
		}
		names = append(names, file.Name)
	}
	cmd := s.yosys.Command(ctx, "-p", f.commands(top, names, "netlist.json"))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return Size{}, fmt.Errorf("yosys: %w\n%s", err, lastLines(string(out), 8))
	}
	text, err := os.ReadFile(filepath.Join(dir, "netlist.json"))
	if err != nil {
		return Size{}, err
	}
	n, err := parseNetlist(text, top)
	if err != nil {
		return Size{}, err
	}
	return n.size()
}

func readSize(path string) (Size, error) {
	var size Size
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &size)
	}
	return size, err
}

func writeSize(path string, size Size) error {
	text, err := json.Marshal(size)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
