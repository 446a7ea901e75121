package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
)

// contexts is the block qpcontext. In the RTL all queue pairs are on chip; as a cache it holds some, and a
// miss reads one from host memory: a queue pair that is to send waits for that alone, what has come waits in order.
type contexts struct {
	*simkit.Component
	n      *NIC
	cache  *lru // nil: all are here
	bytes  int32
	most   int
	asked  ringOf[miss]
	reads  *simkit.Stream[link.Read]
	done   *simkit.Stream[link.ReadDone]
	wakes  *simkit.Stream[int32]
	wanted [2][]bool // by direction: it is on its way
	came   simkit.Gate
	queue  ringOf[miss]
}

type miss struct {
	qp  int32
	dir int
}

const (
	contextTx = iota
	contextRx
)

// here tells whether a context is here, and asks for it if not.
func (c *contexts) here(now Cycle, i int32, dir int) bool {
	if c.cache == nil {
		return true
	}
	if c.cache.has(int64(i)) {
		c.n.Stats.ContextHits++
		return true
	}
	if !c.wanted[dir][i] {
		c.n.Stats.ContextMisses++
		c.wanted[dir][i] = true
		c.queue.push(miss{i, dir})
		c.Wake(now)
	}
	return false
}

func (c *contexts) run(now Cycle) Cycle {
	for c.done.Ready() {
		c.done.Pop()
		m := c.asked.pop()
		c.cache.put(int64(m.qp))
		c.wanted[m.dir][m.qp] = false
		if m.dir == contextTx {
			c.wakes.Push(m.qp)
		}
		c.came.Open()
		c.Use.Items++
	}
	for c.queue.size > 0 && c.asked.size < c.most && c.reads.Room() {
		m := c.queue.pop()
		c.reads.Push(link.Read{Client: readContext, Beats: (c.bytes + c.n.beatBytes() - 1) / c.n.beatBytes(), Bytes: c.bytes})
		c.asked.push(m)
	}
	if c.asked.size > 0 {
		c.Waits("host memory")
	}
	return c.done.Next(0)
}
