package hostnet

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct {
	Window  int // requests under way, a power of two from 4 to 64
	Store   int // words of 8 bytes to be written that it keeps, a power of two from 256 to 8192; 512 take two block RAMs of an ECP5, 1024 four
	Receive int // words of frames that wait, a power of two from 256 to 8192; 512 take two block RAMs
	Timeout int // cycles without an answer after which all is sent again
	Retries int // how often, before the PC is given up
}

// DefaultParams keep a gigabit busy over a round trip of 60 us, and give a PC up that says nothing for a second, at 62.5 MHz.
func DefaultParams() Params {
	return Params{Window: 16, Store: 1024, Receive: 512, Timeout: 125_000, Retries: 500}
}

// SmallParams take two block RAMs of an ECP5 less: reads keep a gigabit busy over that round trip, writes half of one.
func SmallParams() Params {
	p := DefaultParams()
	p.Window, p.Store = 8, 512
	return p
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	for _, x := range []struct {
		name           string
		n, least, most int
		power          bool
	}{
		{"window", p.Window, 4, 64, true},
		{"store", p.Store, 256, 8192, true},
		{"receive", p.Receive, 256, 8192, true},
		{"timeout", p.Timeout, 16, 1 << 30, false},
		{"retries", p.Retries, 1, 1 << 16, false},
	} {
		if x.n < x.least || x.n > x.most {
			return fmt.Errorf("hostnet: %s of %d: not %d to %d", x.name, x.n, x.least, x.most)
		}
		if x.power && x.n&(x.n-1) != 0 {
			return fmt.Errorf("hostnet: %s of %d: not a power of two", x.name, x.n)
		}
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	MAC hdl.Bits `hdl:"in" w:"48"` // of the board; the first byte on the wire in the highest bits
	IP  hdl.Bits `hdl:"in" w:"32"` // IPv4 address of the board; 192.168.1.50 is 0xc0a80132

	In   stream.Frame `hdl:"in"`
	Out  stream.Frame `hdl:"out"`
	AXI  link.AXI     `hdl:"in" name:"s_axi"`
	Host port.Client  `hdl:"out"`
	IRQ  hdl.Bits     `hdl:"in" w:"1" name:"irq"` // level: the PC hears of it when it becomes active

	Open     hdl.Bits `hdl:"out" w:"1"`  // a session is open
	Session  hdl.Bits `hdl:"out" w:"32"` // the newest
	PeerIP   hdl.Bits `hdl:"out" w:"32"` // IPv4 address of the PC whose it is,
	PeerPort hdl.Bits `hdl:"out" w:"16"` // and its UDP port
	Resent   hdl.Bits `hdl:"out" w:"1"`  // one cycle for each time that it goes back
	Dropped  hdl.Bits `hdl:"out" w:"1"`  // one cycle for each frame that is bad or none of the protocol's, or finds no room
	Lost     hdl.Bits `hdl:"out" w:"1"`  // one cycle for each time that a PC is given up
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("hostnet_w%d_s%d_r%d_t%d_x%d", p.Window, p.Store, p.Receive, p.Timeout, p.Retries),
		Doc:  "Host memory over UDP: an AXI4 slave whose memory is a PC's, and the PC's way to the registers.",
		IO: IO{
			In: stream.FrameOf(port.DataWidth), Out: stream.FrameOf(port.DataWidth),
			AXI: link.Sizes{DataWidth: port.DataWidth}.AXI(), Host: port.NewClient(),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.collect()
			b.count()
			b.send()
			b.take(b.filter())
			b.access()
			b.properties()
		},
	}
}

// address is where a PC is.
type address struct {
	MAC  hdl.Bits `w:"48"`
	IP   hdl.Bits `w:"32"`
	Port hdl.Bits `w:"16"`
}

// Kinds of requests.
const (
	kindRead      = 0
	kindWrite     = 1
	kindInterrupt = 2
)

// request is a datagram's worth of a burst.
type request struct {
	Kind  hdl.Bits `w:"2"`
	Addr  hdl.Bits `w:"61"` // in words
	Words hdl.Bits `w:"8"`
	First hdl.Bits `w:"8"` // strobes of a write
	Last  hdl.Bits `w:"8"`
	ID    hdl.Bits `w:"4"`
	End   hdl.Bits `w:"1"` // of the burst
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	open    hdl.Bits // a session is open
	known   hdl.Bits // there has been one
	session hdl.Bits // the newest
	peer    address
	ending  hdl.Bits // wire: the session before has to end first, nothing new begins

	sends *hdl.Memory // requests of the window as they are sent (outgoing),
	dues  *hdl.Memory // and as they are answered (due)
	store *hdl.Memory // words to be written, a ring
	used  hdl.Bits    // how many
	win   *windowIO

	start     hdl.Bits // wire: the sender takes the next request
	sending   hdl.Bits // wire: it is at one
	accept    hdl.Bits // wire: the first request of the window is answered
	answering hdl.Bits // wire: it may be, in one of the next cycles
	freed     hdl.Bits // words of the store that the one answered before has left
	late      hdl.Bits // nothing has come for too long
	begin     hdl.Bits // wire: a session begins

	due   due // the first request of the window,
	isDue hdl.Bits

	asked  hdl.Stream[asked]  // accesses of the PC, from take to access
	answer hdl.Stream[answer] // their answers, from access to send
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	b := &block{
		m: m, p: p, io: io,
		open:      m.Reg("session_open", 1, 0),
		known:     m.Reg("session_known", 1, 0),
		session:   m.RegN("session_number", 32),
		peer:      hdl.NewReg(m, "pc", address{}),
		ending:    m.Wire("ending", 1),
		start:     m.Wire("start", 1),
		sending:   m.Wire("sending", 1),
		accept:    m.Wire("accept", 1),
		answering: m.Wire("answering", 1),
		freed:     m.Reg("freed", p.storeBits()+1, 0),
		late:      m.Reg("late", 1, 0),
		begin:     m.Wire("session_begins", 1),
		due:       hdl.NewReg(m, "due", due{}),
		isDue:     m.Reg("is_due", 1, 0),
		used:      m.Reg("store_used", p.storeBits()+1, 0),
		asked:     hdl.NewStream(m, "asked", asked{}),
		answer:    hdl.NewStream(m, "answer", answer{}),
	}
	b.sends = m.LUTRAM("sends", p.Window, hdl.WidthOf(p.outgoing()))
	b.dues = m.LUTRAM("dues", p.Window, hdl.WidthOf(due{}))
	b.store = m.RAM("store", p.Store, port.DataWidth, hdl.Undefined)
	io.Open.Set(b.open)
	io.Session.Set(b.session)
	io.PeerIP.Set(b.peer.IP)
	io.PeerPort.Set(b.peer.Port)
	return b
}

// storeBits is the width of an index in the store.
func (p Params) storeBits() int { return hdl.Log2(p.Store) }

// outgoing is a request as the sender needs it.
type outgoing struct {
	Kind  hdl.Bits `w:"2"`
	Addr  hdl.Bits `w:"61"`
	Words hdl.Bits `w:"8"`
	First hdl.Bits `w:"8"`
	Last  hdl.Bits `w:"8"`
	At    hdl.Bits // of a write: its first word in the store
}

func (p Params) outgoing() outgoing { return outgoing{At: hdl.W(p.storeBits())} }

// due is a request as its answer is checked.
type due struct {
	Kind  hdl.Bits `w:"2"`
	Words hdl.Bits `w:"8"`
	ID    hdl.Bits `w:"4"`
	End   hdl.Bits `w:"1"`
}

// op is the operation of a kind of request.
func op(kind hdl.Bits) hdl.Bits {
	return hdl.Select(kind, hdl.K(4, uint64(format.HostnetRead)), hdl.K(4, uint64(format.HostnetWrite)), hdl.K(4, uint64(format.HostnetInterrupt)))
}
