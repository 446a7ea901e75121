package workload

import (
	"gornic/format"
	"gornic/tb/wire"
)

// Workload is the content of a workload file.
type Workload struct {
	Name       string // base name of the file
	Direction  Direction
	Messages   int // of each queue pair, in each direction that there is
	QueuePairs []QueuePairs
	Operations Operations
	Inline     int // share of messages sent inline, of those that fit, percent
	Signaled   int // share of work requests with a completion, percent
	Solicited  int // share of messages that ask for a solicited event, of those that can, percent
	Sizes      Sizes
	Batch      Range // work requests posted with one doorbell
	Arrival    Arrival
	Rules      []wire.Rule
	Outages    []wire.Outage
}

// Direction says which hosts send.
type Direction uint8

// Directions.
const (
	AToB Direction = iota
	BToA
	BothWays
)

var directions = []string{"a_to_b", "b_to_a", "both"}

func (d Direction) String() string { return directions[d%3] }

// Side is a host.
type Side uint8

// Sides.
const (
	A Side = iota
	B
)

func (s Side) String() string { return [...]string{"a", "b"}[s&1] }

// Senders returns the hosts that send.
func (d Direction) Senders() []Side {
	switch d {
	case AToB:
		return []Side{A}
	case BToA:
		return []Side{B}
	}
	return []Side{A, B}
}

// QueuePairs are connections of one kind.
type QueuePairs struct {
	Count    int
	PathMTU  int // bytes
	IP       int // 4 or 6
	SendSGEs int // most SGEs of a send work request
	RecvSGEs int // and of a receive work request
	Reads    int // READs and atomics at once
	Depth    int // work requests in each queue
}

// Operations are the weights of operations: of so many messages in their sum.
type Operations struct{ Write, WriteImm, Send, SendImm, SendInv, Read, CmpSwap, FetchAdd int }

// operation is an operation of a workload file.
type operation struct {
	name   string
	op     format.WROpcode
	weight func(*Operations) *int
}

var operations = []operation{
	{"write", format.WRWrite, func(o *Operations) *int { return &o.Write }},
	{"write_imm", format.WRWriteImm, func(o *Operations) *int { return &o.WriteImm }},
	{"send", format.WRSend, func(o *Operations) *int { return &o.Send }},
	{"send_imm", format.WRSendImm, func(o *Operations) *int { return &o.SendImm }},
	{"send_inv", format.WRSendInv, func(o *Operations) *int { return &o.SendInv }},
	{"read", format.WRRead, func(o *Operations) *int { return &o.Read }},
	{"cmp_swap", format.WRCompSwap, func(o *Operations) *int { return &o.CmpSwap }},
	{"fetch_add", format.WRFetchAdd, func(o *Operations) *int { return &o.FetchAdd }},
}

func (o Operations) weights() []weight {
	var all []weight
	for _, x := range operations {
		all = append(all, weight{x.op, *x.weight(&o)})
	}
	return all
}

type weight struct {
	op    format.WROpcode
	share int
}

// Sizes says how long messages are.
type Sizes struct {
	Distribution Distribution
	List         []int // bytes, of Listed
	Range              // bytes, of the others
}

// Distribution is a kind of random size.
type Distribution uint8

// Distributions.
const (
	Listed     Distribution = iota // one of a list, each as often
	Uniform                        // any, each as often
	LogUniform                     // any number of bits as often: mostly short, now and then long
)

// Range is from Min to Max, both included.
type Range struct{ Min, Max int }

// Most is the length of the longest message.
func (s Sizes) Most() int {
	most := s.Max
	for _, n := range s.List {
		most = max(most, n)
	}
	return most
}

// Arrival says when work comes.
type Arrival struct {
	Kind   ArrivalKind
	Cycles int // between two messages of a queue pair; the mean of Poisson. 0: by Rate
	Rate   int // messages of a host in a million cycles, shared by its queue pairs
}

// gap is the time between two messages of a queue pair, in cycles.
func (w Workload) gap() float64 {
	if a := w.Arrival; a.Cycles == 0 && a.Rate > 0 {
		return rateCycles * float64(w.Connections()) / float64(a.Rate)
	}
	return float64(w.Arrival.Cycles)
}

// rateCycles are the cycles that a rate is of.
const rateCycles = 1_000_000

// ArrivalKind is a kind of arrival.
type ArrivalKind uint8

// Kinds of arrival.
const (
	Closed  ArrivalKind = iota // as soon as the queue has room
	Every                      // at equal times, or later if the queue has no room
	Poisson                    // at random times, alike
)

// Connections is the number of queue pairs at each host.
func (w Workload) Connections() int {
	n := 0
	for _, g := range w.QueuePairs {
		n += g.Count
	}
	return n
}

// Connection returns what queue pair i is like.
func (w Workload) Connection(i int) QueuePairs {
	for _, g := range w.QueuePairs {
		if i < g.Count {
			return g
		}
		i -= g.Count
	}
	return QueuePairs{}
}

// Faults are the faults of the wire for a seed.
func (w Workload) Faults(seed uint64) wire.Faults {
	return wire.Faults{Seed: seed, Rules: w.Rules, Outages: w.Outages}
}
