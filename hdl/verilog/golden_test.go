package verilog_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"gornic/hdl/verilog"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// The text of each design is pinned, so that a change of the emitter shows as
// a change of Verilog.
func TestGolden(t *testing.T) {
	for _, d := range designs {
		t.Run(d.name, func(t *testing.T) {
			files, err := verilog.Emit(d.build(t), verilog.Options{Checks: true, Events: true, Waves: true, Models: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				compare(t, filepath.Join("testdata", d.name, filepath.FromSlash(f.Name)), f.Text)
			}
		})
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at the change and accept it with go test ./hdl/verilog -update\n%s", path, got)
	}
}
