package standin

import (
	"gornic/format"
	"gornic/tb/frames/talk"
)

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
	if takes(r) && len(p.queue) == 0 { // a ring was full
		if err := p.quiet(); err != nil {
			return err
		}
		if err := p.post(); err != nil {
			return err
		}
	}
	if err := p.prepare(r); err != nil {
		return err
	}
	p.open(r)
	p.report.Requests++
	p.fed += max(len(r.Data), smallFrame)
	p.expectResponses(r)
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
	case p.o.Burst > 0 && p.answers.waits():
		return p.quiet()
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
	for ; p.ready < len(p.requests) && len(p.queue)+len(p.cqes.want)+p.cqes.held < 1<<recvLog-spares; p.ready++ {
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
