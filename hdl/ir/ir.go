package ir

import "fmt"

// Design is a whole elaborated design.
type Design struct {
	Top     *Module
	Modules []*Module // one of each name, children before their parents, in a fixed order
	All     []*Module // every elaborated module, one for each instance, parents first; All[0] is Top
}

// Simulable returns an error for a design whose clocks nobody outside drives.
func (d *Design) Simulable() error {
	if len(d.Top.Made) == 0 {
		return nil
	}
	return fmt.Errorf("%s makes the clock %s of its own: run the module inside, whose clocks are ports", d.Top.Name, d.Top.Made[0].Clk)
}

// Module is one elaborated module: the top, or what an instance holds.
type Module struct {
	Name      string      // in Verilog; unique text for each name
	Doc       string      // what the module does, for the header of its file; may be empty
	Path      string      // instance path from the top, "u_rx.u_fifo"; empty for the top
	Parent    *Module     // nil for the top
	External  bool        // a black box: Body is its simulation model, not for synthesis
	Params    []Param     // an External's Verilog parameters
	Attrs     []Param     // of an External: Verilog attributes of its instance
	Clocks    []*Clock    // domains that anything in here uses, in port order
	Made      []*Clock    // of the top: domains whose clock and reset are wires of it, in order of declaration
	Signals   []*Signal   // ports in order, then the rest in order of declaration
	Memories  []*Memory   // in order of declaration
	Instances []*Instance // in order of declaration
	Body      *Block
	Ghost     *Block   // statements that serve the properties alone: they set Ghost signals only
	Checks    []*Check // properties, in order
	Events    []*Event // trace events, in order
	Unused    []*Node  // values named by the author as read by nobody
	Pos       Pos      // of the Instance or Build call
	Home      Pos      // the first line of the Go function that is its Body
}

// Param is a Verilog parameter or attribute of a black box; Value is a Verilog literal.
type Param struct{ Name, Value string }

// Clock is a clock domain of a module: a clock (rising edge) and a
// synchronous, active-high reset, both input ports, or wires where the module
// makes the clock (Made). The default domain is named "" and has the ports clk and
// rst; domain "rx" has rx_clk and rx_rst.
type Clock struct {
	Name   string
	Clk    string // name of the port or wire
	Rst    string // name of the port or wire
	Module *Module
}

// Kind says what a signal is.
type Kind int

// The kinds of signal. Assignments target Output, Wire, Reg and ChildInput.
const (
	Input       Kind = iota // port of the module; driven from outside
	Output                  // port of the module; driven by statements
	Wire                    // combinational; driven by statements
	Reg                     // flip-flops; statements give the next value, which is held where none is reached
	ReadData                // what a synchronous memory port read on the last enabled edge
	ChildInput              // an instance's input, as the parent sees it; driven by the parent's statements
	ChildOutput             // an instance's output, as the parent sees it
)

var kindNames = [...]string{"input", "output", "wire", "reg", "read data", "child input", "child output"}

// String returns the kind in words, such as "child input".
func (k Kind) String() string { return kindNames[k] }

// Signal is a named value of a module.
type Signal struct {
	Name     string // in Verilog; unique in its module. A child's port is "u_fifo_in_valid"
	Width    int    // bits
	Kind     Kind
	Module   *Module   // where it is declared; for ChildInput and ChildOutput, the parent
	Clock    *Clock    // Reg and ReadData: its domain; ports: the declared domain, or nil
	Reset    *Const    // Reg: value under reset; nil without
	Enum     *Enum     // names of values, for people; nil without
	FSM      bool      // the register holds an FSM's state (Enum has the states)
	Instance *Instance // ChildInput, ChildOutput
	Port     *Signal   // ChildInput, ChildOutput: the port inside the child
	Read     *ReadPort // ReadData
	Origin   []string  // ports: the struct fields that declare it, outermost first, as "package/path.Type.Field"
	Field    bool      // Wire: declared as a field of a bundle, so that its name is not the author's own
	Cross    bool      // reads of this register from another domain are declared safe
	Ghost    bool      // state or wire of the properties alone: not in the synthesis output
	Free     bool      // Reg and Ghost: never set, holds an arbitrary value that proofs treat as a variable
	Pos      Pos
}

// Enum names the values of a signal. Values without a name are shown as numbers.
type Enum struct {
	Name   string // such as "opcode"
	Values []EnumValue
}

// EnumValue is one named value.
type EnumValue struct {
	Value uint64
	Name  string
}

// Instance is a module inside another.
type Instance struct {
	Name   string // "u_fifo"
	Module *Module
	Parent *Module
	Ports  []*Signal         // the parent-side ChildInput and ChildOutput signals, in port order
	Clocks map[*Clock]*Clock // child's domain -> parent's
	Pos    Pos
}

// Collision says what a synchronous read returns when the same word is
// written in the same cycle.
type Collision int

// The policies. Undefined needs proof that it never happens: the builder adds
// an assertion, and the Verilog says no_rw_check.
const (
	ReadOld   Collision = iota // the word as it was before the write
	ReadNew                    // the word being written
	Undefined                  // anything; asserted not to happen
)

// Memory is an array of words without reset.
type Memory struct {
	Name    string
	Module  *Module
	Width   int // bits a word
	Depth   int // words; any number, addresses have AddrWidth(Depth) bits
	Lane    int // bits written by one bit of WritePort.Lanes; Width without lanes
	Async   bool
	Collide Collision
	Ghost   bool        // state of the properties alone
	Reads   []*ReadPort // synchronous reads; asynchronous ones are OpMemRead nodes
	Writes  []*WritePort
	Pos     Pos
}

// AddrWidth returns the width of an address into depth words, at least 1.
func AddrWidth(depth int) int {
	w := 1
	for 1<<w < depth {
		w++
	}
	return w
}

// ReadPort is a synchronous read: Data takes word Addr at a clock edge where
// En is one, and holds it otherwise.
type ReadPort struct {
	Memory *Memory
	Clock  *Clock
	Addr   *Node
	En     *Node // one bit
	Data   *Signal
	Shared *WritePort // true dual port: the write that uses the same port and address; else nil
	Pos    Pos
}

// WritePort writes Data to word Addr at a clock edge where En is one, only
// the lanes whose bit in Lanes is one where Lanes is not nil.
type WritePort struct {
	Memory *Memory
	Clock  *Clock
	Addr   *Node
	En     *Node // one bit
	Data   *Node
	Lanes  *Node // Width/Lane bits, or nil
	Pos    Pos
}

// CheckKind says what a property asks.
type CheckKind int

// The kinds of property.
const (
	Assert CheckKind = iota // holds in each cycle outside reset
	Assume                  // taken for granted in proofs; checked in simulation
	Cover                   // can happen
)

var checkNames = [...]string{"assert", "assume", "cover"}

// String returns "assert", "assume" or "cover".
func (k CheckKind) String() string { return checkNames[k] }

// Check is a property of one bit, looked at on each rising edge of its clock
// while reset is low.
type Check struct {
	Kind  CheckKind
	Name  string // unique in its module
	Cond  *Node
	Clock *Clock
	Pos   Pos
}

// MaxEventField is the greatest width of a field of an event, in bits.
const MaxEventField = 64

// Event is a trace event: what simulators record on each rising edge of its
// clock while reset is low and When is one. It serves people alone, as
// properties do.
type Event struct {
	Name   string // unique among the events of its module
	When   *Node  // one bit
	Fields []EventField
	Clock  *Clock
	Pos    Pos
}

// EventField is a value that an event shows.
type EventField struct {
	Name  string // unique in its event
	Value *Node  // 1 to MaxEventField bits
	Enum  *Enum  // names of values; nil without
}
