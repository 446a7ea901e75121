package sweep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// unfinished is what a file is called until it is whole.
const unfinished = ".unfinished-*"

// tempFile is a file that gets its name when it is whole.
type tempFile interface {
	io.Writer
	Name() string
	Sync() error
	Close() error
}

func create(dir string) (tempFile, error) { return os.CreateTemp(dir, unfinished) }

// WriteFile writes a file, and the folder that it is in: all of it, or what was there before stays.
func WriteFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := replace(path, text, create); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// replace puts a file in place when it is whole and on disk.
func replace(path string, text []byte, create func(dir string) (tempFile, error)) (err error) {
	f, err := create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Produce has do make a file that gets its name when it is whole; do is given the name until then.
func Produce(path string, do func(unfinished string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), unfinished)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is of no use
	name := filepath.Join(dir, filepath.Base(path))
	if err := do(name); err != nil {
		return err
	}
	if err := os.Rename(name, path); err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Unwrap(err))
	}
	return nil
}
