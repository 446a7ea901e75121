package verilog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"unicode"
)

// parseSource returns nil for a file that cannot be read.
func parseSource(path string) *source {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	src := &source{lines: map[int]lineInfo{}, over: map[int][]remark{}, trailing: map[int]string{}}
	lineOf := func(p token.Pos) int { return fset.Position(p).Line }
	code := map[int]bool{} // lines on which something starts or ends
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *ast.File, *ast.Comment, *ast.CommentGroup:
			return true
		}
		code[lineOf(n.Pos())], code[lineOf(n.End())] = true, true
		if info, ok := describe(n, lineOf); ok {
			for l := lineOf(n.Pos()); l <= lineOf(n.End()); l++ {
				src.lines[l] = info
			}
		}
		return true
	})
	r := remarker{source: src, path: path, lineOf: lineOf, above: map[int][]string{}}
	for _, c := range file.Comments {
		r.note(c, code)
	}
	r.attach(file)
	return src
}

// describe says what a statement does with a value that is made in it.
func describe(n ast.Node, lineOf func(token.Pos) int) (lineInfo, bool) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) != 1 {
			return lineInfo{}, true
		}
		return lineInfo{name: variableName(n.Lhs[0]), values: results(n.Rhs[0], lineOf)}, true
	case *ast.ValueSpec:
		if len(n.Names) != 1 || len(n.Values) != 1 {
			return lineInfo{}, true
		}
		return lineInfo{name: variableName(n.Names[0]), values: results(n.Values[0], lineOf)}, true
	case *ast.ReturnStmt:
		if len(n.Results) != 1 {
			return lineInfo{}, true
		}
		return lineInfo{ret: true, values: results(n.Results[0], lineOf)}, true
	case *ast.ExprStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.GoStmt, *ast.DeferStmt, *ast.IncDecStmt:
		return lineInfo{}, true
	}
	return lineInfo{}, false
}

// variableName is the name that an expression on the left of an assignment
// has: x, s.x and x[i] are all called x.
func variableName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		if x.Name != "_" {
			return snake(x.Name)
		}
	case *ast.SelectorExpr:
		return snake(x.Sel.Name)
	case *ast.IndexExpr:
		return variableName(x.X)
	case *ast.ParenExpr:
		return variableName(x.X)
	}
	return ""
}

// snake turns "destQP" into "dest_qp".
func snake(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		startsWord := i > 0 && unicode.IsUpper(c) &&
			(!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1]))
		if startsWord && r[i-1] != '_' {
			b.WriteByte('_')
		}
		if c < unicode.MaxASCII {
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}
