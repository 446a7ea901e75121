package rtl_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
	"gornic/tb/rtl"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// What a WRITE may not do ends it with the status of its fault and flushes what is
// behind it, and nothing of it reaches memory.
func TestRefused(t *testing.T) {
	const size = 600
	for name, c := range map[string]struct {
		spoil func(t *testing.T, a, b *end, w *verbs.SendWR)
		want  format.Status
	}{
		"rkey":         {func(_ *testing.T, _, _ *end, w *verbs.SendWR) { w.RKey ^= 0x100 }, verbs.StatusRemAccess},
		"below region": {func(_ *testing.T, _, b *end, w *verbs.SendWR) { w.RemoteAddr = b.mr.Addr() - 1 }, verbs.StatusRemAccess},
		"above region": {func(_ *testing.T, _, b *end, w *verbs.SendWR) { w.RemoteAddr = b.mr.Addr() + bufferBytes - size + 1 }, verbs.StatusRemAccess},
		"lkey":         {func(_ *testing.T, _, _ *end, w *verbs.SendWR) { w.SGL[0].LKey ^= 0x100 }, verbs.StatusLocProt},
		"read fault": {func(_ *testing.T, a, _ *end, _ *verbs.SendWR) {
			a.Memory.InjectFault(a.buf.Addr()+30, 1, host.Reads)
		}, verbs.StatusLocProt},
		"write fault": {func(_ *testing.T, _, b *end, w *verbs.SendWR) {
			b.Memory.InjectFault(w.RemoteAddr, size, host.Writes)
		}, verbs.StatusRemOp},
	} {
		t.Run(name, func(t *testing.T) {
			eachLab(t, func(t *testing.T, l *rtl.Lab, watch *monitor.Monitor) {
				p, r := newPair(t, l, verbs.MTU256, watch), rand.New(rand.NewPCG(5, 6))
				a, b := p.ends[0], p.ends[1]
				a.fill(r, 0, size)
				before := b.fill(r, 0, bufferBytes)
				bad := verbs.SendWR{
					WRID: 1, Opcode: verbs.WRWrite, SGL: []verbs.SGE{a.mr.SGE(0, size)}, RemoteAddr: b.mr.Addr() + 1000, RKey: b.mr.RKey(),
				}
				good := bad
				good.WRID, good.SGL = 2, []verbs.SGE{a.mr.SGE(0, 1)}
				c.spoil(t, a, b, &bad)
				require.NoError(t, a.qp.PostSend(ctx, bad, good))
				require.Equal(t, c.want.String(), p.completion(a).Status.String())
				require.Equal(t, verbs.StatusFlush.String(), p.completion(a).Status.String())
				require.NoError(t, l.Run(1000))
				b.holds(0, before)
				require.NoError(t, l.CheckGuards())
				require.NoError(t, l.Close())
			})
		})
	}
}

// A WRITE whose second packet cannot be read ends when that is known, although
// nobody acknowledges the first, which asked for nothing.
func TestReadFaultBehindFirstPacket(t *testing.T) {
	eachLab(t, func(t *testing.T, l *rtl.Lab, watch *monitor.Monitor) {
		p, r := newPair(t, l, verbs.MTU256, watch), rand.New(rand.NewPCG(7, 8))
		a, b := p.ends[0], p.ends[1]
		a.fill(r, 0, 600)
		a.Memory.InjectFault(a.buf.Addr()+300, 1, host.Reads)
		write := verbs.SendWR{WRID: 1, Opcode: verbs.WRWrite, SGL: []verbs.SGE{a.mr.SGE(0, 600)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}
		require.NoError(t, a.qp.PostSend(ctx, write, write))
		require.Equal(t, verbs.StatusLocProt.String(), p.completion(a).Status.String())
		require.Equal(t, verbs.StatusFlush.String(), p.completion(a).Status.String())
		require.NoError(t, l.Close())
	})
}
