package main

import (
	"context"
	"fmt"

	"gornic/configs"
	"gornic/format"
	"gornic/tb/rtl"
	"gornic/verbs"
)

// A fault is a row of the table of faults: what is wrong, and what has to come of it.
// Host A posts the work request that meets it, on a queue pair that is connected to one
// of host B, between others that are good, and in the middle of traffic of other queue
// pairs.
type fault struct {
	name string
	what string       // what is wrong, in a line
	op   verbs.Opcode // of the work request that meets it
	size int          // bytes of its message; 0: faultBytes, of three packets
	want verdict
	// spoil makes it wrong, before anything of the queue pair is posted.
	spoil func(ctx context.Context, r *faultRig, w *faultyWork) error
	// act, if there is one, is done between the good work before the fault and the
	// work request that meets it.
	act func(ctx context.Context, r *faultRig) error
	// injected tells that act was all, and that A has nothing to do with it: it posts
	// no more.
	injected bool
	// spoilBehind makes the requests behind it wrong, too.
	spoilBehind func(behind []verbs.SendWR)
	// then, if there is one, looks at what follows from the fault for others.
	then func(ctx context.Context, r *faultRig) error
	cqs  cqSizes
	// attr, if there is one, changes the attributes that a queue pair of the fault is
	// connected with.
	attr func(s side, a *verbs.QPAttr)
	sges int // of a send work request; 0: two
	// twin, if there is one, is the same without what is wrong. It is played first, and
	// must succeed: so the fault is refused for that reason and for no other.
	twin *fault
	// coreBest is where a simulator that is not fast has the core, where nobody notices.
	coreBest side
	// coreAt, if there is one, tells that the fault is one of the core's own way of
	// working, and whether that is in it: no reference meets it.
	coreAt *side
}

// faultyWork is what spoil changes: the work request that meets the fault, and the
// receive work request that its message takes.
type faultyWork struct {
	send verbs.SendWR
	recv verbs.RecvWR
	// rawSend and rawRecv, if not nil, are posted in their place: bytes that the
	// driver would never write.
	rawSend, rawRecv []byte
}

// cqSizes are entries of the completion queues of the queue pair of A and of B; 0:
// enough. One that has too few is not polled before the end.
type cqSizes struct{ send, recv [2]int }

// side is a host.
type side int

const (
	sideA side = iota // requester of the message that meets the fault
	sideB             // and its responder
)

func (s side) String() string { return [...]string{"a", "b"}[s&1] }

// finder is who notices a fault.
type finder string

const (
	byRequester finder = "requester"
	byResponder finder = "responder"
	byCQ        finder = "completion queue"
	byEQ        finder = "event queue"
	byDoorbell  finder = "doorbell"
	byNobody    finder = "nobody"
)

// verdict is what comes of a fault.
type verdict struct {
	by   finder
	send completion // of the work request; the zero value: success
	// recv is what becomes of the receive work request that the message took; nil:
	// it took none that completed.
	recv   *completion
	nak    uint64     // syndrome; 0: none
	nakAt  int        // packet of the message that draws it
	events [2][]event // asynchronous events of each host
	dead   [2]bool    // the queue pair of that host is in ERR
	// placed is how many bytes of the message may be in memory; of a READ or an atomic
	// in that of A.
	placed int
	// executed tells that an atomic may have changed B's memory.
	executed bool
	// keys tells that a queue pair of that host may change the key table.
	keys [2]bool
	// lost tells that the send queue of A or the receive queue of B has no
	// completions any more: its completion queue failed.
	lost [2]bool
	// refused counts doorbells of host A.
	refused uint32
	// late tells that the fault is known late: what is behind it may have been done.
	late bool
	// unsure tells that A may or may not have an acknowledgement, and no more is posted.
	unsure bool
}

// completion is what a completion says.
type completion struct {
	status format.Status
	vendor format.VendorCode
	unread bool // the work request could not be read: its wr_id is 0
}

// event is an asynchronous event of the queue pair, or of its completion queue.
type event struct {
	code   format.AsyncEvent
	vendor format.VendorCode
}

const faultBytes = 600

// faultTable is rows of a kind.
type faultTable struct {
	name  string // of its scenarios, before that of the row
	about string
	rows  []fault
}

// tables are all rows there are.
func tables() []faultTable {
	return []faultTable{
		{"faults", "whatever can be wrong", faults()},
		{"rules", "what keys, READs and atomics may do (protocol sections 3.4, 3.9 and 6)", rules()},
		{"places", "where payload goes, in buffers of every shape", places()},
	}
}

// faultScenarios are a scenario for each row of each table.
func faultScenarios() []Scenario {
	var all []Scenario
	for _, t := range tables() {
		for _, f := range t.rows {
			all = append(all, scenarioOf(t.name, f, f.pairs))
		}
	}
	return all
}

// scenarioOf is the scenario of a row of a table, with who plays host A and host B.
func scenarioOf(table string, f fault, pairs func(fast bool) [][2]rtl.Kind) Scenario {
	return Scenario{
		Name: table + "/" + f.name,
		What: f.what, Configs: []string{"tiny"}, Once: true, Row: true,
		Run: func(ctx context.Context, env *Env) error { return f.run(ctx, env, pairs(env.Fast())) },
	}
}

// pairs are the core at each end and at both. A simulator that is not fast has it only
// where the fault is noticed.
func (f fault) pairs(fast bool) [][2]rtl.Kind {
	requester, responder := [2]rtl.Kind{rtl.Core, rtl.Reference}, [2]rtl.Kind{rtl.Reference, rtl.Core}
	switch {
	case f.coreAt != nil && *f.coreAt == sideA:
		return [][2]rtl.Kind{requester, {rtl.Core, rtl.Core}}[:1+fastly(fast)]
	case f.coreAt != nil:
		return [][2]rtl.Kind{responder, {rtl.Core, rtl.Core}}[:1+fastly(fast)]
	case fast:
		return [][2]rtl.Kind{{rtl.Core, rtl.Core}, requester, responder}
	case f.want.by == byResponder || f.want.by == byNobody && f.coreBest == sideB || f.want.dead == [2]bool{sideB: true}:
		return [][2]rtl.Kind{responder}
	}
	return [][2]rtl.Kind{requester}
}

// fastly is how many more pairs a fast simulator has.
func fastly(fast bool) int {
	if fast {
		return 1
	}
	return 0
}

// run plays a fault on each pair of hosts.
func (f fault) run(ctx context.Context, env *Env, pairs [][2]rtl.Kind) error {
	config := roomy(env.Config)
	b, err := buildFor(env, config, pairs)
	if err != nil {
		return err
	}
	note := ""
	for i, sides := range pairs {
		cycles, err := f.runBoth(ctx, env, b, sides)
		if err != nil {
			return fmt.Errorf("host a with the %v, host b with the %v: %w", sides[0], sides[1], err)
		}
		note += fmt.Sprintf("%v-%v %d cycles; ", sides[0], sides[1], cycles)
		env.Progress(float64(i+1) / float64(len(pairs)))
	}
	env.Note("%s", note[:len(note)-2])
	return nil
}

// runBoth plays the twin of a fault, if it has one, and the fault.
func (f fault) runBoth(ctx context.Context, env *Env, b built, sides [2]rtl.Kind) (cycles uint64, err error) {
	if f.twin != nil {
		if cycles, err = f.twin.runPair(ctx, env, b, sides); err != nil {
			return 0, fmt.Errorf("the twin without the fault: %w", err)
		}
	}
	more, err := f.runPair(ctx, env, b, sides)
	return cycles + more, err
}

// roomy is a configuration whose receive buffer has room for all packets that a fault's
// queue pairs may have on the way: the core does not send again what finds none.
func roomy(c configs.Config) configs.Config {
	c.RxBuffer, c.RxPackets = max(c.RxBuffer, 16<<10), max(c.RxPackets, 64)
	return c
}

// Verdicts that many rows have.

// local is a fault that the requester finds by itself; nobody else hears of it.
func local(s format.Status, v format.VendorCode) verdict {
	return verdict{by: byRequester, send: completion{status: s, vendor: v}, dead: [2]bool{sideA: true}}
}

// remote is a request that the responder refuses, and that no receive work request
// belongs to.
func remote(nak uint64, code format.AsyncEvent, v format.VendorCode) verdict {
	status := map[uint64]format.Status{
		format.SyndromeNAKInv: format.StatusRemInvReq, format.SyndromeNAKAccess: format.StatusRemAccess, format.SyndromeNAKOp: format.StatusRemOp,
	}[nak]
	return verdict{
		by: byResponder, send: completion{status: status, vendor: format.VendorNAK}, nak: nak,
		events: [2][]event{sideB: {{code, v}}}, dead: [2]bool{true, true},
	}
}

// received is remote with a receive work request that tells of it in place of the event.
func received(nak uint64, s format.Status, v format.VendorCode) verdict {
	w := remote(nak, 0, 0)
	w.events[sideB] = nil
	w.recv = &completion{status: s, vendor: v}
	return w
}

// placing is a verdict of a message of which some bytes may be in memory.
func (v verdict) placing(bytes int) verdict {
	v.placed = bytes
	return v
}
