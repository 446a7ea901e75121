package command

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct {
	Sizes link.Sizes
	MTU   int // largest path MTU in bytes

	// NoCongestion refuses queue pairs that ask for congestion control.
	NoCongestion bool
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	if s.QPBits < 1 || s.QPBits > 16 || s.CQBits < 1 || s.CQBits > 16 || s.EQBits < 1 || s.EQBits > 5 {
		return fmt.Errorf("command: 2^%d queue pairs, 2^%d completion queues, 2^%d event queues: not 2^1 to 2^16, 2^16, 2^5", s.QPBits, s.CQBits, s.EQBits)
	}
	if s.ReadBits < 1 || s.ReadBits > 6 {
		return fmt.Errorf("command: 2^%d READs and atomics of a queue pair: not 2^1 to 2^6", s.ReadBits)
	}
	switch p.MTU {
	case 256, 512, 1024, 2048, 4096:
		return nil
	}
	return fmt.Errorf("command: path MTU of %d bytes: not 256, 512, 1024, 2048 or 4096", p.MTU)
}

// IO is the ports of the block.
type IO struct {
	Go       hdl.Stream[link.Go]           `hdl:"in"`
	Done     hdl.Stream[link.Done]         `hdl:"out"`
	KeyLog   hdl.Bits                      `hdl:"in" w:"5"` // log2 of the key table's entries
	Context  link.ContextPort              `hdl:"out"`
	Write    hdl.Stream[link.ContextWrite] `hdl:"out"`
	Control  hdl.Stream[link.QPControl]    `hdl:"out"`
	SQ       hdl.Stream[link.RingConfig]   `hdl:"out"`
	RQ       hdl.Stream[link.RingConfig]   `hdl:"out"`
	Owner    hdl.Stream[link.BellOwner]    `hdl:"out"`
	CQ       hdl.Stream[link.CQConfig]     `hdl:"out"`
	EQ       hdl.Stream[link.EQConfig]     `hdl:"out"`
	Key      hdl.Stream[link.KeyCommand]   `hdl:"out"`
	KeyDone  hdl.Stream[link.KeyDone]      `hdl:"in"`
	Flush    hdl.Bits                      `hdl:"out" w:"1"` // pulse
	TxFence  hdl.Stream[link.Fence]        `hdl:"out"`
	TxPassed hdl.Stream[link.Fence]        `hdl:"in"`
	RxFence  hdl.Stream[link.Fence]        `hdl:"out"`
	RxPassed hdl.Stream[link.Fence]        `hdl:"in"`
	Wake     hdl.Stream[link.QPRef]        `hdl:"out"`
	Peeks    Peeks                         `hdl:"out"`
}

// Peeks are the numbers of a queue pair that other blocks own.
type Peeks struct {
	NextPSN    link.Peek // of requester
	Oldest     link.Peek // of replay
	ExpPSN     link.Peek // of psncheck
	MSN        link.Peek // of ackqueue
	SQConsumer link.Peek // of the two wqefetch
	RQConsumer link.Peek
}

// name is that of the module.
func (p Params) name() string {
	s := p.Sizes
	name := fmt.Sprintf("command_qp%d_cq%d_eq%d_rd%d_mtu%d", s.QPBits, s.CQBits, s.EQBits, s.ReadBits, p.MTU)
	if p.NoCongestion {
		return name + "_nocc"
	}
	return name
}

// congestionMost is the largest value of CreateQP.Congestion.
func (p Params) congestionMost() uint64 {
	if p.NoCongestion {
		return 0
	}
	return 1
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	fence, ring := hdl.StreamOf(link.Fence{}), hdl.StreamOf(s.RingConfig())
	return hdl.Def[IO]{
		Name: p.name(),
		Doc:  "Runs the commands of the mailbox: checks them, and tells the owners of what they change.",
		IO: IO{
			Go: hdl.StreamOf(link.Go{}), Done: hdl.StreamOf(link.Done{}), Context: s.ContextPort(), Write: hdl.StreamOf(s.ContextWrite()),
			Control: hdl.StreamOf(s.QPControl()), SQ: ring, RQ: ring, Owner: hdl.StreamOf(s.BellOwner()),
			CQ: hdl.StreamOf(s.CQConfig()), EQ: hdl.StreamOf(s.EQConfig()), Key: hdl.StreamOf(link.KeyCommand{}), KeyDone: hdl.StreamOf(link.KeyDone{}),
			TxFence: fence, TxPassed: fence, RxFence: fence, RxPassed: fence, Wake: hdl.StreamOf(s.QPRef()),
			Peeks: Peeks{s.Peek(24), s.Peek(25), s.Peek(24), s.Peek(24), s.Peek(16), s.Peek(16)},
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.run()
			b.tell()
			b.keep()
			b.properties()
		},
	}
}

// step is where a command is.
type step int

const (
	stIdle  step = iota
	stLook       // its queue pair is looked up
	stFind       // the answer is waited for
	stWeigh      // and the entries of queues
	stJudge      // it is judged
	stPeek       // numbers that others own are waited for
	stTell       // the owners are told, one after the other
	stEnd        // Go is taken
	stDone       // the outcome is given
)

func (s step) String() string {
	return [...]string{"idle", "look", "find", "weigh", "judge", "peek", "tell", "end", "done"}[s]
}

// What a command has to tell, in this order.
const (
	tellKey = iota
	tellKeyDone
	tellFlush
	tellPSN
	tellTimers
	tellContext
	tellDisown
	tellTxFence
	tellRxFence
	tellPassed
	tellClear
	tellSettle
	tellSQ
	tellRQ
	tellOwner
	tellQueue
	tellCount       // of the first queue that the object uses
	tellSecondCount // and of the second
	tellWake
	tellings
)

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	st     *hdl.FSM[step]
	in     inputs
	qp     hdl.Bits    // index of the queue pair
	found  link.Lookup // it, as it is
	status hdl.Bits
	key    link.KeyDone
	reply  hdl.Bits // the outcome has contents
	untold hdl.Bits // a bit of each telling whose owner has not heard it

	tables *tables
	passed passed
}

// passed is which fences have come back.
type passed struct{ tx, rx hdl.Bits }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	b := &block{
		m: m, p: p, io: io,
		st:     hdl.NewFSM(m, "step", stIdle, stLook, stFind, stWeigh, stJudge, stPeek, stTell, stEnd, stDone),
		found:  hdl.NewReg(m, "found", link.Lookup{Context: s.Context()}),
		status: m.RegN("status", 8), reply: m.RegN("reply", 1), untold: m.Reg("untold", tellings, 0),
		key:    hdl.NewReg(m, "key_done_now", link.KeyDone{}),
		passed: passed{tx: m.Reg("tx_has_passed", 1, 0), rx: m.Reg("rx_has_passed", 1, 0)},
	}
	b.in = unpack(io.Go.Data)
	b.qp = b.in.number.Trunc(s.QPBits)
	b.tables = newTables(b)
	return b
}

// run takes a command through its steps. Go stays until the command has ended,
// so its contents are looked at where they are.
func (b *block) run() {
	m, io := b.m, b.io
	waited := m.Reg("peek_waited", hdl.Log2(link.PeekCycles), 0)
	for _, p := range []link.Peek{io.Peeks.NextPSN, io.Peeks.Oldest, io.Peeks.ExpPSN, io.Peeks.MSN, io.Peeks.SQConsumer, io.Peeks.RQConsumer} {
		p.QP.Set(b.qp)
	}
	b.st.Switch(
		hdl.On(stIdle, func() {
			m.If(io.Go.Valid.And(b.tables.swept), func() { b.st.Goto(stLook) })
		}),
		hdl.On(stLook, func() {
			m.If(io.Context.Request.Ready, func() { b.st.Goto(stFind) })
		}),
		hdl.On(stFind, func() {
			hdl.Set(b.found, io.Context.Reply.Data)
			m.If(io.Context.Reply.Valid, func() { b.st.Goto(stWeigh) })
		}),
		hdl.On(stWeigh, func() { b.st.Goto(stJudge) }),
		hdl.On(stJudge, func() {
			status, tells := b.judge()
			b.status.Set(status)
			b.untold.Set(hdl.Mux(status.None(), tells, tells.K(0)))
			b.reply.Set(hdl.Mux(status.None(), b.replies(), hdl.K(1, 0)))
			b.st.Goto(stPeek)
		}),
		hdl.On(stPeek, func() {
			waited.Set(waited.AddK(1))
			m.If(waited.All().Or(b.in.is(format.CmdQueryQP, format.CmdQPAt).Not()), func() { b.st.Goto(stTell) })
		}),
		hdl.On(stTell, func() {
			m.If(b.untold.None(), func() { b.st.Goto(stEnd) })
		}),
		hdl.On(stEnd, func() { b.st.Goto(stDone) }),
		hdl.On(stDone, func() {
			m.If(io.Done.Ready, func() { b.st.Goto(stIdle) })
		}),
	)
	io.Context.Request.Valid.Set(b.st.Is(stLook))
	io.Context.Request.Data.QP.Set(b.qp)
	io.Context.Reply.Ready.Set(b.st.Is(stFind))
	io.Go.Ready.Set(b.st.Is(stEnd))
	// The contents are looked at before they are gone.
	out := m.RegN("out", 512)
	m.If(b.st.Is(stEnd), func() { out.Set(b.output()) })
	io.Done.Valid.Set(b.st.Is(stDone))
	hdl.Set(io.Done.Data, link.Done{Status: b.status, Replies: b.reply, Out: out})
}
