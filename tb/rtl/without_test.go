package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/format"
	"gornic/hdl"
	"gornic/tb/rtl"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// least is small without what can be left out.
func least(t *testing.T) configs.Config {
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	c.Congestion, c.Atomics, c.KeyRequests = 0, 0, 0
	return c
}

// A work request that the core does not have ends with LOC_QP_OP and flushes what is behind it, in the core as in the reference; and
// verbs refuses to post it.
func TestWithoutFeatures(t *testing.T) {
	c := least(t)
	design, io, err := rtl.Build(c)
	require.NoError(t, err)
	for name, sides := range map[string][2]rtl.Kind{"core": {rtl.Core, rtl.Reference}, "reference": {rtl.Reference, rtl.Core}} {
		for _, op := range []verbs.Opcode{verbs.WRCompSwap, verbs.WRFetchAdd, verbs.WRLocalInv, verbs.WRRegMR, verbs.WRBindMW} {
			t.Run(name+"/"+op.String(), func(t *testing.T) {
				watch := monitor.New()
				l, err := rtl.NewLab(design, io, rtl.Options{Config: c, Sides: sides, NIC: rtl.NICOptions{Simulator: native}})
				skipAbsent(t, native, err)
				p := newPair(t, l, verbs.MTU256, watch)
				a := p.ends[0]
				require.False(t, a.dev.Attr().Atomics)
				require.False(t, a.dev.Attr().KeyRequests)
				control, err := format.AppendHost(nil, format.SendControl[uint64]{Opcode: uint64(op), WRID: 1, RemoteAddr: p.ends[1].mr.Addr(), RKey: uint64(p.ends[1].mr.RKey())})
				require.NoError(t, err)
				require.NoError(t, a.qp.PostRawSend(ctx, control))
				wc := p.completion(a)
				require.Equal(t, verbs.StatusLocQPOp.String(), wc.Status.String())
				require.Equal(t, format.VendorBadOpcode, wc.Vendor)
				require.NoError(t, l.Close())
			})
		}
	}
}

// An atomic of a peer that has them is refused as an invalid request, by the core as by the reference: each as the peer of the
// other, which has more.
func TestWithoutAtomicsOfPeers(t *testing.T) {
	without := least(t)
	lacking, lackingIO, err := rtl.Build(without)
	require.NoError(t, err)
	full, err := small()
	require.NoError(t, err)
	for name, o := range map[string]struct {
		sides  [2]rtl.Kind
		config configs.Config // of the reference; the core is
		design *hdl.Design
		io     *core.IO
	}{
		"core":      {[2]rtl.Kind{rtl.Reference, rtl.Core}, full.config, lacking, lackingIO},
		"reference": {[2]rtl.Kind{rtl.Core, rtl.Reference}, without, full.design, full.io},
	} {
		t.Run(name, func(t *testing.T) {
			watch := monitor.New()
			l, err := rtl.NewLab(o.design, o.io, rtl.Options{Config: o.config, Sides: o.sides, NIC: rtl.NICOptions{Simulator: native}})
			skipAbsent(t, native, err)
			p := newPair(t, l, verbs.MTU256, watch)
			a, b := p.ends[0], p.ends[1]
			require.True(t, a.dev.Attr().Atomics)
			require.False(t, b.dev.Attr().Atomics)
			require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
				WRID: 1, Opcode: verbs.WRFetchAdd, SGL: []verbs.SGE{a.mr.SGE(0, 8)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(), CompareAdd: 1,
			}))
			require.Equal(t, verbs.StatusRemInvReq.String(), p.completion(a).Status.String())
			require.NoError(t, l.Close())
		})
	}
}
