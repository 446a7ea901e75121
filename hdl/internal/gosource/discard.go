package gosource

import (
	"go/ast"
	"go/token"
)

// statement is a statement that says what becomes of the result of a call.
type statement struct {
	from, to int    // lines
	discards string // of a call that is a statement by itself: the function's name without package or receiver
	returns  bool   // it hands its results to the caller
}

// Fate says what a statement does with the result of a call in it.
type Fate int

// The fates. Other is any use, and not known.
const (
	Other     Fate = iota
	Discarded      // the statement is the call: f(x)
	Returned       // return f(x)
)

// Fate returns what becomes of the result of a call of function callee, named
// without package or receiver, on a line of a file, as the compiler knew it.
func (r *Reader) Fate(file string, line int, callee string) Fate {
	var innermost statement
	for _, s := range r.file(Locate(file)).statements {
		if s.from <= line && line <= s.to {
			innermost = s
		}
	}
	switch {
	case innermost.returns:
		return Returned
	case innermost.discards == callee && callee != "":
		return Discarded
	}
	return Other
}

// addStatement notes a statement that is no block of others.
func (f *file) addStatement(n ast.Stmt, set *token.FileSet) {
	s := statement{from: set.Position(n.Pos()).Line, to: set.Position(n.End()).Line}
	switch n := n.(type) {
	case *ast.BlockStmt:
		return
	case *ast.ReturnStmt:
		s.returns = true
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			s.discards = CalleeName(call.Fun)
		}
	}
	f.statements = append(f.statements, s)
}

// CalleeName is the name of the function that a call names, without package,
// receiver and type arguments; empty for a function literal.
func CalleeName(x ast.Expr) string {
	if x, ok := x.(*ast.ParenExpr); ok {
		return CalleeName(x.X)
	}
	return typeName(x)
}
