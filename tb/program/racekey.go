package program

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// grant makes the key good, and waits until it is.
func (x *race) grant(ctx context.Context) error {
	switch x.lent.Kind {
	case FastRegion:
		if err := x.lent.area.fast.Map(ctx, x.lent.area.mapping(0)); err != nil {
			return err
		}
		if err := x.register(ctx); err != nil {
			return err
		}
	case Window1, Window2:
		if err := x.bind(ctx, true); err != nil {
			return err
		}
	}
	for range x.g.o.Patience {
		if len(x.own) == x.posted {
			x.key = x.lent.rkey()
			for _, r := range x.racers {
				r.key = x.key
			}
			return nil
		}
		if _, err := x.poll(ctx); err != nil {
			return err
		}
		if err := x.owner.Device.Wait(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("the key is not granted")
}

func (x *race) register(ctx context.Context) error {
	access := x.Access | verbs.AccessLocalWrite
	return x.post(ctx, verbs.SendWR{
		Opcode: verbs.WRRegMR, Reg: verbs.RegMRWR{MR: x.lent.area.fast, Key: verbs.IncRKey(x.lent.rkey()), Access: access},
	})
}

// bind binds the window to all of the region, or to nothing.
func (x *race) bind(ctx context.Context, all bool) error {
	var info verbs.MWBindInfo
	if mr := x.lent.area.mr; all {
		info = verbs.MWBindInfo{MR: mr, Addr: mr.Addr(), Length: mr.Length(), Access: x.Access}
	}
	if x.lent.Kind == Window1 {
		x.posted++
		e := x.racers[x.Poster].owner
		return e.qp.BindMW(ctx, x.lent.mw, verbs.MWBind{WRID: lateID(x.posted - 1), Flags: verbs.SendSignaled, Info: info})
	}
	return x.post(ctx, verbs.SendWR{Opcode: verbs.WRBindMW, Bind: verbs.BindMWWR{MW: x.lent.mw, RKey: verbs.IncRKey(x.lent.rkey()), Info: info}})
}

// post posts a work request of the owner.
func (x *race) post(ctx context.Context, wr verbs.SendWR) error {
	wr.WRID, wr.Flags = lateID(x.posted), verbs.SendSignaled
	x.posted++
	return x.racers[x.Poster].owner.qp.PostSend(ctx, wr)
}

// end begins the end of the key.
func (x *race) end(ctx context.Context) error {
	x.begun = true
	switch x.End {
	case EndCommand:
		return x.endByCommand(ctx)
	case EndBind:
		return x.bind(ctx, x.Again)
	case EndLocal:
		if err := x.post(ctx, verbs.SendWR{Opcode: verbs.WRLocalInv, InvalidateRKey: x.key}); err != nil || !x.Again {
			return err
		}
		return x.register(ctx)
	}
	return nil // a racer does
}

func (x *race) endByCommand(ctx context.Context) error {
	var err error
	switch a := x.lent.area; {
	case x.lent.mw != nil:
		x.lent.gone = true
		err = x.lent.mw.Dealloc(ctx)
	case x.Again:
		err = a.mr.Rereg(ctx, verbs.ReregTranslation, nil, a.attr)
	default:
		a.gone = true
		err = a.mr.Dereg(ctx)
	}
	if err != nil {
		return err
	}
	return x.ended(ctx)
}

// ended notes what is under the key when its end is known: that is how it stays.
func (x *race) ended(ctx context.Context) error {
	x.over = true
	for _, p := range x.sinks() {
		b, err := x.lent.area.read(ctx, x.lent.area.lead+p.Offset, p.Length)
		if err != nil {
			return err
		}
		x.after = append(x.after, b)
	}
	return nil
}

// sinks are the pieces under the key that the first wave may write to.
func (x *race) sinks() []Piece {
	var all []Piece
	for _, r := range x.racers {
		for _, m := range r.user.Messages {
			if !r.Second && m.Sink.Region != noRegion {
				all = append(all, m.Sink)
			}
		}
	}
	return all
}
