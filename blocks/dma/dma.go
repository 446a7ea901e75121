package dma

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/pulses"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/stream"
)

// ordered is how many write bursts may be announced before their beats have gone.
const ordered = 8

// Params are the parameters of the engine.
type Params struct {
	Sizes  link.Sizes
	Reads  int // clients that read, 1 to 16
	Writes int // clients that write, 1 to 16
}

// Validate returns an error for parameters that the engine cannot have.
func (p Params) Validate() error {
	switch p.Sizes.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("dma: data width of %d bits: not 64, 128, 256 or 512", p.Sizes.DataWidth)
	}
	if most := 1 << link.AXIIDBits; p.Reads < 1 || p.Reads > most || p.Writes < 1 || p.Writes > most {
		return fmt.Errorf("dma: %d clients that read and %d that write: not 1 to %d", p.Reads, p.Writes, most)
	}
	return nil
}

// IO is the ports of the engine.
type IO struct {
	Reads  []link.ReadPort  `hdl:"in"`
	Writes []link.WritePort `hdl:"in"`
	AXI    link.AXI         `hdl:"out" name:"m_axi"`
	Err    hdl.Bits         `hdl:"out" w:"1"` // pulse: an answer of host memory was an error; of one that comes with another, in a cycle behind it
}

// Def is the engine. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	io := IO{AXI: p.Sizes.AXI()}
	for range p.Reads {
		io.Reads = append(io.Reads, p.Sizes.ReadPort())
	}
	for range p.Writes {
		io.Writes = append(io.Writes, p.Sizes.WritePort())
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("dma_%d_r%d_w%d", p.Sizes.DataWidth, p.Reads, p.Writes),
		Doc:  "AXI4 master: merges the bursts of its clients, one ID each, and brings their answers back.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			e := engine{m: m, p: p, io: io}
			e.read()
			e.write()
			failed := m.Reg("answer_failed", 1, 0)
			failed.Set(pulses.Merge(m, "failed", errorsWait, e.readErr, e.writeErr))
			io.Err.Set(failed)
			e.properties()
		},
	}
}

// errorsWait is the width of how many errors may wait to be counted: of writes, each of which has one at most, while each beat of a read has.
const errorsWait = 8

// engine is the module while it is built.
type engine struct {
	m  *hdl.Module
	p  Params
	io *IO

	readErr, writeErr hdl.Bits // an answer that is an error
}

// size is the code of AXI for a beat of the data width.
func (e *engine) size() uint64 { return uint64(ir.AddrWidth(e.p.Sizes.DataWidth / 8)) }

// AXI's constants of every burst.
const (
	burstINCR     = 1
	cacheModify   = 3 // modifiable and bufferable memory
	protPlainData = 2 // data, not secure, not privileged
	respOKAY      = 0
)

// read merges the addresses and hands each beat to the client of its ID.
func (e *engine) read() {
	m, axi := e.m, &e.io.AXI
	asked := make([]hdl.Stream[link.ReadBurst], len(e.io.Reads))
	for i, c := range e.io.Reads {
		asked[i] = link.Cut(m, e.p.Sizes, fmt.Sprintf("u_read_%d", i), c.Burst)
	}
	address := merge(m, "read", asked)
	axi.ARID.Set(address.Data.ID)
	axi.ARAddr.Set(address.Data.Addr)
	axi.ARLen.Set(address.Data.Len)
	axi.ARSize.SetK(e.size())
	axi.ARBurst.SetK(burstINCR)
	axi.ARLock.SetK(0)
	axi.ARCache.SetK(cacheModify)
	axi.ARProt.SetK(protPlainData)
	axi.ARValid.Set(address.Valid)
	address.Ready.Set(axi.ARReady)

	m.Event("read", address.Fire(),
		hdl.Field("client", address.Data.ID), hdl.Field("addr", address.Data.Addr), hdl.Field("len", address.Data.Len))
	m.Event("read_ends", hdl.AndAll(axi.RValid, axi.RReady, axi.RLast), hdl.Field("client", axi.RID), hdl.Field("resp", axi.RResp))
	failed := axi.RResp.IsNot(respOKAY)
	ready := hdl.K(1, 0)
	for i, c := range e.io.Reads {
		mine := axi.RID.Is(uint64(i))
		c.Beat.Valid.Set(axi.RValid.And(mine))
		hdl.Set(c.Beat.Data, link.ReadBeat{Data: axi.RData, Err: failed, Last: axi.RLast})
		ready = ready.Or(mine.And(c.Beat.Ready))
	}
	axi.RReady.Set(ready)
	e.readErr = axi.RValid.And(ready).And(failed)
}

// write merges the addresses, sends the beats in the same order, and hands each
// end to the client of its ID.
func (e *engine) write() {
	m, axi := e.m, &e.io.AXI
	var asked []hdl.Stream[link.ReadBurst]
	var beats []hdl.Stream[link.WriteBeat]
	for i, c := range e.io.Writes {
		asked = append(asked, stream.Map(link.Cut(m, e.p.Sizes, fmt.Sprintf("u_write_%d", i), c.Burst), func(b link.WriteBurst) link.ReadBurst { return link.ReadBurst(b) }))
		beats = append(beats, c.Beat)
	}
	both := stream.Fork(m, "u_write_order", merge(m, "write", asked), 2)
	address := both[0]
	axi.AWID.Set(address.Data.ID)
	axi.AWAddr.Set(address.Data.Addr)
	axi.AWLen.Set(address.Data.Len)
	axi.AWSize.SetK(e.size())
	axi.AWBurst.SetK(burstINCR)
	axi.AWLock.SetK(0)
	axi.AWCache.SetK(cacheModify)
	axi.AWProt.SetK(protPlainData)
	axi.AWValid.Set(address.Valid)
	address.Ready.Set(axi.AWReady)

	turns := stream.Map(both[1], func(b burst) hdl.Bits {
		m.Unused(b.ID, b.Addr, b.Len)
		return b.ID.Trunc(ir.AddrWidth(len(beats)))
	})
	turn := stream.FIFO(m, "u_write_turns", turns, ordered)
	data := stream.Slice(m, "u_write_data", stream.Mux(m, "u_write_beats", beats, turn))
	axi.WData.Set(data.Data.Data)
	axi.WStrb.Set(data.Data.Strb)
	axi.WLast.Set(data.Data.Last)
	axi.WValid.Set(data.Valid)
	data.Ready.Set(axi.WReady)

	m.Event("write", address.Fire(),
		hdl.Field("client", address.Data.ID), hdl.Field("addr", address.Data.Addr), hdl.Field("len", address.Data.Len))
	m.Event("write_ends", axi.BValid.And(axi.BReady), hdl.Field("client", axi.BID), hdl.Field("resp", axi.BResp))
	failed := axi.BResp.IsNot(respOKAY)
	ready := hdl.K(1, 0)
	for i, c := range e.io.Writes {
		mine := axi.BID.Is(uint64(i))
		c.Done.Valid.Set(axi.BValid.And(mine))
		c.Done.Data.Err.Set(failed)
		ready = ready.Or(mine.And(c.Done.Ready))
	}
	axi.BReady.Set(ready)
	e.writeErr = axi.BValid.And(ready).And(failed)
}

// burst is the address of a burst with the ID of its client.
type burst struct {
	ID   hdl.Bits `w:"4"`
	Addr hdl.Bits `w:"64"`
	Len  hdl.Bits `w:"8"`
}

// merge serves the clients round robin, a burst at a time.
func merge(m *hdl.Module, name string, asked []hdl.Stream[link.ReadBurst]) hdl.Stream[burst] {
	one, from := stream.RoundRobin(m, "u_"+name+"_turn", asked...)
	return stream.Slice(m, "u_"+name+"_address", stream.Map(one, func(b link.ReadBurst) burst {
		return burst{ID: from.ZExt(link.AXIIDBits), Addr: b.Addr, Len: b.Len}
	}))
}
