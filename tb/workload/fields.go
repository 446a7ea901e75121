package workload

import (
	"fmt"
	"math"

	"gopkg.in/yaml.v3"

	"gornic/format"
)

const (
	percent    = 100
	depthMax   = 1 << 15
	readsMax   = 64
	readsUsual = 2 // which every configuration has
)

// Words of the fields that have a choice, in the order of their constants.
var (
	pathMTUs      = []string{"256", "512", "1024", "2048", "4096"}
	distributions = []string{"uniform", "log_uniform"} // from Uniform on
	arrivals      = []string{"closed", "every", "poisson"}
)

func (r *reader) workload(n *yaml.Node) Workload {
	w := Workload{Signaled: percent, Batch: Range{1, 1}}
	o := r.object(n, "")
	if o == nil {
		return w
	}
	w.Direction = Direction(o.choice("direction", directions))
	w.Messages = o.number("messages", 1, math.MaxInt32)
	for i, n := range o.list("queue_pairs") {
		w.QueuePairs = append(w.QueuePairs, r.queuePairs(n, fmt.Sprintf("queue_pairs[%d]", i)))
	}
	if n := o.need("operations", "weights of operations"); n != nil {
		w.Operations = r.operations(n)
	}
	if n := o.need("sizes", "a number of bytes, a list of them, or a distribution"); n != nil {
		w.Sizes = r.sizes(n)
	}
	w.Inline = o.numberOr("inline", 0, percent, 0)
	w.Signaled = o.numberOr("signaled", 0, percent, w.Signaled)
	w.Solicited = o.numberOr("solicited", 0, percent, 0)
	if o.has("batch") {
		w.Batch = r.span(o.values["batch"], "batch", 1, depthMax)
	}
	if o.has("arrival") {
		w.Arrival = r.arrival(o.values["arrival"])
	}
	if o.has("faults") {
		for i, n := range o.list("faults") {
			w.Rules = append(w.Rules, r.rule(n, fmt.Sprintf("faults[%d]", i)))
		}
	}
	if o.has("outages") {
		for i, n := range o.list("outages") {
			w.Outages = append(w.Outages, r.outage(n, fmt.Sprintf("outages[%d]", i)))
		}
	}
	o.done()
	return w
}

func (r *reader) queuePairs(n *yaml.Node, path string) QueuePairs {
	var q QueuePairs
	o := r.object(n, path)
	if o == nil {
		return q
	}
	q.Count = o.number("count", 1, 1<<16)
	q.PathMTU = 256 << o.choice("path_mtu", pathMTUs)
	q.IP = 4 + 2*o.choice("ip", []string{"4", "6"})
	most := format.SendSGEs(format.LogStrideMax)
	q.SendSGEs = o.numberOr("send_sges", 1, most, format.SendSGEs(0))
	q.RecvSGEs = o.numberOr("recv_sges", 1, format.RecvSGEs(format.LogStrideMax), format.RecvSGEs(0))
	q.Reads = o.numberOr("reads", 1, readsMax, readsUsual)
	q.Depth = o.numberOr("depth", 1, depthMax, 16)
	if q.Depth&(q.Depth-1) != 0 {
		r.fail(r.lines[o.name("depth")], o.name("depth"), "%d: expected a power of two", q.Depth)
	}
	o.done()
	return q
}

func (r *reader) operations(n *yaml.Node) Operations {
	var ops Operations
	o := r.object(n, "operations")
	if o == nil {
		return ops
	}
	const most = 1_000_000
	for _, x := range operations {
		*x.weight(&ops) = o.numberOr(x.name, 0, most, 0)
	}
	o.done()
	if ops == (Operations{}) {
		r.fail(n.Line, "operations", "no operation has a weight: expected one of %v", o.asked)
	}
	return ops
}

// sizes reads a number, a list, or a distribution.
func (r *reader) sizes(n *yaml.Node) Sizes {
	s := Sizes{}
	switch n.Kind {
	case yaml.ScalarNode:
		s.List = []int{r.number(n, "sizes", 0, format.MessageMax)}
	case yaml.SequenceNode:
		r.kind("sizes", map[string]any{"type": "array", "minItems": 1})
		for i, e := range n.Content {
			s.List = append(s.List, r.number(e, fmt.Sprintf("sizes[%d]", i), 0, format.MessageMax))
		}
		if len(s.List) == 0 {
			r.fail(n.Line, "sizes", "an empty list: expected at least one number of bytes")
		}
	default:
		o := r.object(n, "sizes")
		if o == nil {
			break
		}
		s.Distribution = Uniform + Distribution(o.choice("distribution", distributions))
		s.Min, s.Max = o.number("min", 0, format.MessageMax), o.number("max", 0, format.MessageMax)
		o.done()
		r.ordered(s.Range, "sizes")
	}
	return s
}

// span reads a number, or a range of them.
func (r *reader) span(n *yaml.Node, path string, low, high int) Range {
	if n.Kind == yaml.ScalarNode {
		v := r.number(n, path, low, high)
		return Range{v, v}
	}
	o := r.object(n, path)
	if o == nil {
		return Range{low, low}
	}
	s := Range{o.number("min", low, high), o.number("max", low, high)}
	o.done()
	r.ordered(s, path)
	return s
}

func (r *reader) ordered(s Range, path string) {
	if s.Min > s.Max {
		r.fail(r.lines[path+".max"], path+".max", "%d: expected min, which is %d, or more", s.Max, s.Min)
	}
}

func (r *reader) arrival(n *yaml.Node) Arrival {
	o := r.object(n, "arrival")
	if o == nil {
		return Arrival{}
	}
	a := Arrival{Kind: ArrivalKind(o.choice("kind", arrivals))}
	switch {
	case a.Kind == Closed:
	case o.has("per_million"):
		a.Rate = o.number("per_million", 1, math.MaxInt32)
	default:
		a.Cycles = o.number("cycles", 1, math.MaxInt32)
	}
	o.done()
	return a
}

// rules are those over more than one field.
func (r *reader) rules(w Workload) {
	for i, q := range w.QueuePairs {
		path := fmt.Sprintf("queue_pairs[%d]", i)
		if w.Sizes.Most() >= q.PathMTU<<23 {
			r.fail(r.lines[path+".path_mtu"], path+".path_mtu",
				"%d: a message of %d bytes would take 2^23 packets, expected a larger one", q.PathMTU, w.Sizes.Most())
		}
		if w.Batch.Max > q.Depth {
			r.fail(r.lines["batch"], "batch", "%d: expected at most the depth of %s, %d", w.Batch.Max, path, q.Depth)
		}
	}
}
