package rxparse

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// pipeline is the control of the stages: what moves in this cycle.
type pipeline struct {
	m        *hdl.Module
	flow     hdl.Bits // no output holds the parser up
	take     hdl.Bits // In to stage 1
	toSecond hdl.Bits // stage 1 to 2
	toThird  hdl.Bits // stage 2 to 3
	first    beat
	second   beat
	beats    hdl.Bits // of the frame in stage 1, before the one there; all ones means many
}

// beat is one of In's beats in a stage.
type beat struct {
	Valid  hdl.Bits
	Data   hdl.Bits
	Last   hdl.Bits
	Err    hdl.Bits
	Count  hdl.Bits // bytes less one
	Number hdl.Bits // of the beat in its frame, see capture.beat
}

// newPipeline declares the wires that say what moves.
func newPipeline(m *hdl.Module) *pipeline {
	return &pipeline{
		m: m, flow: m.Wire("flow", 1), take: m.Wire("take", 1),
		toSecond: m.Wire("to_second", 1), toThird: m.Wire("to_third", 1),
	}
}

// stages moves the beats of in through stages 1 and 2. number is that of the
// beat at In.
func (p *pipeline) stages(in stream.Frame, number hdl.Bits) {
	m := p.m
	count := stream.LastByte(in.Data.Keep)
	m.Unused(in.Data.Keep.Bit(0))
	p.first = newBeat(m, "s1", in.Data.Data.Width(), count.Width(), number.Width())
	p.second = newBeat(m, "s2", in.Data.Data.Width(), count.Width(), number.Width())
	one, two := p.first, p.second

	in.Ready.Set(p.flow)
	p.take.Set(in.Valid.And(p.flow))
	p.toSecond.Set(one.Valid.And(p.flow))
	// A beat's payload goes out with the bytes of the next beat of its frame.
	p.toThird.Set(two.Valid.And(two.Last.Or(one.Valid)).And(p.flow))

	before := m.Reg("beats", lengthMax-count.Width(), 0) // as p.beats, of the frame at In
	p.beats = m.RegN("s1_beats", before.Width())
	m.If(p.take, func() {
		p.beats.Set(before)
		m.If(in.Data.Last, func() {
			before.SetK(0)
		}).ElseIf(before.All().Not(), func() {
			before.Set(before.AddK(1))
		})
	})

	m.If(p.flow, func() { one.Valid.Set(in.Valid) })
	m.If(p.take, func() {
		one.Data.Set(in.Data.Data)
		one.Last.Set(in.Data.Last)
		one.Err.Set(in.Data.Err.And(in.Data.Last))
		one.Count.Set(count)
		one.Number.Set(number)
	})
	m.If(p.toSecond, func() {
		hdl.Set(two, one)
	}).ElseIf(p.toThird, func() {
		two.Valid.SetK(0)
	})
}

// total is the length of the frame in stage 1 so far, less one. It stops short of
// 2^17, beyond every IP packet.
func (p *pipeline) total() hdl.Bits { return hdl.Cat(p.beats, p.first.Count) }

func newBeat(m *hdl.Module, stage string, width, count, number int) beat {
	return beat{
		Valid: m.Reg(stage+"_valid", 1, 0), Data: m.RegN(stage+"_data", width),
		Last: m.RegN(stage+"_last", 1), Err: m.RegN(stage+"_err", 1),
		Count: m.RegN(stage+"_count", count), Number: m.RegN(stage+"_number", number),
	}
}
