package netlist_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	synthesized "gornic/fpga/netlist"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/netlist"
	"gornic/tools/toolset"
)

// A blockRAM is a DP16KD with both ports of one width and mode, and what is known of it: 64 of its words.
type blockRAM struct {
	width int
	mode  string
	words [64]uint64
	out   [2]uint64 // of ports A and B
	from  [2]int    // where in the rack's output
}

// Where inputs of the rack go: the same to every block RAM.
const (
	atControl = 0  // CEA, WEA, CEB, WEB
	atAddress = 4  // 6 bits of port A and 6 of port B
	atData    = 16 // 18 bits and 18 bits
	atBytes   = 52 // 4 bits of port A, and 2 of port B
)

func (m *blockRAM) String() string { return fmt.Sprintf("%d bits, %s", m.width, m.mode) }

// shift is where the address of a word begins: addresses count bits, and a ninth bit of a byte has none.
func (m *blockRAM) shift() int {
	return map[int]int{1: 0, 2: 1, 4: 2, 9: 3, 18: 4, 36: 5}[m.width]
}

// masked says whether the bytes that are written are chosen. Together with WRITETHROUGH nobody documents what the others read.
func (m *blockRAM) masked() bool { return m.width >= 18 && m.mode != "WRITETHROUGH" }

// mount adds the cell: words are told apart by the two lowest and the four highest bits of their address.
func (m *blockRAM) mount(r *rack) {
	in := map[string][]synthesized.Bit{"CLKA": {rackClock}, "CLKB": {rackClock}}
	for i, pin := range []string{"CEA", "WEA", "CEB", "WEB"} {
		in[pin] = straight(atControl+i, 1)
	}
	if m.width == 36 {
		in["WEB"] = []synthesized.Bit{synthesized.Zero}
	}
	for _, pin := range []string{"RSTA", "RSTB", "CSA0", "CSA1", "CSA2", "CSB0", "CSB1", "CSB2"} {
		in[pin] = []synthesized.Bit{synthesized.Zero}
	}
	out := map[string]int{}
	for port, name := range []string{"A", "B"} {
		for i := range 14 {
			pin, bit := fmt.Sprintf("AD%s%d", name, i), []synthesized.Bit{synthesized.Zero}
			switch {
			case i < m.shift() && m.masked() && i < 4:
				bit = straight(atBytes+4*port+i, 1)
			case i < m.shift():
				bit = []synthesized.Bit{synthesized.One}
			case i < m.shift()+2:
				bit = straight(atAddress+6*port+i-m.shift(), 1)
			case i >= 10:
				bit = straight(atAddress+6*port+i-8, 1)
			}
			in[pin] = bit
		}
		m.from[port] = len(r.outputs) + 18*port
		for i := range 18 {
			in[fmt.Sprintf("DI%s%d", name, i)] = straight(atData+18*port+i, 1)
			out[fmt.Sprintf("DO%s%02d", name, i)] = 1
		}
	}
	parameters := map[string]string{
		"REGMODE_A": "NOREG", "REGMODE_B": "NOREG", "CLKAMUX": "CLKA", "CLKBMUX": "CLKB", "CSDECODE_A": "0b000", "CSDECODE_B": "0b000",
		"WRITEMODE_A": m.mode, "WRITEMODE_B": m.mode, "DATA_WIDTH_A": fmt.Sprintf("%b", m.width), "DATA_WIDTH_B": fmt.Sprintf("%b", m.width),
	}
	r.add("DP16KD", parameters, in, out)
	c := r.Cells[fmt.Sprintf("u%d", len(r.Cells)-1)]
	for pin := range out { // in the order of their numbers above
		if pin[3] == '0' {
			c.Connections[pin[:3]+pin[4:]] = c.Connections[pin]
			delete(c.Connections, pin)
		}
	}
}

// step is a cycle, by the manual: what a port reads while it writes is nothing, the new word or the old one.
func (m *blockRAM) step(in uint64) {
	before := m.words
	field := func(at, width int) uint64 { return in >> at & (1<<width - 1) }
	if m.width == 36 {
		if field(atControl, 2) == 3 {
			m.write(field(atAddress, 6), field(atData, 36), field(atBytes, 4))
		}
		if field(atControl+2, 1) == 1 {
			word := before[field(atAddress+6, 6)]
			m.out = [2]uint64{word & 0x3ffff, word >> 18} // the lower half at port A's pins
		}
		return
	}
	for port := range 2 {
		enable, write := field(atControl+2*port, 1) == 1, field(atControl+2*port+1, 1) == 1
		address := field(atAddress+6*port, 6)
		if !enable {
			continue
		}
		if write {
			m.write(address, field(atData+18*port, 18), field(atBytes+4*port, 2))
		}
		switch {
		case !write || m.mode == "READBEFOREWRITE":
			m.out[port] = before[address]
		case m.mode == "WRITETHROUGH":
			m.out[port] = m.words[address]
		}
	}
}

func (m *blockRAM) write(address, data, bytes uint64) {
	mask := uint64(1)<<m.width - 1
	if m.masked() {
		mask = 0
		for i := range m.width / 9 {
			mask |= 0x1ff * (bytes >> i & 1) << (9 * i)
		}
	}
	m.words[address] = m.words[address]&^mask | data&mask
}

// The model of a block RAM does what the manual says at each width and in each mode.
func TestBlockRAMsKeepToTheManual(t *testing.T) {
	toolset.Need(t, toolset.Verilator)
	r := newRack()
	rams := []*blockRAM{{width: 36, mode: "NORMAL"}}
	for _, width := range []int{1, 2, 4, 9, 18} {
		for _, mode := range []string{"NORMAL", "WRITETHROUGH", "READBEFOREWRITE"} {
			rams = append(rams, &blockRAM{width: width, mode: mode})
		}
	}
	for _, m := range rams {
		m.mount(r)
	}
	design, io := r.design(t)
	simulators, err := netlist.Prepare(t.Context(), design, r.Netlist, nil)
	require.NoError(t, err)
	s := hdltest.Open(t, simulators.Original(), design, sim.Options{Seed: 1})
	random := rand.New(rand.NewPCG(1, hdltest.Seed(t)))
	step := func(in uint64) {
		if in>>atAddress&0x3f == in>>(atAddress+6)&0x3f {
			in ^= 1 << atAddress // both ports at one word: not documented
		}
		s.Set(io.In, in)
		s.Step()
		for _, m := range rams {
			m.step(in)
		}
	}
	for address := range uint64(64) { // all words are written, all bytes of them
		step(random.Uint64()&^0xffff | 0x3f<<atBytes | 3<<atControl | address<<atAddress | (address^1)<<(atAddress+6))
	}
	step(5 << atControl)
	for i := range 6000 {
		step(random.Uint64())
		words := s.Words(io.Out)
		for _, m := range rams {
			for port, name := range []string{"A", "B"} {
				got := slice(words, m.from[port], min(m.width, 18))
				require.Equal(t, m.out[port], got, "cycle %d: port %s of %v", i, name, m)
			}
		}
	}
}

// slice is some bits of a value, 63 at most.
func slice(words []uint64, from, width int) uint64 {
	value := words[from/64] >> (from % 64)
	if from%64 != 0 && from/64+1 < len(words) {
		value |= words[from/64+1] << (64 - from%64)
	}
	return value & (1<<width - 1)
}
