package verilog

import (
	"errors"
	"os"
	"path/filepath"
)

// Write writes the files into a folder, which is made, and returns their
// names in it, each as [Replace] does.
func Write(dir string, files []File) (names []string, err error) {
	for _, f := range files {
		if err := Replace(filepath.Join(dir, filepath.FromSlash(f.Name)), f.Text); err != nil {
			return nil, err
		}
		names = append(names, f.Name)
	}
	return names, nil
}

// Replace puts a text into a file, in a folder that is made, in one step: who
// reads it meanwhile sees the old text or the new one.
func Replace(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".verilog-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already when all went well
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
