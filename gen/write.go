package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gornic/hdl/verilog"
)

// write puts every file in place, each at once, and removes Verilog files of
// modules that are no more.
func (o *output) write(w io.Writer) error {
	changed := 0
	for _, path := range o.paths() {
		old, err := os.ReadFile(path)
		if err == nil && bytes.Equal(old, o.files[path]) {
			continue
		}
		if err := verilog.Replace(path, o.files[path]); err != nil {
			return err
		}
		changed++
	}
	stale, err := o.leftOver()
	if err != nil {
		return err
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%d files, %d changed, %d removed\n", len(o.files), changed, len(stale))
	return nil
}

// check compares every file with what is there and names those that differ.
func (o *output) check(w io.Writer) (ok bool, err error) {
	differ := 0
	for _, path := range o.paths() {
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(w, "%s is missing\n", path)
		case err != nil:
			return false, err
		case !bytes.Equal(old, o.files[path]):
			fmt.Fprintf(w, "%s:%d differs from what the generators write\n", path, firstDifference(old, o.files[path]))
		default:
			continue
		}
		differ++
	}
	stale, err := o.leftOver()
	if err != nil {
		return false, err
	}
	for _, path := range stale {
		fmt.Fprintf(w, "%s belongs to no module\n", path)
		differ++
	}
	if differ > 0 {
		fmt.Fprintf(w, "%d files differ: run `go run ./gen`\n", differ)
		return false, nil
	}
	fmt.Fprintf(w, "%d files are as the generators write them\n", len(o.files))
	return true, nil
}

// firstDifference returns the line, from 1, in which two texts first differ.
func firstDifference(a, b []byte) int {
	line := 1
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

// generatedMark is the line by which a generated Verilog file is known.
var generatedMark = []byte("gornic")

// leftOver returns generated Verilog files of the folder that this run does
// not write. Files that a person put there are let be.
func (o *output) leftOver() ([]string, error) {
	found, err := filepath.Glob(filepath.Join(o.rtl, "*.v"))
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, path := range found {
		if _, ours := o.files[path]; ours {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if head, _, _ := bytes.Cut(text, []byte("\nmodule ")); bytes.Contains(head, generatedMark) {
			stale = append(stale, path)
		}
	}
	return stale, nil
}
