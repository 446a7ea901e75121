package neighbour

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

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
func Def() hdl.Def[IO] {
	frame := stream.FrameOf(64)
	return hdl.Def[IO]{
		Name: "neighbour",
		Doc:  "Answers ARP requests for the board's IPv4 address, and pings; all other frames pass.",
		IO:   IO{In: frame, Rest: frame, Answer: frame},
		Body: body,
	}
}

func body(m *hdl.Module, io *IO) {
	waiting := stream.FIFO(m, "u_waiting", io.In, waitingWords)
	verdicts := match(m, io)
	requests := steer(m, io, waiting, verdicts)

	t := newTaker(m, io, requests, verdicts.Data.Kind)
	refused := t.take()
	f, total := t.fields()
	bad := t.judge(t.headerGood(), t.lengthGood(total))
	leaves := t.answer(f)

	io.AnsweredARP.Set(leaves.And(t.chosen.Bit(0).Not()))
	io.AnsweredPing.Set(leaves.And(t.chosen.Bit(0)))
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
