package program

import (
	"fmt"
	"slices"
	"strings"
)

// Smaller returns programs that do less of the same, those that do least first: who
// looks for a failure goes on with the first of them that fails, too.
func (p Program) Smaller() []Program {
	var all []Program
	if len(p.Acts) > 1 {
		for i := range p.Acts {
			all = append(all, p.with(p.Acts[i]))
		}
		return all
	}
	a := p.Acts[0]
	all = append(all, p.fewerTrials()...)
	if len(a.Races) > 0 {
		all = append(all, p.with(a.withoutRaces()))
	}
	if len(a.Races) > 0 && len(a.Connections) > 0 {
		all = append(all, p.with(a.only(0, 0)))
	}
	if n := len(a.Connections); n > 1 {
		all = append(all, p.with(a.only(0, n/2)), p.with(a.only(n/2, n)))
		for i := range n {
			all = append(all, p.with(a.without(i)))
		}
	}
	for i := range a.Connections {
		for from := range 2 {
			n := len(a.Connections[i].Ends[from].Messages)
			for _, keep := range slices.Compact([]int{0, n / 2, n - n/4, n - 1}) {
				if keep >= 0 && keep < n {
					all = append(all, p.with(a.shorter(i, from, keep)))
				}
			}
		}
	}
	all = append(all, p.slower()...)
	return append(all, p.better()...)
}

// slower are programs whose racers do less.
func (p Program) slower() []Program {
	var all []Program
	a := p.Acts[0]
	for i, x := range a.Races {
		for k, r := range x.Racers {
			if n := len(r.Ends[1-x.Owner].Messages); n > 1 {
				all = append(all, p.with(a.slower(i, k, n/2)), p.with(a.slower(i, k, n-1)))
			}
		}
	}
	return all
}

// slower has only the first messages of a racer.
func (a Act) slower(race, racer, keep int) Act {
	a.Races = slices.Clone(a.Races)
	x := &a.Races[race]
	x.Racers = slices.Clone(x.Racers)
	x.Racers[racer].cut(1-x.Owner, keep)
	return a
}

func (a Act) withoutRaces() Act {
	a.Races = nil
	return a
}

// with is the program with one act alone.
func (p Program) with(a Act) Program {
	p.Acts = []Act{a}
	return p
}

func (a Act) only(from, to int) Act {
	a.Connections = slices.Clone(a.Connections[from:to])
	return a
}

func (a Act) without(i int) Act {
	a.Connections = slices.Delete(slices.Clone(a.Connections), i, i+1)
	return a
}

// shorter has only the first messages of a connection from one end, and of the other
// those that wait for nothing else.
func (a Act) shorter(i, from, keep int) Act {
	a.Connections = slices.Clone(a.Connections)
	c := &a.Connections[i]
	var kept [2]int
	kept[from], kept[1-from] = keep, len(c.Ends[1-from].Messages)
	for changed := true; changed; {
		changed = false
		for k := range kept {
			if n := c.reach(k, kept); n < kept[k] {
				kept[k], changed = n, true
			}
		}
	}
	for k, n := range kept {
		c.cut(k, n)
	}
	return a
}

// reach is how many messages of an end can be posted when so many of both ends are.
func (c *Connection) reach(end int, kept [2]int) int {
	received := 0
	for _, m := range c.Ends[1-end].Messages[:kept[1-end]] {
		if consumes(m.Op) {
			received++
		}
	}
	for i, m := range c.Ends[end].Messages[:kept[end]] {
		if m.Cue.Peer > kept[1-end] || m.Cue.Here > received {
			return i
		}
	}
	return kept[end]
}

func (c *Connection) cut(end, keep int) {
	e, peer := &c.Ends[end], &c.Ends[1-end]
	e.Messages = slices.Clone(e.Messages[:keep])
	if keep > 0 {
		last := &e.Messages[keep-1]
		last.Signaled, last.Ring = true, true
	}
	peer.Receives = slices.DeleteFunc(slices.Clone(peer.Receives), func(r Receive) bool { return r.Message >= keep })
}

// String lists what the program does, a line for each message.
func (p Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d: %+v\n", p.Seed, p.Timing)
	for _, r := range p.Faults.Rules {
		fmt.Fprintf(&b, "the wire: %v, %d in a million, sender %d, at most %d times, %d frames, %v\n", r.Action, r.Rate, r.Sender, r.Attempts, r.Frames, r.For)
	}
	for _, o := range p.Faults.Outages {
		fmt.Fprintf(&b, "the wire: down for %v at %v\n", o.For, o.At)
	}
	for n, a := range p.Acts {
		fmt.Fprintf(&b, "act %d: looks after send queues in %d %%, receive queues in %d %%, completions in %d %% of turns\n", n, a.Send, a.Receive, a.Poll)
		for i, c := range a.Connections {
			c.list(&b, "connection", i)
		}
		for _, x := range a.Races {
			fmt.Fprintln(&b, x)
			for i, r := range x.Racers {
				r.list(&b, fmt.Sprintf("second %t, racer", r.Second), i)
			}
		}
		for i, x := range a.Trials {
			for k, r := range x.Rounds {
				fmt.Fprintf(&b, "trial %d, round %d: %v\n", i, k, r)
				r.list(&b, "round", k)
			}
		}
	}
	return b.String()
}

func (c Connection) list(b *strings.Builder, what string, number int) {
	fmt.Fprintf(b, "%s %d: path MTU %d\n", what, number, c.MTU.Bytes())
	for i, e := range c.Ends {
		fmt.Fprintf(b, "  host %s: queues of %d and %d, CQs %d and %d, first PSN %#x, %d READs and atomics of %d, %d receives of which nobody uses %d\n", "ab"[i:i+1],
			depthOf(e.Cap.MaxSendWR), depthOf(e.Cap.MaxRecvWR), e.SendCQ, e.RecvCQ, e.PSN, e.MaxRD, c.Ends[1-i].MaxDestRD, len(e.Receives), len(e.Receives)-used(e.Receives))
		for k, m := range e.Messages {
			fmt.Fprintf(b, "    message %d: %v of %d bytes, inline %t, signaled %t, fence %t, own %v, peer's %v", k, m.Op, m.Length, m.Inline, m.Signaled || e.SigAll, m.Fence, m.Source, m.Sink)
			m.notes(b)
			if m.Receive != noReceive {
				fmt.Fprintf(b, ", receive %d into %v", m.Receive, c.Ends[1-i].Receives[m.Receive].Pieces)
			}
			b.WriteByte('\n')
		}
	}
}

// notes tells what few messages have.
func (m Message) notes(b *strings.Builder) {
	if m.Lent != noLoan {
		fmt.Fprintf(b, ", the peer's loan %d", m.Lent)
	}
	if m.Lending != nil {
		fmt.Fprintf(b, ", for loan %+v", *m.Lending)
	}
	if m.Cue != (Cue{}) {
		fmt.Fprintf(b, ", after %+v", m.Cue)
	}
	if m.Shared {
		b.WriteString(", a shared word")
	}
}
