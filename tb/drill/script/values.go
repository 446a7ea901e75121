package script

import (
	"encoding/hex"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/tb/drill/packet"
	"gornic/verbs"
)

// text reads a word.
func (r *reader) text(n *yaml.Node, field string) string {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		r.fail(n, field, "%s: expected a word", shown(n))
		return ""
	}
	return n.Value
}

// whole reads a whole number from low to high.
func (r *reader) whole(n *yaml.Node, field string, low, high uint64) uint64 {
	v, err := strconv.ParseUint(n.Value, 0, 64)
	if n.Kind != yaml.ScalarNode || err != nil || v < low || v > high {
		r.fail(n, field, "%s: expected a whole number from %d to %#x", shown(n), low, high)
		return low
	}
	return v
}

func (r *reader) bool(n *yaml.Node, field string) bool {
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "true":
		return true
	case n.Kind != yaml.ScalarNode || n.Value != "false":
		r.fail(n, field, "%s: expected true or false", shown(n))
	}
	return false
}

// num reads a number of a kind.
func (r *reader) num(n *yaml.Node, field string, kind packet.Kind, bits int) Num {
	if n.Kind != yaml.ScalarNode {
		r.fail(n, field, "%s: expected a number", shown(n))
		return Plain(0)
	}
	v, err := parseNum(n.Value, kind, bits)
	if err != nil {
		r.fail(n, field, "%v: expected a number of %d bits%s", err, bits, r.kindWords(kind))
		return Plain(0)
	}
	for _, name := range v.names() {
		r.checkName(n, field, kind, name)
	}
	return v
}

// kindWords says what else a number of a kind may be.
func (r *reader) kindWords(kind packet.Kind) string {
	switch kind {
	case packet.PSN:
		return ", or with a sign before it one that counts from the first PSN"
	case packet.Key, packet.Address, packet.QPN:
		return ", or a sum with a name of " + strings.Join(r.namesOf(kind), ", ")
	}
	return ""
}

// namesOf are the names that numbers of a kind may have in them.
func (r *reader) namesOf(kind packet.Kind) (names []string) {
	switch kind {
	case packet.QPN:
		for _, q := range r.c.QPs {
			names = append(names, q.Name)
		}
	case packet.Key, packet.Address:
		for _, m := range r.c.MRs {
			names = append(names, m.Name)
		}
		if kind == packet.Key {
			for _, w := range r.c.MWs {
				names = append(names, w.Name)
			}
		}
	}
	return names
}

func (r *reader) checkName(n *yaml.Node, field string, kind packet.Kind, name string) {
	known := r.namesOf(kind)
	switch {
	case name == "i" && r.loops > 0, slices.Contains(known, name):
	case name == "i":
		r.fail(n, field, "i counts the rounds of a repeat, and there is none around this step")
	case len(known) == 0:
		r.fail(n, field, "%q: expected a number", name)
	default:
		r.fail(n, field, "%q: expected a number, or one of %s", name, strings.Join(known, ", "))
	}
}

// number reads a plain number of 64 bits.
func (r *reader) number(n *yaml.Node, field string) Num { return r.num(n, field, packet.Number, 64) }

func (r *reader) time(n *yaml.Node, field string) Time {
	t, err := parseTime(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		r.fail(n, field, "%s: expected %s", shown(n), timeWant)
	}
	return t
}

// choice reads one of some names.
func choice[T any](r *reader, n *yaml.Node, field string, names map[string]T) (v T) {
	v, ok := names[n.Value]
	if n.Kind != yaml.ScalarNode || !ok {
		r.fail(n, field, "%s: expected one of %s", shown(n), strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	return v
}

// set reads a list of flags.
func set[T ~uint8](r *reader, n *yaml.Node, field string, names map[string]T) (all T) {
	each(n, func(n *yaml.Node) { all |= choice(r, n, field, names) })
	return all
}

var accessNames = map[string]verbs.Access{
	"LOCAL_WRITE": verbs.AccessLocalWrite, "REMOTE_WRITE": verbs.AccessRemoteWrite, "REMOTE_READ": verbs.AccessRemoteRead,
	"REMOTE_ATOMIC": verbs.AccessRemoteAtomic, "MW_BIND": verbs.AccessMWBind,
}

var sendFlagNames = map[string]verbs.SendFlags{
	"FENCE": verbs.SendFence, "SIGNALED": verbs.SendSignaled, "SOLICITED": verbs.SendSolicited, "INLINE": verbs.SendInline,
}

var wcFlagNames = map[string]verbs.WCFlags{"WITH_IMM": verbs.WCWithImm, "WITH_INV": verbs.WCWithInv}

// address reads an IP address.
func (r *reader) address(n *yaml.Node, field string) netip.Addr {
	a, err := netip.ParseAddr(n.Value)
	if err != nil {
		r.fail(n, field, "%s: expected an IP address", shown(n))
	}
	return a
}

// data reads a string of bytes.
func (r *reader) data(n *yaml.Node, field string) Data {
	d := Data{Line: n.Line}
	if n.Kind == yaml.SequenceNode {
		r.list(n, field, func(n *yaml.Node) { d.Parts = append(d.Parts, r.data(n, field)) })
		return d
	}
	if n.Kind == yaml.ScalarNode {
		d.Bytes = r.hex(n, field)
		return d
	}
	sources := 0
	source := func(read func(n *yaml.Node)) func(n *yaml.Node) {
		return func(n *yaml.Node) {
			sources++
			read(n)
		}
	}
	bytes := false
	ok := r.mapping(n, field,
		key{"bytes", false, source(func(n *yaml.Node) { d.Bytes, bytes = r.hex(n, "bytes"), true })},
		key{"pattern", false, source(func(n *yaml.Node) { d.Pattern = r.number(n, "pattern") })},
		key{"mr", false, source(func(n *yaml.Node) { d.MR = r.mr(n, "mr") })},
		key{"zeros", false, source(func(n *yaml.Node) { d.Zeros = r.bool(n, "zeros") })},
		key{"offset", false, func(n *yaml.Node) { d.Offset = r.number(n, "offset") }},
		key{"length", false, func(n *yaml.Node) { d.Length = r.number(n, "length") }},
	)
	switch {
	case !ok:
	case sources > 1:
		r.fail(n, field, "expected one of bytes, pattern, mr, zeros")
	case bytes && (d.Length.Given() || d.Offset.Given()):
		r.fail(n, field, "bytes have their length: expected neither length nor offset")
	case !bytes && !d.Length.Given():
		r.fail(n, "length", "missing in %s", field)
	}
	return d
}

// hex reads bytes in hexadecimal.
func (r *reader) hex(n *yaml.Node, field string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(n.Value), ""))
	if n.Kind != yaml.ScalarNode || err != nil {
		r.fail(n, field, "%s: expected bytes in hexadecimal, \"00 1f\", or keys: bytes, pattern, mr, zeros, offset, length", shown(n))
	}
	if n.Tag != "!!str" && n.Tag != "!!null" {
		r.fail(n, field, "%s: expected bytes in hexadecimal in quotes, or keys: {length: 16, pattern: 1}", shown(n))
	}
	return b
}

// mr reads the name of a region.
func (r *reader) mr(n *yaml.Node, field string) string {
	names := make([]string, len(r.c.MRs))
	for i, m := range r.c.MRs {
		names[i] = m.Name
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(names, n.Value) {
		r.fail(n, field, "%s: no such region: expected one of %s", shown(n), strings.Join(names, ", "))
	}
	return n.Value
}

// firstMR is the region that is meant where none is named.
func (r *reader) firstMR() string {
	if len(r.c.MRs) == 0 {
		return ""
	}
	return r.c.MRs[0].Name
}
