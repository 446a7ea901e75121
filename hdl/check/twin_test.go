package check_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/check"
)

// richIO is the ports of a module with a bit of everything.
type richIO struct {
	A hdl.Bits `hdl:"in" w:"4"`
	Y hdl.Bits `hdl:"out" w:"4"`
}

// rich is that module. Each variant other than "" differs in one thing.
func rich(variant string) hdl.Def[richIO] {
	is := func(name string) bool { return variant == name }
	pick := func(name string, yes, no uint64) uint64 {
		if is(name) {
			return yes
		}
		return no
	}
	leafName := "leaf"
	if is("child") {
		leafName = "other_leaf"
	}
	leaf := hdl.Def[richIO]{Name: leafName, Body: func(m *hdl.Module, io *richIO) { io.Y.Set(io.A) }}
	return hdl.Def[richIO]{Name: "rich", Body: func(m *hdl.Module, io *richIO) {
		st := hdl.NewFSM(m, "st", idle, busy)
		if is("states") {
			st = hdl.NewFSM(m, "st_", idle, busy)
		}
		r := m.Reg("r", 4, pick("reset", 1, 0))
		u := hdl.Instance(m, "u", leaf)
		u.A.Set(r)
		ram := m.LUTRAM("ram", int(pick("depth", 5, 8)), 4)
		lanes := m.LaneRAM("lanes", 8, 4, 2, hdl.Collision(pick("collision", 1, 0)))
		index := r.Trunc(3)
		ram.Write(index, io.A.Bit(int(pick("write", 1, 0))), io.A)
		lanes.WriteLanes(index, io.A.Any(), io.A.Slice(int(pick("lanes", 2, 1)), int(pick("lanes", 1, 0))), io.A)
		word := lanes.Read("word", index, io.A.All())
		m.If(io.A.Is(pick("condition", 3, 2)), func() { r.Set(io.A) }).
			Else(func() { r.Set(ram.At(index)) })
		st.Switch(hdl.On(idle, func() { st.Goto(busy) }), hdl.On(busy, func() {
			m.If(io.A.Any(), func() { st.Goto(idle) })
		}))
		io.Y.Set(u.Y.Xor(word).AddK(pick("constant", 7, 6)))
		m.Assert("a", r.IsNot(pick("property", 9, 8)))
		m.Event("e", io.A.Bit(int(pick("event", 1, 0))), hdl.Field(map[bool]string{false: "f", true: "g"}[is("field")], r))
		if is("unused") {
			m.Unused(word)
		}
		m.Unused(st.Reg)
		if is("more") {
			m.Unused(r)
		}
	}}
}

// TestTwins pairs each variant with the plain module under one name.
func TestTwins(t *testing.T) {
	var all strings.Builder
	for _, variant := range []string{
		"more", "states", "reset", "child", "depth", "collision", "write", "lanes", "condition", "constant", "property", "event", "field",
		"unused",
	} {
		err := build("pair", func(m *hdl.Module, io *richIO) {
			a, b := hdl.Instance(m, "u_a", rich("")), hdl.Instance(m, "u_b", rich(variant))
			a.A.Set(io.A)
			b.A.Set(a.Y)
			io.Y.Set(b.Y)
		})
		require.ErrorIs(t, err, check.Twin, variant)
		for _, f := range check.In(err) {
			if f.Code == check.Twin {
				all.WriteString(variant + ": " + f.Error() + "\n")
			}
		}
	}
	golden(t, "twins", all.String())
}

// TestBlackBoxes has two instances of one box without a model. The values of
// their parameters may differ, but not which there are.
func TestBlackBoxes(t *testing.T) {
	box := func(p hdl.Param) hdl.Def[richIO] {
		return hdl.Def[richIO]{Name: "box", External: true, Params: []hdl.Param{p}, Body: func(m *hdl.Module, io *richIO) {}}
	}
	pair := func(a, b hdl.Param) error {
		return build("pair", func(m *hdl.Module, io *richIO) {
			x, y := hdl.Instance(m, "u_x", box(a)), hdl.Instance(m, "u_y", box(b))
			x.A.Set(io.A)
			y.A.Set(x.Y)
			io.Y.Set(y.Y)
		})
	}
	w4, w8, d4 := hdl.Param{Name: "W", Value: "4"}, hdl.Param{Name: "W", Value: "8"}, hdl.Param{Name: "D", Value: "4"}
	assert.NoError(t, pair(w4, w8))
	assert.ErrorIs(t, pair(w4, d4), check.Twin)
}

// TestQuiet builds what looks like a mistake and is none.
func TestQuiet(t *testing.T) {
	assert.NoError(t, build("quiet", func(m *hdl.Module, io *richIO) {
		// Every state is reached, by conditions of all kinds.
		st := hdl.NewFSM(m, "st", idle, busy, done, lost)
		m.If(st.Is(idle).Not(), func() {
			m.If(st.Is(busy).Or(st.Is(done)), func() {
				st.Reg.Set(hdl.Mux(st.Reg.IsNot(uint64(busy)), st.Reg.K(uint64(lost)), st.Reg.K(uint64(done))))
			}).Else(func() { st.Goto(idle) })
		}).Else(func() { st.Reg.Set(st.Reg.K(uint64(busy))) })

		// A register that is loaded, and one that fills bit by bit.
		crc, shift := m.RegN("crc", 4), m.RegN("shift", 4)
		m.If(st.Is(idle), func() { crc.SetK(15) }).Else(func() { crc.Set(crc.Xor(io.A)) })
		shift.Set(hdl.Cat(shift.Trunc(3), io.A.Any()))

		// Shifts and sums of which only some bits are used.
		wide := crc.ZExt(70).Shl(hdl.K(7, 66))
		m.Unused(wide, hdl.KBig(70, big.NewInt(1)))
		io.Y.Set(wide.Slice(69, 66).Add(shift))
	}))
}
