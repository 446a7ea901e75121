package hostmem

import (
	"fmt"
	"math/bits"

	"gornic/blocks/link"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the memory.
type Params struct {
	Bytes  int  // a power of two, 4 KiB to 4 GiB
	Remote bool // there is a PC with memory
}

const (
	pageBytes = 4096 // no burst crosses a multiple
	wordBytes = port.DataWidth / 8
)

// Validate returns an error for parameters that the memory cannot have.
func (p Params) Validate() error {
	if p.Bytes < pageBytes || p.Bytes > port.RemoteBase || bits.OnesCount(uint(p.Bytes)) != 1 {
		return fmt.Errorf("hostmem: %d bytes: not a power of two from 4 KiB to 4 GiB", p.Bytes)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	AXI    link.AXI    `hdl:"in" name:"s_axi"`
	Host   port.Client `hdl:"in"`
	Remote []link.AXI  `hdl:"out" name:"m_axi"` // one, or none
}

// Def is the memory. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	d := define(p)
	body := d.Body
	d.Body = func(m *hdl.Module, io *IO) {
		if err := p.Validate(); err != nil {
			m.Reject("%v", err)
		}
		body(m, io)
	}
	return d
}

// define is Def without a look at the parameters: a proof has fewer bytes than a page.
func define(p Params) hdl.Def[IO] {
	axi := link.Sizes{DataWidth: port.DataWidth}.AXI()
	io := IO{AXI: axi, Host: port.NewClient()}
	name := fmt.Sprintf("hostmem_%d", p.Bytes)
	if p.Remote {
		io.Remote = []link.AXI{axi}
		name += "_remote"
	}
	return hdl.Def[IO]{
		Name: name,
		Doc:  "AXI4 slave: host memory on the board, with a second side for the host.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			b := &block{m: m, p: p, io: io}
			host := b.newHost()
			put := b.write(host)
			b.read(host, put)
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	readsHere, writesHere crossing // for the properties
}

// indexBits is the width of a word's index.
func (b *block) indexBits() int { return hdl.Log2(b.p.Bytes / wordBytes) }

// Constants of AXI.
const (
	sizeWord   = 3 // beats of 8 bytes
	burstINCR  = 1
	cacheWrite = 3 // modifiable and bufferable memory
	protData   = 2 // data, not secure, not privileged
	respOKAY   = 0
	respDECERR = 3
)

// ask is a burst with what its address says.
type ask struct {
	ID     hdl.Bits `w:"4"`
	Addr   hdl.Bits // as much of it as is looked at
	Len    hdl.Bits `w:"8"` // beats less one
	Here   hdl.Bits `w:"1"` // it is for the bytes of the board
	Remote hdl.Bits `w:"1"` // it is for those of the PC
}

// asks registers the bursts of a channel, decoded.
func (b *block) asks(name string, valid, ready, id, addr, length hdl.Bits) hdl.Stream[ask] {
	width := hdl.Log2(b.p.Bytes)
	if b.p.Remote {
		width = addr.Width()
	}
	in := hdl.NewStream(b.m, name, ask{Addr: hdl.W(width)})
	in.Valid.Set(valid)
	hdl.Set(in.Data, ask{ID: id, Addr: addr.Trunc(width), Len: length, Here: b.isHere(addr), Remote: b.isRemote(addr)})
	ready.Set(in.Ready)
	out := stream.Slice(b.m, "u_"+name, in)
	if !b.p.Remote {
		b.m.Unused(out.Data.Remote, out.Data.Addr.Trunc(hdl.Log2(wordBytes)))
	}
	return out
}

func (b *block) isHere(addr hdl.Bits) hdl.Bits { return addr.ShrK(hdl.Log2(b.p.Bytes)).None() }

func (b *block) isRemote(addr hdl.Bits) hdl.Bits {
	if !b.p.Remote {
		return hdl.K(1, 0)
	}
	return addr.Slice(63, hdl.Log2(port.RemoteBase)).Any()
}

// index is the index of the word at an address on the board.
func (b *block) index(addr hdl.Bits) hdl.Bits {
	low := hdl.Log2(wordBytes)
	return addr.Slice(low+b.indexBits()-1, low)
}

// away is what is known of bursts with the PC.
type away struct {
	none hdl.Bits // there is none
	room hdl.Bits // there may be one more
	ids  hdl.Bits // a bit for each ID that has some, and perhaps for some that had
}

// awayBits is the width of the count of bursts with the PC.
const awayBits = 6

// track counts bursts that go to the PC, one with id in each cycle with goes, and those that are answered.
func (b *block) track(name string, goes, id, answered hdl.Bits) away {
	m := b.m
	count, ids := m.Reg(name+"_away", awayBits, 0), m.Reg(name+"_away_ids", 1<<link.AXIIDBits, 0)
	none, room := m.Reg(name+"_away_none", 1, 1), m.Reg(name+"_away_room", 1, 1)
	next := count.Add(hdl.Mux(answered, hdl.Ones(awayBits), hdl.K(awayBits, 0))).Add(goes.ZExt(awayBits))
	count.Set(next)
	none.Set(next.None())
	room.Set(next.LtK(1<<awayBits - 2))
	m.Assume(name+"_pc_answers_bursts", answered.Not().Or(none.Not()))
	mine := hdl.K(1<<link.AXIIDBits, 1).Shl(id)
	ids.Set(hdl.Mux(none, ids.K(0), ids).Or(hdl.Mux(goes, mine, ids.K(0))))
	return away{none: none, room: room, ids: ids}
}

// has returns one bit: bursts of that ID may be with the PC.
func (a away) has(id hdl.Bits) hdl.Bits {
	var each []hdl.Bits
	for i := range a.ids.Width() {
		each = append(each, a.ids.Bit(i))
	}
	return hdl.Select(id, each...)
}
