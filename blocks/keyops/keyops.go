package keyops

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct {
	Sizes link.Sizes
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("keyops: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	return nil
}

// pairs is the number of queue pairs, each of which has one operation at most.
func (p Params) pairs() int { return 1 << p.Sizes.QPBits }

// countBits is the width of a number of operations, up to one of each queue pair.
func (p Params) countBits() int { return p.Sizes.QPBits + 1 }

// IO is the ports of the block.
type IO struct {
	Op       hdl.Stream[link.KeyOp]      `hdl:"in"`
	Done     hdl.Stream[link.KeyOpDone]  `hdl:"out"`
	Key      hdl.Stream[link.KeyCommand] `hdl:"out"`
	KeyDone  hdl.Stream[link.KeyDone]    `hdl:"in"`
	Flush    hdl.Bits                    `hdl:"out" w:"1"` // pulse
	TxFence  hdl.Stream[link.Fence]      `hdl:"out"`
	TxPassed hdl.Stream[link.Fence]      `hdl:"in"`
	RxFence  hdl.Stream[link.Fence]      `hdl:"out"`
	RxPassed hdl.Stream[link.Fence]      `hdl:"in"`
	Through  hdl.Stream[link.Fence]      `hdl:"in"`
	Passed   hdl.Stream[link.Fence]      `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	fence := hdl.StreamOf(link.Fence{})
	return hdl.Def[IO]{
		Name: fmt.Sprintf("keyops_qp%d", p.Sizes.QPBits),
		Doc:  "Does the work requests on keys: changes the key, then waits until no DMA goes on under what it ended.",
		IO: IO{
			Op: hdl.StreamOf(p.Sizes.KeyOp()), Done: hdl.StreamOf(p.Sizes.KeyOpDone()),
			Key: hdl.StreamOf(link.KeyCommand{}), KeyDone: hdl.StreamOf(link.KeyDone{}),
			TxFence: fence, TxPassed: fence, RxFence: fence, RxPassed: fence, Through: fence, Passed: fence,
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := &block{
				m: m, p: p, io: io, op: hdl.NewReg(m, "at_hand", p.Sizes.KeyOp()),
				st:      hdl.NewFSM(m, "step", stIdle, stAsk, stAnswer),
				changed: hdl.NewWire(m, "changed", hdl.StreamOf(p.outcome())),
			}
			b.change()
			b.settle()
			b.count()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	st      *hdl.FSM[step]
	op      link.KeyOp          // at hand
	changed hdl.Stream[outcome] // of the operation whose change has been answered
	waiting hdl.Stream[outcome] // the oldest that is not done
	waits   hdl.Bits            // how many there are,
	clear   hdl.Bits            // the first of which no fence is needed for
	round   hdl.Bits            // a fence is under way
	under   hdl.Bits            // operations that have been taken and are not done
	before  hdl.Bits            // those of them that command's token waits for
}

// outcome is what an operation came to.
type outcome struct {
	QP     hdl.Bits
	Binds  hdl.Bits `w:"1"` // it was a KeyBind
	Vendor hdl.Bits `w:"5"`
	Fence  hdl.Bits `w:"1"` // it ended a key
}

func (p Params) outcome() outcome { return outcome{QP: hdl.W(p.Sizes.QPBits)} }

// fifo holds an outcome of each queue pair.
func (b *block) fifo(in hdl.Stream[outcome]) hdl.Stream[outcome] {
	const least = 128 // of a block RAM
	if b.p.pairs() < least {
		return stream.FIFO(b.m, "u_outcomes", in, b.p.pairs())
	}
	return stream.BlockFIFO(b.m, "u_outcomes", in, b.p.pairs())
}
