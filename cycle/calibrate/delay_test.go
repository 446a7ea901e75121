package main

import (
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// delay makes a stream into an instance of the top a cycle longer: a register slice in front of it, of which valid and payload are
// registered and ready is not.
func delay(d *ir.Design, instance, stream string) error {
	s := slice{top: d.Top, prefix: instance + "_" + stream + "_"}
	ready := s.find("ready", ir.ChildOutput)
	valid := s.find("valid", ir.ChildInput)
	if ready == nil || valid == nil {
		return fmt.Errorf("%s has no stream %s in", instance, stream)
	}
	held := s.register(valid)
	takes := &ir.Node{Op: ir.OpOr, Width: 1, Module: s.top, Args: []*ir.Node{value(ready), {Op: ir.OpNot, Width: 1, Module: s.top, Args: []*ir.Node{value(held)}}}}
	s.replace(ready, takes)
	for _, stmt := range s.top.Body.Stmts {
		a, ok := stmt.(*ir.Assign)
		if !ok || a.Target == ready || a.Target.Kind != ir.ChildInput || !strings.HasPrefix(a.Target.Name, s.prefix) {
			continue
		}
		r := held
		if a.Target != valid {
			r = s.register(a.Target)
		}
		next := &ir.Node{Op: ir.OpMux, Width: r.Width, Module: s.top, Args: []*ir.Node{takes, a.Value, value(r)}}
		s.top.Body.Stmts = append(s.top.Body.Stmts, &ir.Assign{Target: r, Value: next, Pos: a.Pos})
		a.Value = value(r)
	}
	return nil
}

// slice is a register slice in the making.
type slice struct {
	top    *ir.Module
	prefix string // of the signals of the stream, in the top
}

func (s slice) find(name string, kind ir.Kind) *ir.Signal {
	for _, x := range s.top.Signals {
		if x.Name == s.prefix+name && x.Kind == kind {
			return x
		}
	}
	return nil
}

// register is a register for what a signal is given.
func (s slice) register(of *ir.Signal) *ir.Signal {
	zero, _ := ir.NewConst(of.Width, 0)
	r := &ir.Signal{Name: "delayed_" + of.Name, Width: of.Width, Kind: ir.Reg, Module: s.top, Clock: s.top.Clocks[0], Reset: &zero, Pos: of.Pos}
	s.top.Signals = append(s.top.Signals, r)
	return r
}

func value(x *ir.Signal) *ir.Node {
	return &ir.Node{Op: ir.OpSignal, Width: x.Width, Signal: x, Module: x.Module, Pos: x.Pos}
}

// replace has everything in the top that reads a signal read a value in its place, but that value itself.
func (s slice) replace(of *ir.Signal, by *ir.Node) {
	seen := map[*ir.Node]bool{by: true}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Op == ir.OpSignal && n.Signal == of {
			*n = *by
			return
		}
		for _, a := range n.Args {
			visit(a)
		}
	}
	for _, body := range []*ir.Block{s.top.Body, s.top.Ghost} {
		eachValue(body, visit)
	}
	for _, c := range s.top.Checks {
		visit(c.Cond)
	}
	for _, e := range s.top.Events {
		visit(e.When)
	}
	for _, m := range s.top.Memories {
		for _, w := range m.Writes {
			visit(w.Addr)
			visit(w.En)
			visit(w.Data)
		}
		for _, r := range m.Reads {
			visit(r.Addr)
			visit(r.En)
		}
	}
}

// eachValue calls f for every value that statements read.
func eachValue(b *ir.Block, f func(*ir.Node)) {
	for _, stmt := range b.Stmts {
		switch x := stmt.(type) {
		case *ir.Assign:
			f(x.Value)
		case *ir.If:
			for _, a := range x.Arms {
				f(a.Cond)
				eachValue(a.Body, f)
			}
		case *ir.Switch:
			f(x.Subject)
			for _, a := range x.Arms {
				eachValue(a.Body, f)
			}
		}
	}
}
