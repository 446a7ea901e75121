package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gornic/tb/drill/script"
	"gornic/verbs"
)

// poll takes a completion of a queue, if there is one. No more than steps ask for are taken, so that a case can let a
// completion queue overflow.
func (p *player) poll(ctx context.Context, q *queuePair, queue int) error {
	if q.qp == nil {
		return nil
	}
	var wc [1]verbs.WC
	n, err := q.cqs[queue].Poll(ctx, wc[:])
	q.cqes[queue] = append(q.cqes[queue], wc[:n]...)
	if errors.Is(err, verbs.ErrDevice) {
		return &Failure{Expected: "completions of what was posted", Came: err.Error()}
	}
	return err
}

// anyCQE tells whether a completion waits, of any queue.
func (p *player) anyCQE(ctx context.Context) (bool, error) {
	for _, q := range p.pairs() {
		for queue := range q.cqes {
			if len(q.cqes[queue]) == 0 {
				if err := p.poll(ctx, q, queue); err != nil {
					return false, err
				}
			}
			if len(q.cqes[queue]) > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// expectCQE expects the next completion of a queue.
func (p *player) expectCQE(ctx context.Context, s script.Step, a script.ExpectCQE) error {
	q, w, queue := p.qps[a.QP], p.windowOf(a.Times), queueOf(*a.Recv)
	came, err := p.await(w.until, func() (bool, error) {
		if len(q.cqes[queue]) == 0 {
			if err := p.poll(ctx, q, queue); err != nil {
				return false, err
			}
		}
		return len(q.cqes[queue]) > 0, nil
	})
	if err != nil {
		return err
	}
	if !came {
		return &Failure{Expected: wantedCQE(&a), Came: fmt.Sprintf("none, until %s", p.elapsed(p.m.now(), w.since))}
	}
	wc := q.cqes[queue][0]
	diffs, err := p.compareCQE(q, &a, wc)
	if err != nil {
		return err
	}
	if !a.After.Zero() && p.m.now() < w.after {
		diffs = append(diffs, Difference{"time", "no earlier than " + a.After.Text, p.elapsed(p.m.now(), w.since)})
	}
	if len(diffs) > 0 {
		return &Failure{Expected: wantedCQE(&a), Came: cqeWords(wc), Differences: diffs}
	}
	p.trace(s.Line, "completion  %s", cqeWords(wc))
	q.cqes[queue] = q.cqes[queue][1:]
	return nil
}

// compareCQE compares a completion with what is expected.
func (p *player) compareCQE(q *queuePair, a *script.ExpectCQE, wc verbs.WC) (all []Difference, err error) {
	e := p.env(q)
	number := func(name string, want *script.Num, got uint64) {
		if want == nil || err != nil {
			return
		}
		var v uint64
		if v, err = want.Eval(e); err == nil && v != got {
			all = append(all, Difference{name, fmt.Sprintf("%d (%#x)", v, v), fmt.Sprintf("%d (%#x)", got, got)})
		}
	}
	number("wr_id", a.WRID, wc.WRID)
	if !slices.Contains(a.Statuses, wc.Status) {
		all = append(all, Difference{"status", names(a.Statuses), wc.Status.String()})
	}
	if wc.QPN != q.number {
		all = append(all, Difference{"qp_num", fmt.Sprintf("%#x", q.number), fmt.Sprintf("%#x", wc.QPN)})
	}
	if wc.Status != verbs.StatusSuccess {
		return all, err
	}
	if len(a.Opcodes) > 0 && !slices.Contains(a.Opcodes, wc.Opcode) {
		all = append(all, Difference{"opcode", names(a.Opcodes), wc.Opcode.String()})
	}
	number("byte_len", a.ByteLen, uint64(wc.ByteLen))
	number("imm_data", a.Imm, uint64(wc.Imm))
	number("invalidated_rkey", a.InvRKey, uint64(wc.InvalidatedRKey))
	if a.Flags != nil && *a.Flags != wc.Flags {
		all = append(all, Difference{"wc_flags", fmt.Sprint(*a.Flags), fmt.Sprint(wc.Flags)})
	}
	return all, err
}

// names are values by their names.
func names[T fmt.Stringer](all []T) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = v.String()
	}
	return strings.Join(words, " or ")
}

func wantedCQE(a *script.ExpectCQE) string {
	queue := "send"
	if *a.Recv {
		queue = "recv"
	}
	text := "a completion of the " + queue + " queue"
	if a.WRID != nil {
		text += ", wr_id " + a.WRID.String()
	}
	return text + ", " + names(a.Statuses)
}

func cqeWords(wc verbs.WC) string {
	text := fmt.Sprintf("wr_id %d, %v", wc.WRID, wc.Status)
	if wc.Status != verbs.StatusSuccess {
		return text + fmt.Sprintf(" (%v)", wc.Vendor)
	}
	text += fmt.Sprintf(", %v, byte_len %d", wc.Opcode, wc.ByteLen)
	if wc.Flags&verbs.WCWithImm != 0 {
		text += fmt.Sprintf(", imm_data %#08x", wc.Imm)
	}
	if wc.Flags&verbs.WCWithInv != 0 {
		text += fmt.Sprintf(", invalidated_rkey %#x", wc.InvalidatedRKey)
	}
	return text
}

// expectNoCQE expects that no completion comes.
func (p *player) expectNoCQE(ctx context.Context, a script.ExpectNoCQE) error {
	look := func() (*verbs.WC, error) {
		if _, err := p.anyCQE(ctx); err != nil {
			return nil, err
		}
		for _, q := range p.pairs() {
			for queue := range q.cqes {
				if (a.QP == "" || a.QP == q.Name) && len(q.cqes[queue]) > 0 {
					return &q.cqes[queue][0], nil
				}
			}
		}
		return nil, nil
	}
	var found *verbs.WC
	err := p.quiet(a.For, func() (ok bool, err error) {
		found, err = look()
		return found != nil, err
	})
	if err == nil && found != nil {
		return &Failure{Expected: "no completion for " + a.For.Text, Came: cqeWords(*found)}
	}
	return err
}

// expectMemory expects a region to hold something, or to become so.
func (p *player) expectMemory(a script.ExpectMemory) error {
	r, w := p.mrs[a.MR], p.windowOf(a.Times)
	offset, want := 0, append([]byte(nil), r.shadow...)
	if !a.Unchanged {
		var err error
		if offset, want, err = p.piece(r, a.Offset, *a.Data); err != nil {
			return err
		}
	}
	got := make([]byte, len(want))
	same, err := p.await(w.until, func() (bool, error) {
		err := p.m.Read(r.addr+uint64(offset), got)
		return bytes.Equal(got, want), err
	})
	if err != nil {
		return err
	}
	if !same {
		what := fmt.Sprintf("region %s from %d on", a.MR, offset)
		field, wanted, came := differentBytes("data", want, got)
		return &Failure{Expected: fmt.Sprintf("%d bytes in %s", len(want), what), Came: "others", Differences: []Difference{{field, wanted, came}}}
	}
	copy(r.shadow[offset:], want)
	return nil
}

// expectQP expects a queue pair to be in a state, or to come to it.
func (p *player) expectQP(ctx context.Context, a script.ExpectQP) error {
	q, w := p.qps[a.QP], p.windowOf(a.Times)
	var diffs []Difference
	var status verbs.QPStatus
	same, err := p.await(w.until, func() (ok bool, err error) {
		if status, err = q.qp.Status(ctx); err != nil {
			return false, err
		}
		diffs, err = p.compareQP(q, &a, status)
		return len(diffs) == 0, err
	})
	if err != nil || same {
		return err
	}
	return &Failure{
		Expected: "a state of " + a.QP, Differences: diffs,
		Came: fmt.Sprintf("%v, sq_psn %#x, oldest_psn %#x, rq_psn %#x, msn %#x", status.State, status.NextPSN, status.OldestPSN, status.ExpPSN, status.MSN),
	}
}

func (p *player) compareQP(q *queuePair, a *script.ExpectQP, s verbs.QPStatus) (all []Difference, err error) {
	if a.State != nil && *a.State != s.State {
		all = append(all, Difference{"qp_state", a.State.String(), s.State.String()})
	}
	for _, f := range a.Fields {
		from := q.attr.SQPSN
		if f.Name == "rq_psn" {
			from = q.attr.RQPSN
		}
		want, err := f.Num.Eval(p.env(q).counting(from))
		if err != nil {
			return nil, err
		}
		got := map[string]uint32{"sq_psn": s.NextPSN, "oldest_psn": s.OldestPSN, "rq_psn": s.ExpPSN, "msn": s.MSN}[f.Name]
		if uint64(got) != want {
			all = append(all, Difference{f.Name, fmt.Sprintf("%#x (%v)", want, f.Num), fmt.Sprintf("%#x (%+d)", got, distance(got, from))})
		}
	}
	return all, nil
}

// countFrom notes what the counters are that steps look at.
func (p *player) countFrom(ctx context.Context) error {
	for _, i := range p.c.Counters() {
		v, err := p.dev.Counter(ctx, i)
		if err != nil {
			return err
		}
		p.counters[i] = v
	}
	return nil
}

// expectCounter expects counters to have moved since they were looked at.
func (p *player) expectCounter(ctx context.Context, a script.ExpectCounter) error {
	var diffs []Difference
	_, err := p.await(p.m.now()+calm, func() (ok bool, err error) {
		diffs, err = p.compareCounters(ctx, &a)
		return len(diffs) == 0, err
	})
	switch {
	case err != nil:
		return err
	case len(diffs) > 0:
		return &Failure{Expected: "counters to have moved", Came: "other numbers", Differences: diffs}
	}
	for _, d := range a.Counters {
		if p.counters[d.Counter], err = p.dev.Counter(ctx, d.Counter); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) compareCounters(ctx context.Context, a *script.ExpectCounter) (all []Difference, err error) {
	for _, d := range a.Counters {
		v, err := p.dev.Counter(ctx, d.Counter)
		if err != nil {
			return nil, err
		}
		want, err := d.Low.Eval(p.env(nil))
		if err != nil {
			return nil, err
		}
		moved := uint64(v - p.counters[d.Counter])
		if moved == want || d.AtLeast && moved > want {
			continue
		}
		text := fmt.Sprint(want)
		if d.AtLeast {
			text = "at least " + text
		}
		all = append(all, Difference{d.Counter.String(), text, fmt.Sprint(moved)})
	}
	return all, nil
}
