package verilog

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"

	"gornic/hdl/internal/gosource"
)

// A result is a call whose result an expression hands on as it is: to a
// variable, to the caller of a function, or to a field of a composite literal.
// In out := f(a.And(b)) that is f, whose result may be anything; And is not.
type result struct {
	function string   // that is called, without package and receiver; empty for a function literal
	fields   []string // of the composite literals around it, in snake case
	own      bool     // the literal is an argument: its fields are all the name there is
	from, to int      // lines
}

// results lists the calls whose results an expression hands on.
func results(x ast.Expr, lineOf func(token.Pos) int) []result {
	r := resultLister{lineOf: lineOf}
	r.visit(x, nil, false)
	return r.list
}

type resultLister struct {
	lineOf func(token.Pos) int
	list   []result
}

func (r *resultLister) visit(x ast.Expr, fields []string, own bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		r.visit(x.X, fields, own)
	case *ast.UnaryExpr:
		r.visit(x.X, fields, own)
	case *ast.SelectorExpr:
		r.visit(x.X, fields, own)
	case *ast.IndexExpr:
		r.visit(x.X, fields, own)
	case *ast.CompositeLit:
		for _, element := range x.Elts {
			r.element(element, fields, own)
		}
	case *ast.CallExpr:
		r.call(x, fields, own)
	}
}

// element visits an element of a composite literal.
func (r *resultLister) element(x ast.Expr, fields []string, own bool) {
	if pair, ok := x.(*ast.KeyValueExpr); ok {
		x = pair.Value
		if key, ok := pair.Key.(*ast.Ident); ok {
			fields = append(slices.Clone(fields), snake(key.Name))
		}
	}
	r.visit(x, fields, own)
}

func (r *resultLister) call(x *ast.CallExpr, fields []string, own bool) {
	function := gosource.CalleeName(x.Fun)
	if function == "append" {
		for _, a := range x.Args[1:] {
			r.visit(a, fields, own)
		}
		return
	}
	if !own || len(fields) > 0 {
		r.list = append(r.list, result{function, fields, own, r.lineOf(x.Pos()), r.lineOf(x.End())})
	}
	for _, a := range x.Args {
		if literal := literalOf(a); literal != nil {
			r.visit(literal, nil, true)
		}
	}
}

// literalOf returns the composite literal that an argument is, or nil.
func literalOf(x ast.Expr) *ast.CompositeLit {
	if address, ok := x.(*ast.UnaryExpr); ok {
		x = address.X
	}
	literal, _ := x.(*ast.CompositeLit)
	return literal
}

var closure = regexp.MustCompile(`^(func)?\d`) // the names of function literals, such as func1 and func3.2

// take finds the result that a value is which function callee returned on a
// line. Whole is false for a value inside an operation, with the fields that all
// values of the line are in.
func (i lineInfo) take(line int, callee string) (r result, whole bool) {
	var here, exact []result
	for _, v := range i.values {
		if line < v.from || v.to < line {
			continue
		}
		here = append(here, v)
		if v.function == callee || v.function == "" || closure.MatchString(callee) {
			exact = append(exact, v)
		}
	}
	switch {
	case len(exact) == 1:
		return exact[0], true
	case len(exact) > 1 && !exact[0].own:
		return result{}, true // a part of the variable, no more is known
	case len(here) == 1:
		return here[0], false
	}
	return result{}, false
}
