package hostmem

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// answer is a beat of a read burst.
type answer struct {
	ID   hdl.Bits `w:"4"`
	Data hdl.Bits `w:"64"`
	Resp hdl.Bits `w:"2"`
	Last hdl.Bits `w:"1"`
}

// tag goes with a word through the stages behind the RAMs.
type tag struct {
	ID   hdl.Bits `w:"4"`
	Here hdl.Bits `w:"1"` // its word is on the board
	Last hdl.Bits `w:"1"`
}

// stage is a place behind the RAMs.
type stage struct {
	burst hdl.Bits // a beat of a burst is there
	host  hdl.Bits // or a word for the host
	tag   tag
}

func (b *block) stage(name string) stage {
	m := b.m
	return stage{burst: m.Reg(name+"_burst", 1, 0), host: m.Reg(name+"_host", 1, 0), tag: hdl.NewReg(m, name, tag{})}
}

// read takes a burst after the other and reads its words, each through two stages: the RAMs' own
// registers, and others, since RAMs are slow.
func (b *block) read(h *host, put word) {
	m, axi := b.m, &b.io.AXI
	m.Unused(axi.ARSize, axi.ARBurst, axi.ARLock, axi.ARCache, axi.ARProt)
	next := b.asks("ar", axi.ARValid, axi.ARReady, axi.ARID, axi.ARAddr, axi.ARLen)
	busy, id, onBoard := m.Reg("read_busy", 1, 0), m.RegN("read_id", link.AXIIDBits), m.RegN("read_on_board", 1)
	index, left := m.RegN("read_index", b.indexBits()), m.RegN("read_left", 8)
	last := m.RegN("read_last", 1) // left is zero
	first, second := b.stage("first"), b.stage("second")
	here := hdl.NewStream(m, "here", answer{})

	to := remoteReads{goes: hdl.K(1, 0), blocked: hdl.K(1, 0)}
	if b.p.Remote {
		to = b.remoteReads(next, hdl.OrAll(busy, first.burst, second.burst).Not())
	}

	moves := second.burst.Not().Or(here.Ready)
	at := hdl.Mux(h.reads, b.index(h.held.Addr), index)
	apart := hdl.AndAll(put.valid, put.index.Eq(at)).Not() // of what is written in this cycle
	forHost := h.reads.And(apart)
	forBurst := hdl.AndAll(busy, h.reads.Not(), apart)
	ends := hdl.AndAll(forBurst, moves, last)
	begins := hdl.AndAll(next.Valid, busy.Not().Or(ends), next.Data.Remote.Not(), to.blocked.Not())
	next.Ready.Set(begins.Or(to.goes))
	m.If(forBurst.And(moves), func() {
		index.Set(index.AddK(1))
		left.Set(left.SubK(1))
		last.Set(left.Is(1))
	})
	m.If(ends, func() { busy.SetK(0) })
	m.If(begins, func() {
		busy.SetK(1)
		id.Set(next.Data.ID)
		onBoard.Set(next.Data.Here)
		index.Set(b.index(next.Data.Addr))
		left.Set(next.Data.Len)
		last.Set(next.Data.Len.None())
	})

	data := b.rams(put, at, moves.And(hdl.OrAll(forHost, forBurst)))
	out := m.RegN("second_data", 64)
	m.If(moves, func() {
		first.burst.Set(forBurst)
		first.host.Set(forHost)
		hdl.Set(first.tag, tag{ID: id, Here: onBoard, Last: last})
		second.burst.Set(first.burst)
		second.host.Set(first.host)
		hdl.Set(second.tag, first.tag)
		out.Set(data)
	})
	h.issued(m, forHost.And(moves), second.host, out)

	here.Valid.Set(second.burst)
	hdl.Set(here.Data, answer{
		ID: second.tag.ID, Data: out, Last: second.tag.Last, Resp: hdl.Mux(second.tag.Here, hdl.K(2, respOKAY), hdl.K(2, respDECERR)),
	})
	b.answers(here, to.answers)
	b.readsHere = crossing{
		begins: move{begins, next.Data.ID}, ends: move{here.Fire().And(second.tag.Last), second.tag.ID},
	}
}

// rams are the bytes of words, each with its own, and what is read from them in the next cycle.
func (b *block) rams(put word, at, reads hdl.Bits) hdl.Bits {
	lanes := make([]hdl.Bits, wordBytes)
	for i := range lanes {
		ram := b.m.RAM(fmt.Sprintf("byte_%d", i), b.p.Bytes/wordBytes, 8, hdl.Undefined)
		ram.Write(put.index, put.valid.And(put.lanes.Bit(i)), put.data.Byte(i))
		lanes[wordBytes-1-i] = ram.Read(fmt.Sprintf("read_%d", i), at, reads)
	}
	return hdl.Cat(lanes...)
}

// answers gives the beats of read bursts, those of the board and those of the PC.
func (b *block) answers(here hdl.Stream[answer], remote []hdl.Stream[answer]) {
	m, axi := b.m, &b.io.AXI
	all := here
	if len(remote) > 0 {
		all = merge(m, "u_r_turn", here, remote[0])
	}
	out := stream.Slice(m, "u_r", all)
	axi.RValid.Set(out.Valid)
	axi.RID.Set(out.Data.ID)
	axi.RData.Set(out.Data.Data)
	axi.RResp.Set(out.Data.Resp)
	axi.RLast.Set(out.Data.Last)
	out.Ready.Set(axi.RReady)
}
