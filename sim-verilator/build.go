package verilator

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

//go:embed shim
var shim embed.FS

// An artefact is a compiled design.
type artefact struct {
	library string          // path of the shared library
	peeks   map[string]peek // variables that survived, by path
}

// A recipe is all that an artefact depends on.
type recipe struct {
	text  text
	tools *tools
}

const (
	libraryName = "design.so"
	peeksName   = "peeks.json"
)

// build returns the artefact of a recipe, from the cache or by making it. Two processes that want the same one make it
// once.
func (r *recipe) build(ctx context.Context, cache string) (*artefact, error) {
	dir := filepath.Join(cache, r.hash())
	if a, err := openArtefact(dir); err == nil {
		return a, nil
	}
	unlock, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if a, err := openArtefact(dir); err == nil {
		return a, nil
	}
	if err := r.make(ctx, cache, dir); err != nil {
		return nil, fmt.Errorf("verilate %s: %w", r.text.top, err)
	}
	return openArtefact(dir)
}

// make builds beside the place of the artefact and moves it there, so that a folder with the right name is whole.
func (r *recipe) make(ctx context.Context, cache, dir string) (err error) {
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	defer func() {
		if err == nil { // after an error the files are left to be looked at
			err = replaceFolder(dir, part)
		}
	}()
	if err := r.write(part); err != nil {
		return err
	}
	if err := r.tools.verilate(ctx, part, r.text); err != nil {
		return err
	}
	found, err := findVariables(filepath.Join(part, "obj", prefix+"___024root.h"))
	if err != nil {
		return err
	}
	if err := r.writeTable(part, found); err != nil {
		return err
	}
	runtime, err := r.tools.runtime(ctx, cache, r.text.waves)
	if err != nil {
		return err
	}
	return r.tools.compile(ctx, part, runtime, r.text)
}

// replaceFolder moves a folder to a place where there may be one that lacks something.
func replaceFolder(dir, by string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(by, dir)
}

// write lays out the sources: rtl/, and the part of the shim that is compiled with each design.
func (r *recipe) write(part string) error {
	for _, f := range r.text.files {
		if err := writeFile(filepath.Join(part, "rtl", f.name), f.text); err != nil {
			return err
		}
	}
	binding, err := shim.ReadFile("shim/design.cpp")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(part, "shim", "design.cpp"), string(binding))
}

// hash is the name of the artefact's folder.
func (r *recipe) hash() string {
	h := sha256.New()
	for _, f := range r.text.files {
		fmt.Fprintf(h, "%s %d\n%s", f.name, len(f.text), f.text)
	}
	fmt.Fprintln(h, r.text.top, r.text.waves, r.text.ports, r.text.clocks, r.text.covers, r.text.events, r.text.parts)
	for _, s := range r.text.signals {
		fmt.Fprintln(h, s)
	}
	if r.text.replaced {
		fmt.Fprintln(h, r.text.level())
	}
	r.tools.addTo(h)
	addShim(h)
	return hex.EncodeToString(h.Sum(nil))[:20]
}

func addShim(h io.Writer) {
	entries, err := shim.ReadDir("shim")
	if err != nil {
		return // an embedded folder cannot fail to be read
	}
	for _, e := range entries {
		text, _ := shim.ReadFile("shim/" + e.Name())
		fmt.Fprintf(h, "%s %d\n%s", e.Name(), len(text), text)
	}
}

func openArtefact(dir string) (*artefact, error) {
	library := filepath.Join(dir, libraryName)
	if _, err := os.Stat(library); err != nil {
		return nil, err
	}
	peeks, err := readPeeks(filepath.Join(dir, peeksName))
	if err != nil {
		return nil, err
	}
	return &artefact{library: library, peeks: peeks}, nil
}

// lock makes other processes that want the same folder wait, until ctx ends.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { file.Close() }, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), ctx.Err()), file.Close())
		case <-time.After(lockPoll):
		}
	}
}

// lockPoll is how often a process looks whether another one is done.
const lockPoll = 50 * time.Millisecond

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
