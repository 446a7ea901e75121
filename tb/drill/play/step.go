package play

import (
	"context"
	"fmt"

	"gornic/tb/drill/script"
)

// step plays one step.
func (p *player) step(ctx context.Context, s script.Step) error {
	if err := p.possible(s.Do); err != nil {
		return err
	}
	switch a := s.Do.(type) {
	case script.PostSend:
		return p.postSend(ctx, s, a)
	case script.PostRecv:
		return p.postRecv(ctx, a)
	case script.ModifyQP:
		return p.modifyQP(ctx, a)
	case script.DestroyQP:
		return p.acted(p.qps[a.QP].destroy(ctx))
	case script.CreateQP:
		return p.acted(p.createQP(ctx, p.qps[a.QP]))
	case script.DeregMR:
		return p.acted(p.mrs[a.MR].mr.Dereg(ctx))
	case script.WriteMemory:
		return p.writeMemory(a)
	case script.InjectFault:
		return p.injectFault(a)
	case script.HoldWire:
		p.m.device.Hold(a.Hold)
		return nil
	case script.WriteRegister:
		return p.acted(p.m.WriteRegister(ctx, a.Register.Offset, a.Value))
	case script.ReqNotify:
		return p.acted(p.qps[a.QP].cqs[queueOf(a.Recv)].ReqNotify(ctx, a.SolicitedOnly))
	case script.SendPacket:
		return p.sendPacket(s, a)
	case script.SendRaw:
		return p.sendRaw(s, a)
	case script.Wait:
		return p.wait(ctx, a)
	case script.Repeat:
		return p.repeat(ctx, a)
	}
	return p.expect(ctx, s)
}

// possible tells what a step needs that is not there: in a repeat the file alone does not tell.
func (p *player) possible(a script.Action) error {
	name, wanted := "", true
	switch a := a.(type) {
	case script.PostSend:
		name = a.QP
	case script.PostRecv:
		name = a.QP
	case script.ModifyQP:
		name = a.QP
	case script.DestroyQP:
		name = a.QP
	case script.ReqNotify:
		name = a.QP
	case script.ExpectQP:
		name = a.QP
	case script.ExpectCQE:
		name = a.QP
	case script.CreateQP:
		name, wanted = a.QP, false
	}
	switch q := p.qps[name]; {
	case q == nil || (q.qp != nil) == wanted:
		return nil
	case wanted:
		return fmt.Errorf("queue pair %s has been destroyed", name)
	}
	return fmt.Errorf("queue pair %s has not been destroyed", name)
}

// expect plays a step that expects something.
func (p *player) expect(ctx context.Context, s script.Step) error {
	switch a := s.Do.(type) {
	case script.ExpectPacket:
		return p.expectPacket(s, a)
	case script.ExpectNothing:
		return p.expectNothing(a)
	case script.ExpectCQE:
		return p.expectCQE(ctx, s, a)
	case script.ExpectNoCQE:
		return p.expectNoCQE(ctx, a)
	case script.ExpectEvent:
		return p.expectEvent(ctx, s, a)
	case script.ExpectNoEvent:
		return p.expectNoEvent(ctx, a)
	case script.ExpectMemory:
		return p.expectMemory(a)
	case script.ExpectQP:
		return p.expectQP(ctx, a)
	case script.ExpectCounter:
		return p.expectCounter(ctx, a)
	}
	return fmt.Errorf("a step that nobody plays: %T", s.Do)
}

// acted notes that something was done, if it was.
func (p *player) acted(err error) error {
	p.mark()
	return err
}
