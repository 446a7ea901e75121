package hdl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/ir"
)

type header struct {
	Opcode hdl.Bits `w:"8"`
	DestQP hdl.Bits `w:"24"`
	RKey   hdl.Bits `w:"32" name:"rkey"`
}

type lookup struct {
	Key  hdl.Bits
	Lane [2]hdl.Bits `w:"3"`
}

type portsIO struct {
	In     hdl.Stream[header]   `hdl:"in"`
	Word   hdl.Stream[hdl.Bits] `hdl:"out"`
	Lookup lookup               `hdl:"out"`
	Many   []hdl.Bits           `hdl:"in"`
}

func portsDef(body func(m *hdl.Module, io *portsIO)) hdl.Def[portsIO] {
	return hdl.Def[portsIO]{
		Name: "ports",
		IO: portsIO{
			Word: hdl.StreamOf(hdl.W(16)), Lookup: lookup{Key: hdl.W(5)}, Many: []hdl.Bits{hdl.W(1), hdl.W(2)},
		},
		Body: body,
	}
}

func TestPortNamesWidthsAndDirections(t *testing.T) {
	d, _, findings := hdl.Elaborate(portsDef(func(*hdl.Module, *portsIO) {}))
	require.Empty(t, findings)
	type port struct {
		name  string
		width int
		kind  ir.Kind
	}
	var got []port
	for _, s := range d.Top.Signals {
		got = append(got, port{s.Name, s.Width, s.Kind})
	}
	assert.Equal(t, []port{
		{"in_valid", 1, ir.Input}, {"in_ready", 1, ir.Output},
		{"in_opcode", 8, ir.Input}, {"in_dest_qp", 24, ir.Input}, {"in_rkey", 32, ir.Input},
		{"word_valid", 1, ir.Output}, {"word_ready", 1, ir.Input}, {"word_data", 16, ir.Output},
		{"lookup_key", 5, ir.Output}, {"lookup_lane_0", 3, ir.Output}, {"lookup_lane_1", 3, ir.Output},
		{"many_0", 1, ir.Input}, {"many_1", 2, ir.Input},
	}, got)
}

func TestPackIsInWireOrder(t *testing.T) {
	_, _, findings := hdl.Elaborate(portsDef(func(m *hdl.Module, io *portsIO) {
		packed := hdl.Pack(io.In.Data)
		assert.Equal(t, 64, packed.Width())
		again := hdl.Unpack(header{}, packed)
		// A slice that is one part of a concatenation is that part.
		assert.Same(t, io.In.Data.DestQP.Node(), again.DestQP.Node())
		assert.Equal(t, 64, hdl.WidthOf(header{}))
	}))
	assert.Empty(t, findings)
}

func TestInstancesDoNotShareSlices(t *testing.T) {
	def := portsDef(func(*hdl.Module, *portsIO) {})
	_, first, _ := hdl.Elaborate(def)
	_, second, _ := hdl.Elaborate(def)
	assert.NotSame(t, first.Many[0].Signal(), second.Many[0].Signal())
	assert.Nil(t, def.IO.Many[0].Signal())
}

func TestPanicInABodyIsAnError(t *testing.T) {
	_, _, err := hdl.Build(portsDef(func(m *hdl.Module, io *portsIO) { _ = io.Many[7] }))
	assert.ErrorContains(t, err, "while building ports (the top): panic: runtime error: index out of range [7] with length 2")
}

func TestPrototypeKeepsNamesOfValues(t *testing.T) {
	enum := &hdl.Enum{Name: "opcode", Values: []hdl.EnumValue{{Value: 4, Name: "SEND_ONLY"}}}
	hdl.Elaborate(portsDef(func(m *hdl.Module, io *portsIO) {
		r := hdl.NewReg(m, "r", hdl.W(8).Named(enum))
		copied := hdl.NewWire(m, "w", hdl.Proto(r))
		assert.Same(t, enum, copied.Signal().Enum)
	}))
}
