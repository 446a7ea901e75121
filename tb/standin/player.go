package standin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

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
	targets  map[uint32]*region // of all but SENDs, by key
	holders  map[uint32]*region // those whose keys are in the key table, by index
	fault    fault
	report   Report

	at    int      // of the request that is next
	ready int      // of the first request that has no receive WQE yet
	queue []uint64 // identifiers of the receive WQEs that are there
	taken int      // of them since the last reset, by messages that ended
	fed   int      // bytes since the last wait

	left   bool     // a message is being left out
	moved  bool     // a request came since the last reset
	opened [2]int   // events that tell of the first one, at least and at most
	expect talk.PSN // the next one
	done   int      // messages
	ended  []*talk.Message
}

// fault is what ends the queue pair.
type fault struct {
	request *talk.Request       // nil: nothing has
	memory  *host.Fault         // that makes it fail; nil: none has to
	events  []format.AsyncEvent // one of which tells of it,
	silent  bool                // unless a completion does
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
	p := &player{
		queuePair: q, o: o, requests: c.Requests(), answers: answers{c: c}, cqes: completions{q: q}, expect: c.FirstPSN,
		holders: map[uint32]*region{},
	}
	if p.targets, err = targets(s.station, c); err != nil {
		return nil, err
	}
	p.plan = newPlan(c, key, rand.New(rand.NewPCG(o.Seed, uint64(c.QPN))))
	if p.plan.size > 0 {
		va := p.plan.random.Uint64() >> 1
		p.receive = &region{s: s.station, what: "receive buffers", key: key, va: va, rights: format.AccessLocalWrite}
		if err := errors.Join(p.receive.alloc(uint64(p.plan.size)), p.receive.hold()); err != nil {
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
	return p.fault.request == nil || !p.fault.request.Lenient && a.PSN() == p.fault.request.PSN() && a.AETH.Syndrome >= format.SyndromeRNR
}

// answer waits until the NIC has answered as the capture does.
func (p *player) answer(a *talk.Packet) error {
	if a.AETH.Syndrome == format.SyndromeNAK && p.answers.told {
		p.report.Lenient++ // some say it twice, or behind an RNR NAK
		return nil
	}
	p.report.Captured++
	if a.AETH.Syndrome >= format.SyndromeRNR {
		p.report.NAKs++
		return p.nak(a.PSN(), a.AETH.Syndrome, int(a.AETH.MSN)-p.c.FirstMSN)
	}
	if done, ok := p.answers.done[a.PSN()]; ok && a.Has(format.ExtAETH) && int(a.AETH.MSN) != (done+p.c.FirstMSN)&0xFFFFFF {
		return fmt.Errorf("the capture's MSN is %#x, but %d messages are done", a.AETH.MSN, done)
	}
	if x, ok := p.answers.known[a.PSN()]; a.Responds() && (!ok || len(x.payload) != len(a.Payload)) {
		return fmt.Errorf("the capture has %d bytes here, the NIC would send %d", len(a.Payload), len(x.payload))
	}
	if p.fed < p.o.Burst {
		return nil
	}
	err := p.wait("an acknowledgement", func() bool { return !p.answers.owes(a.PSN()) && !p.answers.again && !p.cqes.waits() })
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
	return p.wait("all that is owed", func() bool { return !p.answers.waits() && !p.cqes.waits() })
}

const (
	smallFrame  = 256 // bytes that the smallest frame counts for: a receive buffer has room for so many
	bytesACycle = 4   // half of what a wire of 64 bits carries: host memory is slow, too

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
			return nil
		case cycles > patience:
			return fmt.Errorf("%s did not come in %d cycles: %d requests wait for an ACK, %d completions are to come, %d have come without their event",
				what, patience, len(p.answers.asking), len(p.cqes.want), p.cqes.asked)
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
		if err := p.answers.take(frame); err != nil {
			return err
		}
	}
	return p.cqes.look()
}
