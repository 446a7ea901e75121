package sim

import (
	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"
)

// An image is all that a machine needs to know of a design besides its
// program: where things are in the store. It can be sent to another process.
type image struct {
	Slots  int // words of the store
	Next   int // distance from a register to its next value
	Clocks []clockImage
	Ports  []portImage
	State  []stateImage // registers and read data
	Resets []resetImage
	Mems   []memImage
	Checks []checkImage
	Covers []coverImage
	Arms   []coverImage // Check is the number of the arm
	Events []eventImage // in the order of Events
}

type clockImage struct {
	First, Period uint64 // instant of the first edge, and from one to the next
	Lo, Hi        int    // registers of this clock
	Good          int    // slot: every assertion and assumption of this clock holds; -1 without any
}

type portImage struct {
	Width int
	Slots []int // by 64-bit part; consecutive for inputs
	Input bool
}

type stateImage struct {
	Path        string
	Width, Slot int
}

type resetImage struct {
	Domain, Slot int
	Value        []uint64
}

type memImage struct {
	Path                      string
	Slot, Depth, Width, Parts int
	Lane                      int
	WritesFirst               bool // reads see the word that is being written
	Reads                     []readImage
	Writes                    []writeImage
}

type readImage struct{ Domain, En, Addr, Data int }

type writeImage struct {
	Domain, En, Addr int
	Data, Lanes      []int
}

// checkImage is an assertion or assumption; Check counts in the order of Checks.
type checkImage struct{ Check, Domain, Cond int }

type coverImage struct{ Check, Domain, Cond int }

type eventImage struct {
	Domain, When int
	Fields       []int
}

// program is what roots and slots are taken from: bytecode or generated Go.
type program interface {
	Slots() int
	Slot(netlist.Val) int
}

// roots are the values that every evaluation must leave in the store.
func roots(n *netlist.Netlist) []plan.Root {
	var out []plan.Root
	open := func(vals ...netlist.Val) {
		for _, v := range vals {
			if v != netlist.None {
				out = append(out, plan.Root{Val: v, Slot: -1, Hold: netlist.None})
			}
		}
	}
	for _, r := range n.Regs {
		for i, v := range r.Next {
			out = append(out, plan.Root{Val: v, Slot: n.NextSlot(r.Slot + i), Hold: r.Cur[i]})
		}
	}
	for _, l := range n.Latches {
		out = append(out, plan.Root{Val: l.Val, Slot: l.Slot, Hold: netlist.None})
	}
	for _, m := range n.Mems {
		for _, r := range m.Reads {
			open(r.En, r.Addr)
		}
		for _, w := range m.Writes {
			open(w.En, w.Addr)
			open(w.Data...)
			open(w.Lanes...)
		}
	}
	for _, p := range n.Outputs {
		open(p.Vals...)
	}
	for _, c := range n.Checks {
		open(c.Cond)
	}
	open(n.Good...)
	for _, a := range n.Arms {
		open(a.Taken)
	}
	for _, e := range n.Events {
		open(e.When)
		open(e.Fields...)
	}
	return out
}

// newImage lays a design out for a machine.
func newImage(n *netlist.Netlist, p program, o Options) *image {
	b := imageBuilder{n: n, p: p, img: &image{Slots: p.Slots(), Next: n.NextSlot(0)}}
	b.clocks(o)
	b.ports()
	b.state()
	for _, m := range n.Mems {
		b.memory(m)
	}
	for i, c := range n.Checks {
		if c.Check.Kind == ir.Cover {
			b.img.Covers = append(b.img.Covers, coverImage{i, c.Domain, p.Slot(c.Cond)})
		} else {
			b.img.Checks = append(b.img.Checks, checkImage{i, c.Domain, p.Slot(c.Cond)})
		}
	}
	for i, a := range n.Arms {
		b.img.Arms = append(b.img.Arms, coverImage{i, a.Domain, p.Slot(a.Taken)})
	}
	for _, e := range n.Events {
		b.img.Events = append(b.img.Events, eventImage{e.Domain, p.Slot(e.When), b.slots(e.Fields)})
	}
	return b.img
}

type imageBuilder struct {
	n   *netlist.Netlist
	p   program
	img *image
}

func (b *imageBuilder) clocks(o Options) {
	lo := b.n.CurLo
	for domain, c := range b.n.Clocks {
		t := o.Timing(c)
		ci := clockImage{First: t.FirstEdge(), Period: t.Period, Lo: lo, Hi: lo, Good: -1}
		for _, r := range b.n.Regs {
			if r.Domain == domain {
				ci.Hi = r.Slot + len(r.Cur)
			}
		}
		lo = ci.Hi
		if good := b.n.Good[domain]; good != netlist.None {
			ci.Good = b.p.Slot(good)
		}
		b.img.Clocks = append(b.img.Clocks, ci)
	}
}

func (b *imageBuilder) ports() {
	add := func(ports []netlist.Port, input bool) {
		for _, p := range ports {
			b.img.Ports = append(b.img.Ports, portImage{Width: p.Signal.Width, Slots: b.slots(p.Vals), Input: input})
		}
	}
	add(b.n.Inputs, true)
	add(b.n.Outputs, false)
}

func (b *imageBuilder) slots(vals []netlist.Val) []int {
	var out []int
	for _, v := range vals {
		out = append(out, b.slot(v))
	}
	return out
}

// slot of an operand of a memory port: its latch, if it has one, outlives the
// edge. What may be anything is read from word 0.
func (b *imageBuilder) slot(v netlist.Val) int {
	if v == netlist.None {
		return 0
	}
	return b.p.Slot(v)
}

func (b *imageBuilder) operand(v netlist.Val) int {
	if slot, ok := b.n.Latch(v); ok {
		return slot
	}
	return b.slot(v)
}

func (b *imageBuilder) operands(vals []netlist.Val) []int {
	var out []int
	for _, v := range vals {
		out = append(out, b.operand(v))
	}
	return out
}

func (b *imageBuilder) state() {
	for _, r := range b.n.Regs {
		b.img.State = append(b.img.State, stateImage{r.Path, r.Signal.Width, r.Slot})
		if r.Signal.Reset != nil {
			b.img.Resets = append(b.img.Resets, resetImage{r.Domain, r.Slot, r.Signal.Reset.Words})
		}
	}
	for _, m := range b.n.Mems {
		for _, r := range m.Reads {
			b.img.State = append(b.img.State, stateImage{r.Path, m.Memory.Width, r.Slot})
		}
	}
}

func (b *imageBuilder) memory(m netlist.Mem) {
	mi := memImage{
		Path: m.Path, Slot: m.Slot, Depth: m.Memory.Depth, Width: m.Memory.Width, Parts: m.Parts,
		Lane: m.Memory.Lane, WritesFirst: m.Memory.Collide == ir.ReadNew,
	}
	for _, r := range m.Reads {
		mi.Reads = append(mi.Reads, readImage{r.Domain, b.operand(r.En), b.operand(r.Addr), r.Slot})
	}
	for _, w := range m.Writes {
		mi.Writes = append(mi.Writes, writeImage{
			w.Domain, b.operand(w.En), b.operand(w.Addr), b.operands(w.Data), b.operands(w.Lanes),
		})
	}
	b.img.Mems = append(b.img.Mems, mi)
}
