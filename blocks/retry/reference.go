package retry

import (
	"maps"
	"slices"
	"time"

	"gornic/format"
)

// RNRWait is how long an RNR NAK's timer code asks to wait at least (protocol section 1.6).
func RNRWait(code int) time.Duration {
	ms := [...]float64{
		655.36, .01, .02, .03, .04, .06, .08, .12, .16, .24, .32, .48, .64, .96, 1.28, 1.92,
		2.56, 3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
	}
	return time.Duration(ms[code]*1000+0.5) * time.Microsecond
}

// Unit is the tick of timers.
const Unit = 4096 * time.Nanosecond

// Timers are what software sets.
type Timers struct{ Timeout, RetryCnt, RNRRetry int }

// Told is a message to another block, or a pulse.
type Told struct {
	What   string // "mark", "resend", "stop", "failure", "wake", "timeout"
	QP     int
	Number int    // of "resend" and "stop"
	PSN    uint32 // of "resend", "stop" and "failure"
	Status format.Status
	Vendor format.VendorCode
}

// pair is a queue pair. Its packets are sent again in a sequence of states, in each of which it is held:
// a mark is waited for, and an RNR wait, if there is one; then Resent.
type pair struct {
	timers             Timers
	psn                uint32 // first one owed
	restarts, notReady int    // since progress
	counted            bool   // a restart has been, since then
	held               bool
	marking            bool // the mark is waited for,
	waiting            bool // the RNR wait,
	sending            bool // or Resent, of this number:
	number             int
	dead               bool
	timer              int64 // when it expires, in ticks; 0: off
	marksOut           bool  // a mark is on its way,
	stale              bool  // which is not that of now,
	markLater          bool  // which is to be given when it is back
}

// Reference is the block in plain Go, an event at a time.
type Reference struct {
	Now   int64 // ticks
	Told  []Told
	pairs map[int]*pair
}

func (r *Reference) pair(qp int) *pair {
	if r.pairs == nil {
		r.pairs = map[int]*pair{}
	}
	if r.pairs[qp] == nil {
		r.pairs[qp] = &pair{}
	}
	return r.pairs[qp]
}

// Clear begins a new life. A mark of the old one may still come back.
func (r *Reference) Clear(qp int) {
	p := r.pair(qp)
	*p = pair{number: p.number, marksOut: p.marksOut, stale: p.marksOut}
}

// SetPSN names the first PSN to be sent.
func (r *Reference) SetPSN(qp int, psn uint32) { r.pair(qp).psn = psn }

// SetTimers changes timers and counters; a timer that runs begins anew.
func (r *Reference) SetTimers(qp int, t Timers) {
	p := r.pair(qp)
	p.timers = t
	if !p.held && !p.dead {
		r.start(p)
	}
}

// Held reports whether the queue pair begins nothing new.
func (r *Reference) Held(qp int) bool { return r.pair(qp).held }

// start starts the ACK timer: it expires when 2^timeout whole ticks have passed, and the one of now.
func (r *Reference) start(p *pair) {
	p.timer = 0
	if p.timers.Timeout > 0 {
		p.timer = r.Now + int64(1)<<p.timers.Timeout + 1
	}
}

// Started says that a packet waits where none did, or is the oldest now.
func (r *Reference) Started(qp int) {
	if p := r.pair(qp); !p.held && !p.dead {
		r.start(p)
	}
}

// Progress says that psn is the first one owed now: the counters are reloaded.
func (r *Reference) Progress(qp int, psn uint32) {
	p := r.pair(qp)
	p.psn, p.restarts, p.notReady, p.counted = psn, 0, 0, false
	if p.dead { // an answer was faster
		p.dead = false
		r.tell(Told{What: "wake", QP: qp})
	}
	if !p.held {
		r.start(p)
	}
}

// Missing says that the oldest packet is missing: it counts once until there is progress, and an RNR wait goes on.
func (r *Reference) Missing(qp int) {
	if p := r.pair(qp); !p.dead && !p.waiting && !p.counted {
		r.restart(qp)
	}
}

// restart has everything sent again, if retry_cnt allows that.
func (r *Reference) restart(qp int) {
	p := r.pair(qp)
	if p.restarts == p.timers.RetryCnt {
		r.fail(qp, format.StatusRetryExceeded, 0)
		return
	}
	p.restarts++
	p.counted = true
	switch {
	case p.sending:
		r.send(qp)
	case !p.held:
		r.hold(qp)
	}
}

// hold asks for a mark.
func (r *Reference) hold(qp int) {
	p := r.pair(qp)
	p.held, p.marking, p.timer = true, true, 0
	if p.marksOut {
		p.markLater = true
		return
	}
	p.marksOut = true
	r.tell(Told{What: "mark", QP: qp})
}

func (r *Reference) send(qp int) {
	p := r.pair(qp)
	p.sending = true
	p.number = (p.number + 1) % 4
	r.tell(Told{What: "resend", QP: qp, Number: p.number, PSN: p.psn})
}

// NotReady is an RNR NAK.
func (r *Reference) NotReady(qp, code int) {
	p := r.pair(qp)
	if p.dead || p.waiting {
		return
	}
	if p.timers.RNRRetry != 7 {
		if p.notReady == p.timers.RNRRetry {
			r.fail(qp, format.StatusRNRExceeded, 0)
			return
		}
		p.notReady++
	}
	if p.sending {
		p.sending = false
		r.tell(Told{What: "stop", QP: qp, Number: p.number, PSN: p.psn})
	}
	if !p.held {
		r.hold(qp)
	}
	p.waiting = true
	p.timer = r.Now + int64((RNRWait(code)+Unit-1)/Unit) + 1
}

// fail gives the queue pair up.
func (r *Reference) fail(qp int, status format.Status, vendor format.VendorCode) {
	p := r.pair(qp)
	if p.sending {
		r.tell(Told{What: "stop", QP: qp, Number: p.number, PSN: p.psn})
	}
	p.held, p.marking, p.waiting, p.sending, p.timer, p.dead = false, false, false, false, 0, true
	p.stale, p.markLater = p.marksOut, false
	r.tell(Told{What: "failure", QP: qp, PSN: p.psn, Status: status, Vendor: vendor})
}

// MarkOut reports whether a mark of the queue pair is on its way.
func (r *Reference) MarkOut(qp int) bool { return r.pair(qp).marksOut }

// Marked is a mark that comes back.
func (r *Reference) Marked(qp int) {
	p := r.pair(qp)
	mine := !p.stale
	p.marksOut, p.stale = false, false
	switch {
	case p.markLater:
		p.markLater, p.marksOut = false, true
		r.tell(Told{What: "mark", QP: qp})
	case p.marking && mine:
		p.marking = false
		if !p.waiting {
			r.send(qp)
		}
	}
}

// Resent ends the sending, if it is the last that is answered.
func (r *Reference) Resent(qp, number int) {
	p := r.pair(qp)
	if !p.sending || number != p.number {
		return
	}
	p.held, p.sending = false, false
	r.start(p)
	r.tell(Told{What: "wake", QP: qp})
}

// Fault says that the payload of a packet that was to be sent again is not to be had.
func (r *Reference) Fault(qp int, psn uint32, vendor format.VendorCode) {
	if p := r.pair(qp); psn == p.psn && !p.dead {
		r.fail(qp, format.StatusLocProt, vendor)
	}
}

// Tick is 4.096 us later; waits says whose packets wait.
func (r *Reference) Tick(waits func(qp int) bool) {
	r.Now++
	for _, qp := range slices.Sorted(maps.Keys(r.pairs)) {
		p := r.pairs[qp]
		if p.timer == 0 {
			continue
		}
		switch {
		case !p.held && !waits(qp):
			p.timer = 0
		case p.timer > r.Now:
		case p.waiting:
			p.waiting, p.timer = false, 0
			if !p.marking {
				r.send(qp)
			}
		default:
			p.timer = 0
			r.tell(Told{What: "timeout", QP: qp})
			r.restart(qp)
		}
	}
}

func (r *Reference) tell(t Told) { r.Told = append(r.Told, t) }

// Take returns what has been told since the last time, of one kind in the order of queue pairs.
func (r *Reference) Take() []Told {
	told := r.Told
	r.Told = nil
	slices.SortStableFunc(told, func(a, b Told) int { return a.QP - b.QP })
	return told
}
