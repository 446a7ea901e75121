package script

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/format"
	"gornic/tb/drill/packet"
	"gornic/verbs"
)

// stateOf is the state that a queue pair has as far as the file tells.
type stateOf = verbs.QPState

var wrNames = func() map[string]verbs.Opcode {
	m := map[string]verbs.Opcode{}
	for _, op := range []verbs.Opcode{
		verbs.WRWrite, verbs.WRWriteImm, verbs.WRSend, verbs.WRSendImm, verbs.WRRead, verbs.WRCompSwap, verbs.WRFetchAdd,
		verbs.WRLocalInv, verbs.WRSendInv, verbs.WRBindMW, verbs.WRRegMR,
	} {
		m[op.String()] = op
	}
	return m
}()

// postSend reads a send work request.
func (r *reader) postSend(n *yaml.Node) Action {
	a := PostSend{Flags: verbs.SendSignaled, RemoteAddr: Plain(0x8000), RKey: Plain(0x77)}
	short := SGE{MR: r.firstMR()}
	listed := false
	r.mapping(n, "post_send",
		r.qpKey(&a.QP, false),
		key{"wr_id", true, func(n *yaml.Node) { a.WRID = r.number(n, "wr_id") }},
		key{"opcode", true, func(n *yaml.Node) { a.Opcode = choice(r, n, "opcode", wrNames) }},
		key{"send_flags", false, func(n *yaml.Node) { a.Flags = set(r, n, "send_flags", sendFlagNames) }},
		key{"mr", false, func(n *yaml.Node) { short.MR = r.mr(n, "mr") }},
		key{"offset", false, func(n *yaml.Node) { short.Offset = r.number(n, "offset") }},
		key{"length", false, func(n *yaml.Node) { short.Length = r.number(n, "length") }},
		key{"sg_list", false, func(n *yaml.Node) { listed, a.SGL = true, r.sgl(n) }},
		key{"inline", false, func(n *yaml.Node) { d := r.data(n, "inline"); a.Inline = &d; a.Flags |= verbs.SendInline }},
		key{"imm_data", false, func(n *yaml.Node) { a.Imm = r.num(n, "imm_data", packet.Number, 32) }},
		key{"invalidate_rkey", false, func(n *yaml.Node) { a.InvRKey = r.num(n, "invalidate_rkey", packet.Key, 32) }},
		key{"remote_addr", false, func(n *yaml.Node) { a.RemoteAddr = r.number(n, "remote_addr") }},
		key{"rkey", false, func(n *yaml.Node) { a.RKey = r.num(n, "rkey", packet.Number, 32) }},
		key{"compare_add", false, func(n *yaml.Node) { a.CompareAdd = r.number(n, "compare_add") }},
		key{"swap", false, func(n *yaml.Node) { a.Swap = r.number(n, "swap") }},
		key{"bind_mw", false, func(n *yaml.Node) { a.Bind = r.bind(n) }},
		key{"reg_mr", false, func(n *yaml.Node) { a.Reg = r.reg(n) }},
	)
	switch {
	case listed && short.Length.Given():
		r.fail(n, "sg_list", "expected either sg_list or length")
	case short.Length.Given():
		if short.MR == "" {
			r.fail(n, "length", "a piece of what region? The case has none")
		}
		a.SGL = []SGE{short}
	case (a.Opcode == verbs.WRCompSwap || a.Opcode == verbs.WRFetchAdd) && !listed:
		short.Length = Plain(8)
		a.SGL = []SGE{short}
	}
	if a.Opcode == verbs.WRBindMW && a.Bind == nil {
		r.fail(n, "bind_mw", "missing of a BIND_MW")
	}
	if a.Opcode == verbs.WRRegMR && a.Reg == nil {
		r.fail(n, "reg_mr", "missing of a REG_MR")
	}
	r.posting(n, a.QP, false, a.WRID)
	return a
}

// posting checks that a work request can be posted, and notes it.
func (r *reader) posting(n *yaml.Node, name string, recv bool, id Num) {
	track := r.alive(n, name)
	if track == nil {
		return
	}
	needs := []verbs.QPState{verbs.QPRTS, verbs.QPSQD, verbs.QPError}
	if recv {
		needs = append(needs, verbs.QPInit, verbs.QPRTR)
	}
	if !slices.Contains(needs, track.state) {
		var words []string
		for _, s := range needs {
			words = append(words, s.String())
		}
		r.fail(n, "qp", "%q is in %v: expected it in %s", name, track.state, strings.Join(words, ", "))
	}
	if v, ok := id.Constant(); ok {
		track.posted[wrKey{recv, v}] = true
	} else {
		track.any = true
	}
}

func (r *reader) postRecv(n *yaml.Node) Action {
	a := PostRecv{}
	short := SGE{MR: r.firstMR()}
	listed := false
	r.mapping(n, "post_recv",
		r.qpKey(&a.QP, false),
		key{"wr_id", true, func(n *yaml.Node) { a.WRID = r.number(n, "wr_id") }},
		key{"mr", false, func(n *yaml.Node) { short.MR = r.mr(n, "mr") }},
		key{"offset", false, func(n *yaml.Node) { short.Offset = r.number(n, "offset") }},
		key{"length", false, func(n *yaml.Node) { short.Length = r.number(n, "length") }},
		key{"sg_list", false, func(n *yaml.Node) { listed, a.SGL = true, r.sgl(n) }},
	)
	switch {
	case listed && short.Length.Given():
		r.fail(n, "sg_list", "expected either sg_list or length")
	case short.Length.Given():
		if short.MR == "" {
			r.fail(n, "length", "a piece of what region? The case has none")
		}
		a.SGL = []SGE{short}
	}
	r.posting(n, a.QP, true, a.WRID)
	return a
}

func (r *reader) sgl(n *yaml.Node) (all []SGE) {
	r.list(n, "sg_list", func(n *yaml.Node) {
		e := SGE{MR: r.firstMR()}
		r.mapping(n, "sg_list",
			key{"mr", false, func(n *yaml.Node) { e.MR = r.mr(n, "mr") }},
			key{"offset", false, func(n *yaml.Node) { e.Offset = r.number(n, "offset") }},
			key{"length", true, func(n *yaml.Node) { e.Length = r.num(n, "length", packet.Number, 32) }},
			key{"lkey", false, func(n *yaml.Node) { k := r.num(n, "lkey", packet.Key, 32); e.LKey = &k }},
		)
		if e.MR == "" {
			r.fail(n, "mr", "the case has no regions")
		}
		all = append(all, e)
	})
	return all
}

func (r *reader) bind(n *yaml.Node) *Bind {
	b := Bind{MR: r.firstMR()}
	windows := map[string]string{}
	for _, w := range r.c.MWs {
		windows[w.Name] = w.Name
	}
	r.mapping(n, "bind_mw",
		key{"mw", true, func(n *yaml.Node) { b.MW = choice(r, n, "mw", windows) }},
		key{"mr", false, func(n *yaml.Node) { b.MR = r.mr(n, "mr") }},
		key{"offset", false, func(n *yaml.Node) { b.Offset = r.number(n, "offset") }},
		key{"length", true, func(n *yaml.Node) { b.Length = r.number(n, "length") }},
		key{"access", true, func(n *yaml.Node) { b.Access = set(r, n, "access", accessNames) }},
	)
	return &b
}

func (r *reader) reg(n *yaml.Node) *Reg {
	var g Reg
	r.mapping(n, "reg_mr",
		key{"mr", true, func(n *yaml.Node) {
			g.MR = r.mr(n, "mr")
			if m := r.c.FindMR(g.MR); m != nil && !m.Fast {
				r.fail(n, "mr", "%q: expected a region for fast registration (fast: true)", g.MR)
			}
		}},
		key{"access", true, func(n *yaml.Node) { g.Access = set(r, n, "access", accessNames) }},
	)
	return &g
}

func (r *reader) modifyQP(n *yaml.Node) Action {
	var a ModifyQP
	keys := append([]key{
		r.qpKey(&a.QP, false),
		{"qp_state", false, func(n *yaml.Node) {
			a.Attr.State = choice(r, n, "qp_state", stateNames)
			a.Mask |= verbs.AttrState
		}},
		{"en_sqd_async_notify", false, func(n *yaml.Node) {
			a.Attr.SQDNotify = r.bool(n, "en_sqd_async_notify")
			a.Mask |= verbs.AttrSQDNotify
		}},
		{"rq_psn", false, func(n *yaml.Node) {
			a.Attr.RQPSN = uint32(r.whole(n, "rq_psn", 0, 0xFFFFFF))
			a.Mask |= verbs.AttrRQPSN
		}},
		{"sq_psn", false, func(n *yaml.Node) {
			a.Attr.SQPSN = uint32(r.whole(n, "sq_psn", 0, 0xFFFFFF))
			a.Mask |= verbs.AttrSQPSN
		}},
		{"max_rd_atomic", false, func(n *yaml.Node) {
			a.Attr.MaxRDAtomic = r.small(n, "max_rd_atomic", 255)
			a.Mask |= verbs.AttrMaxRDAtomic
		}},
		{"max_dest_rd_atomic", false, func(n *yaml.Node) {
			a.Attr.MaxDestRDAtomic = r.small(n, "max_dest_rd_atomic", 255)
			a.Mask |= verbs.AttrMaxDestRDAtomic
		}},
	}, r.attributes(&a.Attr, &a.Mask)...)
	r.mapping(n, "modify_qp", keys...)
	if track := r.alive(n, a.QP); track != nil && a.Mask&verbs.AttrState != 0 {
		track.state = a.Attr.State
	}
	if a.Mask == 0 {
		r.fail(n, "modify_qp", "changes nothing: expected qp_state, or an attribute")
	}
	return a
}

func (r *reader) destroyQP(n *yaml.Node) Action {
	a := DestroyQP{r.qp(n, false)}
	if track := r.qps[a.QP]; track != nil {
		track.gone = n.Line
	}
	return a
}

func (r *reader) createQP(n *yaml.Node) Action {
	a := CreateQP{r.qp(n, true)}
	if track := r.qps[a.QP]; track != nil {
		track.gone, track.state = 0, r.c.FindQP(a.QP).State
	}
	return a
}

func (r *reader) deregMR(n *yaml.Node) Action {
	a := DeregMR{r.mr(n, "dereg_mr")}
	if line := r.ended[a.MR]; line > 0 {
		r.fail(n, "dereg_mr", "%q was deregistered on line %d", a.MR, line)
	}
	r.ended[a.MR] = n.Line
	return a
}

// place is the keys of a piece of a region.
func (r *reader) place(mr *string, offset *Num) []key {
	*mr = r.firstMR()
	return []key{
		{"mr", len(r.c.MRs) > 1, func(n *yaml.Node) { *mr = r.mr(n, "mr") }},
		{"offset", false, func(n *yaml.Node) { *offset = r.number(n, "offset") }},
	}
}

func (r *reader) writeMemory(n *yaml.Node) Action {
	var a WriteMemory
	keys := append(r.place(&a.MR, &a.Offset), key{"data", true, func(n *yaml.Node) { a.Data = r.data(n, "data") }})
	r.mapping(n, "write_memory", keys...)
	return a
}

func (r *reader) injectFault(n *yaml.Node) Action {
	var a InjectFault
	keys := append(r.place(&a.MR, &a.Offset),
		key{"length", true, func(n *yaml.Node) { a.Length = r.number(n, "length") }},
		key{"on", true, func(n *yaml.Node) {
			each(n, func(n *yaml.Node) {
				switch choice(r, n, "on", map[string]int{"reads": 1, "writes": 2}) {
				case 1:
					a.Reads = true
				case 2:
					a.Writes = true
				}
			})
		}},
	)
	r.mapping(n, "inject_fault", keys...)
	return a
}

// queueKey is the key "queue".
func (r *reader) queueKey(read func(recv bool)) key {
	return key{"queue", false, func(n *yaml.Node) {
		read(choice(r, n, "queue", map[string]bool{"send": false, "recv": true}))
	}}
}

func (r *reader) reqNotify(n *yaml.Node) Action {
	var a ReqNotify
	r.mapping(n, "req_notify_cq",
		r.qpKey(&a.QP, false),
		r.queueKey(func(recv bool) { a.Recv = recv }),
		key{"solicited_only", false, func(n *yaml.Node) { a.SolicitedOnly = r.bool(n, "solicited_only") }},
	)
	r.alive(n, a.QP)
	return a
}

// registerNames are the registers that a case may write: those of congestion control, which no verb sets.
func registerNames() map[string]format.Register {
	names := map[string]format.Register{}
	for _, r := range format.CongestionRegisters() {
		names[r.Name] = r
	}
	return names
}

func (r *reader) writeRegister(n *yaml.Node) Action {
	var a WriteRegister
	r.mapping(n, "write_register",
		key{"name", true, func(n *yaml.Node) { a.Register = choice(r, n, "name", registerNames()) }},
		key{"value", true, func(n *yaml.Node) { a.Value = uint32(r.whole(n, "value", 0, 0xFFFFFFFF)) }},
	)
	return a
}

// counterNames are the counters of a device.
func counterNames() map[string]format.Counter {
	names := map[string]format.Counter{}
	for i := range format.CounterCount {
		names[format.Counter(i).String()] = format.Counter(i)
	}
	return names
}
