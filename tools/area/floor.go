package main

import (
	"fmt"
	"hash/crc32"
	"math/big"

	"gornic/hdl"
)

// The floor is the least that a CRC-32 of one beat a cycle takes, whole beats only and nothing else: written out here, and
// synthesized with the Yosys of the day, it tells how much of a difference to the peers' numbers is the tool's.

type floorIO struct {
	Enable hdl.Bits `hdl:"in" w:"1"`
	Data   hdl.Bits `hdl:"in"`
	State  hdl.Bits `hdl:"out" w:"32"`
}

func crcFloor(width int) hdl.Def[floorIO] {
	return hdl.Def[floorIO]{
		Name: fmt.Sprintf("crc32_step_%d", width),
		Doc:  "one step of a CRC-32 over whole beats.",
		IO:   floorIO{Data: hdl.W(width)},
		Body: func(m *hdl.Module, io *floorIO) {
			state := m.Reg("state_now", 32, 0xffffffff)
			next := make([]hdl.Bits, 32)
			for bit := range next {
				ofState, ofData := crcRow(width, bit)
				next[31-bit] = state.And(hdl.KBig(32, ofState)).Parity().Xor(io.Data.And(hdl.KBig(width, ofData)).Parity())
			}
			m.If(io.Enable, func() { state.Set(hdl.Cat(next...)) })
			io.State.Set(state)
		},
	}
}

// crcRow says which bits of the state and of the beat one bit of the next state is the parity of.
func crcRow(width, bit int) (ofState, ofData *big.Int) {
	ofState, ofData = new(big.Int), new(big.Int)
	for i := range 32 {
		if crcStep(1<<i, make([]byte, width/8))>>bit&1 == 1 {
			ofState.SetBit(ofState, i, 1)
		}
	}
	for i := range width {
		beat := make([]byte, width/8)
		beat[i/8] = 1 << (i % 8)
		if crcStep(0, beat)>>bit&1 == 1 {
			ofData.SetBit(ofData, i, 1)
		}
	}
	return ofState, ofData
}

// crcStep advances a raw state, without the inversions of the usual CRC-32.
func crcStep(state uint32, beat []byte) uint32 { return ^crc32.Update(^state, crc32.IEEETable, beat) }
