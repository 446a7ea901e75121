package linktest

import (
	"fmt"
	"math/rand/v2"

	"gornic/blocks/link"
	"gornic/hdl/sim"
)

// Writes takes the bursts of a write port of the device under test.
type Writes struct {
	Bursts int // taken so far
	Beats  int

	// Latency is the most cycles between the last beat of a burst and its end.
	Latency int
	// Hold keeps all ends back.
	Hold bool
	// Broken is set when the last beat of a burst is not where its length says, or
	// when a burst does not begin at a whole beat, or leaves its 4 KiB.
	Broken error
	// Wrote, if set, hears of each byte written.
	Wrote func(addr uint64, b byte)

	mem   *Memory
	bytes int
	ask   *sim.Sink
	beat  *sim.Sink
	done  *sim.Source
	r     *rand.Rand
	now   int
	burst []readBurst // announced
	early []writeBeat // beats that came before their burst was taken
	at    int         // beats of the first one that are here
	bad   bool        // one of them had no memory
	ends  []writeEnd
}

type writeEnd struct {
	due int
	bad bool
}

type writeBeat struct {
	Data []byte
	Strb []byte
	Last bool
}

// NewWrites serves port into mem, with gaps of the pattern in all directions.
func NewWrites(s *sim.Sim, port link.WritePort, mem *Memory, gaps sim.Pattern, seed uint64) *Writes {
	return &Writes{
		mem: mem, bytes: port.Beat.Data.Data.Width() / 8, r: rand.New(rand.NewPCG(seed, 78)),
		ask: sim.NewSink(s, port.Burst, gaps), beat: sim.NewSink(s, port.Beat, gaps), done: sim.NewSource(s, port.Done, gaps),
	}
}

// Step goes on a cycle: call it once for each step of the simulation.
func (d *Writes) Step() {
	d.now++
	for _, b := range sim.Received[readBurst](d.ask) {
		if err := b.check(d.bytes); err != nil {
			d.Broken = err
		}
		d.burst = append(d.burst, b)
	}
	d.early = append(d.early, sim.Received[writeBeat](d.beat)...)
	for len(d.early) > 0 && len(d.burst) > 0 {
		d.store(d.early[0])
		d.early = d.early[1:]
	}
	for !d.Hold && len(d.ends) > 0 && d.ends[0].due <= d.now {
		d.done.Send(d.ends[0].bad)
		d.ends = d.ends[1:]
	}
}

// Idle reports whether all bursts have ended.
func (d *Writes) Idle() bool {
	return len(d.burst) == 0 && len(d.early) == 0 && len(d.ends) == 0 && d.done.Pending() == 0
}

func (d *Writes) store(b writeBeat) {
	job := d.burst[0]
	addr := job.Addr + uint64(d.at*d.bytes)
	d.Beats++
	for i := range d.bytes {
		if b.Strb[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if d.mem.Write(addr+uint64(i), b.Data[i:i+1]) != nil {
			d.bad = true
		} else if d.Wrote != nil {
			d.Wrote(addr+uint64(i), b.Data[i])
		}
	}
	d.at++
	last := d.at == job.Len+1
	if last != b.Last {
		d.Broken = fmt.Errorf("beat %d of the burst of %d at %#x has last %t", d.at, job.Len+1, job.Addr, b.Last)
	}
	if last {
		d.ends = append(d.ends, writeEnd{due: d.now + d.r.IntN(d.Latency+1), bad: d.bad})
		d.burst, d.at, d.bad = d.burst[1:], 0, false
		d.Bursts++
	}
}
