package program

import (
	"fmt"

	"gornic/verbs"
)

// Features counts what a program has, by name: "SEND", "path MTU 4096", "a page list of
// 8192 bytes a page". What it has not is not there.
func (p Program) Features() map[string]int {
	f := features{}
	f.timing(p.Timing)
	f.add(len(p.Acts) > 1, "second act on the same devices")
	for _, a := range p.Acts {
		f.act(a)
	}
	return f
}

type features map[string]int

func (f features) add(has bool, name string, args ...any) {
	if has {
		f[fmt.Sprintf(name, args...)]++
	}
}

func (f features) timing(t Timing) {
	f.add(t.LatencyMax == 0, "memory: no latency")
	f.add(t.LatencyMax > 0 && t.LatencyMax < 100, "memory: latency up to 80 cycles")
	f.add(t.LatencyMax >= 100, "memory: latency of 200 cycles")
	f.add(t.Reorder, "memory: reordered answers")
	f.add(t.Interleave, "memory: interleaved answers")
	f.add(t.MemoryPauses > 0, "memory: pauses")
	f.add(t.Strict, "memory: looks at each cycle")
	f.add(t.RegisterPauses > 0, "registers: pauses")
	f.add(t.WirePauses > 0, "wire: pauses")
	f.add(t.Moderation > 0, "interrupt moderation")
}

func (f features) act(a Act) {
	f.add(len(a.Connections) == 1, "1 connection")
	f.add(len(a.Connections) > 1 && len(a.Connections) < 5, "2 to 4 connections")
	f.add(len(a.Connections) > 4, "5 to 16 connections")
	f.add(len(a.Connections) == 16, "16 connections")
	for host, s := range a.Hosts {
		f.station(a, host, s)
	}
	for _, c := range a.Connections {
		f.connection(a, c)
	}
	for _, x := range a.Races {
		f.race(a, x)
	}
}

func (f features) race(a Act, x Race) {
	kind := a.Hosts[x.Owner].Loans[x.Loan].Kind
	again := ""
	if x.Again {
		again = ", and another"
	}
	f.add(true, "race: key of %v ends by %v%s", kind, x.End, again)
	f.add(len(x.Racers) > 1, "race of several")
	for _, r := range x.Racers {
		f.add(r.Second, "race: racer with the new key")
		for _, m := range r.Ends[1-x.Owner].Messages {
			f.add(true, "race: %v", m.Op)
		}
	}
}

func (f features) station(a Act, host int, s Station) {
	f.add(s.PDs > 1, "two protection domains")
	f.add(len(s.EQs) > 0, "event queue beside 0")
	for _, g := range s.Regions {
		f.region(g)
	}
	for n, q := range s.CQs {
		pairs := 0
		for _, c := range a.Connections {
			if e := c.Ends[host]; e.SendCQ == n || e.RecvCQ == n {
				pairs++
			}
		}
		f.add(pairs > 1, "CQ of several queue pairs")
		f.add(pairs > 0, "CQ %v", q.Use)
	}
}

func (f features) region(g Region) {
	f.add(g.PageSize == 0, "region: contiguous")
	f.add(g.PageSize > 0, "region: pages of %d bytes", g.PageSize)
	f.add(g.PageSize > 0 && g.pages() > 1, "region: several pages in any order")
	f.add(g.PageSize > 0 && g.pages() > 8, "region: more than 8 pages")
	f.add(g.Scattered, "region: each page an allocation")
	f.add(g.AtBus, "region: at its bus address")
	f.add(g.Access&verbs.AccessZeroBased != 0, "region: zero-based")
	f.add(g.VA != 0 && g.VA+uint64(g.Length) == 0, "region: up to the last address")
}

// pages is how many pages a page list has.
func (g Region) pages() int {
	start := int(g.VA & uint64(g.PageSize-1))
	return (start + g.Length + g.PageSize - 1) / g.PageSize
}

func (f features) connection(a Act, c Connection) {
	f.add(true, "path MTU %d", c.MTU.Bytes())
	f.add(c.IPv6, "IPv6")
	f.add(!c.IPv6, "IPv4")
	f.add(len(c.Ends[0].Messages) > 0 && len(c.Ends[1].Messages) > 0, "both directions")
	for i, e := range c.Ends {
		f.end(e)
		for _, m := range e.Messages {
			f.message(c, e, m)
		}
		for _, r := range e.Receives {
			f.receive(c.Ends[1-i], r)
		}
	}
}

func (f features) end(e End) {
	f.add(e.SigAll, "all signaled by the queue pair")
	f.add(e.Path.VLAN.Tagged, "VLAN")
	f.add(e.QPN != 0, "QPN of 24 bits")
	f.add(e.SendCQ != e.RecvCQ, "two CQs")
	f.add(len(e.Messages) > depthOf(e.Cap.MaxSendWR), "send queue wraps")
	f.add(len(e.Receives) > depthOf(e.Cap.MaxRecvWR), "receive queue wraps")
	f.add(depthOf(e.Cap.MaxSendWR) == 1, "send queue of 1")
	f.add(depthOf(e.Cap.MaxRecvWR) == 1, "receive queue of 1")
	f.add(e.PSN+uint32(len(e.Messages)) > 1<<24, "PSN wraps")
	f.add(e.Ending == Failed, "moved to ERR")
	f.add(e.Ending == Failed && len(e.Late) > 0, "message posted in ERR")
	f.add(e.Ending == Reset, "moved to RESET")
	if e.Offence != nil {
		f.add(true, "refused: %v", e.Offence.Reason)
	}
	reads := 0
	for _, m := range e.Messages {
		if hasResponse(m.Op) {
			reads++
		}
	}
	f.add(reads > int(e.MaxRD), "READs and atomics wait for one another")
	f.add(reads > 0 && e.MaxRD == 1, "one READ or atomic at a time")
	f.add(reads > 0 && e.MaxRD > 1, "several READs and atomics at a time")
	f.add(e.Path.TrafficClass != 0, "traffic class")
	f.add(e.Path.FlowLabel != 0, "flow label")
	f.add(e.Path.SrcPort != 0, "source port")
	f.add(e.Path.HopLimit != 0, "hop limit")
}

func (f features) message(c Connection, e End, m Message) {
	f.add(true, "%v", m.Op)
	f.add(m.Fence, "fence: %v", m.Op)
	f.cues(m)
	if isLocal(m.Op) {
		return
	}
	f.add(m.Inline, "inline")
	f.add(m.Lent != noLoan, "with a key that was lent: %v", m.Op)
	f.add(m.Shared, "shared: %v", m.Op)
	f.add(m.Solicited, "solicited")
	f.add(!m.Signaled && !e.SigAll, "not signaled")
	f.add(m.Renewed, "source renewed after its completion")
	f.add(m.Length == 0, "message of no bytes")
	f.add(m.Length > c.MTU.Bytes(), "several packets")
	f.add(m.Length > 0 && m.Length%c.MTU.Bytes() == 0, "whole packets")
	f.add(!m.Ring, "posted with the next")
	f.add(!m.Inline && len(m.Source) == 0, "no SGE")
	f.add(!m.Inline && len(m.Source) > 1, "several SGEs")
	f.add(len(m.Source) == sendSGEs(e.Cap) && len(m.Source) > 2, "all SGEs of 128 bytes")
	f.pieces("SGE", m.Source)
}

// cues are those of loans.
func (f features) cues(m Message) {
	f.add(m.Cue.Peer > 0, "after a completion of the peer's")
	f.add(m.Cue.Own > 0, "after a completion")
	f.add(m.Cue.Here > 0, "after a receive")
	f.add(m.Lending != nil && !isLocal(m.Op), "region registered anew")
	f.add(m.Op == verbs.WRBindMW && m.Lending.Range.Region == noRegion, "window bound to nothing")
}

func (f features) receive(peer End, r Receive) {
	if r.Message < 0 {
		f.add(true, "receive without message")
		return
	}
	room, m := 0, peer.Messages[r.Message]
	for _, p := range r.Pieces {
		room += p.Length
	}
	f.add(r.Late, "receive posted late")
	f.add(isSend(m.Op) && room > m.Length, "receive with room left")
	f.add(isSend(m.Op) && room == m.Length, "receive without room left")
	f.add(len(r.Pieces) > 1, "receive of several SGEs")
	f.add(len(r.Pieces) == 7, "receive of 7 SGEs")
	f.pieces("receive SGE", r.Pieces)
}

func (f features) pieces(name string, pieces []Piece) {
	regions := map[int]bool{}
	for _, p := range pieces {
		f.add(p.Length == 0 && p.Region != noRegion, "%s of no bytes", name)
		f.add(p.Region == noRegion, "%s of no bytes, no region", name)
		regions[p.Region] = true
	}
	delete(regions, noRegion)
	f.add(len(regions) > 1, "%ss in several regions", name)
}
