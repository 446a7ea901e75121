// Package netlist turns an elaborated design into one flat graph of 64-bit
// operations. [Lower] is the way in.
//
// Instances are dissolved, copies are aliased away, wide values become their
// 64-bit parts, and if and switch trees become a choice per target. What is
// computed but never needed is in no cone of a root and so costs nothing.
//
// Values live in a store of 64-bit words. Its first part is laid out here:
//
//	inputs | registers, by clock | read data of memories | next values of registers | memories | latches
//
// The rest belongs to whoever evaluates the graph.
package netlist

import "gornic/hdl/ir"

// Netlist is a design as a graph and what hangs on it.
type Netlist struct {
	Graph    *Graph
	Clocks   []*ir.Clock // of the top module; a Domain is an index into it
	Inputs   []Port      // Slots are consecutive
	Outputs  []Port
	Regs     []Reg // by clock
	Mems     []Mem
	Checks   []Check // in the order of sim.Checks
	Good     []Val   // by clock: every assertion and assumption holds; None without any
	Latches  []Latch
	Arms     []Arm   // with Options.Arms
	Events   []Event // with Options.Events, in the order of sim.Events
	CurLo    int     // slots CurLo .. CurHi-1 are the registers; their next values are NextLo ..
	CurHi    int
	DataLo   int // slots DataLo .. DataHi-1 are read data
	DataHi   int
	NextLo   int
	MemLo    int // slots memory words start at MemLo
	Slots    int // how many words of the store are laid out here, latches included
	*Builder     // for Signal
}

// Port is a port of the top module.
type Port struct {
	Signal *ir.Signal
	Vals   Vec
}

// Reg is one register.
type Reg struct {
	Signal *ir.Signal
	Path   string
	Domain int
	Slot   int
	Cur    Vec
	Next   Vec
}

// Latch is a copy of read data that is itself an operand of a memory port: a
// port must not see what another one reads at the same edge.
type Latch struct {
	Val  Val
	Slot int
}

// Mem is one memory. A word takes Parts words of the store.
type Mem struct {
	Memory *ir.Memory
	Path   string
	Slot   int
	Parts  int
	Reads  []Read
	Writes []Write
}

// Read is a synchronous read port.
type Read struct {
	Domain   int
	En, Addr Val
	Path     string // of the data
	Slot     int    // of the data
}

// Write is a write port. Lanes is nil without lanes.
type Write struct {
	Domain      int
	En, Addr    Val
	Data, Lanes Vec
}

// Check is a property of one instance.
type Check struct {
	Check  *ir.Check
	Module *ir.Module
	Domain int
	Cond   Val
}

// Arm is a branch of an if or switch of one instance.
type Arm struct {
	Pos    ir.Pos
	Kind   string
	Taken  Val
	Domain int // the clock whose cycles are counted
}

// Event is a trace event of one instance. A field may be anything while When is
// zero.
type Event struct {
	Domain int
	When   Val
	Fields []Val
}

// Options say what else to lower.
type Options struct {
	Arms     bool // the conditions of if and switch arms, for coverage
	Events   bool // trace events
	NoChecks bool // properties are left out
}

// NextSlot returns where the next value of the register word at slot goes.
func (n *Netlist) NextSlot(slot int) int { return slot - n.CurLo + n.NextLo }

// Latch returns the slot of the latch of v.
func (n *Netlist) Latch(v Val) (slot int, ok bool) {
	for _, l := range n.Latches {
		if l.Val == v {
			return l.Slot, true
		}
	}
	return 0, false
}
