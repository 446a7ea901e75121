package scheduler

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// lutDepth is the largest queue that is kept in LUT RAM.
const lutDepth = 64

// Params are the parameters of the scheduler.
type Params struct {
	Sizes link.Sizes
	Wakes int // blocks that wake, at least 1
}

// Validate returns an error for parameters that the scheduler cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("scheduler: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	if p.Wakes < 1 {
		return fmt.Errorf("scheduler: %d blocks that wake: not at least 1", p.Wakes)
	}
	return nil
}

// IO is the ports of the scheduler.
type IO struct {
	Wakes []hdl.Stream[link.QPRef] `hdl:"in"`
	Grant hdl.Stream[link.QPRef]   `hdl:"out"`
}

// Def is the scheduler. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	io := IO{Grant: hdl.StreamOf(p.Sizes.QPRef())}
	for range p.Wakes {
		io.Wakes = append(io.Wakes, hdl.StreamOf(p.Sizes.QPRef()))
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("scheduler_%d_w%d", p.Sizes.QPBits, p.Wakes),
		Doc:  "Round robin over the queue pairs that may have work, a packet at a time.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			body(m, p, io)
		},
	}
}

func body(m *hdl.Module, p Params, io *IO) {
	wake := io.Wakes[0]
	if p.Wakes > 1 {
		merged, from := stream.RoundRobin(m, "u_wakes", io.Wakes...)
		m.Unused(from)
		wake = link.Cut(m, p.Sizes, "u_wake", merged)
	}
	waiting := newFlags(m, "waiting", p.Sizes.QPBits)
	waits := waiting.at(wake.Data.QP)

	// A wake that adds nothing is taken and dropped.
	enters := stream.Filter(m, "enters", stream.Gate(m, "swept_wake", wake, waiting.swept), waits.Not())
	queue := fifo(m, p, enters)
	hdl.Connect(io.Grant, queue.Out)
	waiting.set(enters.Data.QP, enters.Fire())
	waiting.clear(queue.Out.Data.QP, queue.Out.Fire())
	properties(m, p, io, wake, enters, queue)
}

// fifo is the queue, in LUT RAM while it is small.
func fifo(m *hdl.Module, p Params, in hdl.Stream[link.QPRef]) *stream.FIFOIO[link.QPRef] {
	depth := 1 << p.Sizes.QPBits
	def := stream.FIFODef(p.Sizes.QPRef(), depth)
	if depth > lutDepth {
		def = stream.BlockFIFODef(p.Sizes.QPRef(), depth)
	}
	queue := hdl.Instance(m, "u_queue", def)
	hdl.Connect(queue.In, in)
	m.Unused(queue.HighWater, queue.Level)
	return queue
}
