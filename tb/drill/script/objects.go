package script

import (
	"slices"

	"gopkg.in/yaml.v3"

	"gornic/configs"
	"gornic/verbs"
)

// top reads the whole file. What steps may name is read before them, wherever it stands.
func (r *reader) top(n *yaml.Node) {
	r.mapping(n, "a case",
		key{"about", false, func(n *yaml.Node) { r.c.About = r.text(n, "about") }},
		key{"config", false, r.config},
		key{"seed", false, func(n *yaml.Node) { r.c.Seed = r.whole(n, "seed", 1, 1<<63) }},
		key{"long", false, func(n *yaml.Node) { r.c.Long = r.bool(n, "long") }},
		key{"nics", false, func(n *yaml.Node) {
			each(n, func(n *yaml.Node) { r.c.NICs = append(r.c.NICs, choice(r, n, "nics", nicNames)) })
		}},
		key{"pauses", false, func(n *yaml.Node) { r.c.Pauses = int(r.whole(n, "pauses", 0, 99)) }},
		key{"mrs", false, func(n *yaml.Node) { r.list(n, "mrs", r.region) }},
		key{"mws", false, func(n *yaml.Node) { r.list(n, "mws", r.window) }},
		key{"qps", true, func(n *yaml.Node) { r.list(n, "qps", r.queuePair) }},
		key{"steps", true, func(n *yaml.Node) { r.c.Steps = r.steps(n) }},
	)
}

// nicNames are what a case may be played on.
var nicNames = map[string]string{"golden": "golden", "native": "native", "verilator": "verilator"}

// On tells whether the case is played on a NIC of a name.
func (c *Case) On(nic string) bool { return len(c.NICs) == 0 || slices.Contains(c.NICs, nic) }

// config reads what a case needs of the configuration.
func (r *reader) config(n *yaml.Node) {
	r.c.Set = map[string]string{}
	keys := []key{{"name", false, func(n *yaml.Node) { r.c.Config = r.text(n, "name") }}}
	for _, f := range configs.Fields() {
		keys = append(keys, key{f.Name, false, func(n *yaml.Node) { r.c.Set[f.Name] = r.text(n, f.Name) }})
	}
	r.mapping(n, "config", keys...)
}

// unique checks the name of an object.
func (r *reader) unique(n *yaml.Node, name string) {
	taken := name == "i"
	for _, m := range r.c.MRs {
		taken = taken || m.Name == name
	}
	for _, w := range r.c.MWs {
		taken = taken || w.Name == name
	}
	for _, q := range r.c.QPs {
		taken = taken || q.Name == name
	}
	if taken {
		r.fail(n, "name", "%q is taken: expected a name of its own", name)
	}
	if m := termForm.FindString(name); m != name || name != "" && name[0] < 'A' {
		r.fail(n, "name", "%q: expected letters, digits, _ and ., a letter first", name)
	}
}

const (
	mostRegion  = 1 << 20
	firstVA     = 0x10000000
	distanceVA  = 0x10000000
	defaultPD   = "pd"
	defaultCQE  = 64
	defaultWR   = 16
	firstPeerQP = 0x100
	firstRQPSN  = 1000
	firstSQPSN  = 2000
)

func (r *reader) region(n *yaml.Node) {
	all := verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	m := MR{Line: n.Line, PD: defaultPD, Length: 4096, Access: all, VA: uint64(firstVA + len(r.c.MRs)*distanceVA)}
	contents := false
	r.mapping(n, "a region",
		key{"name", true, func(n *yaml.Node) { m.Name = r.text(n, "name"); r.unique(n, m.Name) }},
		key{"pd", false, func(n *yaml.Node) { m.PD = r.text(n, "pd") }},
		key{"length", false, func(n *yaml.Node) { m.Length = int(r.whole(n, "length", 1, mostRegion)) }},
		key{"access", false, func(n *yaml.Node) { m.Access = set(r, n, "access", accessNames) }},
		key{"va", false, func(n *yaml.Node) { m.VA = r.whole(n, "va", 0, 1<<64-1) }},
		key{"fast", false, func(n *yaml.Node) { m.Fast = r.bool(n, "fast") }},
		key{"contents", false, func(n *yaml.Node) { m.Contents, contents = r.data(n, "contents"), true }},
	)
	if !contents {
		m.Contents = Data{Zeros: true, Length: Plain(uint64(m.Length))}
	}
	r.c.MRs = append(r.c.MRs, m)
}

func (r *reader) window(n *yaml.Node) {
	w := MW{Line: n.Line, PD: defaultPD, Type: verbs.MWType2}
	r.mapping(n, "a window",
		key{"name", true, func(n *yaml.Node) { w.Name = r.text(n, "name"); r.unique(n, w.Name) }},
		key{"pd", false, func(n *yaml.Node) { w.PD = r.text(n, "pd") }},
		key{"type", false, func(n *yaml.Node) { w.Type = verbs.MWType(r.whole(n, "type", 1, 2)) }},
	)
	r.c.MWs = append(r.c.MWs, w)
}

// queuePair reads the definition of a queue pair.
func (r *reader) queuePair(n *yaml.Node) {
	i := uint32(len(r.c.QPs))
	q := QP{
		Line: n.Line, PD: defaultPD, SendCQE: defaultCQE, RecvCQE: defaultCQE, State: verbs.QPRTS, MTU: 256, DestQPN: firstPeerQP + i,
		Cap: verbs.QPCap{MaxSendWR: defaultWR, MaxRecvWR: defaultWR, MaxSendSGE: 2, MaxRecvSGE: 2, MaxInline: 32},
		Attr: verbs.QPAttr{
			Access: verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic, Port: 1,
			RQPSN: firstRQPSN, SQPSN: firstSQPSN, MinRNRTimer: 12, RetryCnt: 7, RNRRetry: 7,
		},
	}
	keys := []key{
		{"name", true, func(n *yaml.Node) { q.Name = r.text(n, "name"); r.unique(n, q.Name) }},
		{"pd", false, func(n *yaml.Node) { q.PD = r.text(n, "pd") }},
		{"qp_num", false, func(n *yaml.Node) { q.QPN = uint32(r.whole(n, "qp_num", 2, 0xFFFFFF)) }},
		{"qp_state", false, func(n *yaml.Node) { q.State = choice(r, n, "qp_state", stateNames) }},
		{"sq_sig_all", false, func(n *yaml.Node) { q.SigAll = r.bool(n, "sq_sig_all") }},
		{"congestion", false, func(n *yaml.Node) { q.Congestion = r.bool(n, "congestion") }},
		{"max_send_wr", false, func(n *yaml.Node) { q.Cap.MaxSendWR = int(r.whole(n, "max_send_wr", 1, 32768)) }},
		{"max_recv_wr", false, func(n *yaml.Node) { q.Cap.MaxRecvWR = int(r.whole(n, "max_recv_wr", 1, 32768)) }},
		{"max_send_sge", false, func(n *yaml.Node) { q.Cap.MaxSendSGE = int(r.whole(n, "max_send_sge", 1, 6)) }},
		{"max_recv_sge", false, func(n *yaml.Node) { q.Cap.MaxRecvSGE = int(r.whole(n, "max_recv_sge", 1, 7)) }},
		{"max_inline_data", false, func(n *yaml.Node) { q.Cap.MaxInline = int(r.whole(n, "max_inline_data", 0, 96)) }},
		{"send_cqe", false, func(n *yaml.Node) { q.SendCQE = int(r.whole(n, "send_cqe", 1, 32768)) }},
		{"recv_cqe", false, func(n *yaml.Node) { q.RecvCQE = int(r.whole(n, "recv_cqe", 1, 32768)) }},
		{"path_mtu", false, func(n *yaml.Node) { q.MTU = r.mtu(n) }},
		{"dest_qp_num", false, func(n *yaml.Node) { q.DestQPN = uint32(r.whole(n, "dest_qp_num", 2, 0xFFFFFF)) }},
		{"rq_psn", false, func(n *yaml.Node) { q.Attr.RQPSN = uint32(r.whole(n, "rq_psn", 0, 0xFFFFFF)) }},
		{"sq_psn", false, func(n *yaml.Node) { q.Attr.SQPSN = uint32(r.whole(n, "sq_psn", 0, 0xFFFFFF)) }},
		{"max_rd_atomic", false, func(n *yaml.Node) { q.Attr.MaxRDAtomic, q.ReadsOut = r.small(n, "max_rd_atomic", 255), true }},
		{"max_dest_rd_atomic", false, func(n *yaml.Node) { q.Attr.MaxDestRDAtomic, q.ReadsIn = r.small(n, "max_dest_rd_atomic", 255), true }},
		{"ipv6", false, func(n *yaml.Node) { q.Path.IPv6 = r.bool(n, "ipv6") }},
		{"vlan", false, func(n *yaml.Node) { q.Path.VLAN = r.vlan(n) }},
		{"traffic_class", false, func(n *yaml.Node) { q.Path.TrafficClass = r.small(n, "traffic_class", 255) }},
		{"hop_limit", false, func(n *yaml.Node) { q.Path.HopLimit = r.small(n, "hop_limit", 255) }},
		{"flow_label", false, func(n *yaml.Node) { q.Path.FlowLabel = uint32(r.whole(n, "flow_label", 0, 0xFFFFF)) }},
		{"src_port", false, func(n *yaml.Node) { q.Path.SrcPort = uint16(r.whole(n, "src_port", 0xC000, 0xFFFF)) }},
	}
	r.mapping(n, "a queue pair", append(keys, r.attributes(&q.Attr, nil)...)...)
	q.Attr.PathMTU, _ = verbs.MTUOf(q.MTU)
	q.Attr.DestQPN = q.DestQPN
	r.c.QPs = append(r.c.QPs, q)
	r.qps[q.Name] = &qpTrack{state: q.State, posted: map[wrKey]bool{}}
}

// attributes are the keys of attributes that stand in the definition of a queue pair and in modify_qp.
func (r *reader) attributes(a *verbs.QPAttr, mask *verbs.AttrMask) []key {
	attr := func(name string, bit verbs.AttrMask, read func(n *yaml.Node)) key {
		return key{name, false, func(n *yaml.Node) {
			read(n)
			if mask != nil {
				*mask |= bit
			}
		}}
	}
	return []key{
		attr("qp_access_flags", verbs.AttrAccess, func(n *yaml.Node) { a.Access = set(r, n, "qp_access_flags", accessNames) }),
		attr("min_rnr_timer", verbs.AttrMinRNRTimer, func(n *yaml.Node) { a.MinRNRTimer = r.small(n, "min_rnr_timer", 31) }),
		attr("timeout", verbs.AttrTimeout, func(n *yaml.Node) { a.Timeout = r.small(n, "timeout", 31) }),
		attr("retry_cnt", verbs.AttrRetryCnt, func(n *yaml.Node) { a.RetryCnt = r.small(n, "retry_cnt", 7) }),
		attr("rnr_retry", verbs.AttrRNRRetry, func(n *yaml.Node) { a.RNRRetry = r.small(n, "rnr_retry", 7) }),
	}
}

func (r *reader) small(n *yaml.Node, field string, high uint64) uint8 {
	return uint8(r.whole(n, field, 0, high))
}

func (r *reader) mtu(n *yaml.Node) int {
	v := int(r.whole(n, "path_mtu", 1, 4096))
	if !slices.Contains([]int{256, 512, 1024, 2048, 4096}, v) {
		r.fail(n, "path_mtu", "%d: expected 256, 512, 1024, 2048 or 4096", v)
		return 256
	}
	return v
}

var stateNames = map[string]verbs.QPState{
	"RESET": verbs.QPReset, "INIT": verbs.QPInit, "RTR": verbs.QPRTR, "RTS": verbs.QPRTS, "SQD": verbs.QPSQD, "ERR": verbs.QPError,
}

func (r *reader) vlan(n *yaml.Node) verbs.VLAN {
	return verbs.VLAN{Tagged: true, ID: uint16(r.whole(n, "vlan", 0, 4094))}
}
