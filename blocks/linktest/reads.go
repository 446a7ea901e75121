package linktest

import (
	"fmt"
	"math/rand/v2"

	"gornic/blocks/link"
	"gornic/hdl/sim"
)

// Reads answers the bursts of a read port of the device under test.
type Reads struct {
	Bursts int // answered so far
	Beats  int

	// Latency is the most cycles between a burst and its first beat; each burst
	// takes its own number.
	Latency int
	// Hold keeps all answers back.
	Hold bool
	// Broken is set when a burst does not begin at a whole beat, or leaves its 4 KiB.
	Broken error

	mem   *Memory
	bytes int
	ask   *sim.Sink
	beat  *sim.Source
	r     *rand.Rand
	now   int
	queue []readJob
}

type readJob struct {
	due   int
	addr  uint64
	beats int
}

type readBurst struct {
	Addr uint64
	Len  int
}

// check returns an error for a burst of beats of n bytes that AXI4 does not allow.
func (b readBurst) check(n int) error {
	first, last := b.Addr, b.Addr+uint64(b.Len*n)
	if first%uint64(n) != 0 || first/pageBytes != last/pageBytes {
		return fmt.Errorf("a burst of %d beats of %d bytes at %#x", b.Len+1, n, b.Addr)
	}
	return nil
}

type readBeat struct {
	Data []byte
	Err  bool
	Last bool
}

// NewReads serves port from mem, with gaps of the pattern in both directions.
func NewReads(s *sim.Sim, port link.ReadPort, mem *Memory, gaps sim.Pattern, seed uint64) *Reads {
	return &Reads{
		mem: mem, bytes: port.Beat.Data.Data.Width() / 8, r: rand.New(rand.NewPCG(seed, 77)),
		ask: sim.NewSink(s, port.Burst, gaps), beat: sim.NewSource(s, port.Beat, gaps),
	}
}

// Step goes on a cycle: call it once for each step of the simulation.
func (d *Reads) Step() {
	d.now++
	for _, b := range sim.Received[readBurst](d.ask) {
		if err := b.check(d.bytes); err != nil {
			d.Broken = err
		}
		due := d.now
		if d.Latency > 0 {
			due += d.r.IntN(d.Latency + 1)
		}
		d.queue = append(d.queue, readJob{due: due, addr: b.Addr, beats: b.Len + 1})
		d.Bursts++
	}
	for !d.Hold && len(d.queue) > 0 && d.queue[0].due <= d.now {
		d.answer(d.queue[0])
		d.queue = d.queue[1:]
	}
}

// Idle reports whether all bursts have been answered.
func (d *Reads) Idle() bool { return len(d.queue) == 0 && d.beat.Pending() == 0 }

func (d *Reads) answer(j readJob) {
	for i := range j.beats {
		data := make([]byte, d.bytes)
		err := d.mem.Read(j.addr+uint64(i*d.bytes), data)
		d.beat.Send(readBeat{Data: data, Err: err != nil, Last: i == j.beats-1})
		d.Beats++
	}
}
