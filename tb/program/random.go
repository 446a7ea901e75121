package program

import (
	"math/rand/v2"

	"gornic/format"
	"gornic/verbs"
)

// Random returns the program of a seed.
func Random(seed uint64, limits Limits) Program {
	r := rand.New(rand.NewPCG(seed, 0x70726F6772616D))
	p := Program{Seed: seed, Timing: randomTiming(r)}
	acts := 1
	if r.IntN(4) == 0 {
		acts = 2
		limits.Bytes /= 2
		limits.Messages /= 2
		limits.Connections = max(limits.Connections/2, 1)
	}
	for range acts {
		p.Acts = append(p.Acts, newDraft(r, limits).act())
	}
	return p
}

// percentOf draws 0 in a half of the cases, else up to most.
func percentOf(r *rand.Rand, most int) int { return r.IntN(2) * r.IntN(most+1) }

func randomTiming(r *rand.Rand) Timing {
	t := Timing{
		LatencyMin: r.IntN(2) * r.IntN(20), Reorder: r.IntN(2) == 0, Interleave: r.IntN(4) == 0,
		MemoryPauses: percentOf(r, 60), RegisterPauses: percentOf(r, 40), WirePauses: percentOf(r, 50),
		Strict: r.IntN(10) == 0, Slice: 8 << r.IntN(4), Wait: 64 << r.IntN(3),
		Moderation: uint32(r.IntN(2) * r.IntN(200)), Events: 64 << r.IntN(3),
	}
	t.LatencyMax = t.LatencyMin
	switch r.IntN(4) {
	case 0:
	case 1:
		t.LatencyMax += 200
	default:
		t.LatencyMax += r.IntN(60)
	}
	return t
}

// draft is an act that is being drawn.
type draft struct {
	r       *rand.Rand
	limits  Limits
	hosts   [2]Station
	layouts [2]*layout
	// counters and arenas are the regions that queue pairs share, of each host by domain.
	counters, arenas [2]map[int]int
	loansLeft        int
	lossy            bool // the wire loses packets: a NAK, too
}

// mostLoans is how many loans an act has at most.
const mostLoans = 6

func newDraft(r *rand.Rand, limits Limits) *draft {
	d := &draft{r: r, limits: limits, loansLeft: r.IntN(mostLoans + 1)}
	for i := range d.layouts {
		d.layouts[i] = &layout{r: r, most: 1 + r.IntN(4)}
		d.counters[i], d.arenas[i] = map[int]int{}, map[int]int{}
	}
	return d
}

// often draws how often something is done: mostly always, or seldom.
func (d *draft) often() int { return []int{100, 100, 60, 30}[d.r.IntN(4)] }

func (d *draft) act() Act {
	a := Act{Send: d.often(), Receive: d.often(), Poll: d.often()}
	racers, trials := d.racers(), d.trialsBeside()
	for i := range d.hosts {
		d.hosts[i] = d.station()
	}
	count := d.connections()
	for range count {
		a.Connections = append(a.Connections, d.connection(count))
	}
	for host := range d.hosts {
		d.numbers(a.Connections, host)
	}
	if racers > 0 {
		a.Races = append(a.Races, d.race(racers))
	}
	a.Trials = d.trials(trials)
	return d.close(a)
}

// close gives an act the regions that its messages need.
func (d *draft) close(a Act) Act {
	for i := range d.hosts {
		d.hosts[i].Regions = d.layouts[i].finish()
	}
	a.Hosts = d.hosts
	return a
}

// numbers gives the queue pairs of a host numbers of 24 bits, of which the low bits differ,
// in half of the cases.
func (d *draft) numbers(connections []Connection, host int) {
	if d.r.IntN(2) == 0 {
		return
	}
	index := d.r.Perm(d.limits.QPs)
	for i := range connections {
		tag := 1 + d.r.IntN(1<<24/d.limits.QPs-1)
		connections[i].Ends[host].QPN = uint32(tag*d.limits.QPs + index[i])
	}
}

// connections is how many there are: one, a few, any number, or all.
func (d *draft) connections() int {
	switch most := d.limits.Connections; d.r.IntN(10) {
	case 0, 1, 2:
		return 1
	case 3, 4, 5:
		return 1 + d.r.IntN(min(4, most))
	case 6:
		return most
	default:
		return 1 + d.r.IntN(most)
	}
}

func (d *draft) station() Station {
	s := Station{PDs: 1 + d.r.IntN(2)}
	for len(s.EQs) < d.limits.EQs-1 && d.r.IntN(2) == 0 {
		s.EQs = append(s.EQs, EQ{Entries: 16 << d.r.IntN(3), Vector: d.r.IntN(d.limits.EQs)})
	}
	for range 1 + d.r.IntN(min(d.limits.CQs, 4)) {
		s.CQs = append(s.CQs, CQ{EQ: d.r.IntN(len(s.EQs) + 1), Page: d.r.IntN(d.limits.Pages), Use: CQUse(d.r.IntN(3))})
	}
	return s
}

func (d *draft) connection(count int) Connection {
	c := Connection{MTU: verbs.MTU256, IPv6: d.r.IntN(2) == 0}
	c.MTU += verbs.MTU(d.r.IntN(int(d.limits.PathMTU-verbs.MTU256) + 1))
	for i := range c.Ends {
		c.Ends[i] = d.end(i)
	}
	both := d.r.IntN(4) // 2, 3: both directions
	share := d.limits.Messages / count
	t := newTalk(d, &c)
	for from, s := range t.speakers {
		s.bytes = d.limits.Bytes / count
		if both >= 2 || both == from {
			s.left = 1 + d.r.IntN(max(share, 2))
		}
	}
	t.draw()
	d.rights(&c)
	for i := range c.Ends {
		d.finish(&c, i)
	}
	if !d.lossy && d.r.IntN(5) == 0 {
		d.refuse(&c)
	}
	return c
}

// forever is the count of retries without end when the receiver is not ready.
const forever = 7

// depth is a number of work requests that a queue is asked to hold.
func (d *draft) depth() int { return 1 + d.r.IntN(1<<d.r.IntN(6)) }

func (d *draft) end(host int) End {
	s := d.hosts[host]
	e := End{
		PD: d.r.IntN(s.PDs), SendCQ: d.r.IntN(len(s.CQs)), RecvCQ: d.r.IntN(len(s.CQs)), SigAll: d.r.IntN(5) == 0,
		Page: d.r.IntN(d.limits.Pages), PSN: uint32(d.r.IntN(1 << 24)), MinRNRTimer: uint8(1 + d.r.IntN(2)), Path: d.path(),
		Timeout: d.limits.Timeout, RetryCnt: 7, RNRRetry: forever,
		Access: verbs.Access(d.r.IntN(8)) * verbs.AccessRemoteWrite,
		Cap: verbs.QPCap{
			MaxSendWR: d.depth(), MaxRecvWR: d.depth(),
			MaxSendSGE: d.r.IntN(format.SendSGEs(format.LogStrideMax) + 1), MaxRecvSGE: d.r.IntN(format.RecvSGEs(format.LogStrideMax) + 1),
			MaxInline: d.r.IntN(2) * d.r.IntN(format.InlineMax(format.LogStrideMax)+1),
		},
	}
	if d.r.IntN(2) == 0 { // it wraps soon
		e.PSN = uint32(1<<24 - 1 - d.r.IntN(24))
	}
	return e
}

// rights grants peers what they do, and allows for as many READs and atomics at once as there
// are resources for.
func (d *draft) rights(c *Connection) {
	for i := range c.Ends {
		e, peer := &c.Ends[i], &c.Ends[1-i]
		most := d.limits.Reads
		peer.MaxDestRD, e.MaxRD = uint8(d.r.IntN(most+1)), uint8(d.r.IntN(most+1))
		for _, m := range e.Messages {
			peer.Access |= needs(m.Op)
			if hasResponse(m.Op) {
				peer.MaxDestRD = max(peer.MaxDestRD, 1)
				e.MaxRD = min(max(e.MaxRD, 1), peer.MaxDestRD)
			}
		}
	}
}

// needs is the right that an operation needs at the peer.
func needs(op verbs.Opcode) verbs.Access {
	switch {
	case isWrite(op):
		return verbs.AccessRemoteWrite
	case op == verbs.WRRead:
		return verbs.AccessRemoteRead
	case isAtomic(op):
		return verbs.AccessRemoteAtomic
	}
	return 0
}

// path is all of a path but the addresses. CE of ECN is left to routers.
func (d *draft) path() verbs.AHAttr {
	a := verbs.AHAttr{TrafficClass: uint8(d.r.IntN(64)<<2 + d.r.IntN(3)), HopLimit: uint8(d.r.IntN(256))}
	if d.r.IntN(2) == 0 {
		a.FlowLabel = uint32(d.r.IntN(1 << 20))
	}
	if d.r.IntN(3) == 0 {
		a.SrcPort = uint16(0xC000 + d.r.IntN(0x4000))
	}
	if d.r.IntN(4) == 0 {
		a.VLAN = verbs.VLAN{Tagged: true, ID: uint16(d.r.IntN(4095)), Priority: uint8(d.r.IntN(8)), DEI: d.r.IntN(2) == 0}
	}
	return a
}

// finish adds what an end has when its messages are known: receives that nobody
// uses, an ending, and what is posted behind it.
func (d *draft) finish(c *Connection, end int) {
	e := &c.Ends[end]
	e.Ending = []Ending{Destroyed, Destroyed, Failed, Reset}[d.r.IntN(4)]
	spare := d.r.IntN(2) * d.r.IntN(depthOf(e.Cap.MaxRecvWR)+1)
	for range min(spare, 4) {
		e.Receives = append(e.Receives, Receive{Pieces: d.landing(end, e, d.r.IntN(100)), Message: -1, Ring: d.r.IntN(2) == 0})
	}
	if e.Ending == Failed {
		for range d.r.IntN(min(depthOf(e.Cap.MaxSendWR), 3) + 1) {
			m := nothing(verbs.WRSend)
			m.Signaled, m.Ring = d.r.IntN(2) == 0, d.r.IntN(2) == 0
			e.Late = append(e.Late, m)
		}
	}
}

// refuse has the connection end with what one end is refused.
func (d *draft) refuse(c *Connection) {
	end := d.r.IntN(2)
	for i := range c.Ends {
		c.Ends[i].Ending, c.Ends[i].Late = Destroyed, nil
	}
	c.Ends[end].Ending = Refused
	d.offence(c, end)
}

// depthOf is how many entries a queue has that is asked for n.
func depthOf(n int) int {
	depth := 1
	for depth < n {
		depth *= 2
	}
	return depth
}
