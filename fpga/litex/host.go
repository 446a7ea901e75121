package litex

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/verbs"
)

// Map of the SoC, as gornic_litex.py is told.
const (
	Registers   = 0x9000_0000
	Memory      = 0x4000_0000
	MemoryBytes = 128 << 10
)

// IO is the ports of the SoC.
type IO struct {
	Bus link.AXILite `hdl:"in" name:"s_axil"`
	IRQ hdl.Bits     `hdl:"out" w:"1"`
}

// Def is the SoC as package hdl sees it: the ports alone, for a simulator that runs LiteX's Verilog in its place.
func Def() hdl.Def[IO] {
	address := hdl.W(32)
	return hdl.Def[IO]{
		Name: "gornic_litex", IO: IO{Bus: link.AXILite{AWAddr: address, ARAddr: address}},
		Body: func(m *hdl.Module, io *IO) {
			b := io.Bus
			// A register, since only then a design has a clock.
			waiting := m.Reg("waiting", 1, 0)
			waiting.Set(b.AWValid)
			io.IRQ.Set(waiting)
			m.Unused(b.AWAddr, b.AWProt, b.WData, b.WStrb, b.WValid, b.BReady, b.ARAddr, b.ARProt, b.ARValid, b.RReady)
			for _, x := range []hdl.Bits{b.AWReady, b.WReady, b.BResp, b.BValid, b.ARReady, b.RData, b.RResp, b.RValid} {
				x.Set(x.K(0))
			}
		},
	}
}

// Host is a driver's way to the SoC: everything goes over the AXI-Lite port, registers as memory. It implements verbs.Bus.
type Host struct {
	sim  *sim.Sim
	io   *IO
	lite *axi.Lite
	next uint64 // the first address that nobody has
}

var _ verbs.Bus = (*Host)(nil)

// NewHost resets a SoC that runs in a simulation.
func NewHost(s *sim.Sim, io *IO) (*Host, error) {
	h := &Host{sim: s, io: io, next: Memory}
	h.lite = axi.NewLite(s, io.Bus, h, axi.LiteOptions{})
	s.Reset(16)
	return h, s.Err()
}

// Run implements axi.Runner.
func (h *Host) Run(max int, stops ...sim.Stop) (int, error) {
	return h.sim.RunUntil(max, stops...), h.sim.Err()
}

// ReadRegister implements verbs.Bus.
func (h *Host) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return h.lite.Read(Registers + offset)
}

// WriteRegister implements verbs.Bus.
func (h *Host) WriteRegister(ctx context.Context, offset, value uint32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return h.lite.Write(Registers+offset, value)
}

// ReadMemory implements verbs.Bus.
func (h *Host) ReadMemory(ctx context.Context, addr uint64, b []byte) error {
	return h.words(ctx, addr, len(b), func(at uint32, from, to, low int) error {
		word, err := h.lite.Read(at)
		copy(b[from:to], binary.LittleEndian.AppendUint32(nil, word)[low:])
		return err
	})
}

// WriteMemory implements verbs.Bus. A word of which only a part is written is read before: the NIC does not write there at
// that time, since the driver owns what it writes.
func (h *Host) WriteMemory(ctx context.Context, addr uint64, b []byte) error {
	return h.words(ctx, addr, len(b), func(at uint32, from, to, low int) error {
		var word [4]byte
		if to-from < len(word) {
			old, err := h.lite.Read(at)
			if err != nil {
				return err
			}
			binary.LittleEndian.PutUint32(word[:], old)
		}
		copy(word[low:], b[from:to])
		return h.lite.Write(at, binary.LittleEndian.Uint32(word[:]))
	})
}

// words calls do for each word that n bytes lie in: those from b[from] to b[to] are in it, from its byte low on.
func (h *Host) words(ctx context.Context, addr uint64, n int, do func(at uint32, from, to, low int) error) error {
	if addr < Memory || addr+uint64(n) > Memory+MemoryBytes {
		return fmt.Errorf("litex: no memory at %#x", addr)
	}
	for from := 0; from < n; {
		at := addr + uint64(from)
		low := int(at % 4)
		to := min(n, from+4-low)
		if err := errors.Join(ctx.Err(), do(uint32(at)-uint32(low), from, to, low)); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// Alloc implements verbs.Bus. It hands out one piece of memory behind the other.
func (h *Host) Alloc(size, align uint64) (uint64, error) {
	addr := (h.next + align - 1) &^ (align - 1)
	if addr+size > Memory+MemoryBytes {
		return 0, fmt.Errorf("litex: no room for %d bytes", size)
	}
	h.next = addr + size
	return addr, nil
}

// Free implements verbs.Bus. What was handed out is not used again: the memory of a test is short-lived.
func (h *Host) Free(uint64) error { return nil }

// Wait implements verbs.Bus.
func (h *Host) Wait(ctx context.Context) error {
	const cycles = 1000
	_, err := h.Run(cycles)
	return errors.Join(ctx.Err(), err)
}
