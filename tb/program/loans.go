package program

import "gornic/verbs"

// loan is a Loan as it is drawn. The owner lends, the borrower uses what was lent.
type loan struct {
	index    int // in Station.Loans of the owner's host
	kind     LoanKind
	owner    *speaker
	borrower *speaker
	region   int
	left     int // steps to come

	lent   bool
	access verbs.Access
	within Piece // what is lent
	ready  Cue   // of the borrower's first use
	uses   int   // since it was lent
	last   int   // the last of them
	next   Cue   // of the message that lends again
}

// lenders draws what is lent over the connection.
func (t *talk) lenders() {
	for i, s := range t.speakers {
		for range t.r.IntN(3) {
			if t.loansLeft > 0 && t.r.IntN(2) == 0 {
				t.loansLeft--
				t.newLoan(s, t.speakers[1-i])
			}
		}
	}
}

// loanAccess are the rights that are lent.
const loanAccess = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic

func (t *talk) newLoan(owner, borrower *speaker) {
	l := &loan{kind: t.limits.loan(LoanKind(t.r.IntN(4))), owner: owner, borrower: borrower, left: 2 + t.r.IntN(7)}
	station := &t.hosts[owner.host]
	g := Region{PD: owner.e.PD, Length: 2*wordBytes + t.r.IntN(loanBytes)}
	switch l.kind {
	case FastRegion:
		g.Fast = true
	case Window1, Window2:
		g.Access = verbs.AccessMWBind | verbs.AccessLocalWrite | verbs.Access(t.r.IntN(8))*verbs.AccessRemoteWrite
	case Reregistered:
		l.access = t.lentAccess()
		g.Access = l.access | verbs.AccessLocalWrite
		l.lent = true
	}
	l.region = t.layouts[owner.host].kept(g)
	l.within = t.whole(l)
	l.index = len(station.Loans)
	station.Loans = append(station.Loans, Loan{l.kind, l.region})
	t.loans = append(t.loans, l)
}

// loanBytes is about the most that is lent.
const loanBytes = 1500

// whole is all of the region.
func (t *talk) whole(l *loan) Piece {
	return Piece{l.region, 0, t.layouts[l.owner.host].regions[l.region].Length}
}

// lentAccess is one right or more.
func (t *talk) lentAccess() verbs.Access {
	rights := verbs.Access(1+t.r.IntN(7)) * verbs.AccessRemoteWrite
	if rights &= t.limits.rights(); rights == 0 {
		return verbs.AccessRemoteWrite
	}
	return rights
}

// advance lends, uses or takes back.
func (t *talk) advance(l *loan) {
	switch {
	case !l.lent:
		t.lend(l)
	case l.uses == 0 && t.r.IntN(8) > 0, t.r.IntN(3) > 0:
		t.use(l)
	default:
		t.takeBack(l)
	}
}

// lend lends anew.
func (t *talk) lend(l *loan) {
	l.access, l.within = t.lentAccess(), t.whole(l)
	lending := &Lending{Loan: l.index, Access: l.access, Shift: uint64(t.r.IntN(1 << 16))}
	m := nothing(verbs.WRRegMR)
	switch l.kind {
	case FastRegion:
		if l.access&^verbs.AccessRemoteRead != 0 {
			lending.Access |= verbs.AccessLocalWrite
		}
	case Window1, Window2:
		m.Op = verbs.WRBindMW
		l.within = t.windowOf(l.within)
	case Reregistered: // before a message of any kind
		m = t.message(l.owner)
		lending.Access |= verbs.AccessLocalWrite
	}
	lending.Range = l.within
	m.Signaled, m.Lending, m.Cue = true, lending, l.next
	i := t.add(l.owner, m)
	if l.kind == FastRegion && t.r.IntN(2) == 0 {
		i = t.ownUse(l)
	}
	l.lent, l.uses, l.ready = true, 0, Cue{Peer: i + 1}
}

// windowOf is a part of a region that has room for a word at a place for words.
func (t *talk) windowOf(p Piece) Piece {
	n := min(p.Length, 2*wordBytes+t.r.IntN(p.Length))
	return Piece{p.Region, t.r.IntN(p.Length - n + 1), n}
}

// ownUse is a SEND of the owner from what it has just registered, without waiting.
func (t *talk) ownUse(l *loan) int {
	m := nothing(verbs.WRSend)
	p := t.part(l.within)
	m.Signaled, m.Length, m.Source = true, p.Length, []Piece{p}
	return t.add(l.owner, m)
}

// use is a message of the borrower.
func (t *talk) use(l *loan) {
	var fit []verbs.Opcode
	for _, op := range operations {
		if right := needs(op); right != 0 && l.access&right != 0 {
			fit = append(fit, op)
		}
	}
	s := l.borrower
	m := nothing(fit[t.r.IntN(len(fit))])
	m.Signaled, m.Imm, m.Lent, m.Sink = t.hits(s.kinds.signaled), t.r.Uint32(), l.index, t.part(l.within)
	switch {
	case isAtomic(m.Op):
		m.Sink = t.wordOf(l.within)
		m.Length, m.Operand, m.Matches = wordBytes, t.r.Uint64(), t.r.IntN(3) > 0
		m.Source = []Piece{t.layouts[s.host].fresh(s.e.PD, wordBytes, verbs.AccessLocalWrite)}
	case m.Op == verbs.WRRead:
		m.Length = m.Sink.Length
		m.Source = t.room(s.host, s.e.PD, m.Length, 1+t.r.IntN(sendSGEs(s.e.Cap)))
	default:
		m.Length = m.Sink.Length
		m.Solicited = consumes(m.Op) && t.hits(s.kinds.solicited)
		m.Source = t.source(s.host, s.e.PD, m.Length, 1+t.r.IntN(sendSGEs(s.e.Cap)), false)
	}
	if l.uses == 0 {
		m.Cue = l.ready
	}
	l.last = t.add(s, m)
	l.uses++
}

// wordOf is a word in a piece, which has room for one.
func (t *talk) wordOf(p Piece) Piece {
	first := (p.Offset + wordBytes - 1) &^ (wordBytes - 1)
	count := (p.Offset + p.Length - first) / wordBytes
	return Piece{p.Region, first + wordBytes*t.r.IntN(count), wordBytes}
}

// takeBack ends what was lent, when it has been used.
func (t *talk) takeBack(l *loan) {
	used := l.used()
	l.next = Cue{}
	switch {
	case l.kind == Reregistered, l.kind == Window1 && t.r.IntN(2) == 0: // in one with lending again
		l.next = used
		t.lend(l)
		return
	case l.kind == Window1:
		m := nothing(verbs.WRBindMW)
		m.Signaled, m.Cue = t.hits(l.owner.kinds.signaled), used
		m.Lending = &Lending{Loan: l.index, Range: Piece{Region: noRegion}}
		t.add(l.owner, m)
	case t.r.IntN(2) == 0:
		t.localInvalidate(l, used)
	default:
		t.sendInvalidate(l)
	}
	l.lent = false
}

// used is the cue of what comes when the borrower's last use has completed.
func (l *loan) used() Cue {
	if l.uses == 0 {
		return Cue{}
	}
	l.borrower.e.Messages[l.last].Signaled = true
	return Cue{Peer: l.last + 1}
}

func (t *talk) localInvalidate(l *loan, used Cue) {
	m := nothing(verbs.WRLocalInv)
	m.Signaled, m.Cue, m.Lending = t.hits(l.owner.kinds.signaled), used, &Lending{Loan: l.index}
	paged := t.layouts[l.owner.host].regions[l.region].PageSize > 0
	if l.kind == FastRegion && paged { // the list is the device's until then
		m.Signaled = true
		l.next.Own = len(l.owner.e.Messages) + 1
	}
	t.add(l.owner, m)
}

func (t *talk) sendInvalidate(l *loan) {
	m := nothing(verbs.WRSendInv)
	t.payload(l.borrower, &m)
	m.Signaled, m.Lent = t.hits(l.borrower.kinds.signaled), l.index
	if l.uses == 0 {
		m.Cue = l.ready
	}
	i := t.add(l.borrower, m)
	l.next.Here = l.borrower.e.Messages[i].Receive + 1
}
