package script

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/format"
	"gornic/tb/drill/packet"
)

// packetKeys are the keys of a packet's fields. Where one is expected a field may be a list: any of these.
func (r *reader) packetKeys(p *Packet, lists bool) []key {
	var keys []key
	for _, f := range packet.Fields() {
		keys = append(keys, key{f.Name, false, func(n *yaml.Node) { p.Fields = append(p.Fields, r.field(n, f, lists)) }})
	}
	return append(keys,
		key{"src_ip", false, func(n *yaml.Node) { p.Src = r.address(n, "src_ip") }},
		key{"dst_ip", false, func(n *yaml.Node) { p.Dst = r.address(n, "dst_ip") }},
		key{"ecn", false, func(n *yaml.Node) {
			v := choice(r, n, "ecn", map[string]uint64{"NOT_ECT": format.ECNNotECT, "ECT0": format.ECNECT0, "ECT1": format.ECNECT1, "CE": format.ECNCE})
			p.ECN = &v
		}},
		key{"payload", false, func(n *yaml.Node) { d := r.data(n, "payload"); p.Payload = &d }},
	)
}

// field reads a field of a packet.
func (r *reader) field(n *yaml.Node, f packet.Field, lists bool) FieldValue {
	v := FieldValue{Field: f, Line: n.Line}
	if n.Kind == yaml.SequenceNode && !lists {
		r.fail(n, f.Name, "a list: expected one value of what is sent")
		return v
	}
	each(n, func(n *yaml.Node) { v.Any = append(v.Any, r.value(n, f)) })
	if len(v.Any) == 0 {
		r.fail(n, f.Name, "an empty list: expected values, any of which will do")
	}
	return v
}

// value reads one value of a field.
func (r *reader) value(n *yaml.Node, f packet.Field) Value {
	named := n.Value != "" && (n.Value[0] < '0' || n.Value[0] > '9')
	switch {
	case f.Kind == packet.Opcode && named:
		op, ok := packet.ParseOpcode(n.Value)
		if !ok {
			r.fail(n, f.Name, "%s: expected an opcode such as SEND_ONLY (docs/formats.md has all), or its number", shown(n))
		}
		return opcode(op)
	case f.Kind == packet.Syndrome && named:
		s, ok := packet.ParseSyndrome(n.Value)
		if !ok {
			r.fail(n, f.Name, "%s: expected one of %s, ACK or RNR_NAK with a code from 0 to 31 behind it, or a number", shown(n), strings.Join(packet.SyndromeNames(), ", "))
		}
		return syndrome{n.Value, s}
	}
	return r.num(n, f.Name, f.Kind, f.Bits)
}

// opcodes are those that a packet has or may have, as far as they are known.
func (p *Packet) opcodes() (all []format.Opcode) {
	for _, f := range p.Fields {
		if f.Kind != packet.Opcode {
			continue
		}
		for _, v := range f.Any {
			if n, isNum := v.(Num); !isNum {
				v, _ := v.Eval(nil)
				all = append(all, format.Opcode(v))
			} else if c, ok := n.Constant(); ok {
				all = append(all, format.Opcode(c))
			}
		}
	}
	return all
}

// Opcodes are those that an expected packet may have; none: any.
func (p *Packet) Opcodes() []format.Opcode { return p.opcodes() }

// has tells whether a field is given.
func (p *Packet) has(name string) bool {
	for _, f := range p.Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}

// checkHeaders checks that the packet's opcode has the headers of its fields.
func (r *reader) checkHeaders(n *yaml.Node, p *Packet) {
	for _, op := range p.opcodes() {
		sample := packet.Packet{BTH: format.BTH[uint64]{Opcode: uint64(op)}}
		for _, f := range p.Fields {
			if !f.In(&sample) {
				r.fail(&yaml.Node{Line: f.Line}, f.Name, "%s has no %s: expected a field that the packet has", packet.OpcodeName(op), f.Header)
			}
		}
	}
}

// sendPacket reads a packet of the peer.
func (r *reader) sendPacket(n *yaml.Node) Action {
	a := SendPacket{Count: Plain(1)}
	keys := append([]key{r.qpKey(&a.QP, true)}, r.packetKeys(&a.Packet, false)...)
	if len(r.c.QPs) > 1 {
		keys[0].required = false
	}
	keys[0].read = func(n *yaml.Node) { a.QP = r.anyQP(n) }
	keys = append(keys,
		key{"again", false, func(n *yaml.Node) {
			a.Again = r.label(n, "again")
			if v := r.labels[a.Again]; v != "" && v != "send_packet" && v != "send_raw" {
				r.fail(n, "again", "%q is the label of %s: expected that of a send_packet or send_raw", a.Again, v)
			}
		}},
		key{"icrc", false, func(n *yaml.Node) { a.BadICRC = choice(r, n, "icrc", map[string]bool{"good": false, "bad": true}) }},
		key{"trailer", false, func(n *yaml.Node) { a.Trailer = int(r.whole(n, "trailer", 0, 1500)) }},
		key{"count", false, func(n *yaml.Node) { a.Count = r.number(n, "count") }},
	)
	r.mapping(n, "send_packet", keys...)
	r.checkSent(n, &a)
	return a
}

// checkSent checks that a packet of the peer can be made.
func (r *reader) checkSent(n *yaml.Node, a *SendPacket) {
	ops := a.opcodes()
	switch {
	case a.Again != "":
		if len(a.Fields) > 0 || a.Payload != nil || a.BadICRC || a.Trailer > 0 {
			r.fail(n, "again", "the same frame has the same fields: expected again alone, or with count")
		}
		return
	case len(ops) == 0:
		r.fail(n, "opcode", "missing in send_packet")
		return
	case a.QP == "":
		r.fail(n, "qp", "missing in send_packet: expected one of %s", strings.Join(r.qpNames(), ", "))
	case packet.IsResponse(ops[0]) && !a.has("psn"):
		r.fail(n, "psn", "missing: a response has the PSN of what it answers")
	}
	r.checkHeaders(n, &a.Packet)
	if info, known := format.Lookup(ops[0]); known && info.Payload == format.PayloadNone && a.Payload != nil {
		r.fail(&yaml.Node{Line: a.Payload.Line}, "payload", "%s has no payload: expected none", info.Name)
	}
}

// anyQP reads the name of a queue pair, whether it is there or not: packets may come late.
func (r *reader) anyQP(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || r.qps[n.Value] == nil {
		r.fail(n, "qp", "%s: no such queue pair: expected one of %s", shown(n), strings.Join(r.qpNames(), ", "))
	}
	return n.Value
}

// wantedKeys are the keys of a packet that is expected.
func (r *reader) wantedKeys(p *Packet) []key {
	return append(r.packetKeys(p, true),
		key{"payload_len", false, func(n *yaml.Node) { v := r.number(n, "payload_len"); p.PayloadLen = &v }})
}

func (r *reader) expectPacket(n *yaml.Node) Action {
	var a ExpectPacket
	keys := append([]key{r.qpKey(&a.QP, true)}, r.wantedKeys(&a.Packet)...)
	keys[0].read = func(n *yaml.Node) { a.QP = r.anyQP(n) }
	keys = append(keys, r.timesKeys(&a.Times)...)
	keys = append(keys,
		key{"optional", false, func(n *yaml.Node) { a.Optional = r.bool(n, "optional") }},
		key{"skip", false, func(n *yaml.Node) { each(n, func(n *yaml.Node) { a.Skip = append(a.Skip, r.skipped(n)) }) }},
	)
	r.mapping(n, "expect_packet", keys...)
	r.checkHeaders(n, &a.Packet)
	if a.Optional && !a.After.Zero() {
		r.fail(n, "after", "of a packet that is optional: expected within alone")
	}
	return a
}

func (r *reader) skipped(n *yaml.Node) (p Packet) {
	r.mapping(n, "skip", r.wantedKeys(&p)...)
	r.checkHeaders(n, &p)
	return p
}

var streamNames = map[string]Stream{"requests": Requests, "responses": Responses, "cnps": CNPs}

func (s Stream) String() string { return [...]string{"requests", "responses", "cnps"}[s%3] }

func (r *reader) expectNothing(n *yaml.Node) Action {
	var a ExpectNothing
	if n.Kind == yaml.ScalarNode {
		a.For = r.time(n, "expect_nothing")
		return a
	}
	r.mapping(n, "expect_nothing",
		key{"qp", false, func(n *yaml.Node) { a.QP = r.anyQP(n) }},
		key{"for", true, func(n *yaml.Node) { a.For = r.time(n, "for") }},
		key{"of", false, func(n *yaml.Node) {
			each(n, func(n *yaml.Node) { a.Streams = append(a.Streams, choice(r, n, "of", streamNames)) })
		}},
	)
	return a
}

// Words is what is expected, in the words of the protocol.
func (p *Packet) Words() string {
	words := []string{}
	for _, f := range p.Fields {
		var values []string
		for _, v := range f.Any {
			values = append(values, v.String())
		}
		text := strings.Join(values, " or ")
		if f.Kind == packet.Opcode {
			words = append([]string{text}, words...)
		} else {
			words = append(words, f.Name+" "+text)
		}
	}
	if len(p.opcodes()) == 0 {
		words = append([]string{"a packet"}, words...)
	}
	if p.Src.IsValid() {
		words = append(words, fmt.Sprintf("src_ip %v", p.Src))
	}
	if p.Dst.IsValid() {
		words = append(words, fmt.Sprintf("dst_ip %v", p.Dst))
	}
	if p.ECN != nil {
		words = append(words, fmt.Sprintf("ecn %d", *p.ECN))
	}
	if p.PayloadLen != nil {
		words = append(words, "payload_len "+p.PayloadLen.String())
	}
	if p.Payload != nil {
		words = append(words, "payload")
	}
	return strings.Join(words, ", ")
}
