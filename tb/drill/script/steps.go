package script

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// qpTrack is what is known of a queue pair before the case is played.
type qpTrack struct {
	state  stateOf
	gone   int            // line where it was destroyed; 0: it is there
	posted map[wrKey]bool // work requests with plain numbers
	any    bool           // there are some whose number is not plain
}

// wrKey names a work request.
type wrKey struct {
	recv bool
	id   uint64
}

// verbOf reads the value of a step's verb.
type verbOf func(r *reader, n *yaml.Node) Action

// verbTable has the verbs of steps. It is a function as Repeat has steps, too.
func verbTable() map[string]verbOf {
	return map[string]verbOf{
		"post_send":       (*reader).postSend,
		"post_recv":       (*reader).postRecv,
		"modify_qp":       (*reader).modifyQP,
		"destroy_qp":      (*reader).destroyQP,
		"create_qp":       (*reader).createQP,
		"dereg_mr":        (*reader).deregMR,
		"write_memory":    (*reader).writeMemory,
		"inject_fault":    (*reader).injectFault,
		"hold_wire":       func(r *reader, n *yaml.Node) Action { return HoldWire{r.bool(n, "hold_wire")} },
		"write_register":  (*reader).writeRegister,
		"req_notify_cq":   (*reader).reqNotify,
		"send_packet":     (*reader).sendPacket,
		"send_raw":        (*reader).sendRaw,
		"wait":            (*reader).wait,
		"expect_packet":   (*reader).expectPacket,
		"expect_nothing":  (*reader).expectNothing,
		"expect_cqe":      (*reader).expectCQE,
		"expect_no_cqe":   (*reader).expectNoCQE,
		"expect_event":    (*reader).expectEvent,
		"expect_no_event": (*reader).expectNoEvent,
		"expect_memory":   (*reader).expectMemory,
		"expect_qp":       (*reader).expectQP,
		"expect_counter":  (*reader).expectCounter,
		"repeat":          (*reader).repeat,
	}
}

// Verbs returns the verbs that a step may have.
func Verbs() []string { return slices.Sorted(maps.Keys(verbTable())) }

func (r *reader) steps(n *yaml.Node) (all []Step) {
	r.list(n, "steps", func(n *yaml.Node) {
		if s, ok := r.step(n); ok {
			all = append(all, s)
		}
	})
	return all
}

// step reads a step: a verb with its value, and perhaps a label.
func (r *reader) step(n *yaml.Node) (Step, bool) {
	outer := r.verb
	defer func() { r.verb = outer }()
	r.verb = ""
	s := Step{Line: n.Line}
	verbs := verbTable()
	if n.Kind != yaml.MappingNode {
		r.fail(n, "steps", "%s: expected a verb with its value: one of %s", shown(n), strings.Join(Verbs(), ", "))
		return s, false
	}
	var value *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], resolve(n.Content[i+1])
		switch {
		case k.Value == "label":
			s.Label = r.text(v, "label")
		case verbs[k.Value] == nil:
			r.fail(k, k.Value, "unknown as a step: expected one of %s", strings.Join(Verbs(), ", "))
			return s, false
		case value != nil:
			r.fail(k, k.Value, "a second verb beside %s: expected a step of its own", s.Verb)
			return s, false
		default:
			s.Verb, value, s.Line = k.Value, v, k.Line
		}
	}
	if value == nil {
		r.fail(n, "steps", "no verb: expected one of %s", strings.Join(Verbs(), ", "))
		return s, false
	}
	r.verb = s.Verb
	before := len(r.mistakes)
	s.Do = verbs[s.Verb](r, value)
	if s.Label != "" {
		if r.labels[s.Label] != "" {
			r.fail(n, "label", "%q is taken: expected a label of its own", s.Label)
		}
		r.labels[s.Label] = s.Verb
	}
	return s, len(r.mistakes) == before
}

// repeat reads steps that are played several times.
func (r *reader) repeat(n *yaml.Node) Action {
	var a Repeat
	var steps *yaml.Node
	r.mapping(n, "repeat",
		key{"times", true, func(n *yaml.Node) { a.Times = int(r.whole(n, "times", 1, 1<<25)) }},
		key{"steps", true, func(n *yaml.Node) { steps = n }},
	)
	if steps != nil {
		r.loops++
		a.Steps = r.steps(steps)
		r.loops--
	}
	return a
}

// qpKey is the key "qp". Without it a case's only queue pair is meant.
func (r *reader) qpKey(name *string, gone bool) key {
	if len(r.c.QPs) == 1 {
		*name = r.c.QPs[0].Name
	}
	return key{"qp", len(r.c.QPs) > 1, func(n *yaml.Node) { *name = r.qp(n, gone) }}
}

// qp reads the name of a queue pair, which has been destroyed, or not.
func (r *reader) qp(n *yaml.Node, gone bool) string {
	track := r.qps[n.Value]
	switch {
	case n.Kind != yaml.ScalarNode || track == nil:
		r.fail(n, "qp", "%s: no such queue pair: expected one of %s", shown(n), strings.Join(r.qpNames(), ", "))
		return ""
	case !gone && track.gone > 0:
		r.fail(n, "qp", "%q was destroyed on line %d: expected one that is there", n.Value, track.gone)
	case gone && track.gone == 0:
		r.fail(n, "qp", "%q has not been destroyed: expected one that was", n.Value)
	}
	return n.Value
}

func (r *reader) qpNames() []string {
	names := make([]string, len(r.c.QPs))
	for i, q := range r.c.QPs {
		names[i] = q.Name
	}
	return names
}

// alive checks the queue pair that is meant, where its name was left out.
func (r *reader) alive(n *yaml.Node, name string) *qpTrack {
	track := r.qps[name]
	if track != nil && track.gone > 0 {
		r.fail(n, "qp", "%q was destroyed on line %d: expected one that is there", name, track.gone)
	}
	return track
}

// timesKeys are the keys of Times.
func (r *reader) timesKeys(t *Times) []key {
	return []key{
		{"since", false, func(n *yaml.Node) { t.Since = r.label(n, "since") }},
		{"after", false, func(n *yaml.Node) { t.After = r.time(n, "after") }},
		{"within", false, func(n *yaml.Node) { t.Within = r.time(n, "within") }},
	}
}

// label reads the label of a step before.
func (r *reader) label(n *yaml.Node, field string) string {
	if n.Kind != yaml.ScalarNode || r.labels[n.Value] == "" {
		r.fail(n, field, "%s: expected the label of a step before this one%s", shown(n), r.labelWords())
	}
	return n.Value
}

func (r *reader) labelWords() string {
	if len(r.labels) == 0 {
		return "; no step has one"
	}
	return ": " + strings.Join(slices.Sorted(maps.Keys(r.labels)), ", ")
}

func (r *reader) sendRaw(n *yaml.Node) Action {
	b, err := hex.DecodeString(strings.Join(strings.Fields(n.Value), ""))
	if n.Kind != yaml.ScalarNode || err != nil || len(b) == 0 {
		r.fail(n, "send_raw", "%s: expected the bytes of a frame in hexadecimal, without FCS", shown(n))
	}
	return SendRaw{b}
}

// wait reads how long, or until what.
func (r *reader) wait(n *yaml.Node) Action {
	var a Wait
	if n.Kind == yaml.ScalarNode {
		a.For = r.time(n, "wait")
		return a
	}
	r.mapping(n, "wait",
		key{"until", true, func(n *yaml.Node) {
			a.Until = choice(r, n, "until", map[string]string{"packet": "packet", "cqe": "cqe", "event": "event"})
		}},
		key{"within", true, func(n *yaml.Node) { a.For = r.time(n, "within") }},
	)
	return a
}
