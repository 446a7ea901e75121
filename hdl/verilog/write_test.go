package verilog_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gornic/hdl/verilog"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "rtl")
	files := []verilog.File{{Name: "a.v", Text: []byte("one\n")}, {Name: "models/b.v", Text: []byte("two\n")}}
	for range 2 { // over what is there
		names, err := verilog.Write(dir, files)
		if err != nil || !slices.Equal(names, []string{"a.v", "models/b.v"}) {
			t.Fatal(names, err)
		}
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil || string(text) != string(f.Text) {
			t.Errorf("%s: %q, %v", f.Name, text, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("%d entries, want a.v and models", len(entries))
	}
	if _, err := verilog.Write(filepath.Join(dir, "a.v"), files); err == nil {
		t.Error("wrote into a file")
	}
}
