package verilog_test

import (
	"gornic/hdl"
)

// CamIO are the ports of a small content-addressed memory.
type CamIO struct {
	Lookup hdl.Stream[camKey]   `hdl:"in"`
	Result hdl.Stream[camValue] `hdl:"out"`
	Fill   hdl.Stream[camEntry] `hdl:"in"`
	Flush  hdl.Bits             `hdl:"in" w:"1"` // drop every entry
}

type camKey struct {
	Key hdl.Bits `w:"16"`
}

type camValue struct {
	Hit   hdl.Bits `w:"1"`
	Value hdl.Bits `w:"32"`
}

type camEntry struct {
	Key   hdl.Bits `w:"16"`
	Value hdl.Bits `w:"32"`
}

// match compares a key with an entry.
func match(used, key, lookup hdl.Bits) hdl.Bits { return used.And(key.Eq(lookup)) }

// Cam exercises names: loops, helper functions, struct literals.
func Cam() hdl.Def[CamIO] {
	return hdl.Def[CamIO]{
		Name: "key_cam_4",
		Doc:  "Finds the value of a key among four entries.",
		Body: func(m *hdl.Module, io *CamIO) {
			const entries = 4
			out := hdl.NewReg(m, "out", camValue{})
			valid := m.Reg("out_full", 1, 0)
			victim := m.Reg("victim", 2, 0)
			room := valid.Not().Or(io.Result.Ready)

			hits := make([]hdl.Bits, entries)
			values := make([]hdl.Bits, entries)
			for i := range entries {
				used := m.Reg(name("used", i), 1, 0)
				entry := hdl.NewReg(m, name("entry", i), camEntry{})

				// A flush drops the entry, a fill takes its place.
				m.If(io.Flush, func() {
					used.SetK(0)
				}).ElseIf(io.Fill.Valid.And(victim.Is(uint64(i))), func() {
					used.SetK(1)
					hdl.Set(entry, io.Fill.Data)
				})
				hits[i] = match(used, entry.Key, io.Lookup.Data.Key)
				values[i] = entry.Value
			}
			hit := hdl.Cat(hits[3], hits[2], hits[1], hits[0])
			found := camValue{
				Hit:   hit.Any(),
				Value: hdl.OneHot(hit, values...),
			}
			m.If(io.Fill.Valid, func() { victim.Set(victim.AddK(1)) })
			m.If(room, func() {
				valid.Set(io.Lookup.Valid)
				hdl.Set(out, found)
			})
			io.Lookup.Ready.Set(room)
			io.Fill.Ready.SetK(1)
			io.Result.Valid.Set(valid)
			hdl.Set(io.Result.Data, out)
			m.Cover("miss", found.Hit.Not())
			m.Assert("one_hit", found.Hit.Not().Or(hdl.OrAll(hits...)))
			m.Cover("hit_top", hits[3])
		},
	}
}

func name(base string, i int) string { return base + "_" + string(rune('0'+i)) }

// PLLIO are the ports of a black box.
type PLLIO struct {
	In  hdl.Bits `hdl:"in" w:"8"`
	Out hdl.Bits `hdl:"out" w:"8"`
}

// PLL is a black box with parameters and a model.
func PLL() hdl.Def[PLLIO] {
	return hdl.Def[PLLIO]{
		Name:     "VENDOR_DELAY",
		Doc:      "A delay of the vendor's library: the model is one register.",
		External: true,
		Params:   []hdl.Param{{Name: "DEPTH", Value: "1"}, {Name: "MODE", Value: `"FAST"`}},
		Body: func(m *hdl.Module, io *PLLIO) {
			q := m.RegN("q", 8)
			q.Set(io.In)
			io.Out.Set(q)
		},
	}
}

// BufferIO are the ports of a black box without a model.
type BufferIO struct {
	I hdl.Bits `hdl:"in" w:"1"`
	O hdl.Bits `hdl:"out" w:"1"`
}

// Buffer is a black box without a model.
func Buffer() hdl.Def[BufferIO] {
	return hdl.Def[BufferIO]{
		Name: "VENDOR_BUF", Doc: "An input buffer.", External: true, Body: func(*hdl.Module, *BufferIO) {},
	}
}

// SystemIO are the ports of a design with instances.
type SystemIO struct {
	Lookup hdl.Stream[camKey]   `hdl:"in"`
	Result hdl.Stream[camValue] `hdl:"out"`
	Fill   hdl.Stream[camEntry] `hdl:"in"`
	List   hdl.Bits             `hdl:"in" w:"8"` // a word of C++
	Map    hdl.Bits             `hdl:"out" w:"8"`
	Other  hdl.Bits             `hdl:"out" w:"8"`
	Sum    hdl.Bits             `hdl:"out" w:"9"`
	Grants hdl.Bits             `hdl:"out" w:"4"`
}

// System exercises instances: pins that are joined, expressions and wires.
func System() hdl.Def[SystemIO] {
	return hdl.Def[SystemIO]{
		Name: "system",
		Doc:  "Puts the other designs together.",
		Body: func(m *hdl.Module, io *SystemIO) {
			// The lookup goes to the entries as it is.
			cam := hdl.Instance(m, "u_cam", Cam())
			hdl.Connect(cam.Lookup, io.Lookup)
			hdl.Connect(io.Result, cam.Result)
			hdl.Connect(cam.Fill, io.Fill)
			cam.Flush.Set(io.List.All())

			first := hdl.Instance(m, "u_first", PLL())
			first.In.Set(io.List)
			second := hdl.Instance(m, "u_second", PLL())
			second.In.Set(first.Out.Xor(io.List).AddK(3))
			io.Map.Set(second.Out)
			io.Other.Set(second.Out.Not())

			buffer := hdl.Instance(m, "u_buffer", Buffer())
			buffer.I.Set(io.List.Bit(0))

			arbiter := hdl.Instance(m, "u_arbiter", RRArbiter(4))
			arbiter.Req.Set(io.List.Trunc(4))
			m.If(io.List.MSB(), func() { arbiter.Take.SetK(1) }).Else(func() { arbiter.Take.Set(buffer.O) })
			io.Grants.Set(arbiter.Grant)
			io.Sum.Set(first.Out.AddC(second.Out))
		},
	}
}

// MathIO are the ports of a design of expressions.
type MathIO struct {
	A, B   hdl.Bits `hdl:"in" w:"16"`
	N      hdl.Bits `hdl:"in" w:"4"`
	Wide   hdl.Bits `hdl:"in" w:"512"`
	Mul    hdl.Bits `hdl:"out" w:"32"`
	Sar    hdl.Bits `hdl:"out" w:"16"`
	Less   hdl.Bits `hdl:"out" w:"4"`
	CRC    hdl.Bits `hdl:"out" w:"2"`
	Pick   hdl.Bits `hdl:"out" w:"16"`
	High   hdl.Bits `hdl:"out" w:"8"`
	Kind   hdl.Bits `hdl:"out" w:"8"`
	Nibble hdl.Bits `hdl:"out" w:"4"`
}

// Math exercises expressions that Verilog has rules of its own for.
func Math() hdl.Def[MathIO] {
	return hdl.Def[MathIO]{
		Name: "math",
		Doc:  "Arithmetic, comparisons, shifts and wide parities.",
		Body: func(m *hdl.Module, io *MathIO) {
			io.Mul.Set(io.A.Mul(io.B))
			io.Sar.Set(hdl.Mux(io.N.Any(), io.A.Sar(io.N), io.B))
			io.Less.Set(hdl.Cat(io.A.Lt(io.B), io.A.SLt(io.B), io.A.GeK(5), io.A.LeK(0xffff)))

			mask := hdl.Ones(512).Xor(hdl.K(512, 0xff0f))
			io.CRC.Set(hdl.Cat(io.Wide.And(mask).Parity(), io.Wide.And(hdl.K(512, 0x8001)).Parity()))

			io.Pick.Set(hdl.Select(io.N, io.A, io.B, io.A.Not(), io.B.AddK(1), io.A.ShlK(3)))
			sum := io.A.Add(io.B)
			io.High.Set(sum.Slice(15, 8))

			kind := m.Wire("kind_of_n", 8)
			m.Switch(io.N.Trunc(1),
				hdl.Case(0, func() { kind.SetK(1) }),
				hdl.Case(1, func() { kind.SetK(2) }),
			)
			io.Kind.Set(kind)

			// Low nibbles by a loop over cases.
			io.Nibble.SetK(0)
			for i := range 3 {
				m.If(io.N.Is(uint64(i)), func() { io.Nibble.Set(io.A.Slice(4*i+3, 4*i)) })
			}
		},
	}
}
