package rgmii

// Symbol is the pins during one cycle, from bit 0: data at the rising edge (4 bits), data at the
// falling edge (4 bits), control at the rising edge, control at the falling edge.
type Symbol uint16

// Bits of a [Symbol] above the data. Control at the rising edge is DV (EN); at the falling edge it is that, or its opposite
// where there is an error.
const (
	ctlRise Symbol = 1 << 8
	ctlFall Symbol = 1 << 9
)

// Byte is a cycle within a frame, Error one with an error.
func Byte(b byte) Symbol  { return Symbol(b) | ctlRise | ctlFall }
func Error(b byte) Symbol { return Symbol(b) | ctlRise }

// Status is what a PHY tells of its link between frames, on both edges.
type Status uint8

// Bits of a [Status]. The speed is a number of two bits.
const (
	LinkUp     Status = 1 << 0
	Speed100   Status = 1 << 1
	Speed1000  Status = 2 << 1
	FullDuplex Status = 1 << 3

	Gigabit = LinkUp | Speed1000 | FullDuplex
)

// Idle is a cycle between frames.
func Idle(s Status) Symbol { return Symbol(s)<<4 | Symbol(s) }

// Active tells whether a cycle is of a frame, or tells of an error.
func (s Symbol) Active() bool { return s&(ctlRise|ctlFall) != 0 }

// inFrame and failed are DV and ER.
func (s Symbol) inFrame() bool { return s&ctlRise != 0 }
func (s Symbol) failed() bool  { return (s&ctlRise != 0) != (s&ctlFall != 0) }
