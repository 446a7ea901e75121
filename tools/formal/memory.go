package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gornic/hdl"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// memory keeps the outcomes of what passed.
type memory struct{ dir string }

// method is raised when package formal asks other questions about the same Verilog.
const method = 4

// keyOf is a hash of all that the outcome depends on.
func keyOf(ctx context.Context, p hdl.Proof, design *hdl.Design, mutants int) (string, error) {
	files, err := verilog.Emit(design, verilog.Options{Checks: true})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, method, p.Name, p.Depth, p.Induction, p.NoCovers, mutants, p.Faults)
	if p.Bounded {
		fmt.Fprintln(h, "bounded")
	}
	solver := toolset.Z3
	if p.Solver == hdl.ABC {
		solver = toolset.ABC
	}
	for _, name := range []string{toolset.Yosys, solver} {
		tool, err := toolset.Find(name)
		if err != nil {
			return "", err
		}
		version, err := tool.Version(ctx)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, name, version)
	}
	for _, f := range files {
		fmt.Fprintf(h, "%s %d\n%s", f.Name, len(f.Text), f.Text)
	}
	return hex.EncodeToString(h.Sum(nil))[:20], nil
}

func (m memory) recall(key string) (outcome, bool) {
	var o outcome
	text, err := os.ReadFile(filepath.Join(m.dir, key+".json"))
	if err != nil {
		return o, false
	}
	return o, json.Unmarshal(text, &o) == nil
}

func (m memory) keep(key string, o outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.dir, key+".json"), text, 0o644)
}
