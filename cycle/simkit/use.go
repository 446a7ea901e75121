package simkit

import "sort"

// Use is where the cycles of a component went: it works, it waits for somebody, or it has nothing to do.
type Use struct {
	Items   int64 // that it has dealt with, as it says itself
	since   Cycle // up to which cycle all has been accounted for
	until   Cycle // it works until then
	why     int   // index of what it waits for behind that, -1: nothing
	working int64
	idle    int64
	names   []string
	waited  []int64
}

// Waited is how long a component waited for something.
type Waited struct {
	For    string
	Cycles Cycle
}

// begin accounts for the time since the last step.
func (u *Use) begin(now Cycle) {
	if now <= u.since {
		return
	}
	if worked := min(now, u.until) - u.since; worked > 0 {
		u.working += worked
		u.since += worked
	}
	if rest := now - u.since; rest > 0 {
		if u.why >= 0 && u.why < len(u.waited) {
			u.waited[u.why] += rest
		} else {
			u.idle += rest
		}
		u.since = now
	}
	u.why = -1
}

// waits tells what is waited for behind the work at hand, and since when; "" if for nothing.
func (u *Use) waits() (string, Cycle) {
	if u.why < 0 || u.why >= len(u.names) {
		return "", 0
	}
	return u.names[u.why], max(u.since, u.until)
}

func (u *Use) busy(until Cycle) { u.until = max(u.until, until) }

func (u *Use) stall(what string) {
	for i, n := range u.names {
		if n == what {
			u.why = i
			return
		}
	}
	u.names, u.waited = append(u.names, what), append(u.waited, 0)
	u.why = len(u.names) - 1
}

// Total is the account up to a cycle: how long it worked, how long it had nothing to do, and for whom it waited, most first.
func (u *Use) Total(now Cycle) (busy, idle Cycle, waited []Waited) {
	copied := *u
	copied.waited = append([]int64(nil), u.waited...)
	copied.begin(now)
	for i, n := range copied.names {
		if copied.waited[i] > 0 {
			waited = append(waited, Waited{n, copied.waited[i]})
		}
	}
	sort.SliceStable(waited, func(i, j int) bool { return waited[i].Cycles > waited[j].Cycles })
	return copied.working, copied.idle, waited
}

// Reset begins the account anew.
func (u *Use) Reset(now Cycle) {
	*u = Use{since: now, until: u.until, why: -1}
}
