package hostmem

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// A word is what goes to the RAMs.
type word struct {
	index hdl.Bits
	data  hdl.Bits
	lanes hdl.Bits // bytes that are written
	valid hdl.Bits // one of them is, perhaps
}

// ending is the answer to a write burst.
type ending struct {
	ID   hdl.Bits `w:"4"`
	Resp hdl.Bits `w:"2"`
}

// beat is a beat of a write burst.
type beat struct {
	Data hdl.Bits `w:"64"`
	Strb hdl.Bits `w:"8"`
	Last hdl.Bits `w:"1"`
}

// writeStep is where the present write burst goes.
type writeStep int

const (
	writeIdle   writeStep = iota
	writeHere             // to the RAMs
	writeNobody           // nowhere
	writeRemote           // to the PC
)

func (s writeStep) String() string { return [...]string{"IDLE", "HERE", "NOBODY", "REMOTE"}[s] }

// write takes a burst after the other and sends its beats where they belong. It returns the word that
// is written in this cycle.
func (b *block) write(h *host) word {
	m, axi := b.m, &b.io.AXI
	m.Unused(axi.AWSize, axi.AWBurst, axi.AWLock, axi.AWCache, axi.AWProt)
	next := b.asks("aw", axi.AWValid, axi.AWReady, axi.AWID, axi.AWAddr, axi.AWLen)
	beats := b.beats()
	steps := []writeStep{writeIdle, writeHere, writeNobody}
	if b.p.Remote {
		steps = append(steps, writeRemote)
	}
	at := hdl.NewFSM(m, "write_step", steps...)
	id, index := m.RegN("write_id", link.AXIIDBits), m.RegN("write_index", b.indexBits())
	ended := hdl.NewStream(m, "ended", ending{}) // here or nowhere
	ends, resp := m.Reg("write_ended", 1, 0), m.RegN("write_resp", 2)

	to := remoteWrites{goes: hdl.K(1, 0), takes: hdl.K(1, 0), blocked: hdl.K(1, 0)}
	free := at.Is(writeIdle).And(ends.Not())
	if b.p.Remote {
		to = b.remoteWrites(next, beats, free, at.Is(writeRemote))
	} else {
		m.Unused(next.Data.Len)
	}
	begins := hdl.AndAll(next.Valid, free, next.Data.Remote.Not(), to.blocked.Not())
	next.Ready.Set(begins.Or(to.goes))
	beats.Ready.Set(hdl.OrAll(at.Is(writeHere).And(h.writes.Not()), at.Is(writeNobody), to.takes))
	last := beats.Fire().And(beats.Data.Last)
	m.If(begins, func() {
		id.Set(next.Data.ID)
		index.Set(b.index(next.Data.Addr))
		m.If(next.Data.Here, func() { at.Goto(writeHere) }).Else(func() { at.Goto(writeNobody) })
	})
	if b.p.Remote {
		m.If(to.goes, func() { at.Goto(writeRemote) })
	}
	m.If(beats.Fire(), func() { index.Set(index.AddK(1)) })
	m.If(last, func() {
		at.Goto(writeIdle)
		ends.Set(hdl.OrAll(at.Is(writeHere), at.Is(writeNobody)))
		resp.Set(hdl.Mux(at.Is(writeHere), hdl.K(2, respOKAY), hdl.K(2, respDECERR)))
	})
	m.If(ended.Fire(), func() { ends.SetK(0) })
	ended.Valid.Set(ends)
	hdl.Set(ended.Data, ending{ID: id, Resp: resp})
	b.endings(ended, to.ended)
	b.writesHere = crossing{begins: move{begins, next.Data.ID}, ends: move{ended.Fire(), id}}
	return b.put(h, beats, at.Is(writeHere), index)
}

// beats registers the beats of write bursts.
func (b *block) beats() hdl.Stream[beat] {
	axi := &b.io.AXI
	in := hdl.NewStream(b.m, "w", beat{})
	in.Valid.Set(axi.WValid)
	hdl.Set(in.Data, beat{Data: axi.WData, Strb: axi.WStrb, Last: axi.WLast})
	axi.WReady.Set(in.Ready)
	return stream.Slice(b.m, "u_w", in)
}

// put chooses the word that goes to the RAMs: the host's, or that of a beat.
func (b *block) put(h *host, beats hdl.Stream[beat], here, index hdl.Bits) word {
	m := b.m
	w := word{
		index: m.RegN("put_index", b.indexBits()), data: m.RegN("put_data", 64), lanes: m.RegN("put_lanes", 8), valid: m.Reg("put_valid", 1, 0),
	}
	w.valid.Set(h.writes.Or(here.And(beats.Fire())))
	w.index.Set(hdl.Mux(h.writes, b.index(h.held.Addr), index))
	w.data.Set(hdl.Mux(h.writes, h.held.Data, beats.Data.Data))
	w.lanes.Set(hdl.Mux(h.writes, h.held.Strobe, beats.Data.Strb))
	return w
}

// endings answers write bursts, those of the board and those of the PC.
func (b *block) endings(here hdl.Stream[ending], remote []hdl.Stream[ending]) {
	m, axi := b.m, &b.io.AXI
	all := here
	if len(remote) > 0 {
		all = merge(m, "u_b_turn", here, remote[0])
	}
	out := stream.Slice(m, "u_b", all)
	axi.BValid.Set(out.Valid)
	axi.BID.Set(out.Data.ID)
	axi.BResp.Set(out.Data.Resp)
	out.Ready.Set(axi.BReady)
}

// merge is a round robin of what comes from the board and from the PC.
func merge[T any](m *hdl.Module, name string, here, remote hdl.Stream[T]) hdl.Stream[T] {
	out, from := stream.RoundRobin(m, name, here, remote)
	m.Unused(from)
	return out
}
