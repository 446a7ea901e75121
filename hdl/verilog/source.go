package verilog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gornic/hdl/ir"
)

// sources reads the Go files of the generators, for the names of variables
// and for comments. A file is parsed once.
type sources struct {
	off     bool // do not look
	files   map[string]*source
	missing string // a file that could not be read
}

// source is what one Go file says about its lines.
type source struct {
	lines    map[int]lineInfo
	above    map[int][]string // comment that ends on the line before
	trailing map[int]string   // comment that follows code on the line
	code     map[int]bool     // lines on which something starts
	opens    map[int]bool     // lines on which a function body starts
	docs     map[int]bool     // lines of function declarations: the comment over them is not about a statement
}

// lineInfo describes the innermost statement on a line.
type lineInfo struct {
	start  int      // first line of the statement
	name   string   // variable that it assigns, in snake case
	fields []string // keys of the composite literals around the line
	ret    bool     // it returns from a function
}

func newSources(off bool) *sources { return &sources{off: off, files: map[string]*source{}} }

// variable returns the Go variable that took the value made at pos, in snake
// case, and a key that is equal for values of one line. Where a helper
// function returned the value it is the variable at the call.
func (s *sources) variable(pos ir.Pos) (name, key string) {
	if s.off {
		return "", ""
	}
	var fields []string
	for _, f := range pos.Frames() {
		src := s.load(f.File)
		if src == nil {
			return "", ""
		}
		info := src.lines[f.Line]
		fields = append(slices.Clone(info.fields), fields...)
		if info.ret {
			continue
		}
		if info.name == "" {
			return "", ""
		}
		name = strings.Join(append([]string{info.name}, fields...), "_")
		return name, f.File + ":" + itoa(f.Line) + ":" + name
	}
	return "", ""
}

// above returns the comment over the statement at pos, and a key of it.
func (s *sources) above(pos ir.Pos) (lines []string, key string) {
	src, file, n := s.at(pos)
	if src == nil {
		return nil, ""
	}
	if src.above[n] == nil || src.docs[n] {
		n = src.paragraph(n)
	}
	return src.above[n], file + ":" + itoa(n)
}

// paragraph returns the first line at or above n that has a comment over it,
// within lines of code that no empty line and no start of a function parts.
func (src *source) paragraph(n int) int {
	if start := src.lines[n].start; start > 0 {
		n = start
	}
	for l := n; src.code[l]; l-- {
		if src.docs[l] {
			return 0
		}
		if src.above[l] != nil {
			return l
		}
		if src.opens[l-1] {
			break
		}
	}
	return n
}

// beside returns the comment that follows the code on the line of pos.
func (s *sources) beside(pos ir.Pos) string {
	src, _, n := s.at(pos)
	if src == nil {
		return ""
	}
	return src.trailing[n]
}

func (s *sources) at(pos ir.Pos) (*source, string, int) {
	if s.off || !pos.IsValid() {
		return nil, "", 0
	}
	file, n := pos.Source()
	return s.load(file), file, n
}

func (s *sources) load(file string) *source {
	if src, ok := s.files[file]; ok {
		return src
	}
	src := parseSource(locate(file))
	s.files[file] = src
	if src == nil && s.missing == "" {
		s.missing = file
	}
	return src
}

// locate returns where a source file is. With -trimpath the compiler knows it
// under its import path only: it is then looked for in the module that the
// program runs in, and in the module cache.
func locate(file string) string {
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
		text, readErr := os.ReadFile(filepath.Join(dir, "go.mod"))
		if readErr == nil {
			for _, l := range strings.Split(string(text), "\n") {
				if name, ok := strings.CutPrefix(strings.TrimSpace(l), "module "); ok {
					return dir, strings.Trim(strings.TrimSpace(name), `"`)
				}
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "", ""
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
