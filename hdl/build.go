package hdl

import (
	"errors"
	"fmt"
	"reflect"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Design is an elaborated design; package ir has its contents.
type Design = ir.Design

// Def defines a module: its name, its ports and its contents. Parameters are
// arguments of the Go function that returns it, and show in the name: modules
// with equal names must be equal.
type Def[IO any] struct {
	Name string // Verilog name, such as "rr_arbiter_4"
	Doc  string // what it does, for the head of the Verilog file

	// IO is a struct of prototypes. Each field has the tag hdl:"in" or
	// hdl:"out"; the tag clock:"name" says which domain its ports belong to.
	IO IO

	// Body builds one instance. It Sets the outputs and may read everything.
	Body func(m *Module, io *IO)

	// External marks a black box: the Verilog instantiates a module of that
	// name with Params, which is defined elsewhere, and Body is its model for
	// simulation.
	External bool
	Params   []Param
	Attrs    []Param // Verilog attributes of the instance of a black box, such as settings of a PLL
}

// Param is a Verilog parameter or attribute of a black box; Value is a Verilog literal.
type Param = ir.Param

// Build elaborates a design with def as its top, and checks it. The ports are
// handles for a simulator. The error, if any, lists every mistake found.
func Build[IO any](def Def[IO]) (*Design, *IO, error) {
	d, io, findings := Elaborate(def)
	if !errors.Is(findings, check.Panic) && !errors.Is(findings, check.Parameter) { // no use in checking half a module
		findings = append(findings, check.Run(d)...)
	}
	findings = check.Sorted(findings)
	if err := findings.Err(); err != nil {
		return nil, nil, fmt.Errorf("build %s:\n%w", def.Name, err)
	}
	return d, io, nil
}

// Elaborate is the first half of [Build]: it returns the design even with
// mistakes in it, and only the mistakes that the builder itself saw.
func Elaborate[IO any](def Def[IO]) (*Design, *IO, check.Findings) {
	b := newBuilder()
	m, io := elaborate(b, nil, "", def)
	b.design.Top = m.ir
	listModules(b.design, m.ir, map[string]bool{})
	b.reportDropped()
	b.ended = true
	return b.design, io, b.findings
}

// elaborate runs the body of one instance of def.
func elaborate[IO any](b *builder, parent *Module, path string, def Def[IO]) (*Module, *IO) {
	m := &Module{
		b: b, parent: parent,
		ir: &ir.Module{
			Name: def.Name, Doc: def.Doc, Path: path, External: def.External, Params: def.Params, Attrs: def.Attrs,
			Body: &ir.Block{}, Ghost: &ir.Block{}, Pos: ir.Here(1),
		},
		named: map[string]*ir.Clock{}, names: map[string]holder{}, clashed: map[ir.Pos]bool{},
	}
	if parent != nil {
		m.ir.Parent = parent.ir
	}
	m.block = m.ir.Body
	b.design.All = append(b.design.All, m.ir)
	before := b.mark()
	m.ir.Home = m.ir.Pos.Inside(def.Body)
	io := m.ports(clone(def.IO), m.ir.Home)
	after := b.mark()
	m.run(func() {
		if def.Body == nil {
			m.Reject("the definition of %s has no Body", def.Name)
		}
		def.Body(m, io.(*IO))
	})
	if m.rejected {
		b.drop(before, after) // the parameters are the reason
	}
	m.finish()
	return m, io.(*IO)
}

// ports turns the prototypes of a port struct into ports, which are declared
// by its fields; body is where the Body begins.
func (m *Module) ports(io any, body ir.Pos) any {
	if t := reflect.TypeOf(io).Elem(); t.Kind() != reflect.Struct {
		m.reportAt(check.Misuse, m.ir.Pos.AtUser(), "the ports of %s are of type %s: want a struct", m.ir.Name, t)
		return io
	}
	fields := origins(io)
	for _, f := range unexported(reflect.TypeOf(io).Elem()) {
		m.reportUnexported(m.b.fields.at(body, f), f, "the port struct")
	}
	for i, l := range leaves(io, "") {
		pos, innermost := body, body
		if path := fields[i]; len(path) > 0 {
			pos, innermost = m.b.fields.at(body, path[0]), m.b.fields.at(body, path[len(path)-1])
		}
		m.reportField(innermost, &l)
		if l.in == l.out {
			m.reportAt(check.Misuse, pos, `port %s has no direction: tag its field hdl:"in" or hdl:"out"`, l.name)
		}
		kind := ir.Output
		if l.in != l.flip {
			kind = ir.Input
		}
		port := m.declareAt(pos, l.name, *l.at, kind)
		if l.clock != "" {
			port.n.Signal.Clock = m.Domain(l.clock).clock
		}
		port.n.Signal.Origin = fields[i].texts()
		*l.at = port
	}
	return io
}

func pathOrTop(path string) string {
	if path == "" {
		return "the top"
	}
	return path
}

// finish adds what follows from the whole body.
func (m *Module) finish() {
	for _, mem := range m.ir.Memories {
		if mem.Collide == ir.Undefined {
			(&Memory{m: m, mem: mem}).assertNoCollision()
		}
	}
	m.done = true
}

// Instance puts a module inside m and returns its ports as m sees them:
// inputs of the child are Set, outputs are read. The child's clock domains
// are joined to the domains of the same name in m, and its default domain to the
// domain m is [Module.In] at the moment, unless [WithClock] says otherwise.
func Instance[IO any](m *Module, name string, def Def[IO], clocks ...ClockJoin) *IO {
	pos := ir.Here(0)
	if !m.open("instance "+name, pos) {
		return poisonPorts(m, clone(def.IO), name)
	}
	m.claim("instance", name, pos)
	if m.nested > 0 {
		m.reportf(check.Misuse, "instance %s inside If or Switch: hardware is there in every cycle", name)
	}
	child, inner := elaborate(m.b, m, join2(m.ir.Path, name), def)
	inst := &ir.Instance{Name: name, Module: child.ir, Parent: m.ir, Clocks: map[*ir.Clock]*ir.Clock{}, Pos: pos}
	m.ir.Instances = append(m.ir.Instances, inst)
	io := clone(*inner)
	if child.broken { // reported; nothing of it is worth a word more
		return poisonPorts(m, io, name)
	}
	m.joinClocks(inst, clocks)
	for _, l := range leaves(io, name) {
		*l.at = m.childPort(inst, l.name, l.at.n.Signal)
	}
	return io
}

// poisonPorts makes the ports of an instance poison: what is wrong with it is reported.
func poisonPorts[IO any](m *Module, io *IO, name string) *IO {
	for _, l := range leaves(io, name) {
		*l.at = poison(l.at.w, Bits{m: m})
	}
	return io
}

// childPort declares the parent's view of one port.
func (m *Module) childPort(inst *ir.Instance, name string, port *ir.Signal) Bits {
	kind := ir.ChildOutput
	if port.Kind == ir.Input {
		kind = ir.ChildInput
	}
	x := m.declareAt(inst.Pos, name, Bits{w: port.Width, enum: port.Enum}, kind)
	s := x.n.Signal
	s.Instance, s.Port = inst, port
	if port.Clock != nil {
		s.Clock = inst.Clocks[port.Clock]
	}
	inst.Ports = append(inst.Ports, s)
	return x
}

func join2(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// listModules lists one module of each name, children before parents.
func listModules(d *ir.Design, m *ir.Module, seen map[string]bool) {
	for _, inst := range m.Instances {
		listModules(d, inst.Module, seen)
	}
	if !seen[m.Name] {
		seen[m.Name] = true
		d.Modules = append(d.Modules, m)
	}
}
