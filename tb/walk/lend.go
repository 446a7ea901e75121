package walk

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/verbs"
)

// lentKey is the key under which B lends a buffer, in the walks that end it: index 0x2A, tag 4.
const lentKey = 0x2A04

const (
	lent      = "lent buffer"
	lendFlags = verbs.AccessLocalWrite | verbs.AccessRemoteWrite
)

// prepareLent makes B's region for fast registration that lentKey is the key of. The driver gives
// out indices one after the other, so there are regions for those before it, too. All last as
// long as the stage.
func (s *stage) prepareLent(ctx context.Context) error {
	for {
		f, err := s.pds[1].AllocFastMR(ctx, 0)
		if err != nil {
			return err
		}
		if index := f.RKey() >> format.KeyTagBits; index == lentKey>>format.KeyTagBits {
			s.lent = f
			return nil
		}
	}
}

// lend makes a buffer of B that A may write to under lentKey: B registers it by a work request.
func (c *scene) lend(ctx context.Context) error {
	c.hosts[1].nameEntry(lentEntry, lentKey)
	b, err := c.buffer(1, PathMTU)
	if err != nil {
		return err
	}
	if err := b.Write(ctx, 0, make([]byte, PathMTU)); err != nil {
		return err
	}
	c.lentBuffer = b
	c.called(1, lent, region{addr: b.Addr(), size: b.Size(), key: lentKey})
	return c.register(ctx, c.lent, b, lentKey, lendFlags)
}

// register registers a buffer of B by a work request of B.
func (c *scene) register(ctx context.Context, f *verbs.FastMR, b *verbs.Buffer, key uint32, access verbs.Access) error {
	if err := f.Map(ctx, verbs.MRMapping{Addr: b.Addr(), Length: b.Size(), Bus: b.Addr()}); err != nil {
		return err
	}
	return c.does(ctx, 1, verbs.SendWR{
		WRID: lendID, Opcode: verbs.WRRegMR, Reg: verbs.RegMRWR{MR: f, Key: key, Access: access},
	})
}

// window makes a memory window on a region of B, and binds it.
func (c *scene) window(ctx context.Context, kind verbs.MWType, mr *verbs.MR) (*verbs.MW, error) {
	w, err := c.pds[1].AllocMW(ctx, kind)
	if err != nil {
		return nil, err
	}
	b := c.ends[1]
	b.windows = append(b.windows, w)
	info := verbs.MWBindInfo{MR: mr, Addr: mr.Addr(), Length: mr.Length(), Access: verbs.AccessRemoteWrite}
	if kind == verbs.MWType1 {
		if err := b.qp.BindMW(ctx, w, verbs.MWBind{WRID: lendID, Info: info}); err != nil {
			return nil, err
		}
		return w, c.settle(ctx)
	}
	return w, c.does(ctx, 1, verbs.SendWR{
		WRID: lendID, Opcode: verbs.WRBindMW, Bind: verbs.BindMWWR{MW: w, RKey: verbs.IncRKey(w.RKey()), Info: info},
	})
}

// Names of plays: what B lends.
const (
	ordinaryRegion = "ordinary region"
	boundRegion    = "region with a window"
	window1        = "window of type 1"
	window2        = "window of type 2"
)

// loan is something that B lends: its key, and how software asks for that key's entry.
type loan struct {
	key   uint32
	query func(context.Context) (format.KeyEntry[uint64], error)
}

func (c *scene) lendRegion(ctx context.Context) (loan, error) {
	mr, err := c.region(ctx, 1, "lent region", PathMTU, lendFlags, 0)
	if err != nil {
		return loan{}, err
	}
	return loan{mr.RKey(), mr.Query}, nil
}

// lendBound lends a region for fast registration that a window is bound to.
func (c *scene) lendBound(ctx context.Context) (loan, error) {
	f, err := c.pds[1].AllocFastMR(ctx, 0)
	if err != nil {
		return loan{}, err
	}
	c.ends[1].regions = append(c.ends[1].regions, f.MR)
	b, err := c.buffer(1, PathMTU)
	if err != nil {
		return loan{}, err
	}
	if err := c.register(ctx, f, b, verbs.IncRKey(f.RKey()), lendFlags|verbs.AccessMWBind); err != nil {
		return loan{}, err
	}
	_, err = c.window(ctx, verbs.MWType2, f.MR)
	return loan{f.RKey(), f.Query}, err
}

func (c *scene) lendWindow1(ctx context.Context) (loan, error) {
	return c.lendWindow(ctx, verbs.MWType1)
}
func (c *scene) lendWindow2(ctx context.Context) (loan, error) {
	return c.lendWindow(ctx, verbs.MWType2)
}

func (c *scene) lendWindow(ctx context.Context, kind verbs.MWType) (loan, error) {
	mr, err := c.region(ctx, 1, "region behind", PathMTU, lendFlags|verbs.AccessMWBind, 0)
	if err != nil {
		return loan{}, err
	}
	w, err := c.window(ctx, kind, mr)
	if err != nil {
		return loan{}, err
	}
	return loan{w.RKey(), w.Query}, nil
}

// endsLoan is a play in which A sends a SEND with invalidate of what B lends.
func endsLoan(name string, lends func(*scene, context.Context) (loan, error)) script {
	return script{name: name, psn: invPSN, run: func(ctx context.Context, c *scene) error {
		l, err := lends(c, ctx)
		if err != nil {
			return err
		}
		c.play.regions[lent] = region{key: uint64(l.key)}
		wr, err := c.sends(ctx, 2)
		if err != nil {
			return err
		}
		wr.Opcode, wr.Flags, wr.InvalidateRKey = verbs.WRSendInv, verbs.SendSignaled, l.key
		if err := c.send(ctx, wr); err != nil {
			return err
		}
		entry, err := l.query(ctx)
		if err != nil {
			return fmt.Errorf("key %#x: %w", l.key, err)
		}
		c.hosts[1].note("queries key", val("key", entry.Key), val("state", entry.State), val("windows", entry.Windows))
		return c.states(ctx)
	}}
}
