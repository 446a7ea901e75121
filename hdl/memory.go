package hdl

import (
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Collision says what a synchronous read returns when the same word is
// written in the same cycle.
type Collision = ir.Collision

// The policies of [Module.RAM]. Undefined costs the least on an FPGA: Build adds
// an assertion that a read and a write of one clock never meet at one address.
const (
	ReadOld   = ir.ReadOld
	ReadNew   = ir.ReadNew
	Undefined = ir.Undefined
)

// Memory is an array of words without reset. Its ports are declared outside
// of If and Switch; their enables say when they act.
type Memory struct {
	m   *Module
	mem *ir.Memory
}

// RAM returns a synchronous memory of depth words of width bits, which maps to
// block RAM. It takes one read and one write port, or two with
// [Memory.ReadWrite] (true dual port).
func (m *Module) RAM(name string, depth, width int, collide Collision) *Memory {
	return m.memory(name, depth, width, width, collide, false)
}

// LaneRAM is a RAM whose words are written in lanes of lane bits each, such as
// bytes; width is a multiple of lane. Many FPGAs pay for narrow lanes with
// whole block RAMs.
func (m *Module) LaneRAM(name string, depth, width, lane int, collide Collision) *Memory {
	if lane < 1 || width%lane != 0 {
		m.reportf(check.Width, "memory %s: %s are not whole lanes of %s", name, plural(width, "bit"), plural(lane, "bit"))
		lane = width
	}
	return m.memory(name, depth, width, lane, collide, false)
}

// LUTRAM returns a small memory that is read in the same cycle with
// [Memory.At] and written at the clock edge; it maps to LUT RAM, by an attribute
// that a tool for an FPGA without LUT RAM (iCE40) refuses. A word that was never
// written need not be the same at each At: synthesis makes a copy for each.
func (m *Module) LUTRAM(name string, depth, width int) *Memory {
	return m.memory(name, depth, width, width, ReadOld, true)
}

func (m *Module) memory(name string, depth, width, lane int, collide Collision, async bool) *Memory {
	pos := ir.Here(1)
	if depth < 1 || width < 1 {
		m.reportf(check.Width, "memory %s has %s of %s: at least one of each", name, plural(depth, "word"), plural(width, "bit"))
		depth, width, lane = max(depth, 1), max(width, 1), max(lane, 1)
	}
	m.claim("memory", name, pos)
	mem := &ir.Memory{
		Name: name, Module: m.ir, Width: width, Depth: depth, Lane: lane, Async: async, Collide: collide, Ghost: m.ghost, Pos: pos,
	}
	if !m.done { // what comes too late is reported, and nothing else of it
		m.ir.Memories = append(m.ir.Memories, mem)
	}
	return &Memory{m: m, mem: mem}
}

// AddrWidth returns the width of an address in bits.
func (r *Memory) AddrWidth() int { return ir.AddrWidth(r.mem.Depth) }

// Read adds a synchronous read port: the register NAME takes the word at addr
// at a clock edge where en, one bit, is one, and keeps it otherwise.
func (r *Memory) Read(name string, addr, en Bits) Bits {
	return r.read(name, addr, en, nil)
}

func (r *Memory) read(name string, addr, en Bits, shared *ir.WritePort) Bits {
	r.place("Read")
	if r.mem.Async {
		r.m.reportf(check.Assign, "memory %s is a LUTRAM (%s): read it with At", r.mem.Name, r.mem.Pos)
	}
	data := r.m.declare(name, W(r.mem.Width), ir.ReadData)
	port := &ir.ReadPort{
		Memory: r.mem, Clock: r.m.domain(), Data: data.n.Signal, Shared: shared, Pos: ir.Here(1),
		Addr: r.input("Read", "address", addr, r.AddrWidth()), En: r.input("Read", "enable", en, 1),
	}
	data.n.Signal.Read, data.n.Signal.Clock = port, port.Clock
	r.mem.Reads = append(r.mem.Reads, port)
	return data
}

// At returns the word at addr in this cycle, for a [Module.LUTRAM]; inside
// [Module.Ghost], of any memory.
func (r *Memory) At(addr Bits) Bits {
	if !r.mem.Async && !r.m.ghost {
		r.m.reportf(check.Assign, "memory %s is synchronous (%s): read it with Read", r.mem.Name, r.mem.Pos)
	}
	word := r.m.value(ir.OpMemRead, r.mem.Width, r.m.wrap(r.input("At", "address", addr, r.AddrWidth())))
	word.n.Memory = r.mem
	return word
}

// Write adds a write port: the word at addr takes data at a clock edge where
// en, one bit, is one.
func (r *Memory) Write(addr, en, data Bits) { r.write(addr, en, data, nil) }

// WriteLanes is Write of the lanes whose bit in lanes is one; lane 0 is the
// least significant.
func (r *Memory) WriteLanes(addr, en, lanes, data Bits) {
	r.write(addr, en, data, r.input("Write", "lanes", lanes, r.mem.Width/r.mem.Lane))
}

func (r *Memory) write(addr, en, data Bits, lanes *ir.Node) *ir.WritePort {
	r.place("Write")
	port := &ir.WritePort{
		Memory: r.mem, Clock: r.m.domain(), Pos: ir.Here(1), Lanes: lanes,
		Addr: r.input("Write", "address", addr, r.AddrWidth()), En: r.input("Write", "enable", en, 1),
		Data: r.input("Write", "data", data, r.mem.Width),
	}
	r.mem.Writes = append(r.mem.Writes, port)
	return port
}

// ReadWrite adds one port of a true dual-port memory: where en is one it
// writes data to addr if write is one, and the register NAME takes the word
// that was at addr.
func (r *Memory) ReadWrite(name string, addr, en, write, data Bits) Bits {
	port := r.write(addr, en.And(write), data, nil)
	return r.read(name, addr, en, port)
}

// place reports a port that is declared inside an If or Switch.
func (r *Memory) place(op string) {
	if r.m.nested > 0 {
		r.m.reportf(check.Misuse, "%s of memory %s inside If or Switch: a port is declared outside, its enable says when it acts", op, r.mem.Name)
	}
}

// input checks one input of a port.
func (r *Memory) input(op, what string, x Bits, width int) *ir.Node {
	if !r.m.admit(op, x) {
		return poison(width, x).n
	}
	if x.w != width {
		r.m.reportf(check.Width, "%s of memory %s: the %s %s is %s (%s), not %s",
			op, r.mem.Name, what, x.describe(), plural(x.w, "bit"), x.site(), plural(width, "bit"))
		return poison(width, x).n
	}
	return x.n
}

// assertNoCollision adds the assertions that the policy Undefined stands on.
func (r *Memory) assertNoCollision() {
	for i, read := range r.mem.Reads {
		for j, write := range r.mem.Writes {
			if read.Clock != write.Clock || read.Shared == write {
				continue
			}
			// The values stand at the read's line: where the module is instantiated
			// must not show in its text.
			m := r.m
			at := func(x Bits) Bits {
				x.n.Pos = read.Pos
				return x
			}
			both := at(m.wrap(read.En).And(m.wrap(write.En)))
			same := at(m.wrap(read.Addr).Eq(m.wrap(write.Addr)))
			apart := at(at(both.And(same)).Not())
			name := r.mem.Name + "_no_collision"
			if len(r.mem.Reads)*len(r.mem.Writes) > 1 {
				name = join(name, join(itoa(i), itoa(j)))
			}
			m.check(ir.Assert, name, apart, read.Clock, read.Pos)
		}
	}
}
