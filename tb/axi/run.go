package axi

import (
	"fmt"

	"gornic/hdl/sim"
)

// Runner runs a simulation: [Memory.Run], or [Alone] where there is no memory.
type Runner interface {
	// Run runs until a stop condition holds, and returns its index, or for max
	// cycles, and returns -1.
	Run(max int, stops ...sim.Stop) (int, error)
}

// Run is [sim.Sim.RunUntil] with the memory at work: cycles of the first clock until
// one of the stop conditions holds, whose index it returns; -1 after max cycles. An
// error is a failed check or a mistake of the simulation, or a [*ProtocolError],
// after which the memory answers no more.
func (m *Memory) Run(max int, stops ...sim.Stop) (int, error) {
	if m.err == nil {
		m.err = m.sim.Err()
	}
	m.now = m.sim.Cycle()
	for end := m.now + uint64(max); m.err == nil; {
		if m.err = m.serve(); m.err != nil {
			break
		}
		stop, err := m.some(end-m.now, stops)
		if m.err = err; err != nil {
			break
		}
		if stop >= 0 && stop < len(stops) || m.now == end && stop < 0 {
			m.err = m.serve()
			return stop, m.err
		}
	}
	return -1, m.err
}

// serve takes what has come and answers what is due.
func (m *Memory) serve() error {
	if err := m.checkHeld(); err != nil {
		return err
	}
	if err := m.reader.take(); err != nil {
		return err
	}
	if err := m.writer.take(); err != nil {
		return err
	}
	m.reader.answer()
	m.writer.answer()
	return nil
}

// some runs as many cycles as can go by unattended, at most max, and returns the
// condition that ended them: one of stops, or one of the memory's own behind
// those, or -1.
func (m *Memory) some(max uint64, stops []sim.Stop) (int, error) {
	cycles := min(max, m.unattended())
	clock := m.answers.Ports().Clock
	m.stops = append(append(m.stops[:0], stops...), m.events()...)
	r := m.sim.Backend().Run(sim.RunRequest{Clock: clock, Edges: cycles, Stops: m.stops})
	m.now += r.Edges
	if r.Stop < 0 && r.Edges < cycles {
		m.sim.Run(1) // tells whoever wants to know that a check failed
		return -1, m.sim.Err()
	}
	return r.Stop, nil
}

// unattended is how many cycles the simulation may run without a look at it, but
// for what the stop conditions of events tell.
func (m *Memory) unattended() uint64 {
	if m.o.Strict {
		return 1
	}
	return min(m.reader.next(), m.writer.next())
}

// events are the conditions that there is something to take: an address of a read, or
// the last beat that makes a write complete.
func (m *Memory) events() []sim.Stop {
	address := m.address.Beats(int(m.address.seen) + 1)
	if m.writer.lacksAddress() {
		return append(m.own[:0], address, m.writeAddress.Beats(int(m.writeAddress.seen)+1))
	}
	return append(m.own[:0], address, m.beats.Frames(int(m.writer.ends)+1))
}

// alone runs a simulation without a memory.
type alone struct{ *sim.Sim }

// Alone returns a runner of a simulation whose top has no AXI4 port, or nobody at it.
func Alone(s *sim.Sim) Runner { return alone{s} }

func (a alone) Run(max int, stops ...sim.Stop) (int, error) {
	i := a.RunUntil(max, stops...)
	if err := a.Err(); err != nil {
		return i, fmt.Errorf("axi: %w", err)
	}
	return i, nil
}
