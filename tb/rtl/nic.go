package rtl

import (
	"fmt"
	"time"

	"gornic/blocks/core"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/tb/host"
	"gornic/tb/wire"
)

// Cycle is how long a cycle of the core is to the time of package wire and of the
// reference NIC.
const Cycle = sim.DefaultPeriod * time.Nanosecond / 1000

// NICOptions are the options of a [NIC].
type NICOptions struct {
	Simulator sim.Simulator // the zero value: the native one
	Seed      uint64        // of state before reset, and of what the memory does
	AXI       axi.Options   // of the memory; its Seed is replaced
	Pauses    int           // percent of cycles in which an AXI4-Lite channel stands still
	Wire      int           // and one of the wire, in or out
	Waves     string        // file of waves; empty: none
	Events    bool          // collect trace events: NIC.Events
	NoChecks  bool          // the properties of the design are left out, for speed
}

// NIC is the core in a simulator. It is used by one goroutine at a time. Its first error stays:
// [NIC.Err].
type NIC struct {
	sim    *sim.Sim
	io     *core.IO
	memory *axi.Memory
	lite   *axi.Lite

	rx, rawTx *frameSource
	tx, rawRx *frameSink
	vectors   *sim.Sink
	err       error
}

// resetCycles is how long the reset of a new NIC is.
const resetCycles = 4

// NewNIC runs a design that has the ports of a core, out of reset, with a memory at
// its AXI4 port.
func NewNIC(design *hdl.Design, io *core.IO, memory *host.Memory, o NICOptions) (*NIC, error) {
	if o.Simulator.Open == nil {
		o.Simulator = sim.NativeSimulator
	}
	s, err := sim.Start(o.Simulator.Open, design, sim.Options{Seed: o.Seed, Waves: o.Waves, Events: o.Events, NoChecks: o.NoChecks})
	if err != nil {
		return nil, fmt.Errorf("rtl: %s: %w", o.Simulator.Name, err)
	}
	n := &NIC{sim: s, io: io}
	o.AXI.Seed = wire.Hash(o.Seed, 1)
	if n.memory, err = axi.NewMemory(s, io.Memory, memory, o.AXI); err != nil {
		return nil, fmt.Errorf("rtl: %w", err)
	}
	n.lite = axi.NewLite(s, io.Registers, n.memory, axi.LiteOptions{Seed: wire.Hash(o.Seed, 2), Pauses: o.Pauses})
	n.rx, n.rawTx = newFrameSource(s, io.Rx, o.wire(3)), newFrameSource(s, io.RawTx, sim.Pattern{})
	n.tx, n.rawRx = newFrameSink(s, io.Tx, o.wire(4)), newFrameSink(s, io.RawRx, sim.Pattern{})
	n.vectors = sim.NewSink(s, io.Interrupt, sim.Pattern{})
	s.Reset(resetCycles)
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("rtl: %w", err)
	}
	return n, nil
}

// wire is when a direction of the wire stands still.
func (o NICOptions) wire(direction uint64) sim.Pattern {
	if o.Wire == 0 {
		return sim.Pattern{}
	}
	return sim.Pattern{Kind: sim.Random, Percent: uint32(100 - o.Wire), Seed: wire.Hash(o.Seed, direction)}
}

// Run runs the core for so many cycles. An error is a failed check of the design, or
// a violation of the rules of a bus.
func (n *NIC) Run(cycles int) error {
	if n.err == nil {
		_, n.err = n.memory.Run(cycles)
	}
	return n.collect()
}

// collect takes what has come out.
func (n *NIC) collect() error {
	for _, f := range []*frameSink{n.tx, n.rawRx} {
		if n.err == nil {
			n.err = f.collect()
		}
	}
	return n.err
}

// Tick runs the core for a time.
func (n *NIC) Tick(d time.Duration) error { return n.Run(int(d / Cycle)) }

// Receive queues a frame without FCS for the core's receive side.
func (n *NIC) Receive(frame []byte) { n.rx.send(frame) }

// Send returns the next frame that the core has sent, without FCS; false if there is
// none. It lets no time pass.
func (n *NIC) Send() ([]byte, bool) { return n.tx.take() }

// SendRaw queues a frame of the host's network stack.
func (n *NIC) SendRaw(frame []byte) { n.rawTx.send(frame) }

// Raw returns the next frame for the host's network stack.
func (n *NIC) Raw() ([]byte, bool) { return n.rawRx.take() }

// Backlog is how many beats of frames wait for the receive side.
func (n *NIC) Backlog() int { return n.rx.Pending() }

// ReadRegister reads a register over AXI4-Lite.
func (n *NIC) ReadRegister(offset uint32) (uint32, error) {
	if n.err != nil {
		return 0, n.err
	}
	v, err := n.lite.Read(offset)
	if err != nil {
		return 0, err
	}
	return v, n.collect()
}

// WriteRegister writes a register, or rings a doorbell, over AXI4-Lite.
func (n *NIC) WriteRegister(offset, value uint32) error {
	if n.err != nil {
		return n.err
	}
	if err := n.lite.Write(offset, value); err != nil {
		return err
	}
	return n.collect()
}

// PostRegister queues a write of a register or doorbell, which leaves as time passes (axi.Lite.Post).
func (n *NIC) PostRegister(offset, value uint32) error {
	if n.err != nil {
		return n.err
	}
	return n.lite.Post(offset, value)
}

// Interrupt is the interrupt output.
func (n *NIC) Interrupt() bool { return n.sim.Get(n.io.IRQ) == 1 }

// Vectors returns the vectors of interrupts since the last call.
func (n *NIC) Vectors() []uint8 { return sim.Received[uint8](n.vectors) }

// Memory is what serves the core's AXI4 port.
func (n *NIC) Memory() *axi.Memory { return n.memory }

// Sim is the simulation, to look inside.
func (n *NIC) Sim() *sim.Sim { return n.sim }

// Cycle is how many cycles the core has run.
func (n *NIC) Cycle() uint64 { return n.sim.Cycle() }

// Events returns the trace events since the last call, in the order of cycles; none
// unless [NICOptions] asked for them.
func (n *NIC) Events() []sim.Event { return n.sim.Events() }

// Pauses is how many cycles the transmit side paused within a frame.
func (n *NIC) Pauses() uint64 { return n.tx.pauses }

// Err is the first error.
func (n *NIC) Err() error { return n.err }

// Close ends the simulation. It returns the first error.
func (n *NIC) Close() error {
	if err := n.sim.Close(); n.err == nil {
		n.err = err
	}
	return n.err
}
