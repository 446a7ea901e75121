package icrc

import (
	"fmt"

	"gornic/hdl"
)

// A word is a masked beat on its way into the CRC.
type word struct {
	valid hdl.Bits
	first hdl.Bits // of its frame
	data  hdl.Bits
}

// stateDelay is the number of cycles from a word to the state that includes it.
const stateDelay = 2

// state returns the state of the CRC after each word, stateDelay cycles later, as
// it would be after back fewer bytes of zeros than the word ends with.
//
// The loop from state to state holds one matrix of 32 by 32 and a sum; what the data
// adds is worked out beside it, in groups of eight bytes with a register behind
// each.
func state(m *hdl.Module, p Params, w word, back int) hdl.Bits {
	n := p.bytes()
	terms := make([]hdl.Bits, n/8)
	for g := range terms {
		group := linear(w.data.Slice(64*g+63, 64*g), func(bit int) uint32 {
			return advance(1<<(bit%8), n-back-8*g-bit/8)
		})
		terms[g] = delay(m, fmt.Sprintf("sum_%d", g), group, 1)
	}
	valid := delayValid(m, "sum_valid", w.valid, 1)[0]
	first := delay(m, "sum_first", w.first, 1)

	state := m.RegN("state", 32)
	before := state.And(first.Not().Rep(32))
	terms = append(terms, linear(before, func(bit int) uint32 { return advance(1<<bit, n) }))
	m.If(valid, func() { state.Set(hdl.XorAll(terms...)) })
	return state
}

// delay returns x so many cycles later, from registers NAME_1, NAME_2, ...
func delay[T any](m *hdl.Module, name string, x T, cycles int) T {
	for i := range cycles {
		r := hdl.NewReg(m, fmt.Sprintf("%s_%d", name, i+1), hdl.Proto(x))
		hdl.Set(r, x)
		x = r
	}
	return x
}

// delayValid returns a bit, which is zero after reset, 1, 2, ... cycles later,
// from registers NAME_1, NAME_2, ...
func delayValid(m *hdl.Module, name string, x hdl.Bits, cycles int) []hdl.Bits {
	later := make([]hdl.Bits, cycles)
	for i := range later {
		later[i] = m.Reg(fmt.Sprintf("%s_%d", name, i+1), 1, 0)
		later[i].Set(x)
		x = later[i]
	}
	return later
}
