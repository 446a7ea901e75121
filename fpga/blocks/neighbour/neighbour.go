package neighbour

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct {
	Tagged bool // requests with a VLAN tag are answered, too; half as many LUTs again
}

// kinds is how many kinds of requests there are.
func (p Params) kinds() kind {
	if p.Tagged {
		return taggedPing + 1
	}
	return ping + 1
}

// IO is the ports of the block.
type IO struct {
	Enable hdl.Bits `hdl:"in" w:"1"`
	MAC    hdl.Bits `hdl:"in" w:"48"` // of the board; the first byte on the wire in the highest bits
	IP     hdl.Bits `hdl:"in" w:"32"` // IPv4 address of the board; 192.168.1.50 is 0xc0a80132

	In     stream.Frame `hdl:"in"`
	Rest   stream.Frame `hdl:"out"`
	Answer stream.Frame `hdl:"out"`

	AnsweredARP  hdl.Bits `hdl:"out" w:"1"` // one cycle for each answer that leaves
	AnsweredPing hdl.Bits `hdl:"out" w:"1"`
	Dropped      hdl.Bits `hdl:"out" w:"1"` // one cycle for each request that is dropped; two at once are one
}

// Def is the block, for frames of 64 bits a beat.
func Def(p Params) hdl.Def[IO] {
	frame := stream.FrameOf(64)
	name := "neighbour"
	if p.Tagged {
		name += "_tagged"
	}
	return hdl.Def[IO]{
		Name: name,
		Doc:  "Answers ARP requests for the board's IPv4 address, and pings; all other frames pass.",
		IO:   IO{In: frame, Rest: frame, Answer: frame},
		Body: func(m *hdl.Module, io *IO) { body(m, p, io) },
	}
}

func body(m *hdl.Module, p Params, io *IO) {
	waiting := stream.FIFO(m, "u_waiting", io.In, waitingWords)
	verdicts := match(m, p, io)
	requests := steer(m, io, waiting, verdicts)

	t := newTaker(m, p, io, requests, verdicts.Data.Kind)
	refused := t.take()
	f, total := t.fields()
	bad := t.judge(t.headerGood(), t.lengthGood(total))
	leaves := t.answer(f)

	io.AnsweredARP.Set(leaves.And(t.isPing().Not()))
	io.AnsweredPing.Set(leaves.And(t.isPing()))
	dropped := m.Reg("dropped_one", 1, 0)
	dropped.Set(refused.Or(bad))
	io.Dropped.Set(dropped)
	properties(m, io, t, verdicts)
}

// steer sends frames where their verdict says, which it takes with their last beat. It returns the requests.
func steer(m *hdl.Module, io *IO, in stream.Frame, verdicts hdl.Stream[verdict]) stream.Frame {
	requests := hdl.NewStream(m, "requests", stream.BeatOf(64))
	known, mine := verdicts.Valid, verdicts.Data.Mine
	io.Rest.Valid.Set(hdl.AndAll(in.Valid, known, mine.Not()))
	requests.Valid.Set(hdl.AndAll(in.Valid, known, mine))
	hdl.Set(io.Rest.Data, in.Data)
	hdl.Set(requests.Data, in.Data)
	moves := known.And(hdl.Mux(mine, requests.Ready, io.Rest.Ready))
	in.Ready.Set(moves)
	verdicts.Ready.Set(hdl.AndAll(in.Valid, moves, in.Data.Last))
	return requests
}
