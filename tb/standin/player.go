package standin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
	"gornic/tb/host"
)

// player is a conversation that is played.
type player struct {
	*queuePair
	o        Options
	requests []*talk.Request
	answers  answers
	cqes     completions
	plan     *plan
	receive  *region            // of all buffers; nil where none has a byte
	targets  map[uint32]*region // of WRITEs, by key
	report   Report

	at     int      // of the request that is next
	ready  int      // of the first request that has no receive WQE yet
	queue  []uint64 // identifiers of the receive WQEs that are there
	taken  int      // of them since the last reset
	fed    int      // bytes since the last wait
	left   bool     // a message is being left out
	ended  []*talk.Message
	expect talk.PSN // the next one
	done   int      // messages
	fault  *talk.Request
	broken *host.Fault
	ways   []format.AsyncEvent // of the fault to show in an event
	silent bool                // it may show in a completion instead
	moved  bool                // a request came since the last reset
	opened [2]int              // events that tell of the first, at least and at most
}

func (s *Station) newPlayer(c *talk.Conversation, o Options) (*player, error) {
	key, err := s.freeKey()
	if err != nil {
		return nil, err
	}
	q, err := newQueuePair(s.station, c)
	if err != nil {
		return nil, err
	}
	p := &player{queuePair: q, o: o, requests: c.Requests(), answers: answers{c: c}, cqes: completions{q: q}, expect: c.FirstPSN}
	if p.targets, err = targets(s.station, c); err != nil {
		return nil, err
	}
	p.plan = newPlan(c, key, rand.New(rand.NewPCG(o.Seed, uint64(c.QPN))))
	if p.plan.size > 0 {
		va := p.plan.random.Uint64() >> 1
		if p.receive, err = newRegion(s.station, "receive buffers", key, va, uint64(p.plan.size), format.AccessLocalWrite); err != nil {
			return nil, err
		}
		p.plan.place(p.receive)
	}
	if err := s.enable(c.Path.SrcMAC); err != nil {
		return nil, err
	}
	p.answers.restart(c.FirstPSN, 0)
	return p, q.connect(c.FirstPSN)
}

// play goes through the steps.
func (p *player) play(ctx context.Context) error {
	if err := p.arm(); err != nil {
		return err
	}
	for _, s := range p.c.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case s.Request != nil:
			err = p.request(s.Request)
			p.at++
			p.ready = max(p.ready, p.at)
		case !s.LeftOut && s.Good && p.heeds(s.Packet):
			err = p.answer(s.Packet)
		}
		if err != nil {
			return fmt.Errorf("frame %d, %v, PSN %#x: %w", s.Number, s.Op, s.PSN(), err)
		}
	}
	return p.end()
}

// heeds tells that an answer of the capture has to have its counterpart: it has, unless
// the request before it was judged otherwise.
func (p *player) heeds(a *talk.Packet) bool {
	return p.fault == nil || !p.fault.Lenient && a.PSN() == p.fault.PSN() && a.AETH.Syndrome >= format.SyndromeRNR
}

// answer waits until the NIC has answered as the capture does.
func (p *player) answer(a *talk.Packet) error {
	p.report.Captured++
	if a.AETH.Syndrome >= format.SyndromeRNR {
		p.report.NAKs++
		return p.nak(a.PSN(), a.AETH.Syndrome, int(a.AETH.MSN)-p.c.FirstMSN)
	}
	if done, ok := p.answers.done[a.PSN()]; ok && int(a.AETH.MSN) != (done+p.c.FirstMSN)&0xFFFFFF {
		return fmt.Errorf("the capture's MSN is %#x, but %d messages are done", a.AETH.MSN, done)
	}
	if p.fed < p.o.Burst {
		return nil
	}
	err := p.wait("an acknowledgement", func() bool { return !p.answers.owes(a.PSN()) && !p.answers.again && len(p.cqes.want) == 0 })
	if err != nil {
		return err
	}
	return p.checkEnded()
}

// nak waits for a NAK of the NIC.
func (p *player) nak(psn talk.PSN, syndrome uint64, done int) error {
	if err := p.wait("a NAK", func() bool { return len(p.answers.naks) > 0 }); err != nil {
		return err
	}
	return p.answers.nak(psn, syndrome, done)
}

// quiet waits until nothing is owed.
func (p *player) quiet() error {
	return p.wait("all that is owed", func() bool { return !p.answers.waits() && len(p.cqes.want) == 0 })
}

// request gives the NIC a request of the capture.
func (p *player) request(r *talk.Request) error {
	switch {
	case r.Fate == talk.Lost:
		return nil
	case r.Fate == talk.LeftOut:
		return p.leave(r)
	case p.left && (r.Fate == talk.Done || r.Fate == talk.Refused):
		if err := p.restart(r); err != nil {
			return err
		}
	}
	if err := p.post(); err != nil {
		return err
	}
	if takes(r) && len(p.queue) == 0 { // the ring was full
		if err := p.quiet(); err != nil {
			return err
		}
		if err := p.post(); err != nil {
			return err
		}
	}
	p.open(r)
	p.report.Requests++
	p.fed += len(r.Data)
	p.answers.asks(r)
	switch r.Fate {
	case talk.Done:
		p.take(r)
	case talk.Refused:
		p.refuse(r)
	}
	p.nic.Receive(r.Data)
	if err := p.pace(len(r.Data)); err != nil {
		return err
	}
	if r.Lenient {
		p.report.Lenient++
		return p.nak(r.PSN(), uint64(r.Syndrome), r.Completed)
	}
	return nil
}

// pace lets time pass for a frame of n bytes.
func (p *player) pace(n int) error {
	switch {
	case p.o.Burst > 0 && p.fed < p.o.Burst:
		return nil
	case p.o.Burst > 0:
		n, p.fed = p.fed, 0
	}
	for cycles := n / bytesACycle; cycles > 0; cycles -= slice {
		if err := p.nic.Run(min(cycles, slice)); err != nil {
			return err
		}
		if err := p.collect(); err != nil {
			return err
		}
	}
	return nil
}

// open expects an event that tells of the first request, unless it makes no sense, when
// there may be one.
func (p *player) open(r *talk.Request) {
	if p.moved || r.Fate == talk.Ignored {
		return
	}
	p.moved = true
	p.opened[1]++
	if r.Cause != talk.Malformed {
		p.opened[0]++
	}
}

// leave steps over a packet of a message that is left out.
func (p *player) leave(r *talk.Request) error {
	if !p.left {
		if err := p.quiet(); err != nil {
			return err
		}
	}
	p.left = true
	if !r.Info().End {
		return nil
	}
	p.report.LeftOut++
	if t := p.targets[uint32(r.IETH.RKey)]; t != nil && r.Has(format.ExtIETH) && !t.dead {
		t.dead = true
		return command(p.station, format.CmdInvalidate, format.KeyRef[uint64]{Key: r.IETH.RKey})
	}
	return nil
}

// restart makes the queue pair expect r, behind messages that were left out.
func (p *player) restart(r *talk.Request) error {
	p.left, p.moved, p.taken, p.ready, p.queue = false, false, 0, p.at, nil
	p.expect, p.done = r.Expected, r.Before
	p.answers.restart(r.Expected, r.Before)
	return p.reset(r.Expected)
}

// post posts receive WQEs for the requests to come, up to one that has to find none; and
// a few more where the queue pair fails, so that they are flushed.
func (p *player) post() error {
	for ; p.ready < len(p.requests) && len(p.queue)+len(p.cqes.want) < 1<<recvLog-spares; p.ready++ {
		r := p.requests[p.ready]
		if r.Fate == talk.LeftOut || r.Fate == talk.Refused && r.Cause == talk.NotReady {
			return nil
		}
		if b := p.plan.takers[r]; b != nil {
			if err := p.postOne(b.id, b.list); err != nil {
				return err
			}
		}
		for range spares {
			if r.Fate == talk.Refused {
				if err := p.postOne(p.plan.random.Uint64(), nil); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

const spares = 2 // receive WQEs behind those that are needed

func (p *player) postOne(id uint64, list []format.SGE[uint64]) error {
	p.queue = append(p.queue, id)
	return p.queuePair.post(id, list)
}

// take expects a request to be carried out.
func (p *player) take(r *talk.Request) {
	m, b := r.Message, p.plan.of[r.Message]
	switch {
	case m.Write && len(r.Payload) > 0:
		t := p.targets[m.RKey]
		t.put(int(m.VA-t.va)+r.Offset, r.Payload)
	case !m.Write:
		b.put(p.receive, r.Offset, r.Payload)
	}
	if takes(r) {
		p.queue = p.queue[1:]
		p.taken++
	}
	p.expect, p.done = r.PSN().Plus(1), r.Completed
	if r.Info().End {
		p.ended = append(p.ended, m)
		p.report.Messages++
		if m.Receives() {
			p.cqes.success(b, m)
		}
	}
}

// refuse expects a request to draw a NAK, and the queue pair to fail with it.
func (p *player) refuse(r *talk.Request) {
	if r.Cause == talk.NotReady {
		return
	}
	p.fault = r
	held := r.Open != nil && !r.Open.Write
	invalid := []format.Status{format.StatusLocQPOp, format.StatusRemInvReq, format.StatusLocLen}
	switch {
	case held || takes(r) && !r.Message.Write: // a receive WQE is in use
		id := p.queueHead(r, held)
		switch r.Cause {
		case talk.TooLong:
			p.cqes.failure(id, format.StatusLocLen)
		case talk.LocalFault:
			p.cqes.failure(id, format.StatusLocProt)
		default:
			if !held {
				invalid = append(invalid, format.StatusFlush)
				p.silent, p.ways = true, []format.AsyncEvent{format.EventQPReqErr}
			}
			p.cqes.failure(id, invalid...)
		}
	case r.Cause == talk.BadKey:
		p.silent, p.ways = takes(r), []format.AsyncEvent{format.EventQPAccessErr}
	case r.Cause == talk.LocalFault:
		p.silent, p.ways = takes(r), []format.AsyncEvent{format.EventQPFatal}
		if t := p.targets[r.Message.RKey]; t != nil && len(r.Payload) > 0 {
			p.broken = p.memory.InjectFault(t.addr+(r.Message.VA-t.va)+uint64(r.Offset), uint64(len(r.Payload)), host.Writes)
		}
	default:
		p.silent, p.ways = takes(r), []format.AsyncEvent{format.EventQPReqErr, format.EventQPAccessErr}
	}
	if takes(r) && r.Message.Write {
		p.cqes.failure(p.queue[0], format.StatusFlush, format.StatusLocAccess, format.StatusRemAccess, format.StatusLocProt, format.StatusRemInvReq)
		p.queue = p.queue[1:]
	}
	for _, id := range p.queue {
		p.cqes.failure(id, format.StatusFlush)
	}
	p.queue = nil
}

// queueHead is the identifier of the receive WQE that is in use when r fails.
func (p *player) queueHead(r *talk.Request, held bool) uint64 {
	if held {
		return p.plan.of[r.Open].id
	}
	id := p.queue[0]
	p.queue = p.queue[1:]
	return id
}

const (
	bytesACycle = 4 // half of what a wire of 64 bits carries: host memory is slow, too

	slice    = 64     // cycles between two looks at what the NIC did
	patience = 30_000 // cycles that a wait has
	settling = 1_500  // cycles in the end to do what should not be done
)

// wait runs the NIC until done.
func (p *player) wait(what string, done func() bool) error {
	p.fed = 0
	for cycles := 0; ; cycles += slice {
		if err := p.collect(); err != nil {
			return err
		}
		switch {
		case done():
			return p.cqes.service()
		case cycles > patience:
			return fmt.Errorf("%s did not come in %d cycles: %d requests wait for an ACK, %d completions are to come",
				what, patience, len(p.answers.asking), len(p.cqes.want))
		}
		if err := p.nic.Run(slice); err != nil {
			return err
		}
	}
}

// collect judges what the NIC has done.
func (p *player) collect() error {
	for frame, ok := p.nic.Send(); ok; frame, ok = p.nic.Send() {
		p.report.Answers++
		if p.o.Sent != nil {
			p.o.Sent(frame)
		}
		if err := p.answers.take(frame); err != nil {
			return err
		}
	}
	return p.cqes.poll()
}

// checkEnded looks at the memory of the messages that ended since the last look.
func (p *player) checkEnded() error {
	for _, m := range p.ended {
		if err := p.checkMessage(m); err != nil {
			return err
		}
	}
	p.ended = nil
	return nil
}

func (p *player) checkMessage(m *talk.Message) error {
	if m.Write {
		if m.Length == 0 {
			return nil
		}
		t := p.targets[m.RKey]
		return t.checkPart(int(m.VA-t.va), m.Length)
	}
	for _, part := range p.plan.of[m].parts {
		if err := p.receive.checkPart(part.offset, part.n); err != nil {
			return err
		}
	}
	return nil
}

// end checks what can be told in the end alone.
func (p *player) end() error {
	if err := p.quiet(); err != nil {
		return err
	}
	if err := p.nic.Run(settling); err != nil {
		return err
	}
	if err := p.collect(); err != nil {
		return err
	}
	if n := len(p.answers.naks); n > 0 {
		a := p.answers.naks[0]
		return fmt.Errorf("a NAK that the capture does not have: PSN %#x, syndrome %#02x", a.PSN(), a.AETH.Syndrome)
	}
	p.report.Completions = p.cqes.count
	for _, check := range []func() error{p.checkMemory, p.cqes.service, p.checkEvents, p.checkState, p.destroy} {
		if err := check(); err != nil {
			return err
		}
	}
	return p.free()
}

func (p *player) checkMemory() error {
	if p.receive != nil {
		if err := p.receive.check(); err != nil {
			return err
		}
	}
	for _, t := range p.targets {
		if err := t.check(); err != nil {
			return err
		}
	}
	return p.memory.CheckGuards()
}

// checkEvents looks at the events that came.
func (p *player) checkEvents() error {
	faults, opened := 0, 0
	for _, e := range p.cqes.async {
		switch {
		case e == format.EventCommEst:
			opened++
		case slices.Contains(p.ways, e):
			faults++
		default:
			return fmt.Errorf("event %v, which nothing asks for", e)
		}
	}
	if opened < p.opened[0] || opened > p.opened[1] {
		return fmt.Errorf("%d events %v, expected %d to %d", opened, format.EventCommEst, p.opened[0], p.opened[1])
	}
	if least := min(len(p.ways), 1); faults > 1 || faults < least && !p.silent {
		return fmt.Errorf("%d events tell of the fault, expected one of %v", faults, p.ways)
	}
	got, want := p.cqes.events, p.cqes.solicited
	switch {
	case p.fault != nil:
	case p.o.Burst == 0 && got != want, p.o.Burst > 0 && (got > want || got == 0 && want > 0):
		return fmt.Errorf("%d events for %d solicited completions", got, want)
	}
	return nil
}

// checkState compares what the queue pair has come to.
func (p *player) checkState() error {
	got, err := p.query(p.c.QPN)
	if err != nil {
		return err
	}
	if p.fault != nil {
		if s := format.QPState(got.State); s != format.QPError {
			return fmt.Errorf("the queue pair is in state %v, expected %v", s, format.QPError)
		}
		return nil
	}
	want := format.QPStatus[uint64]{
		QPN: uint64(p.c.QPN), State: uint64(format.QPRTR), NextPSN: got.NextPSN, OldestPSN: got.OldestPSN,
		ExpPSN: uint64(p.expect), MSN: uint64(p.done-p.answers.base) & 0xFFFFFF, RQConsumer: uint64(p.taken) & 0xFFFF,
	}
	if got != want {
		return fmt.Errorf("the queue pair has come to\n          %+v,\n expected %+v", got, want)
	}
	return nil
}

// free gives everything back but the queue pair.
func (p *player) free() error {
	if p.broken != nil {
		p.broken.Remove()
	}
	regions := []*region{p.receive}
	for _, t := range p.targets {
		regions = append(regions, t)
	}
	for _, r := range regions {
		if r == nil {
			continue
		}
		if err := r.free(); err != nil {
			return err
		}
	}
	return nil
}
