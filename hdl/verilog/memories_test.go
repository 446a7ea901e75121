package verilog_test

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// RAMIO are the ports of a memory with one read and one write port.
type RAMIO struct {
	WriteAddr hdl.Bits `hdl:"in"`
	Write     hdl.Bits `hdl:"in" w:"1"`
	Lanes     hdl.Bits `hdl:"in"`
	Data      hdl.Bits `hdl:"in"`
	ReadAddr  hdl.Bits `hdl:"in"`
	Read      hdl.Bits `hdl:"in" w:"1"`
	Word      hdl.Bits `hdl:"out"`
}

// RAM is a simple dual-port memory; lane is its width without lanes.
func RAM(name string, depth, width, lane int, collide hdl.Collision) hdl.Def[RAMIO] {
	addr, word := hdl.W(ir.AddrWidth(depth)), hdl.W(width)
	return hdl.Def[RAMIO]{
		Name: name,
		Doc:  fmt.Sprintf("A memory of %d words of %d bits.", depth, width),
		IO:   RAMIO{WriteAddr: addr, ReadAddr: addr, Data: word, Word: word, Lanes: hdl.W(width / lane)},
		Body: func(m *hdl.Module, io *RAMIO) {
			words := m.LaneRAM("words", depth, width, lane, collide)
			if lane < width {
				words.WriteLanes(io.WriteAddr, io.Write, io.Lanes, io.Data)
			} else {
				words.Write(io.WriteAddr, io.Write.And(io.Lanes), io.Data)
			}
			io.Word.Set(words.Read("word_read", io.ReadAddr, io.Read))
		},
	}
}

// LUTRAMIO are the ports of a small memory that is read within the cycle.
type LUTRAMIO struct {
	WriteAddr hdl.Bits `hdl:"in" w:"5"`
	Write     hdl.Bits `hdl:"in" w:"1"`
	Data      hdl.Bits `hdl:"in" w:"16"`
	ReadAddr  hdl.Bits `hdl:"in" w:"5"`
	Word      hdl.Bits `hdl:"out" w:"16"`
}

// LUTRAM is a memory that is read within the cycle.
func LUTRAM() hdl.Def[LUTRAMIO] {
	return hdl.Def[LUTRAMIO]{
		Name: "lut_ram",
		Doc:  "A small memory that is read within the cycle.",
		Body: func(m *hdl.Module, io *LUTRAMIO) {
			words := m.LUTRAM("words", 32, 16)
			words.Write(io.WriteAddr, io.Write, io.Data)
			io.Word.Set(words.At(io.ReadAddr))
		},
	}
}

type ramPort struct {
	Addr  hdl.Bits `w:"9"`
	En    hdl.Bits `w:"1"`
	Write hdl.Bits `w:"1"`
	Data  hdl.Bits `w:"36"`
}

// DualIO are the ports of a true dual-port memory.
type DualIO struct {
	A     ramPort  `hdl:"in"`
	AWord hdl.Bits `hdl:"out" w:"36"`
	B     ramPort  `hdl:"in" clock:"b"`
	BWord hdl.Bits `hdl:"out" w:"36" clock:"b"`
}

// Dual is a true dual-port memory, its second port in another clock domain.
func Dual(collide hdl.Collision) hdl.Def[DualIO] {
	return hdl.Def[DualIO]{
		Name: fmt.Sprintf("dual_%d", collide),
		Doc:  "A true dual-port memory with two clocks.",
		Body: func(m *hdl.Module, io *DualIO) {
			words := m.RAM("words", 512, 36, collide)
			io.AWord.Set(words.ReadWrite("a_read", io.A.Addr, io.A.En, io.A.Write, io.A.Data))
			m.In(m.Domain("b"), func() {
				io.BWord.Set(words.ReadWrite("b_read", io.B.Addr, io.B.En, io.B.Write, io.B.Data))
			})
		},
	}
}

// SharedIO are the ports of a true dual-port memory with one clock.
type SharedIO struct {
	A     ramPort  `hdl:"in"`
	AWord hdl.Bits `hdl:"out" w:"36"`
	B     ramPort  `hdl:"in"`
	BWord hdl.Bits `hdl:"out" w:"36"`
}

// Shared is a true dual-port memory with one clock.
func Shared(collide hdl.Collision) hdl.Def[SharedIO] {
	return hdl.Def[SharedIO]{
		Name: fmt.Sprintf("shared_%d", collide),
		Doc:  "A true dual-port memory with one clock.",
		Body: func(m *hdl.Module, io *SharedIO) {
			words := m.RAM("words", 512, 36, collide)
			io.AWord.Set(words.ReadWrite("a_read", io.A.Addr, io.A.En, io.A.Write, io.A.Data))
			io.BWord.Set(words.ReadWrite("b_read", io.B.Addr, io.B.En, io.B.Write, io.B.Data))
		},
	}
}

// TwoClockIO are the ports of a memory between two clock domains.
type TwoClockIO struct {
	WriteAddr hdl.Bits `hdl:"in" w:"8"`
	Write     hdl.Bits `hdl:"in" w:"1"`
	Data      hdl.Bits `hdl:"in" w:"40"`
	ReadAddr  hdl.Bits `hdl:"in" w:"8" clock:"rx"`
	Word      hdl.Bits `hdl:"out" w:"40" clock:"rx"`
}

// TwoClock is written in one clock domain and read in another.
func TwoClock() hdl.Def[TwoClockIO] {
	return hdl.Def[TwoClockIO]{
		Name: "two_clock",
		Doc:  "A memory that is written in one clock domain and read in another.",
		Body: func(m *hdl.Module, io *TwoClockIO) {
			words := m.RAM("words", 256, 40, hdl.Undefined)
			words.Write(io.WriteAddr, io.Write, io.Data)
			m.In(m.Domain("rx"), func() {
				io.Word.Set(words.Read("word_read", io.ReadAddr, hdl.K(1, 1)))
			})
		},
	}
}
