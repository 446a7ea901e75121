package pads

import (
	"strconv"

	"gornic/hdl"
)

// The primitives, with the ports that are used here under the vendor's names. Their models are in models.v.

// delayIO is a delay line of 0 to 127 taps of 25 ps that can be moved: a tap at each falling edge of Move, up where Direction is
// zero. While LoadN is zero it has the value of its parameter.
type delayIO struct {
	A         hdl.Bits `hdl:"in" w:"1" name:"A"`
	LoadN     hdl.Bits `hdl:"in" w:"1" name:"LOADN"`
	Move      hdl.Bits `hdl:"in" w:"1" name:"MOVE"`
	Direction hdl.Bits `hdl:"in" w:"1" name:"DIRECTION"`
	Z         hdl.Bits `hdl:"out" w:"1" name:"Z"`
	Flag      hdl.Bits `hdl:"out" w:"1" name:"CFLAG"` // it is at either end
}

// fixedDelayIO is a delay line that stays.
type fixedDelayIO struct {
	A hdl.Bits `hdl:"in" w:"1" name:"A"`
	Z hdl.Bits `hdl:"out" w:"1" name:"Z"`
}

// inDDRIO is an input register of both edges: after a rising edge, Q0 has what D was at the rising edge before, and Q1
// what it was at the falling edge between the two.
type inDDRIO struct {
	D    hdl.Bits `hdl:"in" w:"1" name:"D"`
	SCLK hdl.Bits `hdl:"in" w:"1" name:"SCLK"`
	RST  hdl.Bits `hdl:"in" w:"1" name:"RST"`
	Q0   hdl.Bits `hdl:"out" w:"1" name:"Q0"`
	Q1   hdl.Bits `hdl:"out" w:"1" name:"Q1"`
}

// outDDRIO is an output register of both edges: D0 leaves with a rising edge, D1 with the falling one behind it.
type outDDRIO struct {
	D0   hdl.Bits `hdl:"in" w:"1" name:"D0"`
	D1   hdl.Bits `hdl:"in" w:"1" name:"D1"`
	SCLK hdl.Bits `hdl:"in" w:"1" name:"SCLK"`
	RST  hdl.Bits `hdl:"in" w:"1" name:"RST"`
	Q    hdl.Bits `hdl:"out" w:"1" name:"Q"`
}

// box is a primitive.
func box[IO any](name, doc string, params ...hdl.Param) hdl.Def[IO] {
	return hdl.Def[IO]{Name: name, Doc: doc, External: true, Params: params, Body: func(*hdl.Module, *IO) {}}
}

func number(name string, value int) hdl.Param {
	return hdl.Param{Name: name, Value: strconv.Itoa(value)}
}

func text(name, value string) hdl.Param { return hdl.Param{Name: name, Value: strconv.Quote(value)} }

func delay(taps int) hdl.Def[delayIO] {
	return box[delayIO]("DELAYF", "A delay that can be moved.", text("DEL_MODE", "USER_DEFINED"), number("DEL_VALUE", taps))
}

func fixedDelay(taps int) hdl.Def[fixedDelayIO] {
	return box[fixedDelayIO]("DELAYG", "A delay.", text("DEL_MODE", "USER_DEFINED"), number("DEL_VALUE", taps))
}

func inDDR() hdl.Def[inDDRIO] { return box[inDDRIO]("IDDRX1F", "An input register of both edges.") }

func outDDR() hdl.Def[outDDRIO] { return box[outDDRIO]("ODDRX1F", "An output register of both edges.") }
