package play

import (
	"context"
	"fmt"

	"gornic/tb/drill/packet"
	"gornic/tb/drill/script"
	"gornic/tb/host"
	"gornic/verbs"
)

// postSend posts a send work request.
func (p *player) postSend(ctx context.Context, s script.Step, a script.PostSend) error {
	q := p.qps[a.QP]
	wr := verbs.SendWR{Opcode: a.Opcode, Flags: a.Flags}
	e := p.env(q)
	var imm, inv, rkey uint64
	for _, n := range []struct {
		from script.Num
		to   *uint64
	}{
		{a.WRID, &wr.WRID}, {a.RemoteAddr, &wr.RemoteAddr}, {a.CompareAdd, &wr.CompareAdd}, {a.Swap, &wr.Swap},
		{a.Imm, &imm}, {a.InvRKey, &inv}, {a.RKey, &rkey},
	} {
		v, err := n.from.Eval(e)
		if err != nil {
			return err
		}
		*n.to = v
	}
	wr.Imm, wr.InvalidateRKey, wr.RKey = uint32(imm), uint32(inv), uint32(rkey)
	var err error
	if wr.SGL, err = p.sgl(e, a.SGL); err != nil {
		return err
	}
	if a.Inline != nil {
		if wr.Inline, err = a.Inline.Eval(e); err != nil {
			return err
		}
	}
	if a.Reg != nil {
		r := p.mrs[a.Reg.MR]
		wr.Reg = verbs.RegMRWR{MR: r.fast, Key: verbs.IncRKey(r.mr.RKey()), Access: a.Reg.Access}
	}
	p.trace(s.Line, "host posts  %v", a.Opcode)
	if a.Bind != nil {
		return p.acted(p.bind(ctx, q, wr, a))
	}
	return p.acted(q.qp.PostSend(ctx, wr))
}

// bind posts the binding of a window, as its type has it.
func (p *player) bind(ctx context.Context, q *queuePair, wr verbs.SendWR, a script.PostSend) error {
	w, r := p.mws[a.Bind.MW], p.mrs[a.Bind.MR]
	offset, err := a.Bind.Offset.Eval(p.env(q))
	if err != nil {
		return err
	}
	length, err := a.Bind.Length.Eval(p.env(q))
	if err != nil {
		return err
	}
	info := verbs.MWBindInfo{MR: r.mr, Addr: r.VA + offset, Length: length, Access: a.Bind.Access}
	if w.Type() == verbs.MWType1 {
		return q.qp.BindMW(ctx, w, verbs.MWBind{WRID: wr.WRID, Flags: wr.Flags, Info: info})
	}
	wr.Bind = verbs.BindMWWR{MW: w, RKey: verbs.IncRKey(w.RKey()), Info: info}
	return q.qp.PostSend(ctx, wr)
}

// sgl is a list of pieces of regions.
func (p *player) sgl(e env, list []script.SGE) ([]verbs.SGE, error) {
	var all []verbs.SGE
	for _, s := range list {
		r := p.mrs[s.MR]
		offset, err := s.Offset.Eval(e)
		if err != nil {
			return nil, err
		}
		length, err := s.Length.Eval(e)
		if err != nil {
			return nil, err
		}
		x := verbs.SGE{Addr: r.VA + offset, Length: uint32(length), LKey: r.mr.LKey()}
		if s.LKey != nil {
			key, err := s.LKey.Eval(e)
			if err != nil {
				return nil, err
			}
			x.LKey = uint32(key)
		}
		all = append(all, x)
	}
	return all, nil
}

func (p *player) postRecv(ctx context.Context, a script.PostRecv) error {
	q := p.qps[a.QP]
	e := p.env(q)
	id, err := a.WRID.Eval(e)
	if err != nil {
		return err
	}
	list, err := p.sgl(e, a.SGL)
	if err != nil {
		return err
	}
	return p.acted(q.qp.PostRecv(ctx, verbs.RecvWR{WRID: id, SGL: list}))
}

// modifyQP changes attributes and state. What is not given is as it was.
func (p *player) modifyQP(ctx context.Context, a script.ModifyQP) error {
	q := p.qps[a.QP]
	from := q.qp.State()
	a.Set(&q.attr)
	if a.Mask&verbs.AttrState == 0 || a.Attr.State == from {
		q.attr.State = from
		return p.acted(q.qp.Modify(ctx, q.attr, a.Mask))
	}
	to := a.Attr.State
	connects := from < verbs.QPRTS && to > from && to <= verbs.QPSQD
	if connects {
		q.next = q.attr.RQPSN
		return p.acted(p.moveTo(ctx, q, to))
	}
	if to == verbs.QPReset {
		q.cqes = [2][]verbs.WC{}
	}
	q.attr.State = to
	return p.acted(q.qp.Modify(ctx, q.attr, a.Mask))
}

// injectFault makes accesses of the NIC to a piece of a region fail.
func (p *player) injectFault(a script.InjectFault) error {
	r := p.mrs[a.MR]
	offset, err := a.Offset.Eval(p.env(nil))
	if err != nil {
		return err
	}
	length, err := a.Length.Eval(p.env(nil))
	if err != nil {
		return err
	}
	kinds := host.Kinds(0)
	if a.Reads {
		kinds |= host.Reads
	}
	if a.Writes {
		kinds |= host.Writes
	}
	p.m.InjectFault(r.addr+offset, length, kinds)
	return nil
}

// writeMemory writes to a region as software does.
func (p *player) writeMemory(a script.WriteMemory) error {
	r := p.mrs[a.MR]
	offset, b, err := p.piece(r, a.Offset, a.Data)
	if err != nil {
		return err
	}
	copy(r.shadow[offset:], b)
	return p.acted(p.m.Write(r.addr+uint64(offset), b))
}

// piece is bytes for a place in a region, which has to hold them.
func (p *player) piece(r *region, at script.Num, d script.Data) (int, []byte, error) {
	e := p.env(nil)
	offset, err := at.Eval(e)
	if err != nil {
		return 0, nil, err
	}
	b, err := d.Eval(e)
	if err == nil && (offset > uint64(r.Length) || uint64(len(b)) > uint64(r.Length)-offset) {
		err = fmt.Errorf("%s from %d on: region %s has %d", packet.Bytes(b), offset, r.Name, r.Length)
	}
	return int(offset), b, err
}

// wait lets time pass.
func (p *player) wait(ctx context.Context, a script.Wait) error {
	came := map[string]func() (bool, error){
		"":       func() (bool, error) { return false, nil },
		"packet": func() (bool, error) { return p.unseen("", nil) != nil || len(p.strays) > 0, nil },
		"cqe":    func() (bool, error) { return p.anyCQE(ctx) },
		"event":  func() (bool, error) { return p.anyEvent(ctx) },
	}[a.Until]
	ok, err := p.await(p.m.now()+uint64(a.For.In(p.m.tick)), came)
	p.mark()
	if err == nil && !ok && a.Until != "" {
		return &Failure{Expected: "a " + a.Until + " within " + a.For.Text, Came: "none"}
	}
	return err
}
