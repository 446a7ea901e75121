package program

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// lent is a Loan at work.
type lent struct {
	Loan
	area *area
	mw   *verbs.MW // of a window
	gone bool      // there is no such window any more
}

// newLoans makes what is lent, but lends nothing yet: but regions that the host registers.
func (s *side) newLoans(ctx context.Context) error {
	for i, l := range s.Loans {
		n := &lent{Loan: l, area: s.areas[l.Region]}
		s.loans = append(s.loans, n)
		kind := verbs.MWType1
		switch l.Kind {
		case FastRegion, Reregistered:
			continue
		case Window2:
			kind = verbs.MWType2
		}
		var err error
		if n.mw, err = s.pds[n.area.PD].AllocMW(ctx, kind); err != nil {
			return fmt.Errorf("loan %d: %w", i, err)
		}
	}
	return nil
}

// rkey is the key that is lent, as of the last message that was posted.
func (l *lent) rkey() uint32 {
	if l.mw != nil {
		return l.mw.RKey()
	}
	return l.area.mr.RKey()
}

// lend fills in what a work request does for a loan, or does it, where the host does.
func (s *side) lend(ctx context.Context, op verbs.Opcode, m *Lending, wr *verbs.SendWR) error {
	l := s.loans[m.Loan]
	switch op {
	case verbs.WRLocalInv:
		wr.InvalidateRKey = l.rkey()
	case verbs.WRBindMW:
		wr.Bind = verbs.BindMWWR{MW: l.mw, RKey: verbs.IncRKey(l.mw.RKey())}
		if m.Range.Region != noRegion {
			addr := l.area.mr.SGE(uint64(m.Range.Offset), 0).Addr
			wr.Bind.Info = verbs.MWBindInfo{MR: l.area.mr, Addr: addr, Length: uint64(m.Range.Length), Access: m.Access}
		}
	case verbs.WRRegMR:
		wr.Reg = verbs.RegMRWR{MR: l.area.fast, Key: verbs.IncRKey(l.area.mr.RKey()), Access: m.Access}
		return l.area.fast.Map(ctx, l.area.mapping(m.Shift))
	default:
		attr := l.area.attr
		attr.Addr, attr.Access = l.area.moved(m.Shift), m.Access
		return l.area.mr.Rereg(ctx, verbs.ReregTranslation|verbs.ReregAccess, nil, attr)
	}
	return nil
}

// moved is the first virtual address of the region when it is moved up.
func (a *area) moved(shift uint64) uint64 {
	step := uint64(wordBytes)
	if a.PageSize > 0 {
		step = uint64(a.PageSize)
	}
	return a.VA + shift*step
}

func (a *area) mapping(shift uint64) verbs.MRMapping {
	t := a.attr
	return verbs.MRMapping{Addr: a.moved(shift), Length: t.Length, Bus: t.Bus, Pages: t.Pages, PageSize: t.PageSize}
}
