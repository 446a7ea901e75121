package requester

import (
	"gornic/blocks/scheduler"
	"gornic/hdl"
)

// waiting is the queue pairs that have a local operation to give away while the one of another has not been
// taken, first come, first served. When it has been taken, one of them is invited: it is told to the scheduler. The next
// one is invited when that has had its turn.
type waiting struct {
	queue   *scheduler.IO
	invited hdl.Bits // the turn of one is to come:
	guest   hdl.Bits // this one
}

func (b *block) newWaiting() waiting {
	m := b.m
	return waiting{
		queue:   hdl.Instance(m, "u_waiting", scheduler.Def(scheduler.Params{Sizes: b.p.Sizes, Wakes: 1})),
		invited: m.Reg("invited", 1, 0), guest: m.RegN("guest", b.p.Sizes.QPBits),
	}
}

// waitPort drives the queue, and tells the scheduler of who is invited or goes on.
func (s *sender) waitPort() {
	again, ends := s.io.Again, s.st.Is(stEnd).And(s.again.Not())
	if !s.keyRequests() {
		again.Valid.Set(ends)
		again.Data.QP.Set(s.turn.QP)
		return
	}
	invites := s.st.Is(stInvite)
	again.Valid.Set(invites.Or(ends))
	again.Data.QP.Set(hdl.Mux(invites, s.waits.queue.Grant.Data.QP, s.turn.QP))
	wake, next := s.waits.queue.Wakes[0], s.waits.queue.Grant
	wake.Valid.Set(s.st.Is(stWait))
	wake.Data.QP.Set(s.turn.QP)
	next.Ready.Set(s.st.Is(stInvite).And(s.io.Again.Ready))
	came := hdl.AndAll(s.st.Is(stJudge), s.block.turn.Valid, s.turn.QP.Eq(s.waits.guest))
	s.m.If(came, func() { s.waits.invited.SetK(0) })
}

// wait enters the queue pair, and ends its turn.
func (s *sender) wait() {
	s.m.If(s.waits.queue.Wakes[0].Ready, s.leave)
}

// mayInvite goes on to the invitation, where somebody is to be invited and all conditions are one.
func (s *sender) mayInvite(conditions ...hdl.Bits) {
	if !s.keyRequests() {
		return
	}
	conditions = append(conditions, s.waits.queue.Grant.Valid, s.keyHeld.Not(), s.waits.invited.Not())
	s.m.If(hdl.AndAll(conditions...), func() { s.st.Goto(stInvite) })
}

// invite tells the scheduler of the first queue pair.
func (s *sender) invite() {
	s.m.If(s.io.Again.Ready, func() {
		s.waits.invited.SetK(1)
		s.waits.guest.Set(s.waits.queue.Grant.Data.QP)
		s.st.Goto(stJudge)
	})
}
