package standin

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
)

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
	switch {
	case m.Kind != talk.Send && m.Length == 0:
		return nil
	case m.Kind != talk.Send:
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
	for _, check := range []func() error{p.checkMemory, p.checkEvents, p.checkState, p.destroy} {
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
	for _, t := range inOrder(p.targets) {
		if err := t.check(); err != nil {
			return err
		}
	}
	return p.memory.CheckGuards()
}

// checkEvents looks at the asynchronous events that came.
func (p *player) checkEvents() error {
	faults, opened := 0, 0
	for _, e := range p.cqes.async {
		switch {
		case e == format.EventCommEst:
			opened++
		case slices.Contains(p.fault.events, e):
			faults++
		default:
			return fmt.Errorf("event %v, which nothing asks for", e)
		}
	}
	if opened < p.opened[0] || opened > p.opened[1] {
		return fmt.Errorf("%d events %v, expected %d to %d", opened, format.EventCommEst, p.opened[0], p.opened[1])
	}
	if least := min(len(p.fault.events), 1); faults > 1 || faults < least && !p.fault.silent {
		return fmt.Errorf("%d events tell of the fault, expected one of %v", faults, p.fault.events)
	}
	return nil
}

// checkState compares what the queue pair has come to.
func (p *player) checkState() error {
	got, err := p.query(p.c.QPN)
	if err != nil {
		return err
	}
	if p.fault.request != nil {
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

// inOrder is the regions of a map, always in one order: the NIC sees what is done with them.
func inOrder(all map[uint32]*region) []*region {
	var regions []*region
	for _, key := range slices.Sorted(maps.Keys(all)) {
		regions = append(regions, all[key])
	}
	return regions
}

// free gives everything back but the queue pair.
func (p *player) free() error {
	if p.fault.memory != nil {
		p.fault.memory.Remove()
	}
	for _, t := range inOrder(p.holders) {
		if err := t.end(); err != nil {
			return err
		}
	}
	for _, t := range inOrder(p.targets) {
		if err := t.free(); err != nil {
			return err
		}
	}
	if p.receive == nil {
		return nil
	}
	return errors.Join(p.receive.end(), p.receive.free())
}
