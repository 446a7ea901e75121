package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
)

// Bus is how long host memory takes: see package host.
type Bus interface {
	Read(taken Cycle, beats, bytes int32) (first, last Cycle)
	Write(taken Cycle, beats, bytes int32) Cycle
	Accepts(now Cycle, write bool, bytes int32) Cycle
}

// Clients that read, in the RTL's order.
const (
	readGather = iota
	readSQ
	readRQ
	readKeys
	readTxPages
	readRxPages
	readMatch
	readAtomic
	readResend
	readContext
	readers
)

// Clients that write.
const (
	writeScatter = iota
	writeCQEs
	writeAtomic
	writers
)

// memory is the block dma and the bus behind it.
type memory struct {
	*simkit.Component
	n   *NIC
	bus Bus

	address, data, answer Cycle

	reads  [readers]*simkit.Stream[link.Read]
	read   [readers]*simkit.Stream[link.ReadDone]
	writes [writers]*simkit.Stream[link.Write]
	wrote  [writers]*simkit.Stream[link.WriteDone]

	readTurn, writeTurn int
	writeFree           Cycle
}

// runReads takes a burst a cycle, round robin.
func (m *memory) runReads(now Cycle) Cycle {
	next := simkit.Never
	for i := range readers {
		c := (m.readTurn + i) % readers
		in := m.reads[c]
		if in == nil || !in.Ready() {
			if in != nil {
				next = min(next, in.Next(0))
			}
			continue
		}
		if at := m.bus.Accepts(now, false, in.Head().Bytes); at > now {
			m.Waits("host memory")
			return at
		}
		r := in.Pop()
		first, last := m.bus.Read(now+m.address, r.Beats, r.Bytes)
		told := last
		if c == readSQ || c == readRQ {
			told = first // WQEs are taken as they come
		}
		m.read[c].PushAt(link.ReadDone{Tag: r.Tag, Beats: r.Beats, First: first, Last: last}, told+m.answer)
		m.n.Stats.ReadBeats += int64(r.Beats)
		m.Use.Items++
		m.Busy(now + 1)
		m.readTurn = (c + 1) % readers
		return now + 1
	}
	return next
}

// runWrites takes a burst with its beats, round robin.
func (m *memory) runWrites(now Cycle) Cycle {
	next := simkit.Never
	if now < m.writeFree {
		for _, in := range m.writes {
			if in != nil {
				next = min(next, in.Next(m.writeFree))
			}
		}
		return next
	}
	for i := range writers {
		c := (m.writeTurn + i) % writers
		in := m.writes[c]
		if in == nil || !in.Ready() {
			if in != nil {
				next = min(next, in.Next(0))
			}
			continue
		}
		if at := m.bus.Accepts(now, true, in.Head().Bytes); at > now {
			m.Waits("host memory")
			return at
		}
		w := in.Pop()
		last := max(now+Cycle(w.Beats)-1, w.Last)
		m.writeFree = last + 1
		last += m.data
		done := m.bus.Write(last, w.Beats, w.Bytes)
		m.wrote[c].PushAt(link.WriteDone{Tag: w.Tag, Last: last}, done+m.answer)
		m.n.Stats.WriteBeats += int64(w.Beats)
		m.Use.Items++
		m.Busy(m.writeFree)
		m.writeTurn = (c + 1) % writers
		return m.writeFree
	}
	return next
}
