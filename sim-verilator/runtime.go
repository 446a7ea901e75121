package verilator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// commonHeader is what every C++ file of a build includes before anything else.
const commonHeader = "before.h"

// commonLevels are those for which the common header is kept compiled. Reading it takes longer than compiling what is left
// of a small block; where there is none, as for -O1, the compiler reads the text.
var commonLevels = []string{"-O0", "-O2"}

// sharedSource is the part of the shim that knows nothing of the design. It is one file to the compiler, for what runs in
// each cycle is spread over several.
const sharedSource = `#include "simulation.cpp"
#include "parts.cpp"
#include "abi.cpp"
`

// includes are the flags that name the folders of Verilator's headers.
func (t *tools) includes() []string {
	return []string{"-I" + t.include, "-I" + filepath.Join(t.include, "vltstd")}
}

// runtime returns the folder with what is the same for all designs, compiled once for each set of flags: Verilator's own
// runtime, the shim but for design.cpp, and the common header.
func (t *tools) runtime(ctx context.Context, cache string, waves bool) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, t.version, t.cxxBanner, t.processor, compilerFlags(waves), t.includes(), commonLevels)
	fmt.Fprint(h, sharedSource)
	addShim(h)
	dir := filepath.Join(cache, "runtime-"+hex.EncodeToString(h.Sum(nil))[:20])

	unlock, err := lock(ctx, dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, t.makeRuntime(ctx, dir, waves)
}

func (t *tools) makeRuntime(ctx context.Context, dir string, waves bool) error {
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.CopyFS(part, shim); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(part, "shim", "shared.cpp"), sharedSource); err != nil {
		return err
	}
	flags := append(compilerFlags(waves), t.includes()...)
	if err := t.compileShared(ctx, part, append(flags, "-O2"), waves); err != nil {
		return err
	}
	if err := t.compileHeader(ctx, part, flags); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// compileShared compiles the sources. The header that changes how a model reports is not for the runtime that it reports to.
func (t *tools) compileShared(ctx context.Context, dir string, flags []string, waves bool) error {
	runtime := []string{"verilated", "verilated_threads"}
	if waves {
		runtime = append(runtime, "verilated_fst_c")
	}
	var compilations []func() error
	add := func(folder, name, first string) {
		args := slices.Concat(flags, []string{"-include", filepath.Join("shim", first), "-c", filepath.Join(folder, name+".cpp"), "-o", name + ".o"})
		compilations = append(compilations, func() error { return run(ctx, t.cxx, dir, args) })
	}
	for _, name := range runtime {
		add(t.include, name, "hooks.h")
	}
	add("shim", "shared", commonHeader)
	return together(compilations...)
}

// compileHeader puts the compiled header where the compiler looks for it: in a folder beside its text, a file for each level.
func (t *tools) compileHeader(ctx context.Context, dir string, flags []string) error {
	header := filepath.Join("shim", commonHeader)
	compiled := header + ".gch"
	if err := os.Mkdir(filepath.Join(dir, compiled), 0o777); err != nil {
		return err
	}
	var compilations []func() error
	for _, level := range commonLevels {
		args := slices.Concat(flags, []string{level, "-x", "c++-header", header, "-o", filepath.Join(compiled, level[1:])})
		compilations = append(compilations, func() error { return run(ctx, t.cxx, dir, args) })
	}
	return together(compilations...)
}
