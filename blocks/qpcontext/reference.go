package qpcontext

import "gornic/format"

// Pair is a queue pair.
type Pair struct {
	Exists bool
	State  format.QPState
	Rest   any
}

// Reference is the block in plain Go, without time.
type Reference struct{ Pairs map[int]Pair }

// Write makes a queue pair, and reports whether it died by that.
func (r *Reference) Write(qp int, p Pair) (died bool) {
	was := r.Pairs[qp]
	if was.Exists && was.State == format.QPError && p.State != format.QPReset {
		p.State = format.QPError
	}
	r.Pairs[qp] = p
	return p.Exists && p.State == format.QPError && was.State != format.QPError
}

// Fault moves a queue pair to ERR, and reports whether it died by that.
func (r *Reference) Fault(qp int) (died bool) {
	p := r.Pairs[qp]
	if !p.Exists || p.State == format.QPReset || p.State == format.QPError {
		return false
	}
	p.State = format.QPError
	r.Pairs[qp] = p
	return true
}
