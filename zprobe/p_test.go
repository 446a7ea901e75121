package zprobe

import (
	"fmt"
	"testing"

	"gornic/hdl"
)

type IO struct {
	A hdl.Bits `hdl:"in" w:"4"`
	Y hdl.Bits `hdl:"out" w:"4"`
}

func TestP(t *testing.T) {
	var old hdl.Bits
	var oldM *hdl.Module
	var oldR *hdl.Memory
	var zero hdl.Bits
	run := func(name string, f func(m *hdl.Module, io *IO)) {
		defer func() {
			if r := recover(); r != nil {
				fmt.Printf("== %s: PANIC %v\n", name, r)
			}
		}()
		_, _, err := hdl.Build(hdl.Def[IO]{Name: "p", Body: func(m *hdl.Module, io *IO) { f(m, io) }})
		fmt.Printf("== %s: %v\n", name, err)
	}
	ok := func(m *hdl.Module, io *IO) { io.Y.Set(io.A) }
	run("keep", func(m *hdl.Module, io *IO) { old, oldM = io.A, m; oldR = m.LUTRAM("r", 4, 4); oldR.Write(io.A.Trunc(2), io.A.Bit(0), io.A); io.Y.Set(oldR.At(io.A.Trunc(2))) })
	run("other design", func(m *hdl.Module, io *IO) { io.Y.Set(old) })
	run("old module reg", func(m *hdl.Module, io *IO) { ok(m, io); oldM.Reg("x", 4, 0).Set(io.A) })
	run("old memory", func(m *hdl.Module, io *IO) { io.Y.Set(oldR.At(io.A.Trunc(2))) })
	run("set old", func(m *hdl.Module, io *IO) { ok(m, io); old.Set(io.A) })
	run("zero", func(m *hdl.Module, io *IO) { io.Y.Set(zero) })
	run("zero op", func(m *hdl.Module, io *IO) { io.Y.Set(zero.Add(io.A)) })
	run("zero set", func(m *hdl.Module, io *IO) { ok(m, io); zero.Set(io.A) })
	run("nil body if", func(m *hdl.Module, io *IO) { ok(m, io); m.If(io.A.Bit(0), nil) })
	run("nil arm", func(m *hdl.Module, io *IO) { ok(m, io); m.Switch(io.A, hdl.Case(1, nil)) })
	run("arm zero", func(m *hdl.Module, io *IO) { ok(m, io); m.Switch(io.A, hdl.Arm{}) })
	run("nil module", func(m *hdl.Module, io *IO) { ok(m, io); var n *hdl.Module; n.Wire("w", 3) })
	run("nil memory", func(m *hdl.Module, io *IO) { var n *hdl.Memory; io.Y.Set(n.At(io.A)) })
	run("nil fsm", func(m *hdl.Module, io *IO) { ok(m, io); m.Ghost(nil) })
	run("nil enum", func(m *hdl.Module, io *IO) { io.Y.Set(io.A.Named(nil)) })
	run("else twice", func(m *hdl.Module, io *IO) { c := m.If(io.A.Bit(0), func() { io.Y.Set(io.A) }); c.Else(func() { io.Y.SetK(1) }); c.Else(func() { io.Y.SetK(2) }) })
	run("else late", func(m *hdl.Module, io *IO) { c := m.If(io.A.Bit(0), func() { io.Y.Set(io.A) }); w := m.Wire("w", 1); w.SetK(1); m.Unused(w); c.Else(func() { io.Y.SetK(1) }) })
	run("neg width", func(m *hdl.Module, io *IO) { io.Y.Set(m.Wire("w", -1)) })
	run("neg slice", func(m *hdl.Module, io *IO) { io.Y.Set(io.A.Slice(-1, -3)) })
	run("rep neg", func(m *hdl.Module, io *IO) { io.Y.Set(io.A.Rep(-1)) })
	run("shl neg", func(m *hdl.Module, io *IO) { io.Y.Set(io.A.ShlK(-1)) })
	run("cat none", func(m *hdl.Module, io *IO) { io.Y.Set(hdl.Cat()) })
	run("andall none", func(m *hdl.Module, io *IO) { io.Y.Set(hdl.AndAll()) })
	run("onehot", func(m *hdl.Module, io *IO) { io.Y.Set(hdl.OneHot(io.A, io.A)) })
	run("select none", func(m *hdl.Module, io *IO) { io.Y.Set(hdl.Select(io.A)) })
	run("kbig nil", func(m *hdl.Module, io *IO) { io.Y.Set(hdl.KBig(4, nil)) })
	run("table none", func(m *hdl.Module, io *IO) { io.Y.Set(m.Table("t", io.A, 4)) })
	run("ram neg", func(m *hdl.Module, io *IO) { io.Y.Set(m.LUTRAM("r", -1, 4).At(io.A)) })
	run("zero clock", func(m *hdl.Module, io *IO) { ok(m, io); m.In(hdl.Clock{}, func() { m.Reg("x", 4, 0).Set(io.A) }) })
	run("domain none", func(m *hdl.Module, io *IO) { ok(m, io); m.In(m.Domain("zz"), func() { m.Reg("x", 4, 0).Set(io.A) }) })
	run("fsm none", func(m *hdl.Module, io *IO) { ok(m, io); hdl.NewFSM[S](m, "f") })
	run("newreg nil", func(m *hdl.Module, io *IO) { ok(m, io); hdl.NewReg[*IO](m, "f", nil) })
	run("newreg int", func(m *hdl.Module, io *IO) { ok(m, io); hdl.NewReg(m, "f", 3) })
	run("empty name", func(m *hdl.Module, io *IO) { io.Y.Set(m.Wire("", 4)) })
	run("inst zero", func(m *hdl.Module, io *IO) { ok(m, io); hdl.Instance(m, "i", hdl.Def[IO]{}) })
	run("recursive", func(m *hdl.Module, io *IO) { ok(m, io); hdl.Instance(m, "i", hdl.Def[int]{Name: "q", Body: func(*hdl.Module, *int) {}}) })
	_, _, err := hdl.Build(hdl.Def[IO]{})
	fmt.Println("empty def:", err)
	zero.Add(zero)
	run("outside", ok)
	oldM.If(old.Bit(0), func() {})
	fmt.Println("done")
}

type S int

func (S) String() string { return "s" }
