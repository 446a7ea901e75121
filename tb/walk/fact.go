package walk

import (
	"cmp"
	"fmt"
	"slices"
)

// fact is a step while it is checked: what it rests on, and what was wrong first.
type fact struct {
	plays map[string]*play
	marks map[string]Seen // that earlier steps left, by play and name
	cycle uint64          // of the last observation
	lines []Line
	used  []used
	err   error
}

// Line is a thing that was seen, in words.
type Line struct {
	Play  string // empty where a walk has one
	Cycle uint64 // 0: what was not seen, over some time
	Where Where
	Text  string
}

func (l Line) String() string {
	text := l.Text
	if l.Cycle != 0 {
		text = fmt.Sprintf("%s at %d: %s", l.Where, l.Cycle, text)
	}
	if l.Play != "" {
		text = "[" + l.Play + "] " + text
	}
	return text
}

// used is an observation that a fact rests on, with the values it had to have.
type used struct {
	play  string
	order int
	is    []Value
}

// fail tells that the fact is none. The first reason counts.
func (f *fact) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// in reads a play.
func (f *fact) in(name string) *reading {
	p := f.plays[name]
	if p == nil {
		f.fail("there is no play %q", name)
		p = &play{name: name}
	}
	return &reading{fact: f, play: p}
}

// reading is a fact that looks into a play, or into the turn of one work request of A in
// it. Once the fact has failed, nothing is found any more.
type reading struct {
	*fact
	*play
	wqe         uint64 // index of the work request
	from, until Seen   // behind from and before until; without until: to the end
}

// turn reads what happens from when A posts its work request of an index, until it posts
// the next one.
func (r *reading) turn(wqe int) *reading {
	posts := r.between(start, r.end(), on(A, "posts send WQE"))
	part := &reading{fact: r.fact, play: r.play, wqe: uint64(wqe)}
	if wqe >= len(posts) {
		r.fail("%swork request %d of A not seen", r.label(), wqe)
		return part
	}
	part.from = Seen{Cycle: posts[wqe].Cycle, order: posts[wqe].order - 1}
	if wqe+1 < len(posts) {
		part.until = posts[wqe+1]
	}
	return part
}

// after finds the first observation behind another that is wanted. If there is none,
// or it is not as it must be, the fact is none.
func (r *reading) after(s Seen, w want) Seen {
	if r.err != nil {
		return Seen{}
	}
	for _, next := range r.log[s.order:] {
		if w.picks(next) {
			return r.judge(next, w)
		}
	}
	r.fail("%snot seen behind cycle %d: %v %v", r.label(), s.Cycle, w, w.is)
	return Seen{}
}

func (r *reading) judge(s Seen, w want) Seen {
	if what := differ(s, w.is); what != "" {
		r.fail("%s%v: %s", r.label(), s, what)
		return Seen{}
	}
	r.cycle = max(r.cycle, s.Cycle)
	r.used = append(r.used, used{r.play.name, s.order, slices.Concat(w.of, w.is)})
	return s
}

// label names the play in a complaint.
func (r *reading) label() string {
	if len(r.plays) < 2 {
		return ""
	}
	return "[" + r.play.name + "] "
}

// begin is before everything that is read, and end behind.
func (r *reading) begin() Seen { return r.from }

func (r *reading) end() Seen {
	if r.until.order > 0 {
		return r.until
	}
	return Seen{order: len(r.log) + 1}
}

// between are the observations strictly between two others that are wanted.
func (r *reading) between(from, to Seen, w want) []Seen {
	var all []Seen
	if from.order < to.order {
		for _, s := range r.log[from.order : to.order-1] {
			if w.picks(s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// never makes sure that nothing of this is between two observations.
func (r *reading) never(from, to Seen, unwanted ...want) {
	for _, w := range unwanted {
		if all := r.between(from, to, w); len(all) > 0 {
			r.fail("%sunexpected: %v", r.label(), all[0])
		}
	}
}

// count makes sure how many are between two observations.
func (r *reading) count(from, to Seen, n int, w want) {
	if all := r.between(from, to, w); len(all) != n && r.err == nil {
		r.fail("%s%d times between cycles %d and %d, expected %d: %v", r.label(), len(all), from.Cycle, to.Cycle, n, w)
	}
}

// order makes sure that one observation came before the next.
func (r *reading) order(first Seen, then ...Seen) {
	for _, s := range then {
		if r.err == nil && first.order >= s.order {
			r.fail("%s%v is not before %v", r.label(), first, s)
		}
		first = s
	}
}

// covers makes sure that accesses between two observations touch each of size bytes from
// at on once, and returns the last of them with their data put together. Accesses
// that begin elsewhere are others'.
func (r *reading) covers(from, to Seen, w want, at, size uint64) Seen {
	if r.err != nil {
		return Seen{}
	}
	all := slices.DeleteFunc(r.between(from, to, w), func(s Seen) bool { return s.Get("at")-at >= size })
	slices.SortStableFunc(all, func(a, b Seen) int { return cmp.Compare(a.Get("at"), b.Get("at")) })
	last, next := Seen{}, at
	var data []byte
	for _, s := range all {
		if s.Get("at") != next {
			r.fail("%s%v: byte %d, expected %d", r.label(), s, s.Get("at"), next)
			return Seen{}
		}
		next += s.Get("bytes")
		data = append(data, s.Data...)
		r.judge(s, w.must(val("at", s.Get("at")), val("bytes", s.Get("bytes"))))
		if s.order > last.order {
			last = s
		}
	}
	if next != at+size {
		r.fail("%s%v: %d bytes from %d on, between cycles %d and %d, expected %d", r.label(), w, next-at, at, from.Cycle, to.Cycle, size)
		return Seen{}
	}
	last.Data = data
	return last
}

// same makes sure that bytes are as expected.
func (r *reading) same(what string, got, want []byte) {
	if r.err != nil {
		return
	}
	if len(got) != len(want) {
		r.fail("%s%s has %d bytes, expected %d", r.label(), what, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			r.fail("%sbyte %d of %s is %#02x, expected %#02x", r.label(), i, what, got[i], want[i])
			return
		}
	}
}

// mark keeps an observation for later steps, and marked returns it.
func (r *reading) mark(name string, s Seen) Seen {
	r.marks[r.play.name+"/"+name] = s
	return s
}

func (r *reading) marked(name string) Seen { return r.marks[r.play.name+"/"+name] }

// saw puts an observation into words.
func (r *reading) saw(s Seen, format string, args ...any) {
	r.tell(Line{Cycle: s.Cycle, Where: s.Where, Text: fmt.Sprintf(format, args...)})
}

// noted puts into words what was not seen, or what several observations say.
func (r *reading) noted(format string, args ...any) { r.tell(Line{Text: fmt.Sprintf(format, args...)}) }

func (r *reading) tell(l Line) {
	if r.err != nil {
		return
	}
	if len(r.plays) > 1 {
		l.Play = r.play.name
	}
	r.lines = append(r.lines, l)
}
