package script

import (
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/tb/drill/packet"
	"gornic/verbs"
)

var statusNames = func() map[string]verbs.WCStatus {
	m := map[string]verbs.WCStatus{}
	for _, s := range []verbs.WCStatus{
		verbs.StatusSuccess, verbs.StatusLocLen, verbs.StatusLocQPOp, verbs.StatusLocProt, verbs.StatusFlush, verbs.StatusMWBind,
		verbs.StatusBadResp, verbs.StatusLocAccess, verbs.StatusRemInvReq, verbs.StatusRemAccess, verbs.StatusRemOp,
		verbs.StatusRetryExceeded, verbs.StatusRNRExceeded, verbs.StatusFatal, verbs.StatusGeneral,
	} {
		m[s.String()] = s
	}
	return m
}()

var wcNames = func() map[string]verbs.WCOpcode {
	m := map[string]verbs.WCOpcode{}
	for _, o := range []verbs.WCOpcode{
		verbs.WCSend, verbs.WCWrite, verbs.WCRead, verbs.WCCompSwap, verbs.WCFetchAdd, verbs.WCBindMW, verbs.WCLocalInv,
		verbs.WCRegMR, verbs.WCRecv, verbs.WCRecvWrite,
	} {
		m[o.String()] = o
	}
	return m
}()

var eventNames = func() map[string]verbs.EventType {
	m := map[string]verbs.EventType{}
	for _, e := range []verbs.EventType{
		verbs.EventCQErr, verbs.EventQPFatal, verbs.EventQPReqErr, verbs.EventQPAccessErr, verbs.EventCommEst, verbs.EventSQDrained,
	} {
		m[e.String()] = e
	}
	return m
}()

// completionEvent is the name of a completion event among those of asynchronous ones.
const completionEvent = "COMPLETION"

func (r *reader) expectCQE(n *yaml.Node) Action {
	a := ExpectCQE{Statuses: []verbs.WCStatus{verbs.StatusSuccess}}
	optional := func(to **Num, kind packet.Kind, bits int, name string) key {
		return key{name, false, func(n *yaml.Node) { v := r.num(n, name, kind, bits); *to = &v }}
	}
	given := map[string]bool{}
	keys := append([]key{
		r.qpKey(&a.QP, false),
		r.queueKey(func(recv bool) { a.Recv = &recv }),
		optional(&a.WRID, packet.Number, 64, "wr_id"),
		{"status", false, func(n *yaml.Node) {
			a.Statuses = nil
			each(n, func(n *yaml.Node) { a.Statuses = append(a.Statuses, choice(r, n, "status", statusNames)) })
		}},
		{"opcode", false, func(n *yaml.Node) {
			given["opcode"] = true
			each(n, func(n *yaml.Node) { a.Opcodes = append(a.Opcodes, choice(r, n, "opcode", wcNames)) })
		}},
		optional(&a.ByteLen, packet.Number, 32, "byte_len"),
		optional(&a.Imm, packet.Number, 32, "imm_data"),
		optional(&a.InvRKey, packet.Key, 32, "invalidated_rkey"),
		{"wc_flags", false, func(n *yaml.Node) { v := set(r, n, "wc_flags", wcFlagNames); a.Flags = &v }},
	}, r.timesKeys(&a.Times)...)
	r.mapping(n, "expect_cqe", keys...)
	if !slices.Contains(a.Statuses, verbs.StatusSuccess) && (given["opcode"] || a.ByteLen != nil || a.Imm != nil || a.Flags != nil || a.InvRKey != nil) {
		r.fail(n, "status", "an error completion has wr_id and status alone: expected no other field")
	}
	r.checkCQE(n, &a)
	return a
}

// checkCQE checks that there is a work request that may complete, and finds out in which queue it is.
func (r *reader) checkCQE(n *yaml.Node, a *ExpectCQE) {
	track := r.alive(n, a.QP)
	if track == nil {
		return
	}
	if a.WRID == nil {
		if a.Recv == nil {
			r.fail(n, "queue", "missing: expected send or recv where there is no wr_id")
		}
		return
	}
	id, plain := a.WRID.Constant()
	if !plain {
		if a.Recv == nil {
			r.fail(n, "queue", "missing: expected send or recv where wr_id is no plain number")
		}
		return
	}
	sent, received := track.posted[wrKey{false, id}], track.posted[wrKey{true, id}]
	switch {
	case a.Recv == nil && sent && received:
		r.fail(n, "queue", "missing: work requests with wr_id %d were posted to both queues", id)
	case a.Recv == nil && (sent || received):
		a.Recv = &received
	case track.any || a.Recv != nil && track.posted[wrKey{*a.Recv, id}]:
		if a.Recv == nil {
			r.fail(n, "queue", "missing: expected send or recv, as wr_id %d is no number that stands in the file", id)
		}
	default:
		r.fail(n, "wr_id", "%d was not posted to %q before this step: expected one of %s", id, a.QP, track.ids())
	}
}

// ids are the numbers of work requests that were posted.
func (t *qpTrack) ids() string {
	var words []string
	for _, k := range slices.SortedFunc(maps.Keys(t.posted), func(a, b wrKey) int { return int(a.id) - int(b.id) }) {
		words = append(words, Plain(k.id).String())
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

func (r *reader) expectNoCQE(n *yaml.Node) Action {
	var a ExpectNoCQE
	a.QP, a.For = r.nothing(n, "expect_no_cqe")
	return a
}

func (r *reader) expectNoEvent(n *yaml.Node) Action {
	var a ExpectNoEvent
	a.QP, a.For = r.nothing(n, "expect_no_event")
	return a
}

// nothing reads how long something must not come, of a queue pair or of any.
func (r *reader) nothing(n *yaml.Node, what string) (qp string, t Time) {
	if n.Kind == yaml.ScalarNode {
		return "", r.time(n, what)
	}
	r.mapping(n, what,
		key{"qp", false, func(n *yaml.Node) { qp = r.qp(n, false) }},
		key{"for", true, func(n *yaml.Node) { t = r.time(n, "for") }},
	)
	return qp, t
}

func (r *reader) expectEvent(n *yaml.Node) Action {
	var a ExpectEvent
	keys := append([]key{
		r.qpKey(&a.QP, false),
		{"event", true, func(n *yaml.Node) { each(n, func(n *yaml.Node) { r.event(n, &a) }) }},
		r.queueKey(func(recv bool) { a.Recv = recv }),
	}, r.timesKeys(&a.Times)...)
	r.mapping(n, "expect_event", keys...)
	r.alive(n, a.QP)
	return a
}

func (r *reader) event(n *yaml.Node, a *ExpectEvent) {
	if n.Value == completionEvent {
		a.Completion = true
		return
	}
	e, ok := eventNames[n.Value]
	if !ok {
		r.fail(n, "event", "%s: expected %s or one of %s", shown(n), completionEvent, strings.Join(slices.Sorted(maps.Keys(eventNames)), ", "))
	}
	a.Event = append(a.Event, e)
}

func (r *reader) expectMemory(n *yaml.Node) Action {
	var a ExpectMemory
	keys := append(r.place(&a.MR, &a.Offset),
		key{"data", false, func(n *yaml.Node) { d := r.data(n, "data"); a.Data = &d }},
		key{"unchanged", false, func(n *yaml.Node) { a.Unchanged = r.bool(n, "unchanged") }},
	)
	keys = append(keys, r.timesKeys(&a.Times)...)
	r.mapping(n, "expect_memory", keys...)
	switch {
	case a.Unchanged == (a.Data != nil):
		r.fail(n, "data", "expected either data or unchanged: true")
	case a.Unchanged && a.Offset.Given():
		r.fail(n, "offset", "unchanged is of the whole region: expected no offset")
	}
	return a
}

// qpFields are the numbers of a queue pair that may be expected: those of verbs.QPStatus.
var qpFields = []string{"sq_psn", "oldest_psn", "rq_psn", "msn"}

func (r *reader) expectQP(n *yaml.Node) Action {
	var a ExpectQP
	keys := []key{
		r.qpKey(&a.QP, false),
		{"qp_state", false, func(n *yaml.Node) { s := choice(r, n, "qp_state", stateNames); a.State = &s }},
	}
	for _, name := range qpFields {
		kind := packet.PSN
		if name == "msn" {
			kind = packet.Number
		}
		keys = append(keys, key{name, false, func(n *yaml.Node) {
			a.Fields = append(a.Fields, QPField{name, r.num(n, name, kind, 24)})
		}})
	}
	r.mapping(n, "expect_qp", append(keys, r.timesKeys(&a.Times)...)...)
	r.alive(n, a.QP)
	return a
}

func (r *reader) expectCounter(n *yaml.Node) Action {
	var a ExpectCounter
	var keys []key
	for name, c := range counterNames() {
		keys = append(keys, key{name, false, func(n *yaml.Node) {
			d := CounterDelta{Line: n.Line, Counter: c}
			if n.Kind == yaml.MappingNode {
				r.mapping(n, name, key{"at_least", true, func(n *yaml.Node) { d.Low, d.AtLeast = r.number(n, name), true }})
			} else {
				d.Low = r.number(n, name)
			}
			a.Counters = append(a.Counters, d)
		}})
	}
	slices.SortFunc(keys, func(x, y key) int { return strings.Compare(x.name, y.name) })
	r.mapping(n, "expect_counter", keys...)
	return a
}
