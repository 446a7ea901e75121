package verilog

import (
	"go/ast"
	"go/token"
	"strings"
)

// remarker finds what the comments of a Go file are about.
type remarker struct {
	*source
	path   string
	lineOf func(token.Pos) int
	above  map[int][]string // comment that ends on the line before
	parts  []stretch        // statements with a comment over them, outer ones first
	bodies []stretch        // of function literals
}

type stretch struct{ first, last int }

// note takes a comment, which follows code on its line or stands over a line.
func (r *remarker) note(c *ast.CommentGroup, code map[int]bool) {
	words := strings.TrimSpace(c.Text())
	if words == "" {
		return
	}
	lines := strings.Split(words, "\n")
	switch first := r.lineOf(c.Pos()); {
	case !code[first]:
		r.above[r.lineOf(c.End())+1] = lines
	case len(lines) == 1:
		r.trailing[first] = lines[0]
	}
}

// attach gives each comment to the lines of the statement, or argument, that
// begins on the next line. Comments over functions are about no statement.
func (r *remarker) attach(file *ast.File) {
	taken := map[int]bool{}
	for _, d := range file.Decls {
		taken[r.lineOf(d.Pos())] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.File, *ast.Comment, *ast.CommentGroup:
			return true
		case *ast.FuncLit:
			r.bodies = append(r.bodies, stretch{r.lineOf(n.Body.Lbrace), r.lineOf(n.Body.Rbrace)})
		}
		if l := r.lineOf(n.Pos()); r.above[l] != nil && !taken[l] {
			taken[l] = true
			r.parts = append(r.parts, stretch{l, r.lineOf(n.End())})
		}
		return true
	})
	for _, p := range r.parts {
		for l := p.first; l <= p.last; l++ {
			r.over[l] = append(r.over[l], remark{
				at: codeLine{r.path, p.first}, text: r.above[p.first], inside: r.inside(p, l),
			})
		}
	}
}

// inside reports whether a line is inside a function literal of a statement.
func (r *remarker) inside(p stretch, l int) bool {
	for _, b := range r.bodies {
		if p.first <= b.first && b.first < l && l < b.last {
			return true
		}
	}
	return false
}
