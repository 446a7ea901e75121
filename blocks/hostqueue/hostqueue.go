package hostqueue

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct {
	Sizes  link.Sizes
	Buffer int // bytes of frames to be sent that it holds: a power of two from 2048 to 1048576
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	switch p.Sizes.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("hostqueue: data width of %d bits: not 64, 128, 256 or 512", p.Sizes.DataWidth)
	}
	if p.Sizes.EQBits < 1 || p.Sizes.EQBits > vectorBits {
		return fmt.Errorf("hostqueue: 2^%d vectors: not 2^1 to 2^%d", p.Sizes.EQBits, vectorBits)
	}
	if p.Buffer < 2048 || p.Buffer > 1<<20 || p.Buffer&(p.Buffer-1) != 0 {
		return fmt.Errorf("hostqueue: a buffer of %d bytes: not a power of two from 2048 to 1048576", p.Buffer)
	}
	return nil
}

// Numbers that follow from the formats.
const (
	logEntry   = 4 // log2 of the bytes of an entry
	logChunk   = 6 // and of a burst of frame bytes, format.FrameAlign
	chunkBits  = 64 - logChunk
	lengthBits = 16
	statusBits = 8
	vectorBits = 5
)

// bytes is the number of bytes of a beat, and beatBits its log2.
func (p Params) bytes() int    { return p.Sizes.DataWidth / 8 }
func (p Params) beatBits() int { return hdl.Log2(p.bytes()) }

// chunk is the number of beats of a burst of frame bytes.
func (p Params) chunk() int { return format.FrameAlign / p.bytes() }

// depth is the number of beats of the buffer.
func (p Params) depth() int { return p.Buffer / p.bytes() }

// frameMax is the longest frame that can be sent, or come.
func (p Params) frameMax() int { return min(p.Buffer, format.FrameMost) }

// IO is the ports of the block.
type IO struct {
	In        stream.Frame      `hdl:"in"`
	Out       stream.Frame      `hdl:"out"`
	Registers link.RegisterPort `hdl:"in"`
	Enabled   hdl.Bits          `hdl:"in" w:"1"`

	ReceiveRead  link.ReadPort  `hdl:"out"`
	SendRead     link.ReadPort  `hdl:"out"`
	ReceiveWrite link.WritePort `hdl:"out"`
	SendWrite    link.WritePort `hdl:"out"`

	Raise   hdl.Bits                   `hdl:"out"` // a bit for each vector: pulse
	Message hdl.Stream[link.Interrupt] `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	frames := stream.FrameOf(s.DataWidth)
	return hdl.Def[IO]{
		Name: fmt.Sprintf("hostqueue_%d_eq%d_x%d", s.DataWidth, s.EQBits, p.Buffer),
		Doc:  "Rings of frames of the host's network stack: received ones to host memory, those to be sent from there.",
		IO: IO{
			In: frames, Out: frames, Message: hdl.StreamOf(link.Interrupt{}), Raise: hdl.W(1 << s.EQBits),
			ReceiveRead: s.ReadPort(), SendRead: s.ReadPort(), ReceiveWrite: s.WritePort(), SendWrite: s.WritePort(),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.interrupt()
			b.registers()
			b.receive()
			b.send()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	rx, tx   *queue
	receives *hdl.FSM[receiving]
	sends    *hdl.FSM[sending]
	answers  hdl.Bits // of memory to what is received that are still to come
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	return &block{
		m: m, p: p, io: io,
		rx: newQueue(m, p, "rx", format.RegHostReceive), tx: newQueue(m, p, "tx", format.RegHostSend),
		receives: hdl.NewFSM(m, "receives", rxWait, rxData, rxDrop, rxSettle, rxEntry, rxAnswer),
		sends:    hdl.NewFSM(m, "sends", txIdle, txJudge, txRoom, txRead, txEntry, txAnswer),
		answers:  m.Reg("answers", answersBits, 0),
	}
}
