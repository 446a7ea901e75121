package access

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// BoardBits is the width of an address of the board's registers.
const BoardBits = 12

// coreSpace is the width of the addresses below the board's registers.
const coreSpace = 19

// Params are the parameters of the block.
type Params struct {
	Clients  int // hosts, 1 to 8
	CoreBits int // width of an address of the core: link.Sizes.AddressBits, 13 to 19
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Clients < 1 || p.Clients > 8 {
		return fmt.Errorf("access: %d clients: not 1 to 8", p.Clients)
	}
	if p.CoreBits < 13 || p.CoreBits > coreSpace {
		return fmt.Errorf("access: addresses of %d bits in the core: not 13 to %d", p.CoreBits, coreSpace)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Clients []port.Client `hdl:"in"`
	Core    link.AXILite  `hdl:"out" name:"m_axil_core"`
	Board   link.AXILite  `hdl:"out" name:"m_axil_board"`
	Memory  port.Client   `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	lite := func(bits int) link.AXILite { return link.AXILite{AWAddr: hdl.W(bits), ARAddr: hdl.W(bits)} }
	io := IO{Core: lite(p.CoreBits), Board: lite(BoardBits), Memory: port.NewClient()}
	for range p.Clients {
		io.Clients = append(io.Clients, port.NewClient())
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("access_%d_%d", p.Clients, p.CoreBits),
		Doc:  "Accesses of hosts to registers of core and board, and to host memory.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			held := body(m, p, io)
			properties(m, p, io, held)
		},
	}
}

// step is where the access under way is.
type step int

const (
	idle     step = iota
	decides       // who answers
	core          // the core does
	board         // the registers of the board do
	memory        // host memory does
	answered      // the reply waits for the client
)

func (s step) String() string {
	return [...]string{"IDLE", "DECIDES", "CORE", "BOARD", "MEMORY", "ANSWERED"}[s]
}

// body takes an access, has it answered, and hands the reply back. It returns the access under way.
func body(m *hdl.Module, p Params, io *IO) port.Access {
	at := hdl.NewFSM(m, "step", idle, decides, core, board, memory, answered)
	held := hdl.NewReg(m, "held", port.Access{})
	reply := hdl.NewReg(m, "reply", port.Reply{})
	whose := m.RegN("whose", max(1, hdl.Log2(p.Clients)))

	var asked []hdl.Stream[port.Access]
	for _, c := range io.Clients {
		asked = append(asked, c.Access)
	}
	next, from := stream.RoundRobin(m, "u_turn", asked...)
	next.Ready.Set(at.Is(idle))
	toCore := newLite(m, "core", &io.Core, held, at.Is(core))
	toBoard := newLite(m, "board", &io.Board, held, at.Is(board))
	waits := m.Reg("memory_waits", 1, 0) // the access has been handed to memory
	io.Memory.Access.Valid.Set(at.Is(memory).And(waits.Not()))
	hdl.Set(io.Memory.Access.Data, held)
	io.Memory.Reply.Ready.Set(at.Is(memory))
	m.If(io.Memory.Access.Fire(), func() { waits.SetK(1) })
	m.If(io.Memory.Reply.Fire(), func() { waits.SetK(0) })

	answer := func(r port.Reply) {
		hdl.Set(reply, r)
		at.Goto(answered)
	}
	taken := hdl.K(1, 0)
	for i, c := range io.Clients {
		mine := at.Is(answered).And(whose.Is(uint64(i)))
		c.Reply.Valid.Set(mine)
		hdl.Set(c.Reply.Data, reply)
		taken = taken.Or(mine.And(c.Reply.Ready))
	}
	at.Switch(
		hdl.On(idle, func() {
			m.If(next.Valid, func() {
				hdl.Set(held, next.Data)
				whose.Set(from.Trunc(whose.Width()))
				at.Goto(decides)
			})
		}),
		hdl.On(decides, func() {
			isCore, isBoard := registersAt(held, p)
			m.If(held.Memory, func() { at.Goto(memory) }).
				ElseIf(isCore, func() { at.Goto(core) }).
				ElseIf(isBoard, func() { at.Goto(board) }).
				Else(func() { answer(port.Reply{Data: hdl.K(64, 0), Fault: hdl.K(1, 1)}) })
		}),
		hdl.On(core, func() { m.If(toCore.done, func() { answer(toCore.reply) }) }),
		hdl.On(board, func() { m.If(toBoard.done, func() { answer(toBoard.reply) }) }),
		hdl.On(memory, func() { m.If(io.Memory.Reply.Valid, func() { answer(io.Memory.Reply.Data) }) }),
		hdl.On(answered, func() { m.If(taken, func() { at.Goto(idle) }) }),
	)
	m.Event("access", at.Is(decides), hdl.Field("client", whose), hdl.Field("write", held.Write),
		hdl.Field("memory", held.Memory), hdl.Field("addr", held.Addr), hdl.Field("data", held.Data))
	m.Event("reply", taken, hdl.Field("client", whose), hdl.Field("data", reply.Data), hdl.Field("fault", reply.Fault))
	return held
}

// registersAt says whose registers an access that is not to memory reaches; neither: nobody's.
func registersAt(a port.Access, p Params) (core, board hdl.Bits) {
	aligned := a.Addr.Trunc(2).None()
	core = a.Addr.ShrK(p.CoreBits).None().And(aligned)
	board = a.Addr.ShrK(BoardBits).Is(port.BoardBase >> BoardBits).And(aligned)
	return core, board
}
