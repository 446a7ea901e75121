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

	Answered hdl.Bits `hdl:"out" w:"1"` // one cycle for each answer that leaves
	Dropped  hdl.Bits `hdl:"out" w:"1"` // one cycle for each request that is dropped
}
