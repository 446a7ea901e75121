package verilog

import (
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// forwarding is the state of a read with the policy ReadNew: no block RAM can
// be relied on to return the word that another port writes in the same cycle, so
// the written lanes are kept in registers and put in place of the stored ones.
type forwarding struct {
	stored, written, hit string // registers
	lanes                int
	writes               []*writePort
}

// forward declares the registers; it returns nil where no write is of the
// clock of the read.
func (e *module) forward(r *ir.Memory, read *ir.ReadPort) *forwarding {
	f := &forwarding{lanes: 1}
	for _, w := range r.Writes {
		if w.Clock != read.Clock {
			continue
		}
		p := e.writePort(w)
		f.writes = append(f.writes, p)
		if w.Lanes != nil {
			f.lanes = r.Width / r.Lane
		}
	}
	if len(f.writes) == 0 {
		return nil
	}
	for _, p := range f.writes {
		if len(f.writes) > 1 {
			p.loop = e.laneLoop(r, p)
		}
	}
	data := Name(read.Data)
	f.stored, f.written, f.hit = e.scope.take(data+"_stored"), e.scope.take(data+"_written"), e.scope.take(data+"_hit")
	for _, l := range columns([][]string{
		{"reg", span(r.Width), f.stored + ";"}, {"reg", span(r.Width), f.written + ";"}, {"reg", span(f.lanes), f.hit + ";"},
	}) {
		e.out.plain(l)
	}
	return f
}

// printHits notes what is written to the word that is read; of several writes
// the last one counts.
func (e *module) printHits(r *ir.Memory, p *readPort, f *forwarding) {
	e.out.plain(f.hit + " <= " + literal(ir.Const{Width: f.lanes}) + ";")
	for _, w := range f.writes {
		meets := simplify(derived(w.en, ir.OpAnd, 1, w.en, derived(w.en, ir.OpEq, 1, w.addr, p.addr)))
		if w.addr == p.addr {
			meets = w.en
		}
		if len(f.writes) == 1 {
			e.out.add(w.Pos, f.written+" <= "+e.text(w.data, mode{})+";")
		}
		e.when(meets, w.Pos, func() { e.printHit(r, w, f) })
	}
}

func (e *module) printHit(r *ir.Memory, w *writePort, f *forwarding) {
	switch {
	case w.lanes == nil || w.lanes.Width == 1:
		e.printWholeHit(w, f)
		return
	case len(f.writes) == 1:
		e.out.plain(f.hit + " <= " + e.text(w.lanes, mode{}) + ";")
		return
	}
	e.printLoop(w.loop, f.lanes, func() {
		e.out.plain("if (" + e.text(w.lanes, mode{}) + "[" + w.loop + "]) begin")
		e.nested(func() {
			part := lanePart(r, w.loop)
			e.out.plain(f.hit + "[" + w.loop + "] <= 1'b1;")
			e.out.plain(f.written + part + " <= " + e.text(w.data, mode{}) + part + ";")
		})
		e.out.plain("end")
	})
}

func (e *module) printWholeHit(w *writePort, f *forwarding) {
	print := func() {
		e.out.plain(f.hit + " <= " + strings.Replace(fmt.Sprintf("{%d{1'b1}};", f.lanes), "{1{1'b1}}", "1'b1", 1))
		if len(f.writes) > 1 {
			e.out.plain(f.written + " <= " + e.text(w.data, mode{}) + ";")
		}
	}
	if w.lanes == nil {
		print()
		return
	}
	e.when(w.lanes, w.Pos, print)
}

// printForwarded puts the word together.
func (e *module) printForwarded(r *ir.Memory, read *ir.ReadPort, f *forwarding) {
	data := Name(read.Data)
	if f.lanes == 1 {
		e.out.plain(fmt.Sprintf("assign %s = %s ? %s : %s;", data, f.hit, f.written, f.stored))
		return
	}
	lane := e.scope.take("lane")
	part := lanePart(r, lane)
	e.out.blank()
	e.out.plain("integer " + lane + ";")
	e.out.plain("always @* begin")
	e.nested(func() {
		e.printLoop(lane, f.lanes, func() {
			e.out.plain(fmt.Sprintf("%s%s = %s[%s]\n    ? %s%s\n    : %s%s;", data, part, f.hit, lane, f.written, part, f.stored, part))
		})
	})
	e.out.plain("end")
}

// printLoop writes a loop over lanes.
func (e *module) printLoop(name string, lanes int, body func()) {
	e.out.plain(fmt.Sprintf("for (%s = 0; %s < %d; %s = %s + 1) begin", name, name, lanes, name, name))
	e.nested(body)
	e.out.plain("end")
}

// lanePart is the lane of a word that a loop is at.
func lanePart(r *ir.Memory, loop string) string {
	if r.Lane == 1 {
		return "[" + loop + "]"
	}
	return fmt.Sprintf("[%s * %d +: %d]", loop, r.Lane, r.Lane)
}

// assembled reports whether an assign drives the data of a read.
func assembled(p *ir.ReadPort) bool {
	if p.Memory.Collide != ir.ReadNew {
		return false
	}
	found := false
	for _, w := range p.Memory.Writes {
		if w.Clock == p.Clock {
			found = true
			if w.Lanes != nil && p.Memory.Lane < p.Memory.Width {
				return false
			}
		}
	}
	return found
}
