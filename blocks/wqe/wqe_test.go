package wqe_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// asked is the ports of a module that is this package alone.
type asked struct {
	Opcode      hdl.Bits `hdl:"in" w:"8"`
	Flags       hdl.Bits `hdl:"in" w:"8"`
	Imm         hdl.Bits `hdl:"in" w:"32"`
	First, Last hdl.Bits `hdl:"in" w:"1"`
	MTUCode     hdl.Bits `hdl:"in" w:"3"`
	Task        wqe.Task `hdl:"out"`
	Packet      hdl.Bits `hdl:"out" w:"8"`
	SE          hdl.Bits `hdl:"out" w:"1"`
	OnWire      hdl.Bits `hdl:"out" w:"32"`
	MTU         hdl.Bits `hdl:"out" w:"13"`
}

func open(t *testing.T) (*sim.Sim, *asked) {
	design, io := hdltest.Build(t, hdl.Def[asked]{Name: "wqe", Doc: "What a send WQE asks for.", Body: func(m *hdl.Module, io *asked) {
		c := wqe.Control{Opcode: io.Opcode, Flags: io.Flags, Imm: io.Imm}
		task := wqe.TaskOf(c, link.Sizes{})
		hdl.Set(io.Task, task)
		io.Packet.Set(task.Opcode(io.First, io.Last))
		io.SE.Set(task.Solicits(c, io.Last))
		io.OnWire.Set(task.Imm(c))
		io.MTU.Set(wqe.MTU(io.MTUCode))
		m.Unused(io.Flags)
	}})
	return hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io
}

// Each operation, and the opcodes of its ONLY, FIRST, MIDDLE and LAST packet by protocol section 1.5.
var operations = map[format.WROpcode]struct {
	kind                      string // the fields of Task that are one
	wc                        format.WCOpcode
	only, first, middle, last format.Opcode
}{
	format.WRSend:     {" Send", format.WCSend, 0x04, 0x00, 0x01, 0x02},
	format.WRSendImm:  {" Send HasImm", format.WCSend, 0x05, 0x00, 0x01, 0x03},
	format.WRSendInv:  {" Send HasInv", format.WCSend, 0x17, 0x00, 0x01, 0x16},
	format.WRWrite:    {"", format.WCWrite, 0x0A, 0x06, 0x07, 0x08},
	format.WRWriteImm: {" HasImm", format.WCWrite, 0x0B, 0x06, 0x07, 0x09},
	format.WRRead:     {" Read", format.WCRead, 0x0C, 0x0C, 0x0C, 0x0C},
	format.WRCompSwap: {" Atomic", format.WCCompSwap, 0x13, 0x13, 0x13, 0x13},
	format.WRFetchAdd: {" Atomic FetchAdd", format.WCFetchAdd, 0x14, 0x14, 0x14, 0x14},
	format.WRLocalInv: {" Local", format.WCLocalInv, 0, 0, 0, 0},
	format.WRRegMR:    {" Local", format.WCRegMR, 0, 0, 0, 0},
	format.WRBindMW:   {" Local", format.WCBindMW, 0, 0, 0, 0},
}

func TestOperations(t *testing.T) {
	s, io := open(t)
	for op, want := range operations {
		s.Set(io.Opcode, uint64(op))
		s.Set(io.Imm, 0x11223344)
		s.Set(io.Flags, format.WRFlagSolicited)
		kind := ""
		for _, f := range []struct {
			name string
			is   hdl.Bits
		}{
			{"Send", io.Task.Send}, {"Read", io.Task.Read}, {"Atomic", io.Task.Atomic}, {"FetchAdd", io.Task.FetchAdd},
			{"Local", io.Task.Local}, {"HasImm", io.Task.HasImm}, {"HasInv", io.Task.HasInv},
		} {
			if s.Get(f.is) == 1 {
				kind += " " + f.name
			}
		}
		require.Equal(t, want.kind, kind, op)
		require.EqualValues(t, want.wc, s.Get(io.Task.WC), op)
		wire := uint64(0x44332211) // the bytes of an immediate stand in the order of the wire
		if op == format.WRSendInv {
			wire = 0x11223344
		}
		require.Equal(t, wire, s.Get(io.OnWire), op)
		for i, opcode := range []format.Opcode{want.middle, want.first, want.last, want.only} {
			s.Set(io.First, uint64(i&1))
			s.Set(io.Last, uint64(i>>1))
			if want.kind != " Local" {
				require.EqualValues(t, opcode, s.Get(io.Packet), fmt.Sprint(op, i))
			}
			consumes := op == format.WRSend || op == format.WRSendImm || op == format.WRSendInv || op == format.WRWriteImm
			require.Equal(t, consumes && i >= 2, s.Get(io.SE) == 1, fmt.Sprint(op, i))
		}
		s.Set(io.Flags, 0xFF&^format.WRFlagSolicited)
		require.Zero(t, s.Get(io.SE))
	}
}

func TestMTU(t *testing.T) {
	s, io := open(t)
	for code, bytes := range map[int]uint64{format.MTU256: 256, 2: 512, 3: 1024, 4: 2048, format.MTU4096: 4096} {
		s.Set(io.MTUCode, uint64(code))
		require.Equal(t, bytes, s.Get(io.MTU))
	}
}
