package verilog

import (
	"slices"
	"strings"

	"gornic/hdl/internal/gosource"
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
	over     map[int][]remark // comments over the statements that a line is part of, outermost first
	trailing map[int]string   // comment that follows code on the line
}

// A remark is a comment over a statement.
type remark struct {
	at     codeLine
	text   []string
	inside bool // the line is inside a function literal of the statement
}

// codeLine is a line of a Go file.
type codeLine struct {
	file string
	line int
}

// lineInfo describes the innermost statement on a line.
type lineInfo struct {
	name   string   // variable that it assigns, in snake case
	ret    bool     // it returns from a function
	values []result // what the variable, or the caller, takes
}

func newSources(off bool) *sources { return &sources{off: off, files: map[string]*source{}} }

// A place is where a value goes.
type place struct {
	name string // in snake case; empty for a value without one
	key  string // equal for all values of one statement and name
	part bool   // the value is only a part of what has the name
}

// place returns the Go variable, with the fields of composite literals, that
// took the value made at pos. Where a helper function returned the value it is
// the variable at the call.
func (s *sources) place(pos ir.Pos) place {
	if s.off {
		return place{}
	}
	var p place
	var fields []string
	for caller, callee := range pos.Calls() {
		src := s.load(caller.File)
		if src == nil {
			return place{}
		}
		info := src.lines[caller.Line]
		value, whole := info.take(caller.Line, ir.FunctionName(callee))
		fields = append(slices.Clone(value.fields), fields...)
		p.part = p.part || !whole
		if info.ret && !value.own {
			continue
		}
		if info.name != "" && !value.own {
			fields = append([]string{info.name}, fields...)
		} else if !value.own {
			return place{}
		}
		p.name = strings.Join(fields, "_")
		p.key = caller.File + ":" + itoa(caller.Line) + ":" + p.name
		return p
	}
	return place{}
}

// over returns the comments over the statement at pos, outermost first: those
// right before it, or before a loop or a condition of the generator around it. With
// calls they include those over the calls and the function literals that the
// statement is in.
func (s *sources) over(pos ir.Pos, calls bool) []remark {
	if s.off {
		return nil
	}
	var list []remark
	for _, f := range pos.Frames() {
		src := s.load(f.File)
		if src == nil {
			break
		}
		var here []remark
		for _, r := range src.over[f.Line] {
			if calls || !r.inside {
				here = append(here, r)
			}
		}
		list = append(here, list...)
		if !calls && !src.lines[f.Line].ret {
			break
		}
	}
	return list
}

// beside returns the comment that follows the code on the line of pos, and
// where it is, as the line's negative number.
func (s *sources) beside(pos ir.Pos) (string, codeLine) {
	if s.off || !pos.IsValid() {
		return "", codeLine{}
	}
	file, n := pos.Source()
	src := s.load(file)
	if src == nil || src.trailing[n] == "" {
		return "", codeLine{}
	}
	return src.trailing[n], codeLine{file, -n}
}

func (s *sources) load(file string) *source {
	if src, ok := s.files[file]; ok {
		return src
	}
	src := parseSource(gosource.Locate(file))
	s.files[file] = src
	if src == nil && s.missing == "" {
		s.missing = file
	}
	return src
}
