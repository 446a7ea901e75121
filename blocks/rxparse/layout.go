package rxparse

import (
	"gornic/format"
	"gornic/hdl"
)

// layout is what the Ethernet header tells, in registers of stage 1.
type layout struct{ vlan, ip4, ip6, rocev1 hdl.Bits }

// etherTypes are the ethertypes that a word's lower half can be.
type etherTypes struct{ vlan, ip4, ip6, rocev1 hdl.Bits }

func etherTypesOf(word hdl.Bits) etherTypes {
	is := func(v uint64) hdl.Bits { return word.Trunc(16).Is(v) }
	return etherTypes{is(format.EtherTypeVLAN), is(format.EtherTypeIPv4), is(format.EtherTypeIPv6), is(format.EtherTypeRoCEv1)}
}

// layout finds out which variant the frame is. Where beats are wide, the tag and
// the ethertype stand in one beat with fields that depend on them.
func (r *reader) layout() layout {
	n := len(r.words)
	outerBeat, innerBeat := wordType/n, wordTag/n
	outer, inner := etherTypesOf(r.words[wordType%n]), etherTypesOf(r.words[wordTag%n])
	l := layout{r.m.RegN("vlan", 1), r.m.RegN("ip4", 1), r.m.RegN("ip6", 1), r.m.RegN("rocev1", 1)}

	r.vlan = l.vlan
	if outerBeat == innerBeat {
		r.vlan = r.m.Wire("vlan_now", 1)
		r.vlan.Set(hdl.Mux(r.inBeat(outerBeat), outer.vlan, l.vlan))
	}
	r.m.If(r.move.And(r.inBeat(outerBeat)), func() {
		l.vlan.Set(outer.vlan)
		l.ip4.Set(outer.ip4)
		l.ip6.Set(outer.ip6)
		l.rocev1.Set(outer.rocev1)
	})
	r.m.If(r.move.And(r.inBeat(innerBeat)).And(r.vlan), func() {
		l.ip4.Set(inner.ip4)
		l.ip6.Set(inner.ip6)
		l.rocev1.Set(inner.rocev1)
	})

	r.v6 = l.ip6
	if source := variants[1].ip() + 2; source/n == innerBeat { // the first word that depends on the version
		r.v6 = r.m.Wire("ip6_now", 1)
		untagged := l.ip6
		if outerBeat == innerBeat {
			untagged = outer.ip6
		}
		r.v6.Set(hdl.Mux(r.inBeat(innerBeat), hdl.Mux(r.vlan, inner.ip6, untagged), l.ip6))
	}
	r.see()
	return l
}
