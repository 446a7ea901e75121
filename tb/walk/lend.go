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

// lendings are what B may lend, and a peer may try to end: by the name of the play.
var lendings = map[string]func(ctx context.Context, c *scene) (key uint32, query keyQuery, err error){
	ordinaryRegion: func(ctx context.Context, c *scene) (uint32, keyQuery, error) {
		mr, err := c.region(ctx, 1, "lent region", PathMTU, lendFlags, 0)
		if err != nil {
			return 0, nil, err
		}
		return mr.RKey(), mr.Query, nil
	},
	boundRegion: func(ctx context.Context, c *scene) (uint32, keyQuery, error) {
		f, err := c.pds[1].AllocFastMR(ctx, 0)
		if err != nil {
			return 0, nil, err
		}
		c.ends[1].regions = append(c.ends[1].regions, f.MR)
		b, err := c.buffer(1, PathMTU)
		if err != nil {
			return 0, nil, err
		}
		if err := c.register(ctx, f, b, verbs.IncRKey(f.RKey()), lendFlags|verbs.AccessMWBind); err != nil {
			return 0, nil, err
		}
		_, err = c.window(ctx, verbs.MWType2, f.MR)
		return f.RKey(), f.Query, err
	},
	window1: func(ctx context.Context, c *scene) (uint32, keyQuery, error) { return c.lendWindow(ctx, verbs.MWType1) },
	window2: func(ctx context.Context, c *scene) (uint32, keyQuery, error) { return c.lendWindow(ctx, verbs.MWType2) },
}

// keyQuery is how software asks for a key's entry.
type keyQuery func(context.Context) (format.KeyEntry[uint64], error)

func (c *scene) lendWindow(ctx context.Context, kind verbs.MWType) (uint32, keyQuery, error) {
	mr, err := c.region(ctx, 1, "region behind", PathMTU, lendFlags|verbs.AccessMWBind, 0)
	if err != nil {
		return 0, nil, err
	}
	w, err := c.window(ctx, kind, mr)
	if err != nil {
		return 0, nil, err
	}
	return w.RKey(), w.Query, nil
}

// Names of plays: what B lends.
const (
	ordinaryRegion = "ordinary region"
	boundRegion    = "region with a window"
	window1        = "window of type 1"
	window2        = "window of type 2"
)

// endsLent is a play in which A sends a SEND with invalidate of what B lends.
func endsLent(name string) script {
	return script{name: name, psn: invPSN, run: func(ctx context.Context, c *scene) error {
		key, query, err := lendings[name](ctx, c)
		if err != nil {
			return err
		}
		c.play.regions[lent] = region{key: uint64(key)}
		wr, err := c.sends(ctx, 2)
		if err != nil {
			return err
		}
		wr.Opcode, wr.Flags, wr.InvalidateRKey = verbs.WRSendInv, verbs.SendSignaled, key
		if err := c.send(ctx, wr); err != nil {
			return err
		}
		entry, err := query(ctx)
		if err != nil {
			return fmt.Errorf("key %#x: %w", key, err)
		}
		c.hosts[1].note("queries key", val("key", entry.Key), val("state", entry.State), val("windows", entry.Windows))
		return c.states(ctx)
	}}
}
