package stream

import "gornic/hdl"

// Sync brings a level into the clock domain that m is in: two flip-flops, named
// NAME_meta and NAME. The level is a register marked [hdl.CrossSafe]; of one
// with more than one bit, at most one changes at a time, as in a Gray counter.
// It has the value reset until the first edge after reset.
//
// A change is seen after two edges, or three if it comes too close to one. A
// pulse shorter than a cycle of the clock it goes to may be missed: see
// [Pulse].
func Sync(m *hdl.Module, name string, level hdl.Bits, reset uint64) hdl.Bits {
	return newSynced(m, name, level, reset).safe
}

// synced is the two flip-flops of a synchroniser.
type synced struct{ meta, safe hdl.Bits }

func newSynced(m *hdl.Module, name string, level hdl.Bits, reset uint64) synced {
	s := synced{m.Reg(name+"_meta", level.Width(), reset), m.Reg(name, level.Width(), reset)}
	s.meta.Set(level)
	s.safe.Set(s.meta)
	return s
}

// PulseIO is the ports of a pulse synchroniser.
type PulseIO struct {
	In  hdl.Bits `hdl:"in" w:"1" clock:"in"`
	Out hdl.Bits `hdl:"out" w:"1" clock:"out"`
}

// PulseDef brings pulses of one cycle from clock domain "in" to clock domain
// "out". Every pulse arrives as one, if pulses are at least three cycles of the
// slower clock apart. The resets of both domains are applied together.
//
// Latency three or four cycles of the domain it goes to. Cost: 4 flip-flops.
func PulseDef() hdl.Def[PulseIO] {
	return hdl.Def[PulseIO]{
		Name: "pulse_sync",
		Doc:  "Pulse synchroniser: a pulse of one clock becomes one of another.",
		Body: func(m *hdl.Module, io *PulseIO) {
			var toggle hdl.Bits
			m.In(m.Domain("in"), func() {
				toggle = hdl.CrossSafe(m.Reg("toggle", 1, 0))
				toggle.Set(toggle.Xor(io.In))
			})
			m.In(m.Domain("out"), func() {
				seen := Sync(m, "seen", toggle, 0)
				before := m.Reg("seen_before", 1, 0)
				before.Set(seen)
				io.Out.Set(seen.Xor(before))
			})
		},
	}
}

// Pulse puts a [PulseDef] from one clock domain to another into m and returns
// the pulse that arrives.
func Pulse(m *hdl.Module, name string, pulse hdl.Bits, from, to hdl.Clock) hdl.Bits {
	s := hdl.Instance(m, name, PulseDef(), hdl.WithClock("in", from), hdl.WithClock("out", to))
	s.In.Set(pulse)
	return s.Out
}
