package resources

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// fences lets a fence of the sending pipeline pass behind the packets of all turns before it, which begins none
// meanwhile; one of the receiving pipeline behind all requests before it, with their atomics. Nothing
// is left to tell of either then.
func (b *block) fences() {
	sent := hdl.AndAll(b.grantUnderWay().Not(), b.answers.Out.Valid.Not(), b.reads.Out.Valid.Not(), b.io.Served.Valid.Not())
	b.fence("tx", b.io.FenceIn, b.io.FenceOut, sent)
	taken := hdl.AndAll(b.io.Request.Valid.Not(), b.inFlight.None(), b.io.Served.Valid.Not())
	b.fence("rx", b.io.RxFenceIn, b.io.RxFenceOut, taken)
}

// fence takes a fence where open is one, and holds it until it has left.
func (b *block) fence(name string, in, out hdl.Stream[link.Fence], open hdl.Bits) {
	m := b.m
	passes := m.Reg(name+"_fence_passes", 1, 0)
	token := m.RegN(name+"_fence_token", in.Data.Token.Width())
	in.Ready.Set(passes.Not().And(open))
	m.If(out.Fire(), func() { passes.SetK(0) })
	m.If(in.Fire(), func() {
		passes.SetK(1)
		token.Set(in.Data.Token)
	})
	out.Valid.Set(passes)
	out.Data.Token.Set(token)
}
