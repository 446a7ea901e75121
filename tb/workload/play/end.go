package play

import (
	"fmt"

	"gornic/tb/workload"
	"gornic/verbs"
)

// end is one end of a connection: a queue pair and its buffers.
type end struct {
	side workload.Side
	c    workload.QueuePairs
	host Host
	qp   *verbs.QP
	cq   *verbs.CQ
	peer *end

	source, sink, slots *area // slots of receive work requests
	landing, words      *area // slots of READs and atomics, and what atomics work on
	slotBytes           int
	regions             []*verbs.MR
	buffers             []*verbs.Buffer

	sends       []workload.Request // from here, in order
	posted      int
	consumed    int   // receive WQEs of the peer that the posted ones consume
	ready       bool  // never more than the peer has posted
	wqes        int   // work requests posted, those for tokens among them
	signaled    []due // completions to come
	brought     []brought
	invalidates int // SENDs with invalidate posted
	ended       int // and come
	index       int

	recvs    []workload.Request // to here, those that consume a receive WQE
	offered  int                // receive WQEs posted
	received int

	image                    []byte // what the sink has to hold
	landingImage, wordsImage []byte
	tokens                   []*token
}

// due is a completion to come.
type due struct {
	wqe     int
	request int    // of sends; or
	token   *token // that is made good
}

// brought is what a READ or atomic that is posted will bring.
type brought struct {
	request int // of sends
	wqe     int
	slot    int // offset in the landing area
	data    []byte
}

func (e *end) String() string {
	return fmt.Sprintf("host %v, queue pair %d (QPN %#x)", e.side, e.index, e.qp.QPN())
}

func (e *end) done() bool {
	return e.posted == len(e.sends) && len(e.signaled) == 0 && e.received == len(e.recvs) && e.tokensGood()
}
