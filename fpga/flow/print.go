package flow

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	p := printer{w: w}
	p.head(r)
	p.blocks(r.Blocks, r.Device != "")
	p.used(r)
	p.clocks(r.Clocks)
	if r.Bitstream != "" {
		p.line("\n%s", r.Bitstream)
	}
	return p.err
}

// A printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) head(r *Report) {
	text := r.Name + ": " + r.Top
	if r.Device != "" {
		text += fmt.Sprintf(" on %s at grade %d", r.Device, r.Speed)
	}
	text += ", Yosys " + r.Yosys
	if r.Nextpnr != "" {
		text += fmt.Sprintf(", nextpnr %s, seed %d", r.Nextpnr, r.Seed)
	}
	p.line("%s", text)
	for _, s := range r.Steps {
		p.line("  %-16s %s", s.Name, time.Duration(s.Seconds*float64(time.Second)).Round(time.Second))
	}
}

// blocks prints what instances cost. The ECP5 has a column for what counts there: its places for a LUT4.
func (p *printer) blocks(blocks []Block, ecp5 bool) {
	const format = "%-34s %7s %7s %7s %7s %6s %7s"
	head := fmt.Sprintf(format, "block", "LUT", "carry", "LUTRAM", "FF", "RAM", "")
	if ecp5 {
		head = fmt.Sprintf(format, "block", "LUT4", "CCU2C", "DPR16X4", "FF", "DP16KD", "COMB")
	}
	p.line("\n%s", strings.TrimRight(head, " "))
	for _, b := range blocks {
		name := b.Path[strings.LastIndexByte(b.Path, '.')+1:]
		if b.Depth == 0 {
			name = b.Module
		}
		comb := ""
		if ecp5 {
			comb = fmt.Sprint(b.Comb)
		}
		row := fmt.Sprintf(format, strings.Repeat("  ", b.Depth)+name, fmt.Sprint(b.LUT), fmt.Sprint(b.Carry), fmt.Sprint(b.LUTRAM),
			fmt.Sprint(b.FF), fmt.Sprint(b.RAM), comb)
		p.line("%s", strings.TrimRight(row, " "))
	}
}

// full is the part of the places for LUTs that a design should not exceed.
const full = 0.8

func (p *printer) used(r *Report) {
	if r.Used == nil {
		return
	}
	p.line("")
	for _, kind := range []struct{ place, name string }{{placeComb, "LUT4 (COMB)"}, {placeFF, "flip-flops"}, {placeRAM, "block RAMs"}} {
		u, note := r.Used[kind.place], ""
		if kind.place == placeComb && u.Share() > full {
			note = fmt.Sprintf("; above %.0f %% routing gets hard", 100*full)
		}
		p.line("%-12s %6d of %6d placed, %4.1f %%%s", kind.name, u.Used, u.Available, 100*u.Share(), note)
	}
}

func (p *printer) clocks(clocks []ClockReport) {
	if len(clocks) == 0 {
		return
	}
	p.line("\n%-24s %9s %9s %9s", "clock, MHz", "runs at", "needs", "reaches")
	worst := 0
	for i, c := range clocks {
		if c.slack() < clocks[worst].slack() {
			worst = i
		}
		verdict := "ok"
		reaches := fmt.Sprintf("%.1f", c.Reaches)
		switch {
		case len(c.Path) == 0:
			reaches, verdict = "-", "no path begins and ends at it"
		case !c.Met():
			verdict = "TOO SLOW"
		}
		p.line("%-24s %9.1f %9.1f %9s  %s", c.Name, c.Runs, c.Needs, reaches, verdict)
	}
	if len(clocks) > 1 {
		p.line("Clocks are unrelated: what crosses from one to another is in Gray code or one bit, through two flip-flops, and not timed.")
	}
	p.path(clocks[worst])
}

// slack is what a clock reaches of what it needs; a clock without paths has all.
func (c ClockReport) slack() float64 {
	if len(c.Path) == 0 {
		return 1e9
	}
	return c.Reaches / c.Needs
}

func (p *printer) path(c ClockReport) {
	if len(c.Path) == 0 {
		return
	}
	logic, wire := 0.0, 0.0
	for _, h := range c.Path {
		logic += h.Logic
		wire += h.Wire
	}
	p.line("\nlongest path of %s: %.1f ns, %.1f in cells and %.1f in wires", c.Name, logic+wire, logic, wire)
	p.line("  %6s %6s %6s  %s", "at", "cells", "wire", "makes")
	at := 0.0
	for _, h := range c.Path {
		at += h.Logic + h.Wire
		p.line("  %6.2f %6d %6.2f  %-52s %s", at, h.Cells, h.Wire, h.Name, h.Line)
	}
}
