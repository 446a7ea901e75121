package gosource

import (
	"os"
	"path/filepath"
	"strings"
)

// Locate returns where a source file is. With -trimpath the compiler knows it
// under its import path only: it is then looked for in the module that the
// program runs in, and in the module cache.
func Locate(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	if dir, module := moduleRoot(); module != "" {
		if rest, ok := strings.CutPrefix(file, module+"/"); ok {
			return filepath.Join(dir, filepath.FromSlash(rest))
		}
	}
	return filepath.Join(moduleCache(), filepath.FromSlash(file))
}

// moduleRoot finds the go.mod above the working folder.
func moduleRoot() (dir, module string) {
	dir, err := os.Getwd()
	for err == nil {
		if text, readErr := os.ReadFile(filepath.Join(dir, "go.mod")); readErr == nil {
			return dir, moduleName(string(text))
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "", ""
}

// moduleName returns the name in the module line of a go.mod.
func moduleName(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}

func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if dir := os.Getenv("GOPATH"); dir != "" {
		return filepath.Join(filepath.SplitList(dir)[0], "pkg", "mod")
	}
	home, _ := os.UserHomeDir() // without a home the file is simply not found
	return filepath.Join(home, "go", "pkg", "mod")
}
