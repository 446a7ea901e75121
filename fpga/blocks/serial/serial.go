package serial

import (
	"gornic/format"
	"gornic/fpga/blocks/port"
	"gornic/fpga/blocks/uart"
	"gornic/hdl"
)

// Counters is how many counters the block has: format.BoardSerialFraming and those behind it.
const Counters = 4

// IO is the ports of the block.
type IO struct {
	Received uart.Byte            `hdl:"in"`
	Send     hdl.Stream[hdl.Bits] `hdl:"out"`
	Client   port.Client          `hdl:"out"`
	Counts   hdl.Bits             `hdl:"out" w:"4"` // a pulse each: framing, bad, repeats, refused
}

// Def is the bridge.
func Def() hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: "serial",
		Doc:  "Serial bridge: frames of requests, their accesses, frames of answers.",
		IO:   IO{Send: hdl.StreamOf(hdl.W(8)), Client: port.NewClient()},
		Body: func(m *hdl.Module, io *IO) {
			b := newBridge(m, io)
			b.receive()
			b.run()
			b.count()
			b.properties()
		},
	}
}

// step is what the bridge is at.
type step int

const (
	idle     step = iota // a request may come
	looks                // at the request's fields
	decides              // what becomes of it
	fetches              // bytes of a word to be written
	asks                 // for an access
	waits                // for its reply
	stores               // bytes of a word that was read
	merges               // bytes of a word to be modified
	wordEnds             // there may be another
	starts               // the answer's frame
	headers              // bytes of its header
	data                 // bytes of its payload
	checks               // bytes of its CRC
	finishes             // its frame
)

func (s step) String() string {
	return [...]string{
		"IDLE", "LOOKS", "DECIDES", "FETCHES", "ASKS", "WAITS", "STORES", "MERGES", "WORD_ENDS",
		"STARTS", "HEADERS", "DATA", "CHECKS", "FINISHES",
	}[s]
}

// Sizes of frames and of the RAM in bytes.
var (
	requestBytes = format.Size[format.SerialRequest[uint64]]()
	answerBytes  = format.Size[format.SerialAnswer[uint64]]()
)

const (
	crcBytes = 4
	areaBits = 10 // of an area of the RAM: one for a request's payload and CRC, one for an answer's payload
)

// bridge is the module while it is built.
type bridge struct {
	m    *hdl.Module
	io   *IO
	step *hdl.FSM[step]

	crc     hdl.Bits // of the frame that comes or goes
	crcByte hdl.Bits // its next byte
	crcNext hdl.Bits // the CRC behind that
	header  hdl.Bits // of the request
	request format.SerialRequest[hdl.Bits]
	length  hdl.Bits // bytes of the frame that comes
	size    hdl.Bits // bytes of the request
	ends    hdl.Bits // it is whole, in this cycle

	// The RAM.
	put     hdl.Bits // a byte is written
	putAt   hdl.Bits
	putByte hdl.Bits
	get     hdl.Bits // a byte is read
	getAt   hdl.Bits
	got     hdl.Bits // the byte that was read
	comes   hdl.Bits // it is on the way
	has     hdl.Bits // it is there, until it is used

	framing, bad, repeats, refused hdl.Bits // what is counted
}

func newBridge(m *hdl.Module, io *IO) *bridge {
	b := &bridge{
		m: m, io: io,
		step: hdl.NewFSM(m, "step", idle, looks, decides, fetches, asks, waits, stores, merges, wordEnds, starts, headers, data, checks, finishes),
		crc:  m.Reg("crc", 32, 0xFFFFFFFF), crcByte: m.Wire("crc_byte", 8), header: m.RegN("request", 8*requestBytes),
		length: m.Reg("length", areaBits, 0), size: m.RegN("size", areaBits), ends: m.Wire("request_ends", 1),
		put: m.Reg("put", 1, 0), putAt: m.RegN("put_at", areaBits+1), putByte: m.RegN("put_byte", 8),
		get: m.Wire("get", 1), getAt: m.Wire("get_at", areaBits+1),
		framing: m.Reg("counts_framing", 1, 0), bad: m.Reg("counts_bad", 1, 0),
		repeats: m.Reg("counts_repeats", 1, 0), refused: m.Reg("counts_refused", 1, 0),
	}
	b.repeats.SetK(0)
	b.refused.SetK(0)
	b.request = hdl.UnpackLow(format.SerialRequest[hdl.Bits]{
		Op: hdl.W(8), Seq: hdl.W(8), Words: hdl.W(8), First: hdl.W(8), Last: hdl.W(8), Addr: hdl.W(32),
	}, b.header)
	b.crcNext = crcNext(b.crc, b.crcByte)
	b.ram()
	return b
}

// ram is the RAM with a register before its write port and one behind its read port.
func (b *bridge) ram() {
	m := b.m
	ram := m.RAM("frames", 2<<areaBits, 8, hdl.Undefined)
	ram.Write(b.putAt, b.put, b.putByte)
	read := ram.Read("read_byte", b.getAt, b.get)
	b.got, b.comes, b.has = m.RegN("got", 8), m.Reg("got_comes", 1, 0), m.Reg("got_is_here", 1, 0)
	b.comes.Set(b.get)
	m.If(b.comes, func() {
		b.got.Set(read)
		b.has.SetK(1)
	})
}

// inAnswer is the address of a byte of the kept answer, inRequest of one of the request's payload.
func inAnswer(at hdl.Bits) hdl.Bits  { return hdl.Cat(hdl.K(1, 1), at) }
func inRequest(at hdl.Bits) hdl.Bits { return hdl.Cat(hdl.K(1, 0), at) }

// count registers what is counted.
func (b *bridge) count() {
	b.io.Counts.Set(hdl.Cat(b.refused, b.repeats, b.bad, b.framing))
}
