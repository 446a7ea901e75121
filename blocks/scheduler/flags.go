package scheduler

import "gornic/hdl"

// flags is one bit for each of 2^n numbers, which one side sets and another
// clears in the same cycle: two memories with a writer each, whose exclusive or
// is the bit.
type flags struct {
	ups, downs *hdl.Memory
	swept      hdl.Bits // every bit is zero or has been set since
	sweep      hdl.Bits

	setAt, setEn     hdl.Bits
	clearAt, clearEn hdl.Bits
}

func newFlags(m *hdl.Module, name string, bits int) *flags {
	f := &flags{
		ups: m.LUTRAM(name+"_ups", 1<<bits, 1), downs: m.LUTRAM(name+"_downs", 1<<bits, 1),
		sweep: m.Reg(name+"_sweep", bits+1, 0),
		setAt: m.Wire(name+"_set_at", bits), setEn: m.Wire(name+"_set", 1),
		clearAt: m.Wire(name+"_clear_at", bits), clearEn: m.Wire(name+"_clear", 1),
	}
	f.swept = f.sweep.MSB()
	m.If(f.swept.Not(), func() { f.sweep.Set(f.sweep.AddK(1)) })

	at := f.sweep.Trunc(bits)
	zero := hdl.K(1, 0)
	f.ups.Write(hdl.Mux(f.swept, f.setAt, at), f.setEn.Or(f.swept.Not()), f.downs.At(f.setAt).Not().And(f.swept))
	f.downs.Write(hdl.Mux(f.swept, f.clearAt, at), f.clearEn.Or(f.swept.Not()), hdl.Mux(f.swept, f.ups.At(f.clearAt), zero))
	return f
}

// at is the bit of a number.
func (f *flags) at(i hdl.Bits) hdl.Bits { return f.ups.At(i).Xor(f.downs.At(i)) }

// set sets the bit of i, which is zero, where en is one.
func (f *flags) set(i, en hdl.Bits) {
	f.setAt.Set(i)
	f.setEn.Set(en)
}

// clear clears the bit of i, which is one, where en is one.
func (f *flags) clear(i, en hdl.Bits) {
	f.clearAt.Set(i)
	f.clearEn.Set(en)
}
