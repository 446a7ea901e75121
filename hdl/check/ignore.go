package check

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"

	"gornic/hdl/internal/gosource"
	"gornic/hdl/ir"
)

// marker starts a comment that suppresses the findings of one code on its line.
const marker = "//hdl:ignore"

// place is a line of source that a design was built from.
type place struct {
	file string // as the compiler knew it
	line int
}

// ignore is one comment.
type ignore struct {
	code   Code
	reason string
	used   bool
}

// suppress takes out the findings that comments suppress, and adds those
// about the comments themselves.
func suppress(d *ir.Design, found Findings) Report {
	places := placesOf(d)
	comments := readComments(places)
	if len(comments) == 0 {
		return Report{Findings: found}
	}
	var r Report
	for _, f := range found {
		file, line := f.Pos.Source()
		if i := comments[place{file, line}]; i != nil && i.code == f.Code && i.reason != "" {
			i.used = true
			r.Ignored = append(r.Ignored, Ignored{f, i.reason})
			continue
		}
		r.Findings = append(r.Findings, f)
	}
	for at, i := range comments {
		if fault := i.fault(); fault != "" {
			r.Findings = append(r.Findings, Finding{Code: Ignore, Pos: places[at], Message: marker + fault})
		}
	}
	r.Findings = Sorted(r.Findings)
	return r
}

// fault returns what is wrong with a comment, as the end of a message.
func (i *ignore) fault() string {
	switch {
	case i.code == "":
		return " needs a code and a reason"
	case !ignorable(i.code):
		return fmt.Sprintf(" %s: no finding of this code can be ignored", i.code)
	case i.reason == "":
		return fmt.Sprintf(" %s gives no reason", i.code)
	case !i.used:
		return fmt.Sprintf(" %s: there is no such finding on this line", i.code)
	}
	return ""
}

// ignorable reports whether a code belongs to a pass whose findings a design
// can live with.
func ignorable(code Code) bool {
	return code != Structure && slices.ContainsFunc(passes, func(p pass) bool { return p.code == code })
}

// placesOf returns every line of source at which a finding can be reported,
// with a position there.
func placesOf(d *ir.Design) map[place]ir.Pos {
	seen := make(map[ir.Pos]bool)
	places := make(map[place]ir.Pos)
	add := func(p ir.Pos) {
		if seen[p] || !p.IsValid() {
			return
		}
		seen[p] = true
		file, line := p.Source()
		places[place{file, line}] = p
	}
	for _, m := range d.All {
		positions(m, add)
	}
	return places
}

// positions calls add for where things of a module were made: all but
// expressions, which are reported at what uses them.
func positions(m *ir.Module, add func(ir.Pos)) {
	add(m.Pos)
	for _, s := range m.Signals {
		add(s.Pos)
	}
	for _, i := range m.Instances {
		add(i.Pos)
	}
	for _, mem := range m.Memories {
		add(mem.Pos)
		for _, p := range mem.Reads {
			add(p.Pos)
		}
		for _, p := range mem.Writes {
			add(p.Pos)
		}
	}
	for _, p := range m.Checks {
		add(p.Pos)
	}
	for _, e := range m.Events {
		add(e.Pos)
	}
	for _, b := range blocks(m) {
		eachStmt(b, func(s ir.Stmt) {
			add(s.Position())
			switch s := s.(type) {
			case *ir.If:
				for _, arm := range s.Arms {
					add(arm.Pos)
				}
			case *ir.Switch:
				for _, arm := range s.Arms {
					add(arm.Pos)
				}
			}
		})
	}
}

// readComments returns the comments on the given lines. Sources that cannot
// be read have none.
func readComments(places map[place]ir.Pos) map[place]*ignore {
	files := make(map[string]bool)
	for at := range places {
		files[at.file] = true
	}
	comments := make(map[place]*ignore)
	for file := range files {
		source, err := os.ReadFile(gosource.Locate(file))
		if err != nil || !bytes.Contains(source, []byte(marker)) {
			continue
		}
		for line, i := range scan(source) {
			if _, built := places[place{file, line}]; built {
				comments[place{file, line}] = i
			}
		}
	}
	return comments
}

// scan returns the comments of a source file by line.
func scan(source []byte) map[int]*ignore {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, func(token.Position, string) {}, scanner.ScanComments)
	found := make(map[int]*ignore)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return found
		}
		if rest, ok := strings.CutPrefix(text, marker); ok && tok == token.COMMENT {
			code, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
			found[file.Line(pos)] = &ignore{code: Code(code), reason: strings.TrimSpace(reason)}
		}
	}
}
