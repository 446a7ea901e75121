package axi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/tb/host"
)

// cableIO is a port that a test drives, and the same port for the memory.
type cableIO struct {
	Test   link.AXI `hdl:"in" name:"test"`
	Memory link.AXI `hdl:"out" name:"m_axi"`
	Parity hdl.Bits `hdl:"out" w:"1"` // of the data before: there has to be a clock
}

// cable is wires.
func cable(width int) hdl.Def[cableIO] {
	port := link.Sizes{DataWidth: width}.AXI()
	return hdl.Def[cableIO]{
		Name: "cable", IO: cableIO{Test: port, Memory: port},
		Body: func(m *hdl.Module, io *cableIO) {
			hdl.Connect(io.Memory, io.Test)
			before := m.Reg("data_before", io.Test.WData.Width(), 0)
			before.Set(io.Test.WData)
			io.Parity.Set(before.Parity())
		},
	}
}

// hand is a master that a test plays by hand.
type hand struct {
	*sim.Sim
	io     *cableIO
	memory *host.Memory
	axi    *axi.Memory
	area   uint64
}

func newHand(t *testing.T, o axi.Options) *hand {
	design, io := hdltest.Build(t, cable(64))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	memory, err := host.New(host.Options{Seed: 1})
	require.NoError(t, err)
	area, err := memory.Alloc(2*host.PageBytes, host.PageBytes)
	require.NoError(t, err)
	m, err := axi.NewMemory(s, io.Memory, memory, o)
	require.NoError(t, err)
	p := io.Test
	for _, port := range []hdl.Bits{
		p.AWID, p.AWAddr, p.AWLen, p.AWLock, p.AWCache, p.AWProt, p.AWValid, p.WData, p.WStrb, p.WLast, p.WValid,
		p.ARID, p.ARAddr, p.ARLen, p.ARLock, p.ARCache, p.ARProt, p.ARValid, p.BReady, p.RReady,
	} {
		s.Set(port, 0)
	}
	for _, size := range []hdl.Bits{p.ARSize, p.AWSize} {
		s.Set(size, 3)
	}
	for _, burst := range []hdl.Bits{p.ARBurst, p.AWBurst} {
		s.Set(burst, 1)
	}
	s.Set(p.RReady, 1)
	s.Set(p.BReady, 1)
	s.Reset(1)
	return &hand{Sim: s, io: io, memory: memory, axi: m, area: area}
}

// What a master does wrong is found, and told with the channel.
func TestProtocol(t *testing.T) {
	// AR and AW have the same rules.
	for name, c := range map[string]struct {
		set  func(h *hand)
		want string
	}{
		"good":            {func(h *hand) {}, ""},
		"crosses 4 KiB":   {func(h *hand) { h.Set(h.io.Test.ARAddr, h.area+host.PageBytes-8); h.Set(h.io.Test.ARLen, 1) }, "axi: AR, cycle 2: 2 beats of 8 bytes"},
		"up to 4 KiB":     {func(h *hand) { h.Set(h.io.Test.ARAddr, h.area+host.PageBytes-16); h.Set(h.io.Test.ARLen, 1) }, ""},
		"unaligned":       {func(h *hand) { h.Set(h.io.Test.ARAddr, h.area+4) }, "not that of a whole beat"},
		"narrow":          {func(h *hand) { h.Set(h.io.Test.ARSize, 2) }, "axi: AR, cycle 2: beats of 4 bytes: not of 8"},
		"fixed":           {func(h *hand) { h.Set(h.io.Test.ARBurst, 0) }, "burst of kind 0: not INCR"},
		"exclusive":       {func(h *hand) { h.Set(h.io.Test.ARLock, 1) }, "axi: AR, cycle 2: an exclusive access"},
		"unaligned write": {func(h *hand) { h.Set(h.io.Test.AWAddr, 4); h.Set(h.io.Test.AWValid, 1) }, "axi: AW, cycle 2: address 0x4"},
		"no WLAST":        {func(h *hand) { h.write(0, 0) }, "axi: W, cycle 2: WLAST is 0 with 0 beats of the burst left"},
		"early WLAST":     {func(h *hand) { h.write(1, 1) }, "axi: W, cycle 2: WLAST is 1 with 1 beats of the burst left"},
		"good write":      {func(h *hand) { h.write(0, 1) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHand(t, axi.Options{})
			h.Set(h.io.Test.ARAddr, h.area)
			h.Set(h.io.Test.AWAddr, h.area)
			h.Step() // READY rises
			h.Set(h.io.Test.ARValid, 1)
			c.set(h)
			_, err := h.axi.Run(1)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			var wrong *axi.ProtocolError
			require.ErrorAs(t, err, &wrong)
			_, again := h.axi.Run(10)
			require.Equal(t, err, again)
		})
	}
}

// write offers an address and a beat.
func (h *hand) write(length, last uint64) {
	h.Set(h.io.Test.AWLen, length)
	h.Set(h.io.Test.AWValid, 1)
	h.Set(h.io.Test.WStrb, 0xFF)
	h.Set(h.io.Test.WLast, last)
	h.Set(h.io.Test.WValid, 1)
}

// What is offered may neither vanish nor change before it is taken.
func TestHeld(t *testing.T) {
	for name, c := range map[string]struct {
		port func(p link.AXI) hdl.Bits
		v    uint64
		want string
	}{
		"AR vanishes":  {func(p link.AXI) hdl.Bits { return p.ARValid }, 0, "axi: AR, cycle 2: no longer valid before it was ready"},
		"AR changes":   {func(p link.AXI) hdl.Bits { return p.ARAddr }, 64, "axi: AR, cycle 2: changed before it was ready"},
		"AW vanishes":  {func(p link.AXI) hdl.Bits { return p.AWValid }, 0, "axi: AW, cycle 2: no longer valid before it was ready"},
		"AW changes":   {func(p link.AXI) hdl.Bits { return p.AWID }, 3, "axi: AW, cycle 2: changed before it was ready"},
		"W vanishes":   {func(p link.AXI) hdl.Bits { return p.WValid }, 0, "axi: W, cycle 2: no longer valid before it was ready"},
		"W changes":    {func(p link.AXI) hdl.Bits { return p.WStrb }, 3, "axi: W, cycle 2: changed before it was ready"},
		"W is as was":  {func(p link.AXI) hdl.Bits { return p.WStrb }, 0xFF, ""},
		"AR is as was": {func(p link.AXI) hdl.Bits { return p.ARValid }, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHand(t, axi.Options{Strict: true})
			h.Set(h.io.Test.AWAddr, h.area)
			h.Set(h.io.Test.ARAddr, h.area)
			h.Set(h.io.Test.ARValid, 1)
			h.write(0, 1)
			// READY is low after reset, so nothing is taken in this cycle.
			_, err := h.axi.Run(0)
			require.NoError(t, err)
			require.Zero(t, h.Get(h.io.Test.ARReady)+h.Get(h.io.Test.AWReady)+h.Get(h.io.Test.WReady))
			h.Step()
			h.Set(c.port(h.io.Test), c.v)
			_, err = h.axi.Run(1)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}
