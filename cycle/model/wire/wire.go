// Package wire is what lies between the cores of the cycle model: a link, on which packets may be lost, and
// perhaps a switch with a queue in front of each port, which marks packets where the queue is long.
package wire

import (
	"fmt"
	"time"

	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
	faults "gornic/tb/wire"
)

// Config is a wire. Times are in cycles.
type Config struct {
	Latency  simkit.Cycle
	Whole    bool  // frames are carried whole: Latency is from their last beat out to their first beat in
	BeatTime int64 // 1024ths of a cycle that a byte takes
	Framing  int32
	Buffer   int // bytes of each port of the switch; 0: there is none
	KMin     int
	KMax     int
	PMax     float64
	Seed     uint64
	Faults   faults.Faults
	MHz      int
	// Names of packets as the rules of faults know them: of a queue pair, the number at the end that gets the packet, and the first PSN.
	QPN func(to int, qp int32) uint32
	PSN func(from int, qp int32) uint32
	To  func(from int, qp int32) int // the node at the other end of a connection
	Log func(to int, f *link.Frame)
}

// Wire joins nodes.
type Wire struct {
	*simkit.Component
	c     Config
	Out   []*simkit.Stream[link.Frame] // of each node
	In    []*simkit.Stream[link.Frame]
	at    []*simkit.Stream[link.Frame] // whole frames at the switch, from each node
	next  []simkit.Cycle               // when the next beat may come to each node, of frames that are carried whole
	free  []int64                      // when each port of the switch is free, in 1024ths
	judge *faults.Judge
	count uint64
	Stats []Stats // of what each node sent
}

// Stats are counts of one sender.
type Stats struct{ Lost, Marked int64 }

// New makes a wire of so many nodes on a component.
func New(c *simkit.Component, config Config, nodes int) *Wire {
	w := &Wire{Component: c, c: config, free: make([]int64, nodes), next: make([]simkit.Cycle, nodes), Stats: make([]Stats, nodes)}
	if len(config.Faults.Rules)+len(config.Faults.Outages) > 0 {
		w.judge = faults.NewJudge(config.Faults)
	}
	if config.Buffer > 0 {
		for i := range nodes {
			w.at = append(w.at, simkit.NewStream[link.Frame](fmt.Sprintf("AtSwitch%d", i), c, c, 1024, 1))
		}
	}
	c.Add(w.run)
	return w
}

func (w *Wire) run(now simkit.Cycle) simkit.Cycle {
	next := simkit.Never
	for from, out := range w.Out {
		for out.Ready() {
			w.carry(now, from, out.Pop())
		}
		next = min(next, out.Next(0))
	}
	for from, at := range w.at {
		for at.Ready() {
			w.queue(now, from, at.Pop())
		}
		next = min(next, at.Next(0))
	}
	return next
}

// carry takes a frame whose first beat leaves.
func (w *Wire) carry(now simkit.Cycle, from int, f link.Frame) {
	w.Use.Items++
	to := w.c.To(from, f.QP)
	twice := false
	if w.judge != nil {
		switch w.fate(now, from, to, &f) {
		case faults.Drop:
			w.Stats[from].Lost++
			return
		case faults.Duplicate:
			twice = true
		case faults.Mark:
			if f.ECT {
				f.CE = true
				w.Stats[from].Marked++
			}
		case faults.Corrupt, faults.Flip, faults.Truncate:
			f.Bad = true
			w.Stats[from].Lost++
		}
	}
	if w.c.Buffer > 0 {
		w.at[from].PushAt(f, f.Last+1+w.c.Latency/2)
		return
	}
	w.arrive(to, f, w.c.Latency)
	if twice {
		f.First += simkit.Cycle(f.Beats)
		f.Last += simkit.Cycle(f.Beats)
		w.arrive(to, f, w.c.Latency)
	}
}

// arrive has a frame come to a node.
func (w *Wire) arrive(to int, f link.Frame, latency simkit.Cycle) {
	f.First += latency
	f.Last += latency
	if w.c.Whole && w.c.Buffer == 0 {
		f.First = max(f.Last, w.next[to])
		f.Last = f.First + simkit.Cycle(f.Beats) - 1
		w.next[to] = f.Last + 1
	}
	if w.c.Log != nil {
		w.c.Log(to, &f)
	}
	w.In[to].PushAt(f, f.Last+1)
}

// fate is what the faults of the workload do to a packet.
func (w *Wire) fate(now simkit.Cycle, from, to int, f *link.Frame) faults.Action {
	if f.Op.Transport() != format.RC {
		return faults.Pass
	}
	sender := from
	if link.IsResponse(f.Op) {
		sender = to
	}
	p := faults.Packet{
		QP: w.c.QPN(to, f.QP), PSN: (w.c.PSN(sender, f.QP) + f.PSN) & 0xFFFFFF, Opcode: f.Op, Response: link.IsResponse(f.Op),
		Direction: direction(from),
	}
	return w.judge.Decide(p, time.Duration(now)*time.Microsecond/time.Duration(w.c.MHz)).Action
}

// direction is that of what a node sends: host b is node 1, all others are in the place of a.
func direction(from int) faults.Direction {
	if from == 1 {
		return faults.BToA
	}
	return faults.AToB
}

// queue puts a frame behind those that wait for a port of the switch.
func (w *Wire) queue(now simkit.Cycle, from int, f link.Frame) {
	to := w.c.To(from, f.QP)
	waits := max(0, w.free[to]-now<<10)
	bytes := f.Bytes + w.c.Framing
	backlog := int(waits / max(1, w.c.BeatTime))
	if backlog+int(bytes) > w.c.Buffer {
		w.Stats[from].Lost++
		return
	}
	if f.ECT && w.marks(backlog) {
		f.CE = true
		w.Stats[from].Marked++
	}
	length := max(int64(bytes)*w.c.BeatTime, int64(f.Beats)<<10)
	begins := max(now<<10, w.free[to])
	w.free[to] = begins + length
	f.First = begins >> 10
	f.Last = (w.free[to]+1023)>>10 - 1
	w.arrive(to, f, w.c.Latency-w.c.Latency/2)
}

// marks tells whether a packet is marked behind so many bytes.
func (w *Wire) marks(backlog int) bool {
	w.count++
	switch {
	case backlog <= w.c.KMin:
		return false
	case backlog >= w.c.KMax:
		return true
	}
	share := w.c.PMax * float64(backlog-w.c.KMin) / float64(w.c.KMax-w.c.KMin)
	return float64(faults.Hash(w.c.Seed, w.count)>>11)/(1<<53) < share
}
