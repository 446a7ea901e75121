package serial_test

import (
	"math/rand/v2"
	"time"

	"gornic/format"
	bridge "gornic/fpga/blocks/serial"
)

// registers is a write to a register, as the board saw it.
type registerWrite struct{ addr, value uint32 }

// device is the registers and the memory of a board.
type device struct {
	registers map[uint32]uint32
	memory    [1 << 14]byte
	log       []registerWrite // in order
}

func newDevice() *device {
	d := &device{registers: map[uint32]uint32{}}
	for offset, v := range map[uint32]uint32{
		format.BoardRegID: format.BoardID, format.BoardRegVersion: format.BoardVersionMajor << 16, format.BoardRegNameLow: 'i' | '9'<<8,
		format.BoardRegNameHigh: 0, format.BoardRegClock: 62500, format.BoardRegMemory: uint32(len(d.memory)), format.BoardRegHosts: 0x101,
	} {
		d.registers[format.BoardRegisterBase+offset] = v
	}
	for offset := range uint32(registers) {
		d.registers[4*offset] = 0
	}
	return d
}

// registers is how many registers of the core there are.
const registers = 200

func (d *device) ReadRegister(addr uint32) (uint32, bool) {
	v, ok := d.registers[addr]
	return v, ok
}

func (d *device) WriteRegister(addr, value uint32) bool {
	if _, ok := d.registers[addr]; !ok {
		return false
	}
	d.registers[addr] = value
	d.log = append(d.log, registerWrite{addr, value})
	return true
}

func (d *device) ReadWord(addr uint32) (v uint64, ok bool) {
	if int(addr) >= len(d.memory) {
		return 0, false
	}
	for i := range 8 {
		v |= uint64(d.memory[addr+uint32(i)]) << (8 * i)
	}
	return v, true
}

func (d *device) WriteWord(addr uint32, value uint64, strobe uint8) bool {
	if int(addr) >= len(d.memory) {
		return false
	}
	for i := range 8 {
		if strobe>>i&1 == 1 {
			d.memory[addr+uint32(i)] = byte(value >> (8 * i))
		}
	}
	return true
}

// line is a line to a board that loses, damages and doubles bytes, and is late.
type line struct {
	device *device
	bridge *bridge.Reference
	r      *rand.Rand

	lose, damage, double, late int // parts in ten thousand: of bytes, and of reads that come too early
	silent                     bool

	back   []byte
	writes int
	onRead func()
	closed bool
}

func newLine(seed uint64) *line {
	d := newDevice()
	return &line{device: d, bridge: &bridge.Reference{Bus: d}, r: rand.New(rand.NewPCG(seed, 1))}
}

// chance is true in so many of ten thousand cases.
func (l *line) chance(parts int) bool { return parts > 0 && l.r.IntN(10000) < parts }

// pass is what becomes of bytes on the line.
func (l *line) pass(bytes []byte) (out []byte) {
	for _, b := range bytes {
		switch {
		case l.silent || l.chance(l.lose):
			continue
		case l.chance(l.damage):
			b ^= 1 << l.r.IntN(8)
		case l.chance(l.double):
			out = append(out, b)
		}
		out = append(out, b)
	}
	return out
}

func (l *line) Write(b []byte) (int, error) {
	l.writes++
	for _, x := range l.pass(b) {
		l.back = append(l.back, l.pass(l.bridge.Byte(x, l.chance(l.damage)))...)
	}
	return len(b), nil
}

func (l *line) Read(b []byte) (int, error) {
	if l.onRead != nil {
		l.onRead()
	}
	if len(l.back) == 0 || l.chance(l.late) {
		return 0, nil
	}
	n := min(1+l.r.IntN(len(l.back)), len(b))
	copy(b, l.back[:n])
	l.back = l.back[n:]
	return n, nil
}

func (l *line) SetReadTimeout(time.Duration) error { return nil }

func (l *line) Close() error {
	l.closed = true
	return nil
}
